//! Both servers in one round, and how each case is measured on each.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use reqwest::{Client, Method};

use crate::cases::{BYTES, CPU, EVENTS, Kind, MEMORY, Measured, OTHERS, P50, P99, RATE, UPDATES};
use crate::daemon::{self, Agent};
use crate::limit_server::WINDOW;
use crate::load::{self, Outcome, Request};
use crate::sse::{Reader, Stuck};
use crate::stats::{median, quantile};
use crate::subject::{Program, Subject};
use crate::{fan_out, pipe};

/// Senders of the cases that are about many at once.
const MANY: usize = 16;
const READERS: usize = 100;
const READERS_MANY: usize = 1_000;
const IDLE: usize = 1_000;
const STUCK: usize = 200;
/// Sessions of a database that has been used.
pub(crate) const FILLED: usize = 10_000;
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

    /// Makes sessions, so that its database is one that has been used.
    pub(crate) async fn fill(&self, client: &Client) -> anyhow::Result<()> {
        let subject = tokio::task::block_in_place(|| self.start())?;
        let create = |number: usize| match self.program {
            Program::Limit => limit_session(&subject, number),
            Program::Daemon { .. } => {
                daemon::create(&subject, &format!("session {number}"), Agent::Simulator)
            }
        };
        load::run(client, &subject, (0..FILLED).map(create).collect(), MANY).await?;
        tokio::task::block_in_place(|| subject.end())
    }

    fn start(&self) -> anyhow::Result<Subject> {
        self.program.start(&self.data)
    }

    fn measure(&self, starts: usize) -> anyhow::Result<Measured> {
        let (mut times, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..starts {
            let subject = self.start()?;
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
    /// The same with databases that have been used; none if no case needs them.
    filled: Option<(&'a Starter, &'a Starter)>,
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
        filled: Option<(&'a Starter, &'a Starter)>,
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
        Ok(Self { starters, filled, limit, ours, client, sizes, full, done })
    }

    /// Measures the limit server.
    pub(crate) async fn limit(&self, kind: Kind) -> anyhow::Result<Measured> {
        match kind {
            Kind::Start => tokio::task::block_in_place(|| self.starters.0.measure(self.sizes.starts)),
            Kind::Trivial | Kind::Repeat => {
                self.one_by_one(&self.limit, &Request::get(self.limit.url("/health"))).await
            }
            Kind::Create => {
                let create = |number| limit_session(&self.limit, number);
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
            Kind::Replay => self.replays(&self.limit, &self.limit_replay()).await,
            Kind::Tail => self.opens(&self.limit, "/events").await,
            Kind::FanOut => self.fan_out(&self.limit, "/events", READERS, self.limit_writes()).await,
            Kind::FanOutMany => self.fan_out(&self.limit, "/events", READERS_MANY, self.limit_writes()).await,
            Kind::Idle => {
                let fresh = tokio::task::block_in_place(|| self.starters.0.start())?;
                idle(&fresh, "/events").await
            }
            Kind::Stuck => {
                let live = || ("/events".to_owned(), self.limit_writes());
                self.stuck(&self.limit, &self.limit_replay(), [live(), live()]).await
            }
            Kind::Restart => self.restart(self.filled.map(|filled| filled.0)),
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
            Kind::FanOut => self.our_fan_out(READERS).await,
            Kind::FanOutMany => self.our_fan_out(READERS_MANY).await,
            Kind::Idle => {
                let fresh = tokio::task::block_in_place(|| self.starters.1.start())?;
                let session = daemon::session(&self.client, &fresh, Agent::Stub).await?;
                idle(&fresh, &daemon::events_path(&session, Some(0))).await
            }
            Kind::Stuck => {
                let lives = [self.live_session().await?, self.live_session().await?];
                let window = daemon::events_path(&self.full.0, None);
                self.stuck(&self.ours, &window, lives).await
            }
            Kind::Restart => self.restart(self.filled.map(|filled| filled.1)),
        }
    }

    fn limit_replay(&self) -> String {
        format!("/replay?bytes={}", self.full.1)
    }

    fn limit_writes(&self) -> Vec<Request> {
        let write = |number| Request::post(self.limit.url("/append"), event(&fan_out::mark(number)));
        (0..self.sizes.writes).map(write).collect()
    }

    /// The events of a session with a live run, and changes of its title: those are events while it lives.
    async fn live_session(&self) -> anyhow::Result<(String, Vec<Request>)> {
        let session = daemon::session(&self.client, &self.ours, Agent::Stub).await?;
        load::send(&self.client, &daemon::prompt(&self.ours, &session, "first", "wait")).await?;
        let write = |number| Request {
            method: Method::PATCH,
            url: self.ours.url(&format!("/session/{session}")),
            body: event(&fan_out::mark(number)),
        };
        Ok((daemon::events_path(&session, None), (0..self.sizes.writes).map(write).collect()))
    }

    async fn our_fan_out(&self, readers: usize) -> anyhow::Result<Measured> {
        let (path, writes) = self.live_session().await?;
        self.fan_out(&self.ours, &path, readers, writes).await
    }

    fn restart(&self, filled: Option<&Starter>) -> anyhow::Result<Measured> {
        let filled = filled.context("no database was filled")?;
        tokio::task::block_in_place(|| filled.measure(self.sizes.starts))
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

    async fn fan_out(
        &self,
        subject: &Subject,
        path: &str,
        readers: usize,
        writes: Vec<Request>,
    ) -> anyhow::Result<Measured> {
        Ok(of_times(&fan_out::run(&self.client, subject.address, path, readers, &writes).await?))
    }

    /// One reader without and with others that ask for `window` and never read.
    async fn stuck(
        &self,
        subject: &Subject,
        window: &str,
        lives: [(String, Vec<Request>); 2],
    ) -> anyhow::Result<Measured> {
        let latency = async |(path, writes): &(String, Vec<Request>)| {
            let times = fan_out::run(&self.client, subject.address, path, 1, writes).await?;
            anyhow::Ok(median(&times))
        };
        let without = latency(&lives[0]).await?;
        let before = subject.resident_mib();
        let mut readers = Vec::with_capacity(STUCK);
        for _ in 0..STUCK {
            readers.push(Stuck::open(subject.address, window).await?);
        }
        tokio::time::sleep(SETTLE).await;
        let grown = subject.resident_mib() - before;
        let with = latency(&lives[1]).await?;
        for reader in readers {
            reader.was_answered().await?;
        }
        Ok(Measured::new(STUCK).with(MEMORY, per_stream(grown, STUCK)).with(OTHERS, with / without))
    }
}

/// Streams of a process just started to which nothing is sent.
async fn idle(subject: &Subject, path: &str) -> anyhow::Result<Measured> {
    let before = subject.resident_mib();
    let mut readers = Vec::with_capacity(IDLE);
    for _ in 0..IDLE {
        readers.push(Reader::open(subject.address, path).await?);
    }
    tokio::time::sleep(SETTLE).await;
    let grown = subject.resident_mib() - before;
    Ok(Measured::new(readers.len()).with(MEMORY, per_stream(grown, IDLE)))
}

fn per_stream(mib: f64, streams: usize) -> f64 {
    mib * 1024.0 / streams as f64
}

/// A session of the limit server is a title.
fn limit_session(subject: &Subject, number: usize) -> Request {
    Request::post(subject.url("/session"), format!(r#"{{"title":"session {number}"}}"#))
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
