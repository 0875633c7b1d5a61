//! When does someone want this process to end?

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end a process. From when this exists they no longer end the process by themselves.
#[derive(Debug)]
pub(in crate::cli) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// The terminal is gone; none if whoever started us wants us to outlive it.
    hang_up: Option<Signal>,
}

impl Signals {
    pub(in crate::cli) fn install() -> io::Result<Self> {
        let hang_up = if ignores_hang_up() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up,
        })
    }

    /// Waits for the next one.
    pub(in crate::cli) async fn next(&mut self) {
        self.next_kind().await;
    }

    /// Waits for the next one and tells which it is.
    pub(in crate::cli) async fn next_kind(&mut self) -> StopSignal {
        let Self { interrupt, terminate, hang_up } = self;
        let kind = tokio::select! {
            _ = interrupt.recv() => StopSignal::Interrupt,
            _ = terminate.recv() => StopSignal::Terminate,
            () = hung_up(hang_up) => StopSignal::HangUp,
        };
        if kind == StopSignal::HangUp {
            // A closing terminal tells more than once, by the kernel and by the shell: once counts. The
            // handler stays, so the next one does not end the process either.
            self.hang_up = None;
        }
        kind
    }
}

/// What a process was told by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum StopSignal {
    Interrupt,
    Terminate,
    HangUp,
}

impl StopSignal {
    /// What a shell says of a process that ended by it.
    pub(in crate::cli) fn exit_code(self) -> u8 {
        match self {
            Self::HangUp => 129,
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }
}

async fn hung_up(hang_up: &mut Option<Signal>) {
    match hang_up {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// True if we were started to ignore it, as `nohup` does; a handler of ours would undo that.
fn ignores_hang_up() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| is_hang_up_ignored(&status))
}

/// Reads the mask of ignored signals, in which the first bit is that of signal 1.
fn is_hang_up_ignored(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hang_up_is_ignored_if_the_mask_says_so() {
        assert!(is_hang_up_ignored("Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0"));
        assert!(!is_hang_up_ignored("Name:\tx\nSigIgn:\t0000000000001000\nSigCgt:\t1"));
        assert!(!is_hang_up_ignored(""));
    }
}
