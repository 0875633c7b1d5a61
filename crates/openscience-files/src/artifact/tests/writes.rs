//! What is saved, what is refused, and what is left of it?

use std::fs;
use std::io::Write as _;
use std::sync::Arc;

use openscience_protocol::artifact::SavedSource;

use super::{BUDGET, Desk, WAIT, inline, run};
use crate::artifact::{
    BlobError, Budget, Encoding, FinalizeError, ImportRoots, Source, WriteError, WriteRequest, handoff, lock,
};

#[test]
fn a_file_is_in_its_run_until_the_turn_ends_and_then_with_its_message() {
    let desk = Desk::new();
    let saved = desk.inline("notes.md", "# Notes").unwrap();
    assert_eq!((saved.number, saved.size, saved.source.clone()), (1, 7, SavedSource::Inline));
    let run = &desk.run;
    let pending = format!(".pending/{run}/notes.md");
    assert_eq!(fs::read_to_string(desk.kept(&pending)).unwrap(), "# Notes");

    let files = desk.close();
    assert_eq!(files, std::slice::from_ref(&saved));
    desk.files.finalize(&desk.finalizing(&files), WAIT).unwrap();
    assert_eq!(fs::read_to_string(desk.kept("msg_m/notes.md")).unwrap(), "# Notes");
    let marker = format!(".runs/{run}.json");
    assert_eq!(
        desk.all(),
        [".lock", ".pending/.handoff.lock", ".pending/current-run.json", &marker, "msg_m/notes.md"]
    );
    assert_eq!(desk.bytes(&saved), b"# Notes");

    // Again it changes nothing, and to another message it does not go.
    desk.files.finalize(&desk.finalizing(&files), WAIT).unwrap();
    let mut elsewhere = desk.finalizing(&files);
    elsewhere.message = "msg_other".parse().unwrap();
    assert!(matches!(desk.files.finalize(&elsewhere, WAIT), Err(FinalizeError::Conflict)));
    assert!(!desk.kept("msg_other").exists());
}

#[test]
fn nothing_is_saved_outside_a_run() {
    let desk = Desk::new();
    desk.files.close(&desk.run, WAIT).unwrap();
    assert!(matches!(desk.inline("x", "y"), Err(WriteError::NotActive)));
    let fresh = desk.store.session("prj_p", &"ses_new".parse().unwrap()).unwrap();
    assert!(matches!(fresh.write(inline("x", "y"), &desk.roots(), &BUDGET), Err(WriteError::NotActive)));
    assert_eq!(fresh.close(&desk.run, WAIT).unwrap().files, []);
    assert!(!desk.dir.path().join("artifacts/prj_p/ses_new").exists(), "looking makes no folder");
}

#[test]
fn the_end_of_an_old_run_does_not_end_a_newer_one() {
    let desk = Desk::new();
    desk.inline("old", "1").unwrap();
    desk.files.activate(&run(2)).unwrap();
    assert_eq!(desk.files.close(&desk.run, WAIT).unwrap().files.len(), 1);
    assert_eq!(desk.files.active().unwrap(), Some(run(2)));
    desk.inline("new", "2").unwrap();
    let newer = desk.files.close(&run(2), WAIT).unwrap().files;
    assert_eq!(newer.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["new"]);
}

#[test]
fn a_write_that_was_accepted_is_waited_for_and_a_later_one_is_refused() {
    let desk = Arc::new(Desk::new());
    let folder = desk.files.make().unwrap();
    let held = lock::take(&folder, WAIT).unwrap();
    let closing = {
        let (files, run) = (desk.files.clone(), desk.run.clone());
        std::thread::spawn(move || files.close(&run, WAIT).unwrap())
    };
    // The run is over before the write in front of the queue is: what queues behind it is too late.
    let pending = folder.open_dir(".pending").unwrap();
    while handoff::get(&pending).unwrap().is_some() {
        std::thread::yield_now();
    }
    let late = {
        let desk = Arc::clone(&desk);
        std::thread::spawn(move || desk.files.write(inline("late", "x"), &ImportRoots::open([]), &BUDGET))
    };
    assert!(!closing.is_finished());
    drop(held);
    assert_eq!(closing.join().unwrap().files, []);
    assert!(matches!(late.join().unwrap(), Err(WriteError::NotActive)));
}

