//! The rules of a session: what may happen next, as pure functions.
//!
//! No clock, no randomness, no IO, no async: time and ids are arguments.

pub mod admission;
pub mod answer;
pub mod artifact;
pub mod authority;
mod broker;
pub mod change;
pub mod coalesce;
mod command;
pub mod effect;
mod form;
mod gather;
mod grant;
pub mod handover;
pub mod idle;
pub mod input;
pub mod mapping;
mod observe;
pub mod pace;
pub mod permission;
pub mod profile;
mod question;
pub mod queue;
pub mod read_model;
pub mod rules;
pub mod session;
pub mod settings;
mod settle;
mod state;
mod stop;
mod submit;
mod terminal;
mod text;
mod tool;
pub mod transcribe;
mod trim;
pub mod visit;
pub mod window;
