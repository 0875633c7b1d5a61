//! What is there after a process ended at any step? Nothing that was accepted is lost, nothing is there twice.

use openscience_protocol::artifact::{SavedFile, SavedSource};

use super::{BUDGET, Desk, WAIT, inline};
use crate::FileName;
use crate::artifact::finalize::{self, Step as Finalize};
use crate::artifact::lock;
use crate::artifact::write::{Content, STEPS, Saving, Step};
use crate::artifact::{Encoding, Source};
use crate::dir;

/// Begins a write and ends after `steps` of it, leaving everything as a killed process does.
fn killed_write(desk: &Desk, name: &str, text: &str, steps: usize) -> SavedFile {
    let source = Source::Inline { content: text, encoding: Encoding::Utf8 };
    let content = Content::open(source, &desk.roots(), &BUDGET).unwrap();
    let folder = desk.files.make().unwrap();
    let mut held = lock::take(&folder, WAIT).unwrap();
    let usage = held.usage().unwrap().unwrap_or_default();
    let pending = dir::make_folder(&folder, ".pending").unwrap();
    let saved = dir::make_folder(&pending, desk.run.as_str()).unwrap();
    let draft = content.draft(&saved, |_| Ok(())).unwrap();
    let name = FileName::new(name).unwrap();
    let mut saving: Saving =
        desk.files.saving(&desk.run, &name, None, SavedSource::Inline, &usage, draft).unwrap();
    let blobs = desk.store.blobs("prj_p").unwrap();
    for step in &STEPS[..steps] {
        saving.perform(*step, &blobs, &saved, &mut held).unwrap();
    }
    saving.record
}

#[test]
fn a_write_that_is_cut_off_is_there_from_its_record_on_and_not_before() {
    for steps in 0..=STEPS.len() {
        let desk = Desk::new();
        desk.inline("before", "1").unwrap();
        let cut = killed_write(&desk, "cut.txt", "two", steps);
        let accepted = steps > STEPS.iter().position(|step| *step == Step::Record).unwrap();

        // The next process goes on in the same run.
        desk.inline("after", "3").unwrap();
        let files = desk.close();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let expected: &[&str] = if accepted { &["before", "cut.txt", "after"] } else { &["before", "after"] };
        assert_eq!(names, expected, "after {steps} steps");

        desk.files.finalize(&desk.finalizing(&files), WAIT).unwrap();
        for file in &files {
            let placed = std::fs::read(desk.kept(&format!("msg_m/{}", file.name))).unwrap();
            assert_eq!(placed, desk.bytes(file), "{} after {steps} steps", file.name);
        }
        assert_eq!(desk.kept("msg_m/cut.txt").exists(), accepted);
        if accepted {
            assert_eq!(desk.bytes(&cut), b"two");
        }
        assert!(!desk.kept(&format!(".pending/{}", desk.run)).exists(), "after {steps} steps");
    }
}

#[test]
fn a_replacement_that_is_cut_off_leaves_the_old_file_or_the_new_one() {
    for steps in 0..=STEPS.len() {
        let desk = Desk::new();
        desk.inline("one.txt", "old").unwrap();
        killed_write(&desk, "one.txt", "new", steps);
        let accepted = steps > STEPS.iter().position(|step| *step == Step::Record).unwrap();
        let files = desk.close();
        desk.files.finalize(&desk.finalizing(&files), WAIT).unwrap();
        let placed = std::fs::read_to_string(desk.kept("msg_m/one.txt")).unwrap();
        assert_eq!(placed, if accepted { "new" } else { "old" }, "after {steps} steps");
    }
}

#[test]
fn a_record_that_was_cut_off_never_was_one() {
    let desk = Desk::new();
    desk.inline("whole", "1").unwrap();
    let records = desk.kept(&format!(".pending/{}/.records", desk.run));
    let line = std::fs::read(&records).unwrap();
    for cut in 1..line.len() {
        std::fs::write(&records, [&line[..], &line[..cut]].concat()).unwrap();
        assert_eq!(desk.files.close(&desk.run, WAIT).unwrap().files.len(), 1, "cut at {cut}");
    }
    // What is written next stands on a line of its own.
    desk.files.activate(&desk.run).unwrap();
    desk.inline("next", "2").unwrap();
    let names: Vec<String> = desk.close().into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["whole", "next"]);
}