#[test]
fn a_write_that_takes_too_long_is_not_waited_for_for_ever() {
    let desk = Desk::new();
    desk.inline("done", "x").unwrap();
    let folder = desk.files.make().unwrap();
    let held = lock::take(&folder, WAIT).unwrap();
    let closed = desk.files.close(&desk.run, std::time::Duration::ZERO).unwrap();
    assert!(closed.late);
    assert_eq!(closed.files.len(), 1);
    drop(held);
}

#[test]
fn one_name_twice_in_a_run_is_one_file_and_two_versions() {
    let desk = Desk::new();
    fs::create_dir_all(desk.work("a")).unwrap();
    fs::create_dir_all(desk.work("b")).unwrap();
    fs::write(desk.work("a/plot.txt"), "from a").unwrap();
    fs::write(desk.work("b/plot.txt"), "from b").unwrap();
    let saved = [
        desk.local("plot.txt", "a/plot.txt").unwrap(),
        desk.local("plot.txt", "b/plot.txt").unwrap(),
        desk.inline("plot.txt", "inline 1").unwrap(),
        desk.inline("plot.txt", "inline 2").unwrap(),
        desk.inline("Plot.TXT", "other name").unwrap(),
    ];
    let files = desk.close();
    let replaced: Vec<bool> = files.iter().map(|file| file.replaced).collect();
    assert_eq!(replaced, [true, true, true, false, false]);
    let contents = ["from a", "from b", "inline 1", "inline 2", "other name"];
    for (file, content) in files.iter().zip(contents) {
        assert_eq!(desk.bytes(file), content.as_bytes());
    }
    let results: Vec<_> = saved.iter().map(|file| file.result_id.as_str()).collect();
    assert_eq!(results[2], results[3], "one name that is sent is one result");
    assert_eq!(results.iter().collect::<std::collections::HashSet<_>>().len(), 4);
    let versions: std::collections::HashSet<_> = saved.iter().map(|file| &file.version_id).collect();
    assert_eq!(versions.len(), 5);
    desk.files.finalize(&desk.finalizing(&files), WAIT).unwrap();
    assert_eq!(fs::read_to_string(desk.kept("msg_m/plot.txt")).unwrap(), "inline 2");
    assert_eq!(fs::read_to_string(desk.kept("msg_m/Plot.TXT")).unwrap(), "other name");
}

#[test]
fn a_name_that_the_disk_takes_for_another_is_a_conflict() {
    let desk = Desk::new();
    desk.inline("plot.png", "").unwrap();
    // A disk that folds case finds the file under a name that nobody saved.
    let folder = desk.kept(&format!(".pending/{}", desk.run));
    fs::write(folder.join("PLOT.png"), "").unwrap();
    let refused = desk.inline("PLOT.png", "").unwrap_err();
    assert!(refused.to_string().starts_with("name_conflict"), "{refused}");
    assert!(desk.inline("plot.png", "").is_ok(), "its own name may be saved again");
}

