use std::io::{Seek as _, Write as _};

use super::*;

const ALL: Accepts = Accepts { image: true, audio: true, text: true };
const NONE: Accepts = Accepts { image: false, audio: false, text: false };
const PNG: &[u8] = include_bytes!("../../../../tests/fixtures/preview/plot.png");

#[test]
fn a_url_means_bytes_a_path_or_an_upload() {
    let check = |url: &str, expected| assert_eq!(parse(url), expected, "{url}");
    let data = |mime: &str, bytes: &[u8]| Ok(Reference::Data { mime: mime.into(), bytes: bytes.into() });
    let file = |path: &str, lines| Ok(Reference::Path { path: path.into(), lines });
    check("data:text/plain;base64,aGk=", data("text/plain", b"hi"));
    check("data:text/plain;base64,aGk", data("text/plain", b"hi"));
    check("DATA:Text/Plain;charset=utf-8;base64,aG\nk=", data("text/plain", b"hi"));
    check("data:,a%20b%00", data("", b"a b\0"));
    check("data:;base64,", data("", b""));
    check("data:base64,aGk=", data("", b"hi"));
    check("data:text/csv,a,b", data("text/csv", b"a,b"));
    check("data:text/plain;base64,a*", Err(ReferenceError::Data));
    check("data:text/plain", Err(ReferenceError::Data));
    check("file:///a/b%20c%25.txt", file("/a/b c%.txt", None));
    check("file:///a/%E6%96%87.txt", file("/a/文.txt", None));
    check("file:/a", file("/a", None));
    check("file://localhost/a", file("/a", None));
    check("file:///a?start=2&end=4", file("/a", Some(2..=4)));
    check("file:///a?start=2", file("/a", Some(2..=u64::MAX)));
    check("file:///a?end=3", file("/a", Some(1..=3)));
    check("file:///a?start=0", Err(ReferenceError::Lines));
    check("file:///a?start=4&end=2", Err(ReferenceError::Lines));
    check("file://elsewhere/a", Err(ReferenceError::Path));
    check("file:a", Err(ReferenceError::Path));
    check("upload:upl_a", Ok(Reference::Upload("upl_a".parse().unwrap())));
    check("upload:ses_a", Err(ReferenceError::Upload));
    check("https://a.example/x", Err(ReferenceError::Scheme));
    check("/a", Err(ReferenceError::Scheme));
}

#[test]
fn the_bytes_of_a_name_that_is_no_text_come_back() {
    use std::os::unix::ffi::OsStrExt as _;
    let path = Path::new(std::ffi::OsStr::from_bytes(b"/a/\xff b.txt"));
    let url = file_url(path, Some(&(2..=u64::MAX))).unwrap();
    assert_eq!(url, "file:///a/%FF%20b.txt?start=2");
    assert_eq!(parse(&url), Ok(Reference::Path { path: path.into(), lines: Some(2..=u64::MAX) }));
}

fn shown_of(bytes: &[u8], mime: &str, filename: &str, accepts: Accepts) -> Shown {
    let mut budget = INLINE_BYTES_MAX;
    shown_within(bytes, mime, filename, accepts, &mut budget)
}

fn shown_within(bytes: &[u8], mime: &str, filename: &str, accepts: Accepts, budget: &mut u64) -> Shown {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    let size = bytes.len() as u64;
    show(Candidate { file, size, mime, filename, lines: None }, accepts, budget).unwrap()
}

fn link(mime: &str) -> Shown {
    Shown::Link { mime: mime.into() }
}

fn text(mime: &str, text: &str) -> Shown {
    Shown::Text { mime: mime.into(), text: text.into() }
}

#[test]
fn a_file_is_shown_as_what_it_is_to_an_agent_that_can_take_it() {
    let image = Shown::Image { mime: "image/png".into(), data: STANDARD.encode(PNG) };
    let check = |bytes: &[u8], mime: &str, name: &str, expected: &Shown| {
        assert_eq!(shown_of(bytes, mime, name, ALL), *expected, "{mime} {name}");
    };
    check(PNG, "image/png", "a.png", &image);
    check(PNG, "IMAGE/PNG; x=y", "a", &image);
    check(PNG, "", "a.png", &image);
    check(PNG, "image/jpeg", "a.jpg", &image);
    let wav = b"RIFF\0\0\0\0WAVE";
    check(wav, "audio/wav", "a.wav", &Shown::Audio { mime: "audio/wav".into(), data: STANDARD.encode(wav) });
    check("größe".as_bytes(), "text/plain", "a", &text("text/plain", "größe"));
    check(b"{}", "application/json", "a", &text("application/json", "{}"));
    check(b"", "text/plain", "empty.txt", &text("text/plain", ""));
    check(b">s\nAC\n", "application/octet-stream", "a.fa", &text("text/x-fasta", ">s\nAC\n"));
    check("\u{feff}a,b".as_bytes(), "text/csv", "a.csv", &text("text/csv", "\u{feff}a,b"));
    check(b"<svg/>", "image/svg+xml", "a.svg", &text("image/svg+xml", "<svg/>"));
}

