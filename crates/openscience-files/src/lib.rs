//! Which file is meant, and may it be touched? Artifacts, uploads and what a
//! session's agent asks to read or write. It knows no session, run or event.

mod roots;
pub mod socket;

pub use roots::{FILE_BYTES_MAX, FileError, Roots};
