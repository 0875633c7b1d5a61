//! What does a process cost? Its memory with all its children, its processor time.
//!
//! Reads `/proc`; where there is none every answer is 0.

use std::fs;

/// Resident memory of the process and its descendants, in MiB.
pub(crate) fn tree_mib(root: u32) -> f64 {
    let mut total = 0.0;
    let mut waiting = vec![root];
    while let Some(pid) = waiting.pop() {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        total += resident_kib(&status) / 1024.0;
        waiting.extend(children(pid));
    }
    total
}

fn resident_kib(status: &str) -> f64 {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

fn children(pid: u32) -> Vec<u32> {
    let lists = tasks(pid, "children");
    lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|pid| pid.parse().ok()).collect()
}

/// Processor time of the process's threads so far, in milliseconds; children do not count.
pub(crate) fn cpu_ms(pid: u32) -> f64 {
    let times = tasks(pid, "schedstat");
    let nanoseconds = times.iter().filter_map(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.sum::<f64>() / 1e6
}

/// The file of that name of each thread.
fn tasks(pid: u32, name: &str) -> Vec<String> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join(name)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_its_line() {
        let check = |status, expected: f64| assert!((resident_kib(status) - expected).abs() < 1e-9);
        check("VmPeak:\t  999 kB\nVmRSS:\t   2048 kB\n", 2_048.0);
        check("Name:\tzombie\n", 0.0);
    }
}