#[test]
fn what_is_no_text_is_linked_and_never_put_in_words() {
    let check = |bytes: &[u8], mime: &str, name: &str, expected: &str| {
        assert_eq!(shown_of(bytes, mime, name, ALL), link(expected), "{mime} {name}");
    };
    check(b"\x7fELF\x02\x01\x01\0", "application/octet-stream", "tool", mime::UNKNOWN);
    check(b"\x1f\x8b\x08\0\0", "text/plain", "a.txt", "text/plain");
    check(
        "\u{feff}a,b".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>().as_slice(),
        "text/csv",
        "a.csv",
        "text/csv",
    );
    check(b"gr\xf6\xdfe", "text/plain", "latin1.txt", "text/plain");
    check(b"a\0b", "text/plain", "nul.txt", "text/plain");
    check(b"<html><body>", "image/png", "a.png", mime::UNKNOWN);
    check(b"%PDF-1.7", "image/png", "a.png", "application/pdf");
    check(b"%PDF-1.7 words", "application/pdf", "a.txt", "application/pdf");
    check(b"words", "application/pdf", "a.txt", "application/pdf");
}

#[test]
fn an_agent_is_only_shown_what_it_says_it_can_take() {
    for (bytes, mime) in [(PNG, "image/png"), (b"x".as_slice(), "audio/wav"), (b"x", "text/plain")] {
        assert_eq!(shown_of(bytes, mime, "a", NONE), link(mime));
    }
    let sees = Accepts { image: true, ..NONE };
    assert!(matches!(shown_of(PNG, "image/png", "a", sees), Shown::Image { .. }));
    assert_eq!(shown_of(b"x", "text/plain", "a", sees), link("text/plain"));
}

#[test]
fn the_limits_are_the_largest_that_is_shown() {
    let at = |size: u64, mime: &str| {
        let mut bytes = vec![b'x'; usize::try_from(size).unwrap()];
        if mime == "image/png" {
            bytes.splice(..PNG.len(), PNG.iter().copied());
        }
        matches!(shown_of(&bytes, mime, "a", ALL), Shown::Link { .. })
    };
    for (mime, max) in [("text/plain", TEXT_BYTES_MAX), ("image/png", MEDIA_BYTES_MAX)] {
        assert_eq!([at(max - 1, mime), at(max, mime), at(max + 1, mime)], [false, false, true], "{mime}");
    }
}

#[test]
fn what_is_beyond_the_budget_of_a_prompt_is_linked() {
    let mut budget = 10;
    assert_eq!(shown_within(b"123456", "text/plain", "a", ALL, &mut budget), text("text/plain", "123456"));
    assert_eq!(shown_within(b"12345", "text/plain", "b", ALL, &mut budget), link("text/plain"));
    assert_eq!(shown_within(b"1234", "text/plain", "c", ALL, &mut budget), text("text/plain", "1234"));
    assert_eq!(budget, 0);
}

#[test]
fn the_lines_that_are_meant_are_shown() {
    let check = |lines: Lines, expected: &str| assert_eq!(chosen("a\nb\r\nc", &lines), expected, "{lines:?}");
    check(1..=1, "a\n");
    check(2..=3, "b\r\nc");
    check(2..=u64::MAX, "b\r\nc");
    check(4..=9, "");
}

#[test]
fn a_directory_is_listed_in_order_and_bounded() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("b")).unwrap();
    fs::write(root.path().join("a"), "").unwrap();
    assert_eq!(listing(root.path()).unwrap(), "a\nb/\n");
    for number in 0..ENTRIES_MAX {
        fs::write(root.path().join(format!("f{number:04}")), "").unwrap();
    }
    let told = listing(root.path()).unwrap();
    assert!(told.ends_with("f0997\n(2 more)\n"));
}
