//! What qwen-code 0.15.10 said: it asks before it tells of a call, and ends a turn for the next prompt.

use openscience_core::answer::Refusal;

recordings! {"qwen":
    a_plain_answer = "basic",
    two_thousand_words = "stream",
    thoughts_before_a_text = "think",
    a_plan = "plan",
    a_command_that_was_allowed = "tool_allow",
    a_command_that_was_refused = "tool_reject",
    a_command_that_needs_no_permission = "tool_term",
    a_file_that_it_wrote_itself = "tool_write_nofs",
    a_cancelled_answer_and_the_prompt_after_it = "cancel",
    a_cancel_while_a_permission_waits = "cancel_perm",
    a_cancel_after_the_end = "cancel_tool",
    a_model_that_answers_with_an_error = "llm_error",
    two_sessions_of_one_agent = "two_sessions",
    a_model_chosen_before_the_prompt = "modes",
    a_turn_after_many_errors = "errors",
    a_conversation_of_two_turns = "history-1-create",
    a_conversation_that_is_resumed = "history-3-resume",
}

#[tokio::test(start_paused = true)]
async fn a_file_that_we_should_write() {
    // We offer no files, so it would not ask us. We refuse; what it did next is what it did for a client
    // that had written the file.
    let played = crate::compare("qwen", "tool_write").await;
    assert_eq!(crate::troubles(&played), crate::REFUSED_ONCE);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_loaded() {
    // The agent repeats both turns while it loads; we have them already.
    let played = crate::check("qwen", "history-2-load").await;
    assert_eq!(played.counters.replayed, 9);
    assert_eq!(played.sessions.first().map(|(_, book)| book.messages.len()), Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_second_prompt_during_the_first() {
    // Qwen gave the first up for it, unasked: what it had said is kept, and the run says why it ended.
    let played = crate::check("qwen", "busy").await;
    assert_eq!(played.refused, [("SAY 3".to_owned(), Refusal::QueueFull)]);
}
