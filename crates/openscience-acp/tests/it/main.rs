//! A connection against agents that do what real ones do: over pipes in
//! memory where only the protocol matters, as processes where life and death
//! do.

mod peer;
mod process;
mod replay;
mod trouble;
mod wire;
