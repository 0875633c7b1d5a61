//! What can an agent call back into? The MCP servers of `openscience mcp`, each a
//! process on standard input and output. They decide nothing about a session.

pub mod artifacts;
pub mod questions;
