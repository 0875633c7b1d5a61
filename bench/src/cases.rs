//! What is compared: every case, what it measures on both servers, and which ratio is wanted.

use std::collections::BTreeMap;

use serde::Serialize;

/// Which of two values is the better one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Better {
    Lower,
    Higher,
}

/// One figure of a case.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) better: Better,
    /// Ours by the limit's: at most this if lower is better, else at least this.
    pub(crate) target: Option<f64>,
}

const fn figure(name: &'static str, better: Better, target: Option<f64>) -> Figure {
    Figure { name, better, target }
}

const START: Figure = figure("start, ms", Better::Lower, Some(1.6));
const IDLE: Figure = figure("idle memory, MiB", Better::Lower, Some(1.6));
/// Of a request, or of a stretch of the journal.
pub(crate) const P50: &str = "p50, ms";
pub(crate) const P99: &str = "p99, ms";
pub(crate) const RATE: &str = "requests/s";
pub(crate) const CPU: &str = "server CPU per request, µs";
pub(crate) const UPDATES: &str = "updates/s";
pub(crate) const EVENTS: &str = "events/s";
pub(crate) const BYTES: &str = "MB/s";
/// Of the server, for each open stream.
pub(crate) const MEMORY: &str = "memory per stream, KiB";
/// What others wait while streams are stuck, by what they wait without.
pub(crate) const OTHERS: &str = "others' p50, times that without";

const CPU_FIGURE: Figure = figure(CPU, Better::Lower, None);

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Kind {
    Start,
    Trivial,
    Create,
    Admit,
    AdmitAtWork,
    Repeat,
    Updates,
    Events,
    Replay,
    Tail,
    FanOut,
    FanOutMany,
    Idle,
    Stuck,
    Restart,
}

/// A case as the report tells it.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Case {
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    pub(crate) ours: &'static str,
    pub(crate) limit: &'static str,
    /// How what is written becomes durable; `none` if nothing is written.
    pub(crate) sync: &'static str,
    pub(crate) figures: &'static [Figure],
}

/// What one server showed in one round.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Measured {
    /// Requests, events, deliveries or starts behind the figures.
    pub(crate) n: usize,
    pub(crate) figures: BTreeMap<&'static str, f64>,
}