#[test]
fn a_finalization_that_is_cut_off_is_completed_by_whoever_comes() {
    let steps = 3 + 3;
    for done in 0..=steps {
        let desk = Desk::new();
        for name in ["a", "b", "c"] {
            desk.inline(name, name).unwrap();
        }
        let files = desk.close();
        let finalizing = desk.finalizing(&files);
        let plan = finalize::steps(&finalizing);
        assert_eq!(plan.len(), steps);
        let folder = desk.files.make().unwrap();
        for step in &plan[..done] {
            desk.files.perform(&folder, &finalizing, step).unwrap();
        }
        // To another message it goes only if nothing was decided.
        let mut other = finalizing.clone();
        other.message = "msg_other".parse().unwrap();
        let plan_other = finalize::steps(&other);
        if done > 0 {
            assert!(desk.files.perform(&folder, &other, &plan_other[0]).is_err(), "after {done} steps");
        }
        // A second start changes nothing.
        for _ in 0..2 {
            desk.files.finalize(&finalizing, WAIT).unwrap();
            for file in &files {
                let placed = std::fs::read(desk.kept(&format!("msg_m/{}", file.name))).unwrap();
                assert_eq!(placed, file.name.as_bytes(), "after {done} steps");
            }
            assert!(!desk.kept(&format!(".pending/{}", desk.run)).exists());
        }
    }
}

#[test]
fn no_file_moves_before_the_marker_is_there() {
    let desk = Desk::new();
    desk.inline("a", "1").unwrap();
    let finalizing = desk.finalizing(&desk.close());
    assert_eq!(finalize::steps(&finalizing).first(), Some(&Finalize::Mark));
    // The marker cannot be written: its folder is a file.
    std::fs::write(desk.kept(".runs"), "").unwrap();
    assert!(desk.files.finalize(&finalizing, WAIT).is_err());
    assert!(!desk.kept("msg_m").exists());
    assert!(desk.kept(&format!(".pending/{}/a", desk.run)).exists());
    std::fs::remove_file(desk.kept(".runs")).unwrap();
    desk.files.finalize(&finalizing, WAIT).unwrap();
    assert!(desk.kept("msg_m/a").exists());
}

#[test]
fn a_marker_that_cannot_be_read_decides_for_nobody() {
    let desk = Desk::new();
    desk.inline("a", "1").unwrap();
    let finalizing = desk.finalizing(&desk.close());
    std::fs::create_dir(desk.kept(".runs")).unwrap();
    std::fs::write(desk.kept(&format!(".runs/{}.json", desk.run)), "{").unwrap();
    assert!(desk.files.finalize(&finalizing, WAIT).is_err());
    assert!(!desk.kept("msg_m").exists());
}

#[test]
fn a_message_gets_its_files_also_if_what_was_pending_is_gone() {
    let desk = Desk::new();
    desk.inline("a", "1").unwrap();
    let finalizing = desk.finalizing(&desk.close());
    desk.files.forget_pending().unwrap();
    desk.files.finalize(&finalizing, WAIT).unwrap();
    assert_eq!(std::fs::read_to_string(desk.kept("msg_m/a")).unwrap(), "1");
}

#[test]
fn bytes_that_are_gone_are_told_and_the_rest_stays() {
    let desk = Desk::new();
    let a = desk.inline("a", "1").unwrap();
    let finalizing = desk.finalizing(&desk.close());
    desk.store.forget_bytes("prj_p", &a.sha256).unwrap();
    let failed = desk.files.finalize(&finalizing, WAIT).unwrap_err();
    assert_eq!(failed.to_string(), "the bytes of a file are gone");
    assert!(desk.kept(&format!(".pending/{}/a", desk.run)).exists());
}

#[test]
fn two_processes_that_finalize_one_claim_come_to_the_same() {
    let desk = std::sync::Arc::new(Desk::new());
    for number in 0..20 {
        desk.inline(&format!("f{number}"), "x").unwrap();
    }
    let finalizing = desk.finalizing(&desk.close());
    let both: Vec<_> = (0..2)
        .map(|_| {
            let (desk, finalizing) = (std::sync::Arc::clone(&desk), finalizing.clone());
            std::thread::spawn(move || desk.files.finalize(&finalizing, WAIT))
        })
        .collect();
    for one in both {
        one.join().unwrap().unwrap();
    }
    assert_eq!(std::fs::read_dir(desk.kept("msg_m")).unwrap().count(), 20);
}

#[test]
fn what_was_saved_and_not_claimed_is_not_cleared_away() {
    let desk = Desk::new();
    desk.inline("claimed", "1").unwrap();
    let finalizing = desk.finalizing(&desk.close());
    desk.files.activate(&desk.run).unwrap();
    desk.files.write(inline("straggler", "2"), &desk.roots(), &BUDGET).unwrap();
    desk.files.finalize(&finalizing, WAIT).unwrap();
    assert!(desk.kept("msg_m/claimed").exists());
    assert!(desk.kept(&format!(".pending/{}/straggler", desk.run)).exists());
}
