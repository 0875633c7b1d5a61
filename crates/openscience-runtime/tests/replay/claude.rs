//! What claude-agent-acp 0.49.0 said: it numbers its messages, tells of use within a turn, and goes on
//! after a rejection.

use openscience_core::answer::Refusal;

recordings! {"claude":
    a_plain_answer = "basic",
    two_thousand_words = "stream",
    thoughts_before_a_text = "think",
    a_plan = "plan",
    a_command_that_was_allowed = "tool_allow",
    a_command_that_was_refused = "tool_reject",
    a_command_that_needs_no_permission = "tool_term",
    a_file_that_was_written = "tool_write",
    a_file_that_it_wrote_itself = "tool_write_nofs",
    a_cancelled_answer_and_the_prompt_after_it = "cancel",
    a_cancel_while_a_permission_waits = "cancel_perm",
    a_cancel_while_a_command_runs = "cancel_tool",
    a_model_that_answers_with_an_error = "llm_error",
    two_sessions_of_one_agent = "two_sessions",
    a_model_chosen_before_the_prompt = "modes",
    a_turn_after_many_errors = "errors",
    a_conversation_of_two_turns = "history-1-create",
    a_conversation_that_is_resumed = "history-3-resume",
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_loaded() {
    // The agent repeats both turns while it loads; we have them already.
    let played = crate::check("claude", "history-2-load").await;
    assert_eq!(played.counters.replayed, 6);
    assert_eq!(played.sessions.first().map(|(_, book)| book.messages.len()), Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_second_prompt_during_the_first() {
    // The recording's client sent it at once, and claude answered both, one after the other. We refuse
    // it; what claude said of it came so soon that it is text of the turn before.
    let played = crate::check("claude", "busy").await;
    assert_eq!(played.refused, [("SAY 3".to_owned(), Refusal::QueueFull)]);
}