impl Measured {
    pub(crate) fn new(n: usize) -> Self {
        Self { n, figures: BTreeMap::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: f64) -> Self {
        self.figures.insert(name, value);
        self
    }

    pub(crate) fn starts(n: usize, ms: f64, mib: f64) -> Self {
        Self::new(n).with(START.name, ms).with(IDLE.name, mib)
    }
}

/// All cases, in the order they are run.
pub(crate) const ALL: &[Case] = &[
    Case {
        kind: Kind::Start,
        name: "start",
        ours: "start on an existing database until GET /runtime/capabilities answers 200; memory 0.7 s later",
        limit: "the same with GET /health",
        sync: "FULL",
        figures: &[START, IDLE],
    },
    Case {
        kind: Kind::Trivial,
        name: "trivial request, c=1",
        ours: "GET /runtime/capabilities",
        limit: "GET /health",
        sync: "none",
        figures: &[figure(P50, Better::Lower, None), CPU_FIGURE],
    },
    Case {
        kind: Kind::Create,
        name: "session create, c=16",
        ours: "POST /session",
        limit: "POST /session: one row",
        sync: "FULL",
        figures: &[
            figure(RATE, Better::Higher, Some(0.5)),
            figure(P50, Better::Lower, None),
            figure(P99, Better::Lower, Some(2.0)),
            CPU_FIGURE,
        ],
    },
    Case {
        kind: Kind::Admit,
        name: "prompt admit, c=16",
        ours: "POST /runtime/prompt, each on a fresh session, until its receipt; the agent is a process that never \
               answers and works in the project's folder, so no turn runs beside it and no folder is made",
        limit: "POST /append of 200 bytes",
        sync: "FULL",
        figures: &[
            figure(RATE, Better::Higher, Some(0.4)),
            figure(P50, Better::Lower, None),
            figure(P99, Better::Lower, None),
            CPU_FIGURE,
        ],
    },
    Case {
        kind: Kind::AdmitAtWork,
        name: "prompt admit with turns, c=16",
        ours: "the same in isolated sessions, while one simulator process takes every turn (`say 1`): a folder, an ACP \
               session, a prompt and an answer each",
        limit: "POST /append of 200 bytes",
        sync: "FULL",
        figures: &[figure(RATE, Better::Higher, None), figure(P50, Better::Lower, None), CPU_FIGURE],
    },
    Case {
        kind: Kind::Repeat,
        name: "same requestID again, c=1",
        ours: "POST /runtime/prompt that was completed before",
        limit: "GET /health",
        sync: "none",
        figures: &[figure(P50, Better::Lower, Some(1.5)), CPU_FIGURE],
    },
    Case {
        kind: Kind::Updates,
        name: "agent text in",
        ours: "simulator says words, one update each, until one client has the end of the run",
        limit: "the same lines through a pipe, each parsed as JSON",
        sync: "FULL",
        figures: &[
            figure(UPDATES, Better::Higher, Some(0.07)),
            figure(EVENTS, Better::Higher, None),
            figure(BYTES, Better::Higher, None),
        ],
    },
    Case {
        kind: Kind::Events,
        name: "agent events in",
        ours: "simulator calls tools, an event each update, until one client has the end of the run",
        limit: "POST /append of 200 bytes, c=16",
        sync: "FULL",
        figures: &[figure(EVENTS, Better::Higher, Some(0.5)), figure(BYTES, Better::Higher, None)],
    },
    Case {
        kind: Kind::Replay,
        name: "replay of 2,048 events",
        ours: "GET /runtime/events of a session with a full window, to its last byte",
        limit: "GET /replay of as many bytes, framed before",
        sync: "none",
        figures: &[figure(P50, Better::Lower, Some(1.5)), figure(P99, Better::Lower, None)],
    },
    Case {
        kind: Kind::Tail,
        name: "stream open at the tail",
        ours: "connect and GET /runtime/events at the newest event, until the headers are there",
        limit: "the same with GET /events",
        sync: "none",
        figures: &[figure(P50, Better::Lower, None), figure(P99, Better::Lower, None)],
    },
    Case {
        kind: Kind::FanOut,
        name: "fan-out to 100",
        ours: "PATCH /session of a live run (a title: one row, one event), until each of 100 readers has it",
        limit: "POST /append of 200 bytes, likewise",
        sync: "FULL",
        figures: &[figure(P50, Better::Lower, Some(1.5)), figure(P99, Better::Lower, Some(1.5))],
    },
    Case {
        kind: Kind::FanOutMany,
        name: "fan-out to 1,000",
        ours: "as fan-out to 100, with 1,000 readers",
        limit: "likewise",
        sync: "FULL",
        figures: &[figure(P50, Better::Lower, Some(1.5)), figure(P99, Better::Lower, Some(1.5))],
    },
    Case {
        kind: Kind::Idle,
        name: "1,000 idle streams",
        ours: "GET /runtime/events at the newest event of a session at rest, in a process just started",
        limit: "GET /events, likewise",
        sync: "none",
        figures: &[figure(MEMORY, Better::Lower, Some(2.0))],
    },
    Case {
        kind: Kind::Stuck,
        name: "200 stuck readers",
        ours: "GET /runtime/events of a full window by clients that never read, while one reader follows changes of a \
               title of another session",
        limit: "GET /replay by clients that never read, while one reader follows POST /append",
        sync: "FULL",
        figures: &[figure(MEMORY, Better::Lower, None), figure(OTHERS, Better::Lower, None)],
    },
    Case {
        kind: Kind::Restart,
        name: "start with 10,000 sessions",
        ours: "as start, on a database with 10,000 sessions",
        limit: "likewise",
        sync: "FULL",
        figures: &[figure("start, ms", Better::Lower, Some(2.0))],
    },
];
