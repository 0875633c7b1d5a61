//! Random lives with crashes: whatever is lost, what was committed stays true.

use std::collections::BTreeMap;

use openscience_core::effect::Effect;
use openscience_core::input::{Command, Input, MetaPatch, Observation};
use openscience_core::session::{Live, SessionMachine};
use openscience_protocol::event::CancelSource;
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::{PromptInput, RunId};

use crate::journal;
use crate::ops::{self, Dice};
use crate::world::World;

struct Life {
    world: World,
    dice: Dice,
    owners: u64,
    /// Prompts that were answered with a receipt, by run.
    receipts: BTreeMap<RunId, (PromptInput, PromptAccepted)>,
}

#[test]
fn whatever_crashes_when_what_was_committed_stays_true() {
    for seed in 0..300 {
        let told = std::panic::catch_unwind(|| live(seed));
        assert!(told.is_ok(), "seed {seed}");
    }
}

fn live(seed: u64) {
    let mut life = Life { world: ops::world(), dice: Dice(seed), owners: 1, receipts: BTreeMap::new() };
    for _ in 0..life.dice.below(120) {
        match life.dice.below(24) {
            0 => life.crash(),
            1 => life.someone_else(),
            2 => life.retry(),
            _ => life.step(),
        }
    }
    life.finish();
}

impl Life {
    /// One batch: committed, or lost with the process before or after.
    fn step(&mut self) {
        let count = 1 + self.dice.below(4);
        let inputs: Vec<Input> = (0..count).map(|_| ops::any(&mut self.world, &mut self.dice)).collect();
        let draft = self.world.draft(&inputs);
        if self.dice.one_in(20) {
            // The draft was never written: nothing of it was answered or done.
            self.crash();
            return;
        }
        self.world.commit(&draft);
        for (index, answer) in &draft.answers {
            if let (
                Input::Command(Command::Prompt(prompt)),
                Ok(openscience_core::answer::Answer::Accepted(accepted)),
            ) = (&inputs[*index], answer)
                && (prompt.input.request_id.is_some() || prompt.input.message_id.is_some())
            {
                self.receipts.insert(accepted.run_id.clone(), (prompt.input.clone(), accepted.clone()));
            }
        }
        journal::read(&self.world.store);
    }

    /// The process dies and another takes over: it settles what was live.
    fn crash(&mut self) {
        self.owners += 1;
        self.world.restart(&format!("own_{}", self.owners));
        let runs: Vec<Live> = self.world.machine.state().runs().cloned().collect();
        self.world.command(Command::Stop { force: true, recovered: true, owner: None }).unwrap();
        assert_eq!(self.world.machine.state().runs().count(), 0);
        for live in runs {
            let row = self.world.receipt(&live.run.id);
            let expected = match (live.run.cancel, &live.run.error) {
                (Some(_), _) => "cancelled",
                (None, Some(error)) if error.code != "runtime_stopped" => "failed",
                (None, _) => "interrupted",
            };
            assert_eq!(row.state.as_str(), expected);
            assert_eq!(self.world.store.events.last().unwrap().1["properties"]["recovered"], true);
        }
    }

    /// Another process changes the session; this one notices when it writes, and decides again.
    fn someone_else(&mut self) {
        let mut other = self.world.clone();
        other.restart("own_other");
        let run = other.machine.state().live.as_ref().map(|live| live.run.id.clone());
        let command = match (run, self.dice.below(3)) {
            (Some(run), 0) => Command::Cancel { run, source: CancelSource::User, found: None },
            (Some(_), 1) => other.prompt_of(ops::prompt(&mut self.dice)),
            _ => Command::Rename(MetaPatch { title: Some("theirs".to_owned()), ..MetaPatch::default() }),
        };
        let draft = other.step(&[Input::Command(command)]);
        let theirs = other.store.runs.iter().any(|run| run.owner == other.me);
        assert!(theirs || draft.effects == Vec::<Effect>::new(), "nothing is done in another's run");
        let before = self.world.store.session.revision;
        self.world.store = other.store;
        self.world.ids = other.ids;

        let input = ops::any(&mut self.world, &mut self.dice);
        let stale = self.world.draft(std::slice::from_ref(&input));
        if let Some(append) = &stale.append
            && before != self.world.store.session.revision
        {
            self.world.store.append(append).expect_err("the revision has moved");
        }
        self.world.machine = SessionMachine::restore(self.world.store.rows());
        self.world.step(&[input, Input::Observation(Observation::Tick)]);
        let live = self.world.machine.state().live.as_ref();
        let cancelled = live.filter(|live| live.run.cancel.is_some() && live.run.owner == self.world.me);
        assert!(cancelled.is_none_or(|live| live.run.stop_at.is_some()), "the owner applies the cancel");
    }

    /// The same prompt again, with the same key: the same receipt, and nothing is executed.
    fn retry(&mut self) {
        let Some((input, accepted)) = self.receipts.values().next_back().cloned() else { return };
        let before = self.world.store.clone();
        assert_eq!(self.world.submit(input), Ok(accepted));
        assert_eq!(self.world.store, before);
    }

    fn finish(mut self) {
        let gone = Command::Stop { force: true, recovered: true, owner: Some("own_other".parse().unwrap()) };
        self.world.step(&[Input::Command(gone)]);
        self.world.step(&[Input::Command(Command::Abort { source: CancelSource::User })]);
        let by = self.world.now + 10_000;
        for _ in 0..4 {
            if self.world.machine.state().live.is_some() {
                self.world.wake();
            }
        }
        assert!(
            self.world.machine.state().runs().count() == 0 && self.world.now <= by,
            "terminal within 10 s"
        );
        for (input, accepted) in self.receipts.into_values() {
            assert_eq!(self.world.submit(input), Ok(accepted));
        }
        journal::read(&self.world.store);
        journal::check_effects(&self.world.effects);
        journal::check_bounds(&self.world.store, self.world.limits.max_event_bytes);
    }
}
