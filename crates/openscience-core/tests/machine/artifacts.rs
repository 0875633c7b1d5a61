//! What a turn saved is claimed before the turn ends, and never changes how it ends.

use openscience_core::effect::Effect;
use openscience_core::input::{Command, Input, Observation, TurnEnd};
use openscience_protocol::artifact::{ClaimState, SavedFile, SavedSource};
use openscience_protocol::{ArtifactRunId, RunId, TurnId};
use serde_json::json;

use crate::world::{World, failed};

/// A file as the shell finds it.
pub(crate) fn saved(number: u64) -> SavedFile {
    SavedFile {
        number: number + 1,
        name: format!("f{number}.csv"),
        mime_type: Some("text/csv".to_owned()),
        size: 3,
        sha256: "0".repeat(64),
        mtime_ms: 7,
        source: SavedSource::LocalPath { path: format!("/ws/f{number}.csv") },
        result_id: format!("art_{number}").parse().unwrap(),
        version_id: format!("ver_{number}").parse().unwrap(),
        replaced: false,
    }
}

/// A run whose agent is at work, and can save files.
fn running() -> (World, RunId) {
    let mut world = World::new();
    world.artifacts = true;
    let run = world.prompt("k", "go");
    world.start();
    (world, run)
}

fn answered() -> TurnEnd {
    TurnEnd::Answered { stop_reason: "end_turn".to_owned(), tokens: None }
}

fn run_of(world: &World) -> ArtifactRunId {
    world.store.turn(&world.turn()).unwrap().artifact_run.clone().unwrap()
}

fn collects(world: &World, turn: &TurnId) -> Option<u64> {
    world.effects.iter().rev().find_map(|effect| match effect {
        Effect::CollectFiles { turn: of, wait_ms, .. } if of == turn => Some(*wait_ms),
        _ => None,
    })
}

#[test]
fn files_are_claimed_then_put_away_then_the_turn_ends() {
    let (mut world, run) = running();
    let (turn, artifact_run) = (world.turn(), run_of(&world));
    world.say("done");
    assert_eq!(world.end("end_turn"), [] as [&str; 0]);
    assert_eq!(collects(&world, &turn), Some(5_000));
    let plan = world.effects.iter().find_map(|effect| match effect {
        Effect::StartTurn(plan) => plan.artifact_run.clone(),
        _ => None,
    });
    assert_eq!(plan, Some(artifact_run.clone()));

    let files = vec![SavedFile { replaced: true, ..saved(0) }, saved(1), saved(2)];
    assert_eq!(world.see(Observation::Saved { turn: turn.clone(), files }), ["artifact.created"]);
    let Some(Effect::FinalizeFiles { claim }) = world.effects.last().cloned() else { panic!("finalized") };
    assert_eq!((claim.state, &claim.run_id, &claim.artifact_run), (ClaimState::Pending, &run, &artifact_run));
    let told = world.store.events.last().unwrap().1.clone();
    assert_eq!(told["kind"], "artifact");
    let properties = &told["properties"];
    assert_eq!(properties["artifactClaimID"], json!(claim.id));
    assert_eq!(properties["files"].as_array().unwrap().len(), 2, "what was saved over is no file");
    let first = &properties["files"][0];
    assert_eq!(first["id"], json!(format!("ses_s:{artifact_run}:f1.csv")));
    assert_eq!(
        (&first["runId"], &first["messageId"], &first["path"], &first["resultID"], &first["versionID"]),
        (&json!(artifact_run), &json!(null), &json!(null), &json!("art_1"), &json!("ver_1"))
    );
    assert_eq!(world.store.versions.len(), 3, "every version is recorded");
    let answer = world.machine.state().live.as_ref().unwrap().answer.as_ref().unwrap().row.info.id().clone();
    assert_eq!(claim.message_id, answer);

    let before = world.store.events.len();
    world.step(&[
        Input::Command(Command::SettleClaim { claim: claim.id.clone(), failure: None }),
        Input::Observation(Observation::Drained { turn, end: Some(answered()) }),
    ]);
    let events: Vec<&str> = world.store.events[before..].iter().map(|(kind, _)| *kind).collect();
    assert_eq!(
        events,
        [
            "message.part.updated",
            "message.part.updated",
            "turn.updated",
            "message.updated",
            "session.idle",
            "runtime.completed"
        ]
    );
    assert_eq!(world.store.claims[0].state, ClaimState::Finalized);
    assert_eq!(world.receipt(&run).result_message_id, Some(answer));
}

