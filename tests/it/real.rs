//! Do real agents, with all their habits, work through the daemon?
//!
//! Each of three agents plays the same scenarios against a scripted model. Codex asks before it tells
//! of a call, ends a turn as cancelled after a rejection and does not exit at the end of its input.
//! Claude starts a process of its own for each session and numbers its messages. Qwen asks first too,
//! and weighs half a gigabyte: its tests run one at a time.

mod agent;
mod scenario;

use agent::Agent;

/// The same tests for an agent.
macro_rules! tests_of {
    ($module:ident: $agent:expr; $($test:ident = $scenario:ident,)*) => {
        mod $module {
            $(
                #[tokio::test]
                async fn $test() {
                    if let Some(real) = super::agent::Real::start($agent).await {
                        super::scenario::$scenario(real).await;
                    }
                }
            )*
        }
    };
}

tests_of! {codex: super::Agent::Codex;
    two_thousand_streamed_words_arrive_whole = stream,
    an_allowed_command_runs = allow,
    a_rejected_command_does_not_run_and_the_run_says_why = reject_ends_the_turn,
    what_is_said_with_a_rejection_is_answered_next = reject_saying,
    a_cancel_in_mid_turn_keeps_the_text = cancel,
    a_cancel_while_it_asks_ends_the_turn = cancel_while_it_asks,
    a_follow_up_is_answered_after_the_turn_that_is_cancelled_for_it = follow_up,
    two_sessions_share_one_process_without_mixing = two_sessions,
    an_mcp_server_of_the_session_is_started_and_spoken_to = mcp_server,
    it_asks_a_person_and_goes_on_with_the_answer = question,
    a_file_saved_through_the_artifact_tool_is_with_the_answer = artifact,
    a_killed_agent_fails_its_run_and_the_session_goes_on = kill,
    a_restarted_daemon_takes_the_conversation_up_again = reopen,
    an_error_of_the_model_fails_the_run = model_error,
    a_conversation_is_found_at_the_agent_and_taken_over = adopt,
    an_image_and_a_text_file_reach_the_model = attachments,
    a_harness_reads_well_formed_lines = harness,
}

tests_of! {claude: super::Agent::Claude;
    two_thousand_streamed_words_arrive_whole = stream,
    an_allowed_command_runs = allow,
    a_rejected_command_does_not_run_and_the_turn_goes_on = reject_goes_on,
    what_is_said_with_a_rejection_is_answered_next = reject_saying,
    a_cancel_in_mid_turn_keeps_the_text = cancel,
    a_cancel_while_it_asks_ends_the_turn = cancel_while_it_asks,
    a_follow_up_is_answered_after_the_turn_that_is_cancelled_for_it = follow_up,
    two_sessions_share_one_process_without_mixing = two_sessions,
    an_mcp_server_of_the_session_is_started_and_spoken_to = mcp_server,
    it_asks_a_person_and_goes_on_with_the_answer = question,
    its_own_questions_are_forms_that_people_fill_in = form,
    a_file_saved_through_the_artifact_tool_is_with_the_answer = artifact,
    a_killed_agent_fails_its_run_and_the_session_goes_on = kill,
    a_restarted_daemon_takes_the_conversation_up_again = reopen,
    an_error_of_the_model_fails_the_run = model_error,
    a_conversation_is_found_at_the_agent_and_taken_over = adopt,
    the_mode_is_set_between_turns_and_the_conversation_forked = mode_and_fork,
    an_image_and_a_text_file_reach_the_model = attachments,
    a_harness_reads_well_formed_lines = harness,
}

tests_of! {qwen: super::Agent::Qwen;
    two_thousand_streamed_words_arrive_whole = stream,
    an_allowed_command_runs = allow,
    a_rejected_command_does_not_run_and_the_turn_goes_on = reject_goes_on,
    what_is_said_with_a_rejection_is_answered_next = reject_saying,
    a_cancel_in_mid_turn_keeps_the_text = cancel,
    a_cancel_while_it_asks_ends_the_turn = cancel_while_it_asks,
    a_follow_up_is_answered_after_the_turn_that_is_cancelled_for_it = follow_up,
    two_sessions_share_one_process_without_mixing = two_sessions,
    an_mcp_server_of_the_session_is_started_and_spoken_to = mcp_server,
    a_killed_agent_fails_its_run_and_the_session_goes_on = kill,
    a_restarted_daemon_takes_the_conversation_up_again = reopen,
    an_error_of_the_model_fails_the_run = model_error,
    a_text_file_reaches_the_model_and_an_image_is_left_out_by_the_agent = attachments_for_the_blind,
}