#[test]
fn equal_bytes_are_kept_once_and_read_back_compared() {
    use std::os::unix::fs::MetadataExt as _;
    let desk = Desk::new();
    let first = desk.inline("a", "same").unwrap();
    let second = desk.inline("b", "same").unwrap();
    let at = |name: &str| fs::metadata(desk.kept(&format!(".pending/{}/{name}", desk.run))).unwrap();
    assert_eq!(at("a").ino(), at("b").ino());
    assert_eq!(at("a").mode() & 0o777, 0o400, "what is kept is not written to");
    assert_eq!(first.sha256, second.sha256);
    assert_ne!(first.version_id, second.version_id);

    let kept = desk
        .dir
        .path()
        .join("artifacts/prj_p/.blobs")
        .join(first.sha256.get(..2).unwrap())
        .join(&first.sha256);
    let (_, seal) = desk.store.open_bytes("prj_p", &first.sha256, |_| false).unwrap();
    fs::remove_file(&kept).unwrap();
    fs::write(&kept, "fake").unwrap();
    let opened = desk.store.open_bytes("prj_p", &first.sha256, |known| *known == seal);
    assert!(matches!(opened, Err(BlobError::Damaged)), "other bytes are noticed");
    desk.store.forget_bytes("prj_p", &first.sha256).unwrap();
    assert!(matches!(desk.store.open_bytes("prj_p", &first.sha256, |_| false), Err(BlobError::Missing)));
    assert_eq!(fs::read_to_string(desk.kept(&format!(".pending/{}/a", desk.run))).unwrap(), "same");
    desk.store.forget_bytes("prj_p", &first.sha256).unwrap();
}

#[test]
fn what_is_sent_as_base64_is_decoded_and_anything_else_is_refused() {
    let desk = Desk::new();
    let send = |content: &str| {
        let source = Source::Inline { content, encoding: Encoding::Base64 };
        desk.files.write(WriteRequest { filename: "x", mime_type: None, source }, &desk.roots(), &BUDGET)
    };
    for good in ["AAEC/w==", "AAEC/w", "AAEC\n/w==\n"] {
        assert_eq!(desk.bytes(&send(good).unwrap()), [0, 1, 2, 255], "{good:?}");
    }
    for bad in ["AAEC/w=", "A", "****", "AA=A", "AAEC_w=="] {
        if let Ok(saved) = send(bad) {
            // Padding is forgiven, nothing else.
            assert_eq!((bad, desk.bytes(&saved)), ("AAEC/w=", vec![0, 1, 2, 255]));
        }
    }
    assert!(matches!(send("****"), Err(WriteError::Base64)));
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let desk = Desk::new();
    desk.inline("good", "x").unwrap();
    let before = desk.all();
    let tiny = Budget { inline: 3, file: 4, run: 6, session: 8, reserve: 0 };
    fs::write(desk.work("five"), "12345").unwrap();
    fs::write(desk.work("four"), "1234").unwrap();
    let save = |name: &str, source: Source<'_>, budget: &Budget| {
        let request = WriteRequest { filename: name, mime_type: None, source };
        desk.files
            .write(request, &desk.roots(), budget)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let text = |content| Source::Inline { content, encoding: Encoding::Utf8 };
    let coded = |content| Source::Inline { content, encoding: Encoding::Base64 };
    let local = |path| Source::LocalPath { path };
    for (name, source, budget, told) in [
        ("a", text("1234"), &tiny, "the content is too long to be sent inline; at most 3 bytes"),
        ("a", coded("MTIzNA=="), &tiny, "the content is too long to be sent inline"),
        ("a", coded(&"A".repeat(4_000)), &tiny, "the content is too long to be sent inline"),
        ("a", local("five"), &tiny, "the file has 5 bytes; at most 4"),
        ("a.png", text("no picture"), &BUDGET, "the content is something else, and the file is called PNG"),
        ("../a", text("1"), &BUDGET, "the filename must be a plain name"),
        ("a", local("five"), &BUDGET, ""),
    ] {
        let refusal = save(name, source, budget);
        assert!(refusal.starts_with(told), "{told}: {refusal}");
        if !told.is_empty() {
            assert_eq!(desk.all(), before, "{told}");
        }
    }
    assert_eq!(
        save("b", local("four"), &Budget { run: 99, ..tiny }),
        "a session may save at most 8 bytes, and this file is too many"
    );
    assert_eq!(
        save("b", local("four"), &Budget { session: 99, ..tiny }),
        "one turn may save at most 6 bytes, and this file is too many"
    );
    let mime = WriteRequest { filename: "x", mime_type: Some("text"), source: text("") };
    assert!(matches!(desk.files.write(mime, &desk.roots(), &BUDGET), Err(WriteError::Mime)));
}

