//! Does what a real agent once said become the right transcript, journal and
//! outcome? Recorded conversations of four agents, played through a connection
//! and the session machine. No process, no disk, no clock but the test's.

/// One test for each recording that needs no word more than its snapshot.
macro_rules! recordings {
    ($agent:literal: $($test:ident = $name:literal,)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $test() {
            crate::check($agent, $name).await;
        }
    )*};
}
// `cfg(test)` is always true here; it tells the lints that helpers are tests too.
#[cfg(test)]
#[path = "replay/book.rs"]
mod book;
#[cfg(test)]
#[path = "replay/claude.rs"]
mod claude;
#[cfg(test)]
#[path = "replay/codex.rs"]
mod codex;
#[cfg(test)]
#[path = "replay/host.rs"]
mod host;
#[cfg(test)]
#[path = "replay/ids.rs"]
mod ids;
#[cfg(test)]
#[path = "replay/link.rs"]
mod link;
#[cfg(test)]
#[path = "replay/lost.rs"]
mod lost;
#[cfg(test)]
#[path = "replay/opencode.rs"]
mod opencode;
#[cfg(test)]
#[path = "replay/play.rs"]
mod play;
#[cfg(test)]
#[path = "replay/qwen.rs"]
mod qwen;
#[cfg(test)]
#[path = "replay/recording.rs"]
mod recording;
#[cfg(test)]
#[path = "replay/render.rs"]
mod render;

use openscience_acp::Counters;

use crate::lost::assert_nothing_is_lost;
use crate::play::{Played, play};

/// Agents with recordings that come as far as a turn. What the others say is tested with a process.
const AGENTS: [&str; 4] = ["claude", "codex", "opencode", "qwen"];

/// Plays a recording, checks that nothing is lost and nothing went wrong, compares it with its
/// snapshot.
async fn check(agent: &str, name: &str) -> Played {
    let played = compare(agent, name).await;
    assert_eq!(troubles(&played), [0; 7], "{:?}", played.counters);
    played
}

/// The same without a look at what went wrong.
async fn compare(agent: &str, name: &str) -> Played {
    let played = play(agent, name).await;
    for (session, book) in &played.sessions {
        assert_nothing_is_lost(&played.recording, session, book);
    }
    insta::assert_snapshot!(format!("{agent}__{name}"), render::render(&played));
    played
}

/// One request of the agent that we do not serve.
const REFUSED_ONCE: [u64; 7] = [0, 0, 0, 0, 0, 1, 0];

/// What went wrong on the wire, counted.
fn troubles(played: &Played) -> [u64; 7] {
    let Counters { noise, oversized, unknown_updates, early_dropped, ignored, refused, late_answers, .. } =
        played.counters;
    [noise, oversized, unknown_updates, early_dropped, ignored, refused, late_answers]
}

#[test]
fn every_recording_has_a_snapshot() {
    for agent in AGENTS {
        for file in std::fs::read_dir(recording::folder(agent)).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");
            let snapshot = format!("{folder}/replay__{agent}__{name}.snap");
            assert!(std::fs::exists(&snapshot).unwrap(), "{snapshot}");
        }
    }
}
