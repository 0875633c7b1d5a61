//! Does the whole daemon keep its promises over real HTTP, SSE and agent processes?
//!
//! Black box: every test starts the real binary in a temporary directory and looks at it from the
//! outside. How single rules decide is tested where they live; nothing of the daemon is linked here.

#[cfg(test)]
mod admission;
#[cfg(test)]
mod artifacts;
#[cfg(test)]
mod ask_tool;
#[cfg(test)]
mod attachments;
#[cfg(test)]
mod authority;
#[cfg(test)]
mod cancel;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod decisions;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod events;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod framing;
#[cfg(test)]
mod guards;
#[cfg(test)]
mod handover;
#[cfg(test)]
mod harbor;
#[cfg(test)]
mod lifecycle;
#[cfg(test)]
mod live;
#[cfg(test)]
mod locks;
#[cfg(test)]
mod outcomes;
#[cfg(test)]
mod questions;
#[cfg(test)]
mod queue;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod real;
#[cfg(test)]
mod reconnects;
#[cfg(test)]
mod registry;
#[cfg(test)]
mod reopening;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod reports_config;
#[cfg(test)]
mod run;
#[cfg(test)]
mod run_attached;
#[cfg(test)]
mod run_terminal;
#[cfg(test)]
mod runs;
#[cfg(test)]
mod serve;
#[cfg(test)]
mod session_cli;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod shared;
#[cfg(test)]
mod state;
#[cfg(test)]
mod support;
#[cfg(test)]
mod three;
#[cfg(test)]
mod visits;
