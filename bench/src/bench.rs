//! Both servers in one round, and how each case is measured on each.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::ensure;
use bytes::Bytes;
use reqwest::{Client, Method};

use crate::cases::{BYTES, CPU, EVENTS, Kind, Measured, P50, P99, RATE, UPDATES};
use crate::daemon::{self, Agent};
use crate::limit_server::WINDOW;
use crate::load::{self, Outcome, Request};
use crate::sse::Reader;
use crate::stats::{median, quantile};
use crate::subject::{Program, Subject};
use crate::{fan_out, pipe};

/// Senders of the cases that are about many at once.
const MANY: usize = 16;
const READERS: usize = 100;
/// A server that has just started still frees what it needed to start.
const SETTLE: Duration = Duration::from_millis(700);
/// Appended by the limit server; a small event.
const EVENT_BYTES: usize = 200;

/// How much is done per round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    starts: usize,
    requests: usize,
    words: u64,
    tools: u64,
    replays: usize,
    writes: usize,
}

impl Sizes {
    pub(crate) const FULL: Self =
        Self { starts: 2, requests: 2_000, words: 200_000, tools: 600, replays: 20, writes: 30 };
    pub(crate) const QUICK: Self =
        Self { starts: 1, requests: 400, words: 20_000, tools: 200, replays: 5, writes: 10 };
}

/// A server that is only started, with data of its own.
#[derive(Debug)]
pub(crate) struct Starter {
    program: Program,
    data: PathBuf,
}

impl Starter {
    /// Starts it once, so that its database is there.
    pub(crate) fn prepare(program: Program, data: PathBuf) -> anyhow::Result<Self> {
        std::fs::create_dir_all(&data)?;
        program.start(&data)?.end()?;
        Ok(Self { program, data })
    }

    fn measure(&self, starts: usize) -> anyhow::Result<Measured> {
        let (mut times, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..starts {
            let subject = self.program.start(&self.data)?;
            times.push(subject.started_in.as_secs_f64() * 1e3);
            std::thread::sleep(SETTLE);
            memory.push(subject.resident_mib());
            subject.end()?;
        }
        Ok(Measured::starts(starts, median(&times), median(&memory)))
    }
}

/// Both servers, with fresh data.
#[derive(Debug)]
pub(crate) struct Bench<'a> {
    starters: (&'a Starter, &'a Starter),
    limit: Subject,
    ours: Subject,
    client: Client,
    sizes: Sizes,
    /// A session of the daemon whose window is full, and the mean length of its frames.
    full: (String, usize),
    /// A session of the daemon with a run that has completed, and its prompt.
    done: Request,
}

impl<'a> Bench<'a> {
    pub(crate) async fn start(
        starters: (&'a Starter, &'a Starter),
        data: &Path,
        sizes: Sizes,
    ) -> anyhow::Result<Self> {
        let start = |starter: &Starter, name: &str| {
            let data = data.join(name);
            std::fs::create_dir_all(&data)?;
            starter.program.start(&data)
        };
        let (limit, ours) = tokio::task::block_in_place(|| {
            Ok::<_, anyhow::Error>((start(starters.0, "limit")?, start(starters.1, "ours")?))
        })?;
        let client = load::client()?;
        let session = daemon::session(&client, &ours, Agent::Simulator).await?;
        let newest =
            daemon::run(&client, &ours, &session, "repeat 700 tool grep {\"pattern\": \"x\"}").await?;
        ensure!(newest > WINDOW as u64, "only {newest} events: the window is not full");
        let bytes = full_window(&ours, &daemon::events_path(&session, None)).await?.body.len() / WINDOW;
        let full = (session, bytes);
        let session = daemon::session(&client, &ours, Agent::Simulator).await?;
        let done = daemon::prompt(&ours, &session, "again", "say 1");
        load::send(&client, &done).await?;
        daemon::settled(&client, &ours, &session).await?;
        Ok(Self { starters, limit, ours, client, sizes, full, done })
    }

