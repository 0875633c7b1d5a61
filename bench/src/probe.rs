//! How quiet is the machine? The cost of a sync and the load average, right now.
//!
//! On a shared disk the cost of a sync moves by more than ten times within
//! minutes, so no time in milliseconds means anything without this beside it.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;

use crate::stats::median;

const SYNCS: usize = 32;
const BYTES: usize = 512;
/// Beyond this a round's two probes say that the disk changed under it.
const QUIET: f64 = 2.0;

/// Median milliseconds of appending 512 bytes and syncing them.
pub(crate) fn sync_ms(directory: &Path) -> anyhow::Result<f64> {
    let path = directory.join("probe");
    let mut file = File::create(&path).context("could not make the probe's file")?;
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let began = Instant::now();
        file.write_all(&[7; BYTES])?;
        file.sync_data()?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    std::fs::remove_file(path)?;
    Ok(median(&times))
}

/// True if the disk changed between two probes.
pub(crate) fn is_noisy(before: f64, after: f64) -> bool {
    before.max(after) > QUIET * before.min(after)
}

/// Processes that ran or wanted to, over the last minute; NaN where the system does not say.
pub(crate) fn load_average() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_noisy_if_syncs_became_twice_as_slow_or_as_fast() {
        assert!(!is_noisy(0.2, 0.4));
        assert!(is_noisy(0.2, 0.41));
        assert!(is_noisy(4.0, 0.2));
    }

    #[test]
    fn a_sync_takes_some_time_and_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        assert!(sync_ms(directory.path()).unwrap() > 0.0);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
