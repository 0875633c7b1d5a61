//! A connection against agents that do what real ones do: over pipes in
//! memory where only the protocol matters, as processes where life and death
//! do.

// `cfg(test)` is always true here; it tells the lints that helpers are tests too.
#[cfg(test)]
mod peer;
#[cfg(test)]
mod process;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod trouble;
#[cfg(test)]
mod wire;
