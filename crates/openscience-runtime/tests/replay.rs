//! Does what a real agent once said become the right transcript, journal and
//! outcome? Recorded conversations of codex-acp, played through a connection
//! and the session machine. No process, no disk, no clock but the test's.

// `cfg(test)` is always true here; it tells the lints that helpers are tests too.
#[cfg(test)]
#[path = "replay/book.rs"]
mod book;
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
#[path = "replay/play.rs"]
mod play;
#[cfg(test)]
#[path = "replay/recording.rs"]
mod recording;
#[cfg(test)]
#[path = "replay/render.rs"]
mod render;

use openscience_acp::Counters;
use openscience_core::answer::Refusal;

use crate::lost::assert_nothing_is_lost;
use crate::play::{Played, play};

/// Plays a recording, checks that nothing is lost, compares it with its snapshot.
async fn check(name: &str) -> Played {
    let played = play(name).await;
    for (session, book) in &played.sessions {
        assert_nothing_is_lost(&played.recording, session, book);
    }
    let Counters { noise, oversized, unknown_updates, early_dropped, ignored, refused, late_answers, .. } =
        played.counters;
    let troubles = [noise, oversized, unknown_updates, early_dropped, ignored, refused, late_answers];
    assert_eq!(troubles, [0; 7], "{:?}", played.counters);
    insta::assert_snapshot!(name, render::render(&played));
    played
}

#[tokio::test(start_paused = true)]
async fn a_plain_answer() {
    check("basic").await;
}

#[tokio::test(start_paused = true)]
async fn two_thousand_words() {
    check("stream").await;
}

#[tokio::test(start_paused = true)]
async fn thoughts_between_two_texts() {
    check("think").await;
}

#[tokio::test(start_paused = true)]
async fn a_plan() {
    check("plan").await;
}

#[tokio::test(start_paused = true)]
async fn a_command_that_was_allowed() {
    check("tool_allow").await;
}

#[tokio::test(start_paused = true)]
async fn a_command_that_was_refused() {
    check("tool_reject").await;
}

#[tokio::test(start_paused = true)]
async fn a_command_in_a_terminal_of_the_agents_own() {
    check("tool_term").await;
}

#[tokio::test(start_paused = true)]
async fn tools_the_agent_has_not() {
    // The model named tools codex does not offer: all that is said is text.
    for name in ["tool_read", "tool_write", "tool_write_nofs"] {
        check(name).await;
    }
}

#[tokio::test(start_paused = true)]
async fn two_commands_at_once() {
    check("two_tools").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_answer_and_the_prompt_after_it() {
    check("cancel").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_while_nothing_runs() {
    check("cancel_idle").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_while_a_permission_waits() {
    check("cancel_perm").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_while_a_command_runs() {
    check("cancel_tool").await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_answers_with_an_error() {
    check("llm_error").await;
}

#[tokio::test(start_paused = true)]
async fn a_model_whose_stream_breaks_off() {
    check("llm_drop").await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_goes_away_in_mid_turn() {
    // The recording ends before the prompt is answered; so does our agent.
    check("eof_midturn").await;
}

#[tokio::test(start_paused = true)]
async fn a_second_prompt_during_the_first() {
    // The recording's client sent it at once, and codex answered both in the first turn and never the
    // second request. We refuse it; what codex said of it is still text of the turn it came in.
    let played = check("busy").await;
    assert_eq!(played.refused, [("SAY 3".to_owned(), Refusal::Busy)]);
}

#[tokio::test(start_paused = true)]
async fn two_sessions_of_one_agent() {
    let played = check("two_sessions").await;
    assert_eq!(played.sessions.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_model_chosen_before_the_prompt() {
    // The recording has no prompt. We choose a model only for one, so it is made up, and the agent is
    // gone before it answers.
    check("modes").await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_after_many_errors() {
    // Requests that we never make are left out, with their answers. The session with the relative
    // directory is none of ours: the one update of it is counted and dropped.
    let played = check("errors").await;
    assert_eq!(played.counters.unrouted, 1);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_of_two_turns() {
    check("history-1-create").await;
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_loaded() {
    // The agent repeats both turns while it loads; we have them already.
    let played = check("history-2-load").await;
    assert_eq!(played.counters.replayed, 6);
    assert_eq!(played.sessions.first().map(|(_, book)| book.messages.len()), Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_resumed() {
    // The recording's client then closed the session and prompted it once more. We do not close, but
    // an agent that forgets a session answers a prompt just so.
    check("history-3-resume").await;
}

#[test]
fn every_recording_has_a_snapshot() {
    for file in std::fs::read_dir(recording::folder()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let snapshot = format!("{}/tests/snapshots/replay__{name}.snap", env!("CARGO_MANIFEST_DIR"));
        assert!(std::fs::exists(&snapshot).unwrap(), "{snapshot}");
    }
}
