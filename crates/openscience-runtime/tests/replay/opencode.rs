//! What opencode 1.18.33 said: it wants files written for it, and starts an answer that broke off anew.

recordings! {"opencode":
    a_plain_answer = "basic",
    two_thousand_words = "stream",
    thoughts_before_a_text = "think",
    a_plan = "plan",
    a_command_that_was_allowed = "tool_allow",
    a_command_that_was_refused = "tool_reject",
    a_command_that_needs_no_terminal = "tool_term",
    a_file_that_was_read = "tool_read",
    two_commands_at_once = "two_tools",
    a_second_prompt_during_the_first = "busy",
    a_cancelled_answer_and_the_prompt_after_it = "cancel",
    a_cancel_while_nothing_runs = "cancel_idle",
    a_cancel_while_a_permission_waits = "cancel_perm",
    a_cancel_while_a_command_runs = "cancel_tool",
    a_model_that_answers_with_an_error = "llm_error",
    a_model_whose_stream_breaks_off = "llm_drop",
    an_agent_that_goes_away_in_mid_turn = "eof_midturn",
    two_sessions_of_one_agent = "two_sessions",
    a_model_chosen_before_the_prompt = "modes",
    a_turn_after_many_errors = "errors",
    a_conversation_of_two_turns = "history-1-create",
    a_conversation_that_is_resumed = "history-3-resume",
}

#[tokio::test(start_paused = true)]
async fn a_file_that_we_should_write() {
    // It asks for that even of a client that offers no files, as we do. We refuse; what it did next is
    // what it did for a client that had written the file.
    for name in ["tool_write", "tool_write_nofs"] {
        let played = crate::compare("opencode", name).await;
        assert_eq!(crate::troubles(&played), crate::REFUSED_ONCE);
    }
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_loaded() {
    // The agent repeats both turns while it loads; we have them already.
    let played = crate::check("opencode", "history-2-load").await;
    assert_eq!(played.counters.replayed, 6);
    assert_eq!(played.sessions.first().map(|(_, book)| book.messages.len()), Some(2));
}