#[test]
fn a_turn_that_saved_nothing_claims_nothing() {
    let (mut world, run) = running();
    let turn = world.turn();
    world.end("end_turn");
    assert_eq!(world.see(Observation::Saved { turn: turn.clone(), files: Vec::new() }), [] as [&str; 0]);
    world.see(Observation::Drained { turn, end: Some(answered()) });
    assert_eq!(world.outcome(&run), "completed - end_turn / Completed -");
    assert!(world.store.claims.is_empty() && world.store.versions.is_empty());
}

#[test]
fn files_that_cannot_be_put_away_change_no_outcome() {
    for (end, outcome) in [
        (Some(answered()), "completed - end_turn / Completed -"),
        (None, "interrupted runtime_stopped - / Failed runtime_stopped"),
    ] {
        let (mut world, run) = running();
        let turn = world.turn();
        world.end("end_turn");
        world.see(Observation::Saved { turn: turn.clone(), files: vec![saved(1)] });
        let claim = world.store.claims[0].id.clone();
        // The end does not wait for ever.
        world.see(Observation::Drained { turn, end });
        assert_eq!(world.outcome(&run), outcome);
        assert_eq!(world.machine.state().claims.len(), 1, "the claim goes on");
        let failure = Some("the disk is gone".to_owned());
        let told = world.store.events.len();
        world.command(Command::SettleClaim { claim: claim.clone(), failure }).unwrap();
        assert_eq!(world.store.events.len(), told);
        let row = &world.store.claims[0];
        assert_eq!((row.state, row.reason.as_deref()), (ClaimState::Failed, Some("the disk is gone")));
        assert_eq!(world.outcome(&run), outcome);
        // What is known of it does not change by itself.
        world.command(Command::SettleClaim { claim: claim.clone(), failure: None }).unwrap();
        assert_eq!(world.store.claims[0].state, ClaimState::Failed);
        // It can be asked for again.
        let row = Box::new(world.store.claims[0].clone());
        world.command(Command::ReopenClaim(row)).unwrap();
        assert_eq!(world.machine.state().claims.len(), 1);
        world.command(Command::SettleClaim { claim, failure: None }).unwrap();
        assert_eq!(
            (world.store.claims[0].state, &world.store.claims[0].reason),
            (ClaimState::Finalized, &None)
        );
        assert_eq!(world.outcome(&run), outcome);
    }
}

#[test]
fn a_turn_that_failed_keeps_its_files() {
    let (mut world, run) = running();
    let turn = world.turn();
    let seen = world.see(failed(&turn, "agent_exited"));
    assert!(!seen.contains(&"runtime.failed"));
    let Some(Effect::CollectFiles { end: Some(end), .. }) = world.effects.last().cloned() else {
        panic!("collected")
    };
    world.see(Observation::Saved { turn: turn.clone(), files: vec![saved(1)] });
    let events = world.see(Observation::Drained { turn, end: Some(*end) });
    assert_eq!(events.last(), Some(&"runtime.failed"));
    assert_eq!(world.outcome(&run), "failed agent_exited - / Failed agent_exited");
}

#[test]
fn a_cancel_while_files_are_looked_for_is_a_cancel() {
    let (mut world, run) = running();
    let turn = world.turn();
    world.end("end_turn");
    world.cancel(&run).unwrap();
    world.see(Observation::Saved { turn: turn.clone(), files: vec![saved(1)] });
    let events = world.see(Observation::Drained { turn, end: Some(answered()) });
    assert_eq!(events.last(), Some(&"runtime.cancelled"));
    assert_eq!(world.store.claims.len(), 1);
}

#[test]
fn a_prompt_that_comes_while_files_are_looked_for_is_the_next_turn() {
    let (mut world, run) = running();
    let turn = world.turn();
    world.end("end_turn");
    assert_eq!(world.prompt("k2", "more"), run, "the run still lives");
    world.see(Observation::Drained { turn: turn.clone(), end: Some(answered()) });
    assert_ne!(world.turn(), turn);
    assert_ne!(world.store.turn(&turn).unwrap().artifact_run, Some(run_of(&world)));
    world.start();
    let next = world.turn();
    world.end("end_turn");
    world.see(Observation::Saved { turn: next.clone(), files: vec![saved(1)] });
    world.see(Observation::Drained { turn: next, end: Some(answered()) });
    assert_eq!(world.outcome(&run), "completed - end_turn / Completed -");
}

