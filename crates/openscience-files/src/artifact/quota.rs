//! How much may be saved? Pure: sizes in, an answer out.

use openscience_protocol::Limits;

use super::WriteError;
use super::lock::Usage;

/// Files of one run: the list of them is read, told and recorded as a whole.
const RUN_FILES_MAX: u64 = 10_000;

/// No more than a twentieth of a disk is kept free.
const RESERVE_PART: u64 = 20;

/// The bounds of what is saved, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub inline: u64,
    pub file: u64,
    pub run: u64,
    pub session: u64,
    /// Kept free on the disk, if that is not more than 5 % of it.
    pub reserve: u64,
}

impl Budget {
    /// The bounds in force.
    pub fn new(limits: &Limits) -> Self {
        Self {
            inline: limits.artifact_inline_bytes,
            file: limits.artifact_file_bytes,
            run: limits.artifact_run_bytes,
            session: limits.artifact_session_bytes,
            reserve: limits.disk_reserve_bytes,
        }
    }
}

/// A disk as it stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Space {
    pub available: u64,
    pub total: u64,
}

/// May `size` more bytes be saved? What is exactly at a bound is allowed.
pub(super) fn admit(size: u64, usage: &Usage, space: Space, budget: &Budget) -> Result<(), WriteError> {
    if size > budget.file {
        return Err(WriteError::FileTooLarge { size, limit: budget.file });
    }
    if usage.run_files >= RUN_FILES_MAX {
        return Err(WriteError::TooManyFiles { limit: RUN_FILES_MAX });
    }
    if usage.run_bytes.saturating_add(size) > budget.run {
        return Err(WriteError::RunFull { limit: budget.run });
    }
    if usage.session_bytes.saturating_add(size) > budget.session {
        return Err(WriteError::SessionFull { limit: budget.session });
    }
    let reserve = budget.reserve.min(space.total / RESERVE_PART);
    if space.available.saturating_sub(reserve) < size {
        return Err(WriteError::DiskFull);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: Budget = Budget { inline: 10, file: 100, run: 200, session: 1_000, reserve: 50 };
    const ROOMY: Space = Space { available: 10_000, total: 10_000 };

    fn usage(session_bytes: u64, run_bytes: u64, run_files: u64) -> Usage {
        Usage { session_bytes, run_id: None, run_bytes, run_files }
    }

    #[track_caller]
    fn check(size: u64, usage: &Usage, space: Space, refusal: &str) {
        let told = admit(size, usage, space, &BUDGET).err().map(|error| error.to_string());
        assert_eq!(told.unwrap_or_default(), refusal);
    }

    #[test]
    fn what_is_at_a_bound_is_saved_and_one_byte_more_is_not() {
        check(100, &usage(0, 0, 0), ROOMY, "");
        check(101, &usage(0, 0, 0), ROOMY, "the file has 101 bytes; at most 100 are saved in one file");
        check(100, &usage(0, 100, 0), ROOMY, "");
        check(
            100,
            &usage(0, 101, 0),
            ROOMY,
            "one turn may save at most 200 bytes, and this file is too many",
        );
        check(100, &usage(900, 0, 0), ROOMY, "");
        check(
            100,
            &usage(901, 0, 0),
            ROOMY,
            "a session may save at most 1000 bytes, and this file is too many",
        );
        check(1, &usage(0, 0, 9_999), ROOMY, "");
        check(1, &usage(0, 0, 10_000), ROOMY, "one turn may save at most 10000 files");
        check(
            u64::MAX,
            &usage(u64::MAX, u64::MAX, 0),
            ROOMY,
            &format!("the file has {} bytes; at most 100 are saved in one file", u64::MAX),
        );
    }

    #[test]
    fn the_reserve_is_left_free_but_never_more_than_a_twentieth_of_the_disk() {
        let full = "the disk has not enough free space left";
        let disk = |available, total| Space { available, total };
        check(100, &usage(0, 0, 0), disk(150, 10_000), "");
        check(100, &usage(0, 0, 0), disk(149, 10_000), full);
        check(100, &usage(0, 0, 0), disk(105, 100), "");
        check(100, &usage(0, 0, 0), disk(104, 100), full);
        check(0, &usage(0, 0, 0), disk(0, 10_000), "");
    }
}