#[test]
fn a_file_as_large_as_the_limit_is_not_read_before_it_is_refused() {
    use std::os::unix::fs::MetadataExt as _;
    let desk = Desk::new();
    let sparse = fs::File::create(desk.work("sparse")).unwrap();
    let limits = Budget::new(&openscience_protocol::Limits::default());
    sparse.set_len((1 << 30) + 1).unwrap();
    let request =
        WriteRequest { filename: "big", mime_type: None, source: Source::LocalPath { path: "sparse" } };
    let refused = desk.files.write(request, &desk.roots(), &limits).unwrap_err();
    assert!(matches!(refused, WriteError::FileTooLarge { size: 1_073_741_825, limit: 1_073_741_824 }));
    // One that is at the limit of a file meets that of its turn, without a byte on the disk.
    sparse.set_len(1 << 30).unwrap();
    let full =
        desk.files.write(request, &desk.roots(), &Budget { run: (1 << 30) - 1, ..limits }).unwrap_err();
    assert!(matches!(full, WriteError::RunFull { .. }), "{full}");
    let blocks: u64 =
        desk.all().iter().map(|name| fs::metadata(desk.kept(name)).unwrap().blocks() * 512).sum();
    assert!(blocks < 64 << 10, "{blocks} bytes on the disk");
}

#[test]
fn a_source_that_changes_while_it_is_copied_is_refused() {
    let desk = Desk::new();
    for change in ["grow", "shrink", "rewrite"] {
        let path = desk.work("log");
        fs::write(&path, vec![b'x'; 1 << 20]).unwrap();
        let content =
            super::super::write::Content::open(Source::LocalPath { path: "log" }, &desk.roots(), &BUDGET)
                .unwrap();
        let folder = desk.files.make().unwrap();
        let came = content.draft(&folder, |_| {
            let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            match change {
                "grow" => file.write_all(b"more").unwrap(),
                "shrink" => file.set_len(1_000).unwrap(),
                _ => {
                    let later = std::time::SystemTime::UNIX_EPOCH + WAIT;
                    file.set_modified(later).unwrap();
                }
            }
            Ok(())
        });
        assert!(matches!(came.err(), Some(WriteError::Changed)), "{change}");
    }
    assert!(!desk.all().iter().any(|name| name.contains(".tmp")), "{:?}", desk.all());
}

#[test]
fn many_writers_of_one_session_neither_lose_nor_mix_files_nor_pass_the_quota() {
    let desk = Arc::new(Desk::new());
    let budget = Budget { run: 100, ..BUDGET };
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let desk = Arc::clone(&desk);
            std::thread::spawn(move || {
                (0..20)
                    .filter(|number| {
                        let name = format!("{writer}-{number}");
                        let text = format!("{writer:02}{number:03}");
                        desk.files.write(inline(&name, &text), &desk.roots(), &budget).is_ok()
                    })
                    .count()
            })
        })
        .collect();
    let accepted: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
    assert_eq!(accepted, 20, "20 files of 5 bytes are 100");
    let files = desk.close();
    assert_eq!(files.len(), 20);
    for (number, file) in (1..).zip(&files) {
        assert_eq!(file.number, number);
        let (writer, round) = file.name.split_once('-').unwrap();
        assert_eq!(desk.bytes(file), format!("{writer:0>2}{round:0>3}").as_bytes());
    }
}

