//! Where the questions of an agent's MCP server arrive: a Unix socket below the data directory.
//!
//! Reads what is asked, hands it to the session's actor, and takes the outcome back. Decides nothing. Only who
//! may open the owner's files reaches the socket, and only who was given the pass of a session asks in it; the pass
//! opens nothing else.

use std::fmt;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hmac::{Hmac, KeyInit as _, Mac as _};
use openscience_core::admission::hex;
use openscience_core::input::{Asking, Given, QuestionAsk};
use openscience_files::socket::at_short_path;
use openscience_protocol::inquiry::{
    Inquiry, LINE_BYTES_MAX, Outcome, PASS_VARIABLE, SERVER, SOCKET_VARIABLE, TAKEN,
};
use openscience_protocol::mcp::NameValue;
use openscience_protocol::{McpServer, OwnerId, SessionId};
use sha2::Sha256;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Take};
use tokio::net::unix::OwnedReadHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::ask::Request;
use crate::clock;
use crate::request::RuntimeConfig;
use crate::shared::Inner;

/// Requests that wait at once; one more is refused.
const OPEN_MAX: usize = 1_024;

/// How long a server may take to say what it asks, and that it has the outcome.
const PATIENCE: Duration = Duration::from_secs(5);

/// What an agent that asked is given, and where its server says that it has it.
pub(crate) type Told = (Given, oneshot::Sender<()>);

/// Where the outcome of a request goes.
pub(crate) type Asker = oneshot::Sender<Told>;

/// Where questions arrive.
pub(crate) struct Desk {
    socket: PathBuf,
    /// This binary, which is the server as well.
    program: PathBuf,
    /// What passes are made with; gone with the process.
    key: [u8; 32],
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("socket", &self.socket).finish_non_exhaustive()
    }
}

impl Desk {
    /// Opens the socket; none where there is no binary to serve, or none can be opened: agents then have no tool to
    /// ask with, and all else works.
    pub(crate) fn open(config: &RuntimeConfig, owner: &OwnerId) -> Option<(Arc<Self>, UnixListener)> {
        let program = config.exec_child.clone()?;
        let folder = config.data_dir.join("run");
        let socket = folder.join(format!("{owner}.sock"));
        let Some(key) = clock::secret() else {
            tracing::warn!("without randomness agents have no tool to ask questions with");
            return None;
        };
        match listen(&folder, &socket) {
            Ok(listener) => Some((Arc::new(Self { socket, program, key }), listener)),
            Err(error) => {
                tracing::warn!(%error, socket = %socket.display(), "agents have no tool to ask questions with");
                None
            }
        }
    }

    /// The MCP server through which the agent of that session asks.
    pub(crate) fn server(&self, session: &SessionId) -> Option<McpServer> {
        let variable = |name: &str, value: String| NameValue { name: name.to_owned(), value };
        Some(McpServer::Stdio {
            name: SERVER.to_owned(),
            command: self.program.to_str()?.to_owned(),
            args: vec!["mcp".to_owned(), "questions".to_owned()],
            env: vec![
                variable(SOCKET_VARIABLE, self.socket.to_str()?.to_owned()),
                variable(PASS_VARIABLE, self.pass(session)?),
            ],
        })
    }

    /// The same for the session's whole life here: an agent may keep a server when it opens the session again.
    fn pass(&self, session: &SessionId) -> Option<String> {
        let digest = self.digest(session)?.finalize().into_bytes();
        Some(format!("{session}.{}", hex(&digest)))
    }

    /// The session whose pass it is.
    fn session_of(&self, pass: &str) -> Option<SessionId> {
        let (session, digest) = pass.split_once('.')?;
        let session: SessionId = session.parse().ok()?;
        let bytes: Option<Vec<u8>> = digest
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        self.digest(&session)?.verify_slice(&bytes?).ok()?;
        Some(session)
    }

    fn digest(&self, session: &SessionId) -> Option<Hmac<Sha256>> {
        let mut digest = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        digest.update(session.as_str().as_bytes());
        Some(digest)
    }
}

/// A socket that only its owner reaches. Those that nobody listens at any more are cleared away.
fn listen(folder: &Path, socket: &Path) -> io::Result<UnixListener> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    for entry in std::fs::read_dir(folder)?.flatten() {
        let reached = at_short_path(&entry.path(), |path| std::os::unix::net::UnixStream::connect(path));
        if reached.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
            // Another process may have cleared it away.
            drop(std::fs::remove_file(entry.path()));
        }
    }
    let listener = at_short_path(socket, |path| std::os::unix::net::UnixListener::bind(path))?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    UnixListener::from_std(listener)
}

