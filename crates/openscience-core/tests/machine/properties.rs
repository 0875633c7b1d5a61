//! What holds for any sequence of inputs.

use openscience_core::input::Input;
use openscience_protocol::row::{Append, Write};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};

use crate::{journal, ops};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn any_prefix_is_restored_and_every_journal_is_sound(seeds in vec(any::<u64>(), 0..60)) {
        let mut world = ops::world();
        for seed in seeds {
            let input = ops::any(&mut world, &mut ops::Dice(seed));
            let live = world.machine.state().live.is_some();
            let told = world.store.events.len();
            let draft = world.step(std::slice::from_ref(&input));
            if live {
                journal::check_texts_of_live(&world.store, told);
            }
            let journaled = draft.append.is_some_and(|append| !append.events.is_empty());
            assert!(live || !journaled || matches!(input, Input::Command(_)), "{input:?}");
        }
        journal::read(&world.store);
        journal::check_effects(&world.effects);
        journal::check_bounds(&world.store, world.limits.max_event_bytes);
    }

    #[test]
    fn a_batch_comes_to_what_its_inputs_come_to_one_by_one(
        before in vec(any::<u64>(), 0..30),
        batch in vec(any::<u64>(), 1..12),
    ) {
        let mut world = ops::world();
        for seed in before {
            let input = ops::any(&mut world, &mut ops::Dice(seed));
            world.step(&[input]);
        }
        let inputs: Vec<Input> =
            batch.into_iter().map(|seed| ops::any(&mut world, &mut ops::Dice(seed))).collect();
        let mut alone = world.clone();
        let together = world.draft(&inputs);
        let mut answers = Vec::new();
        let mut effects = Vec::new();
        let mut sum: Option<Append> = None;
        for (index, input) in inputs.iter().enumerate() {
            let draft = alone.draft(std::slice::from_ref(input));
            answers.extend(draft.answers.into_iter().map(|(_, answer)| (index, answer)));
            effects.extend(draft.effects);
            if let Some(more) = draft.append {
                add(&mut sum, more);
            }
        }
        assert_eq!(world.machine, alone.machine);
        assert_eq!((&together.answers, &together.effects), (&answers, &effects));
        assert_eq!(together.append.is_some(), sum.is_some());
        if let (Some(together), Some(sum)) = (&together.append, &sum) {
            alone.store.append(sum).unwrap();
            world.store.append(together).unwrap();
            assert_eq!(world.store, alone.store);
        }
    }
}

fn add(sum: &mut Option<Append>, more: Append) {
    let Some(sum) = sum else {
        *sum = Some(more);
        return;
    };
    sum.bump |= more.bump;
    sum.new_messages += more.new_messages;
    sum.events.extend(more.events);
    // Chunks of one part stand in the order of their growth either way.
    sum.writes.extend::<Vec<Write>>(more.writes);
}