#[test]
fn sessions_beside_each_other_do_not_see_each_others_files() {
    let desk = Arc::new(Desk::new());
    let agents: Vec<_> = (0..10)
        .map(|number| {
            let desk = Arc::clone(&desk);
            std::thread::spawn(move || {
                let files = desk.store.session("prj_p", &format!("ses_{number}").parse().unwrap()).unwrap();
                files.activate(&run(number)).unwrap();
                for turn in 0..2 {
                    let text = format!("{number} {turn}");
                    files.write(inline(&format!("f{turn}"), &text), &desk.roots(), &BUDGET).unwrap();
                }
                files.close(&run(number), WAIT).unwrap().files
            })
        })
        .collect();
    for (number, agent) in agents.into_iter().enumerate() {
        let files = agent.join().unwrap();
        let contents: Vec<_> = files.iter().map(|file| desk.bytes(file)).collect();
        assert_eq!(contents, [format!("{number} 0").into_bytes(), format!("{number} 1").into_bytes()]);
    }
}

#[test]
fn a_session_that_is_gone_leaves_what_is_with_messages_and_all_versions() {
    let desk = Desk::new();
    let kept = desk.inline("kept", "1").unwrap();
    desk.files.finalize(&desk.finalizing(&desk.close()), WAIT).unwrap();
    desk.files.activate(&run(2)).unwrap();
    let pending = desk.inline("pending", "2").unwrap();
    desk.files.forget_pending().unwrap();
    desk.files.forget_pending().unwrap();
    assert!(desk.kept("msg_m/kept").exists());
    assert!(!desk.kept(".pending").exists());
    assert_eq!(desk.bytes(&kept), b"1");
    assert_eq!(desk.bytes(&pending), b"2");
}

#[test]
fn what_no_turn_has_claimed_is_found() {
    let desk = Desk::new();
    desk.inline("lost", "1").unwrap();
    desk.files.activate(&run(2)).unwrap();
    desk.inline("saving", "2").unwrap();
    fs::create_dir(desk.kept(".pending/artifact-run-9-9")).unwrap();
    fs::create_dir(desk.kept(".pending/else")).unwrap();
    let left = desk.files.left().unwrap();
    let found: Vec<_> = left.iter().map(|(run, files)| (run.as_str(), files[0].name.as_str())).collect();
    assert_eq!(found, [(desk.run.as_str(), "lost")]);
}

#[test]
fn a_file_that_a_person_names_is_kept_under_its_place() {
    let desk = Desk::new();
    fs::write(desk.work("table.csv"), "a,b\n").unwrap();
    let first = desk.files.declare("table.csv", &desk.roots(), &BUDGET).unwrap();
    let by_agent = desk.local("other-name.csv", "table.csv").unwrap();
    let again = desk.files.declare("./table.csv", &desk.roots(), &BUDGET).unwrap();
    assert_eq!((first.name.as_str(), first.size), ("table.csv", 4));
    assert_eq!([&first.result_id, &first.result_id], [&by_agent.result_id, &again.result_id]);
    assert_ne!(first.version_id, again.version_id);
    assert_eq!(desk.bytes(&first), b"a,b\n");
    for (path, told) in [("gone", "the file does not exist"), ("/etc/passwd", "Artifact local source path")] {
        let refused = desk.files.declare(path, &desk.roots(), &BUDGET).unwrap_err().to_string();
        assert!(refused.starts_with(told), "{refused}");
    }
}

#[test]
fn a_count_that_is_torn_is_counted_again() {
    let desk = Desk::new();
    desk.inline("a", "12345").unwrap();
    desk.files.finalize(&desk.finalizing(&desk.close()), WAIT).unwrap();
    desk.files.activate(&run(2)).unwrap();
    fs::write(desk.kept(".lock"), "{\"sessionBy").unwrap();
    let budget = Budget { session: 9, ..BUDGET };
    let refused = desk.files.write(inline("b", "12345"), &desk.roots(), &budget).unwrap_err();
    assert!(matches!(refused, WriteError::SessionFull { limit: 9 }), "{refused}");
    assert!(desk.files.write(inline("b", "1234"), &desk.roots(), &budget).is_ok());
}