    /// Measures the limit server.
    pub(crate) async fn limit(&self, kind: Kind) -> anyhow::Result<Measured> {
        match kind {
            Kind::Start => tokio::task::block_in_place(|| self.starters.0.measure(self.sizes.starts)),
            Kind::Trivial | Kind::Repeat => {
                self.one_by_one(&self.limit, &Request::get(self.limit.url("/health"))).await
            }
            Kind::Create => {
                let create = |number| {
                    let body = format!(r#"{{"title":"session {number}"}}"#);
                    Request::post(self.limit.url("/session"), body)
                };
                self.many(&self.limit, (0..self.sizes.requests).map(create).collect()).await
            }
            Kind::Admit | Kind::AdmitAtWork => self.appends().await,
            Kind::Updates => {
                let lines = tokio::task::block_in_place(|| pipe::lines_per_second(self.sizes.words))?;
                Ok(Measured::new(usize::try_from(self.sizes.words)?).with(UPDATES, lines))
            }
            Kind::Events => {
                let appends = self.appends().await?;
                let rate = appends.figures.get(RATE).copied().unwrap_or(f64::NAN);
                Ok(Measured::new(appends.n).with(EVENTS, rate).with(BYTES, rate * EVENT_BYTES as f64 / 1e6))
            }
            Kind::Replay => self.replays(&self.limit, &format!("/replay?bytes={}", self.full.1)).await,
            Kind::Tail => self.opens(&self.limit, "/events").await,
            Kind::FanOut => {
                let write = |number| Request::post(self.limit.url("/append"), event(&fan_out::mark(number)));
                self.fan_out(&self.limit, "/events", (0..self.sizes.writes).map(write).collect()).await
            }
        }
    }

    /// Measures the daemon.
    pub(crate) async fn ours(&self, kind: Kind) -> anyhow::Result<Measured> {
        match kind {
            Kind::Start => tokio::task::block_in_place(|| self.starters.1.measure(self.sizes.starts)),
            Kind::Trivial => {
                self.one_by_one(&self.ours, &Request::get(self.ours.url("/runtime/capabilities"))).await
            }
            Kind::Repeat => self.one_by_one(&self.ours, &self.done).await,
            Kind::Create => {
                let create =
                    |number| daemon::create(&self.ours, &format!("session {number}"), Agent::Simulator);
                self.many(&self.ours, (0..self.sizes.requests).map(create).collect()).await
            }
            Kind::Admit => self.admissions(Agent::Stub).await,
            Kind::AdmitAtWork => self.admissions(Agent::Simulator).await,
            Kind::Updates => self.updates().await,
            Kind::Events => self.events().await,
            Kind::Replay => self.replays(&self.ours, &daemon::events_path(&self.full.0, None)).await,
            Kind::Tail => {
                let newest = daemon::settled(&self.client, &self.ours, &self.full.0).await?;
                self.opens(&self.ours, &daemon::events_path(&self.full.0, Some(newest))).await
            }
            Kind::FanOut => {
                // A title is an event while a run is live; this one stays so.
                let session = daemon::session(&self.client, &self.ours, Agent::Stub).await?;
                load::send(&self.client, &daemon::prompt(&self.ours, &session, "first", "wait")).await?;
                let write = |number| Request {
                    method: Method::PATCH,
                    url: self.ours.url(&format!("/session/{session}")),
                    body: event(&fan_out::mark(number)),
                };
                let writes = (0..self.sizes.writes).map(write).collect();
                self.fan_out(&self.ours, &daemon::events_path(&session, None), writes).await
            }
        }
    }

    async fn one_by_one(&self, subject: &Subject, request: &Request) -> anyhow::Result<Measured> {
        load::run(&self.client, subject, vec![request.clone(); 100], 1).await?;
        let outcome = load::run(&self.client, subject, vec![request.clone(); self.sizes.requests], 1).await?;
        Ok(of_requests(&outcome))
    }

    async fn many(&self, subject: &Subject, requests: Vec<Request>) -> anyhow::Result<Measured> {
        // Connections are opened before.
        let hello =
            if std::ptr::eq(subject, &raw const self.limit) { "/health" } else { "/runtime/capabilities" };
        load::run(&self.client, subject, vec![Request::get(subject.url(hello)); 10 * MANY], MANY).await?;
        Ok(of_requests(&load::run(&self.client, subject, requests, MANY).await?))
    }

    async fn appends(&self) -> anyhow::Result<Measured> {
        let append = |number: usize| Request::post(self.limit.url("/append"), event(&number.to_string()));
        self.many(&self.limit, (0..self.sizes.requests).map(append).collect()).await
    }

    async fn admissions(&self, agent: Agent) -> anyhow::Result<Measured> {
        let sessions = daemon::sessions(&self.client, &self.ours, agent, self.sizes.requests).await?;
        let prompts = sessions.iter().map(|session| daemon::prompt(&self.ours, session, "first", "say 1"));
        let measured = self.many(&self.ours, prompts.collect()).await?;
        if let Agent::Simulator = agent {
            // What goes on after the receipts must not disturb the next case.
            for session in &sessions {
                daemon::settled(&self.client, &self.ours, session).await?;
            }
        }
        Ok(measured)
    }

    async fn updates(&self) -> anyhow::Result<Measured> {
        let words = self.sizes.words;
        let session = daemon::session(&self.client, &self.ours, Agent::Simulator).await?;
        let watched = daemon::watch(&self.client, &self.ours, &session, &format!("say {words}")).await?;
        ensure!(watched.saw(&format!("w{words}")), "the last word did not arrive");
        let n = usize::try_from(words)?;
        Ok(Measured { n, ..of_run(&watched) }.with(UPDATES, words as f64 / watched.elapsed_s))
    }

    async fn events(&self) -> anyhow::Result<Measured> {
        let session = daemon::session(&self.client, &self.ours, Agent::Simulator).await?;
        let prompt = format!("repeat {} tool grep {{\"pattern\": \"x\"}}", self.sizes.tools);
        Ok(of_run(&daemon::watch(&self.client, &self.ours, &session, &prompt).await?))
    }

    async fn replays(&self, subject: &Subject, path: &str) -> anyhow::Result<Measured> {
        // The first of the limit server makes its window.
        full_window(subject, path).await?;
        let mut times = Vec::new();
        for _ in 0..self.sizes.replays {
            let began = std::time::Instant::now();
            let reader = full_window(subject, path).await?;
            times.push(began.elapsed().as_secs_f64() * 1e3);
            ensure!(reader.sequences()?.len() == WINDOW, "the window has holes");
        }
        Ok(of_times(&times))
    }

    async fn opens(&self, subject: &Subject, path: &str) -> anyhow::Result<Measured> {
        let mut times = Vec::new();
        for _ in 0..self.sizes.requests / 10 {
            times.push(Reader::open(subject.address, path).await?.opened_in.as_secs_f64() * 1e3);
        }
        Ok(of_times(&times))
    }

    async fn fan_out(&self, subject: &Subject, path: &str, writes: Vec<Request>) -> anyhow::Result<Measured> {
        Ok(of_times(&fan_out::run(&self.client, subject.address, path, READERS, &writes).await?))
    }
}

/// A stream whose window has arrived whole.
async fn full_window(subject: &Subject, path: &str) -> anyhow::Result<Reader> {
    let mut reader = Reader::open(subject.address, path).await?;
    reader.until(b"\ndata: ", WINDOW).await?;
    while !reader.body.ends_with(b"\n\n") {
        reader.more().await?;
    }
    Ok(reader)
}

/// A body that is an event for the limit server and a change of title for the daemon.
fn event(text: &str) -> Bytes {
    let head = format!("{{\"title\":\"{text}");
    let rest = "x".repeat(EVENT_BYTES.saturating_sub(head.len() + 2));
    format!("{head}{rest}\"}}").into()
}

fn of_requests(outcome: &Outcome) -> Measured {
    Measured::new(outcome.count())
        .with(RATE, outcome.rate())
        .with(P50, outcome.quantile_ms(0.5))
        .with(P99, outcome.quantile_ms(0.99))
        .with(CPU, outcome.cpu_ms * 1e3)
}

fn of_times(times: &[f64]) -> Measured {
    Measured::new(times.len()).with(P50, median(times)).with(P99, quantile(times, 0.99))
}

fn of_run(watched: &daemon::Watched) -> Measured {
    Measured::new(watched.events)
        .with(EVENTS, watched.events as f64 / watched.elapsed_s)
        .with(BYTES, watched.bytes as f64 / watched.elapsed_s / 1e6)
}