#[test]
fn an_agent_that_does_not_stop_is_over_in_time_with_its_files_or_without() {
    for found in [true, false] {
        let (mut world, run) = running();
        let turn = world.turn();
        let start = world.now;
        world.cancel(&run).unwrap();
        world.wake();
        assert_eq!(
            (world.now, world.effects.last()),
            (start + 5_000, Some(&Effect::EscalateTurn { turn: turn.clone() }))
        );
        world.wake();
        assert_eq!((world.now, collects(&world, &turn)), (start + 9_000, Some(500)));
        if found {
            world.see(Observation::Saved { turn: turn.clone(), files: vec![saved(1)] });
            world.see(Observation::Drained { turn, end: None });
        } else {
            world.wake();
            assert_eq!(world.now, start + 10_000);
        }
        assert_eq!(world.outcome(&run), "cancelled - - / Cancelled -");
        assert_eq!(world.store.claims.len(), usize::from(found));
    }
}

#[test]
fn what_a_dead_process_left_is_claimed_before_its_run_is_called_interrupted() {
    let (mut world, run) = running();
    let turn = world.turn();
    world.say("half");
    world.restart("own_2");
    let before = world.store.events.len();
    let stop = || Input::Command(Command::Stop { force: true, recovered: true, owner: None });
    let files = || Input::Observation(Observation::Saved { turn: turn.clone(), files: vec![saved(1)] });
    world.step(&[files(), stop()]);
    let events: Vec<&str> = world.store.events[before..].iter().map(|(kind, _)| *kind).collect();
    assert_eq!(events.first(), Some(&"artifact.created"));
    assert_eq!(events.last(), Some(&"runtime.failed"));
    assert_eq!(world.store.claims[0].owner.as_str(), "own_2");
    assert_eq!(world.outcome(&run), "interrupted runtime_stopped - / Failed runtime_stopped");
    // A second one finds nothing to do.
    let after = world.store.clone();
    world.restart("own_3");
    world.step(&[files(), stop()]);
    assert_eq!(world.store, after);
    assert_eq!(world.machine.state().claims.len(), 1, "it is still to be put away");
}

#[test]
fn files_that_were_claimed_before_a_crash_are_not_claimed_again() {
    let (mut world, _) = running();
    let turn = world.turn();
    world.end("end_turn");
    world.see(Observation::Saved { turn: turn.clone(), files: vec![saved(1)] });
    world.restart("own_2");
    let stop = Input::Command(Command::Stop { force: true, recovered: true, owner: None });
    world.step(&[Input::Observation(Observation::Saved { turn, files: vec![saved(1)] }), stop]);
    let created = world.store.events.iter().filter(|(kind, _)| *kind == "artifact.created").count();
    assert_eq!((created, world.store.claims.len()), (1, 1));
}

#[test]
fn one_turn_that_is_stopped_before_its_agent_began_is_looked_at_too() {
    let mut world = World::new();
    world.artifacts = true;
    let run = world.prompt("k", "go");
    let turn = world.turn();
    let opened = openscience_core::input::Opened { agent_session: "a".to_owned(), ..Default::default() };
    world.see(Observation::SessionOpened { turn: turn.clone(), opened: Box::new(opened) });
    let found = world.found(&turn);
    world.command(Command::CancelTurn { turn: turn.clone(), found }).unwrap();
    assert!(collects(&world, &turn).is_some());
    world.see(Observation::Drained { turn: turn.clone(), end: None });
    assert!(world.receipt(&run).state.is_terminal());
    assert!(world.store.turn(&turn).unwrap().ended_at.is_some());
}

#[test]
fn an_event_lists_so_many_files_and_says_how_many_there_are() {
    let (mut world, _) = running();
    let turn = world.turn();
    world.end("end_turn");
    let long = |number: u64| SavedFile { name: format!("{number}{}", "é\"".repeat(80)), ..saved(number) };
    world.see(Observation::Saved { turn, files: (0..5_000).map(long).collect() });
    let (_, told) = world.store.events.last().unwrap();
    assert!(told.to_string().len() < world.limits.max_event_bytes);
    assert_eq!(told["properties"]["fileCount"], 5_000);
    assert_eq!(told["properties"]["files"].as_array().unwrap().len(), 200);
    assert_eq!(world.store.versions.len(), 5_000);
}
