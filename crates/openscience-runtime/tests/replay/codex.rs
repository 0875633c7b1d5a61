//! What codex-acp 0.16.0 said.

use openscience_core::answer::Refusal;

use crate::check;

#[tokio::test(start_paused = true)]
async fn a_plain_answer() {
    check("codex", "basic").await;
}

#[tokio::test(start_paused = true)]
async fn two_thousand_words() {
    check("codex", "stream").await;
}

#[tokio::test(start_paused = true)]
async fn thoughts_between_two_texts() {
    check("codex", "think").await;
}

#[tokio::test(start_paused = true)]
async fn a_plan() {
    check("codex", "plan").await;
}

#[tokio::test(start_paused = true)]
async fn a_command_that_was_allowed() {
    check("codex", "tool_allow").await;
}

#[tokio::test(start_paused = true)]
async fn a_command_that_was_refused() {
    check("codex", "tool_reject").await;
}

#[tokio::test(start_paused = true)]
async fn a_command_in_a_terminal_of_the_agents_own() {
    check("codex", "tool_term").await;
}

#[tokio::test(start_paused = true)]
async fn tools_the_agent_has_not() {
    // The model named tools codex does not offer: all that is said is text.
    for name in ["tool_read", "tool_write", "tool_write_nofs"] {
        check("codex", name).await;
    }
}

#[tokio::test(start_paused = true)]
async fn two_commands_at_once() {
    check("codex", "two_tools").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_answer_and_the_prompt_after_it() {
    check("codex", "cancel").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_while_nothing_runs() {
    check("codex", "cancel_idle").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_while_a_permission_waits() {
    check("codex", "cancel_perm").await;
}

#[tokio::test(start_paused = true)]
async fn a_cancel_while_a_command_runs() {
    check("codex", "cancel_tool").await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_answers_with_an_error() {
    check("codex", "llm_error").await;
}

#[tokio::test(start_paused = true)]
async fn a_model_whose_stream_breaks_off() {
    check("codex", "llm_drop").await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_goes_away_in_mid_turn() {
    // The recording ends before the prompt is answered; so does our agent.
    check("codex", "eof_midturn").await;
}

#[tokio::test(start_paused = true)]
async fn a_second_prompt_during_the_first() {
    // The recording's client sent it at once, and codex answered both in the first turn and never the
    // second request. We refuse it; what codex said of it is still text of the turn it came in.
    let played = check("codex", "busy").await;
    assert_eq!(played.refused, [("SAY 3".to_owned(), Refusal::QueueFull)]);
}

#[tokio::test(start_paused = true)]
async fn two_sessions_of_one_agent() {
    let played = check("codex", "two_sessions").await;
    assert_eq!(played.sessions.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_model_chosen_before_the_prompt() {
    // The recording has no prompt. We choose a model only for one, so it is made up, and the agent is
    // gone before it answers.
    check("codex", "modes").await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_after_many_errors() {
    // Requests that we never make are left out, with their answers. The session with the relative
    // directory is none of ours: the one update of it is counted and dropped.
    let played = check("codex", "errors").await;
    assert_eq!(played.counters.unrouted, 1);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_of_two_turns() {
    check("codex", "history-1-create").await;
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_loaded() {
    // The agent repeats both turns while it loads; we have them already.
    let played = check("codex", "history-2-load").await;
    assert_eq!(played.counters.replayed, 6);
    assert_eq!(played.sessions.first().map(|(_, book)| book.messages.len()), Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_resumed() {
    // The recording's client then closed the session and prompted it once more. We do not close, but
    // an agent that forgets a session answers a prompt just so.
    check("codex", "history-3-resume").await;
}
