//! Recordings.
