//! Does the simulator do over ACP what its prompt says?
//!
//! Each test speaks to a simulator in this process through a pipe.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail the test")]

mod client;
mod faults;
mod requests;
mod sessions;
mod turns;
