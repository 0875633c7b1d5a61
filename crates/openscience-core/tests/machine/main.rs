//! The session machine against a model of the store: tables, scenarios, properties, simulation.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail the test")]
#![expect(clippy::needless_pass_by_value, reason = "JSON reads better where it is made")]

mod admission;
mod artifacts;
mod asides;
mod bounds;
mod broker;
mod joins;
mod journal;
mod late;
mod ops;
mod outcomes;
mod permissions;
mod properties;
mod questions;
mod queue;
mod read_model;
mod requests;
mod scenarios;
mod simulation;
mod store;
mod tools;
mod visits;
mod world;
