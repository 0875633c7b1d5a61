//! Which file is meant, and may it be touched? Artifacts, uploads and what a
//! session's agent asks to read or write. It knows no session, run or event.

pub mod artifact;
pub mod attachment;
mod dir;
mod hash;
pub mod mime;
mod name;
pub mod open;
pub mod preview;
mod roots;
pub mod socket;
pub mod upload;

pub use name::{FileName, NameError};
pub use roots::{FILE_BYTES_MAX, FileError, Roots};