/// Takes requests until the runtime stops.
pub(crate) async fn serve(inner: Arc<Inner>, desk: Arc<Desk>, listener: UnixListener) {
    let places = Arc::new(Semaphore::new(OPEN_MAX));
    while let Some(accepted) = inner.stopping.run_until_cancelled(listener.accept()).await {
        let Ok((stream, _)) = accepted else {
            // Out of descriptors: some will be given back.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let (inner, desk) = (Arc::clone(&inner), Arc::clone(&desk));
        tokio::spawn(async move {
            // Whoever asked has gone if it cannot be answered.
            drop(attend(&inner, &desk, stream).await);
            drop(place);
        });
    }
    drop(std::fs::remove_file(&desk.socket));
}

/// One request, from its line to its end.
async fn attend(inner: &Arc<Inner>, desk: &Desk, stream: UnixStream) -> io::Result<()> {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read.take(LINE_BYTES_MAX));
    let inquiry = timeout(PATIENCE, read_inquiry(&mut lines)).await.ok().flatten();
    let known = inquiry.and_then(|inquiry| Some((desk.session_of(&inquiry.pass)?, inquiry.questions)));
    let Some((session, questions)) = known else { return write.write_all(&line(&Outcome::Refused)?).await };
    let key = openscience_acp::request_key();
    let (asker, outcome) = oneshot::channel();
    let question = QuestionAsk { key, call: None, asking: Asking::Questions(questions) };
    let tell = async |request| drop(inner.sessions.ask(inner, &session, None, request).await);
    tell(Request::Question { ask: Box::new(question), asker }).await;
    let outcome = tokio::select! {
        outcome = outcome => outcome,
        () = gone(&mut lines) => {
            tell(Request::QuestionGone(key)).await;
            return Ok(());
        }
    };
    // A session that could not take it has let go of the asker.
    let Ok((given, taken)) = outcome else { return write.write_all(&line(&Outcome::Refused)?).await };
    write.write_all(&line(&told(given))?).await?;
    let mut word = String::new();
    if timeout(PATIENCE, lines.read_line(&mut word)).await.is_ok_and(|read| read.is_ok())
        && word.trim() == TAKEN
    {
        // Nobody may wait for it any more.
        taken.send(()).ok();
    }
    Ok(())
}

async fn read_inquiry(lines: &mut BufReader<Take<OwnedReadHalf>>) -> Option<Inquiry> {
    let mut line = String::new();
    lines.read_line(&mut line).await.ok()?;
    serde_json::from_str(&line).ok()
}

/// Resolves when the server has left, or says what it should not.
async fn gone(lines: &mut BufReader<Take<OwnedReadHalf>>) {
    drop(lines.read_u8().await);
}

fn told(given: Given) -> Outcome {
    match given {
        Given::Answers(answers) => Outcome::Answered { answers },
        Given::Declined(reason) => Outcome::Declined { reason },
        Given::Cancelled | Given::Option(_) | Given::Content(_) => Outcome::Cancelled,
    }
}

fn line(outcome: &Outcome) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(outcome)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desk(key: u8) -> Desk {
        Desk { socket: "/run/q.sock".into(), program: "/bin/openscience".into(), key: [key; 32] }
    }

    #[test]
    fn a_pass_names_one_session_and_only_who_made_it_takes_it() {
        let (desk, other) = (desk(1), desk(2));
        let (a, b): (SessionId, SessionId) = ("ses_a".parse().unwrap(), "ses_b".parse().unwrap());
        let pass = desk.pass(&a).unwrap();
        assert_eq!(desk.session_of(&pass), Some(a.clone()));
        assert_eq!(desk.pass(&a), Some(pass.clone()), "as long as the process lives");
        assert_eq!(other.session_of(&pass), None);
        let (_, digest) = pass.split_once('.').unwrap();
        for wrong in
            [format!("{b}.{digest}"), format!("{a}."), format!("{a}.zz"), "ses_a".to_owned(), String::new()]
        {
            assert_eq!(desk.session_of(&wrong), None, "{wrong}");
        }
        assert!(!format!("{desk:?}").contains("key"));
    }

    #[tokio::test]
    async fn the_socket_is_its_owners_alone_and_those_of_the_dead_are_cleared_away() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("run");
        let (old, lives) = (folder.join("old.sock"), folder.join("lives.sock"));
        let first = listen(&folder, &old).unwrap();
        let other = listen(&folder, &lives).unwrap();
        drop(first);
        let socket = folder.join("new.sock");
        let listener = listen(&folder, &socket).unwrap();
        assert!(!old.exists() && lives.exists());
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&socket)), (0o700, 0o600));
        drop((listener, other));
    }
}
