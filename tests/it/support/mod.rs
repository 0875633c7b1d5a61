//! What every test needs: a daemon of its own, a client, a strict event reader and bounded waiting.
//!
//! Knows the wire and the process table; holds no expectation of a single test.

mod client;
mod daemon;
mod events;
mod lines;
mod live;
mod lock;
mod process;
mod raw;
mod scripted;
mod session;
mod updates;
mod wait;
mod world;

pub(crate) use client::{Reply, encode};
pub(crate) use daemon::{BINARY, Daemon, Serve, free_port};
pub(crate) use events::{Event, Sse, Transcript};
pub(crate) use lines::Lines;
pub(crate) use live::Live;
pub(crate) use lock::Lock;
pub(crate) use process::{Process, alive, command, kill, signal};
pub(crate) use raw::raw;
pub(crate) use scripted::{Log, python, scripted};
pub(crate) use session::{Prompt, Session};
pub(crate) use updates::Updates;
pub(crate) use wait::{eventually, within};
pub(crate) use world::{World, repository};
