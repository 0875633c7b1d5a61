use std::io::Write as _;
use std::path::{Path, PathBuf};

use openscience_protocol::preview::Charset;
use serde_json::{Value, json};

use super::*;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/preview").join(name)
}

/// A page of a fixture as it stands on the wire.
fn shown(name: &str, asked: Asked) -> Value {
    let file = File::open(fixture(name)).unwrap();
    let size = file.metadata().unwrap().len();
    json!(preview(&Source { file, size, mime: "", filename: name }, asked).unwrap())
}

fn of_bytes(bytes: &[u8], filename: &str, asked: Asked) -> Result<Preview, PreviewError> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    preview(&Source { file, size: bytes.len() as u64, mime: "", filename }, asked)
}

fn at(offset: u64, bytes_max: u32) -> Asked {
    Asked { offset, bytes_max: Some(bytes_max), encoding: None }
}

#[test]
fn every_file_of_science_is_known_for_what_it_is() {
    for (name, kind, mime) in [
        ("counts.h5", "binary", "application/x-hdf5"),
        ("genes.parquet", "binary", "application/vnd.apache.parquet"),
        ("counts.ipynb", "notebook", "application/x-ipynb+json"),
        ("plot.png", "image", "image/png"),
        ("dots.gif", "image", "image/gif"),
        ("genes.csv", "csv", "text/csv"),
        ("genes.tsv", "csv", "text/tab-separated-values"),
        ("utf16.csv", "csv", "text/csv"),
        ("genome.fasta", "fasta", "text/x-fasta"),
        ("helix.pdb", "text", "chemical/x-pdb"),
        ("helix.cif", "text", "chemical/x-cif"),
        ("variants.vcf", "text", "text/x-vcf"),
        ("model.R", "text", "text/x-r"),
        ("refs.bib", "text", "text/x-bibtex"),
        ("latin1.txt", "text", "text/plain"),
    ] {
        let shown = shown(name, Asked::default());
        assert_eq!((&shown["kind"], &shown["mime"]), (&json!(kind), &json!(mime)), "{name}");
        assert_eq!(shown["truncated"], kind == "binary", "{name}: {shown}");
    }
}

#[test]
fn a_table_is_shown_as_rows_with_quotes_and_lines_in_cells() {
    let table = shown("genes.csv", Asked::default());
    assert_eq!(
        table["rows"],
        json!([
            ["gene", "product", "count"],
            ["lacZ", "beta-galactosidase, tetramer", "3"],
            ["recA", "recombinase \"A\"\nwith a second line", "5"],
        ])
    );
    assert_eq!(shown("genes.tsv", Asked::default())["rows"], json!([["gene", "count"], ["lacZ", "3"]]));
    let semicolons = of_bytes(b"a;b;c\n1;2,5;3\n", "x.csv", Asked::default()).unwrap();
    assert_eq!(json!(semicolons.rows), json!([["a", "b", "c"], ["1", "2,5", "3"]]));
}

#[test]
fn pages_of_a_table_end_between_rows_and_lose_none() {
    for (name, table) in [("genes.csv", 3), ("utf16.csv", 3)] {
        let whole = shown(name, Asked::default())["rows"].clone();
        let mut rows = Vec::new();
        let mut offset = 0;
        let mut pages = 0;
        loop {
            let page = shown(name, at(offset, 64));
            rows.extend(page["rows"].as_array().unwrap().clone());
            pages += 1;
            let Some(next) = page["nextOffset"].as_u64() else { break };
            assert!(next > offset, "{page}");
            offset = next;
        }
        assert_eq!((json!(rows), pages > 1), (whole.clone(), true), "{name}");
        assert_eq!(whole.as_array().unwrap().len(), table);
    }
}

#[test]
fn a_row_longer_than_a_page_goes_on_on_the_next() {
    let page = of_bytes(b"aaaaaaaaaaaaaaaaaaaaaa,b\nc,d\n", "x.csv", at(0, 10)).unwrap();
    assert_eq!((json!(page.rows), page.next_offset), (json!([["aaaaaaaaaa"]]), Some(10)));
}

#[test]
fn a_notebook_is_shown_as_cells_with_what_they_put_out() {
    let notebook = shown("counts.ipynb", Asked::default());
    let cells = notebook["cells"].as_array().unwrap();
    assert_eq!(cells[0], json!({"type": "markdown", "source": "# Counts\nOf genes"}));
    let streamed = json!({"type": "stream", "mime": "text/plain", "text": "hi\n", "name": "stdout"});
    let result = json!({"type": "execute_result", "mime": "text/plain", "text": "2"});
    assert_eq!(
        cells[1],
        json!({"type": "code", "source": "print('hi')\n1+1", "executionCount": 1, "outputs": [streamed, result]})
    );
    let outputs = &cells[2]["outputs"];
    let png = std::fs::read(fixture("plot.png")).unwrap();
    assert_eq!(
        outputs[0],
        json!({"type": "display_data", "mime": "image/png", "data": STANDARD.encode(png)})
    );
    assert!(outputs[1]["text"].as_str().unwrap().contains("ValueError"));
    assert_eq!(notebook["metadata"]["kernelspec"]["name"], "python3");

    let first = shown("counts.ipynb", at(0, 10));
    assert_eq!((&first["nextOffset"], &first["truncated"]), (&json!(1), &json!(true)), "{first}");
    assert_eq!(first["cells"][0]["source"], "# Counts\nO");
    let last = shown("counts.ipynb", at(2, 30));
    assert_eq!((last["cells"][0]["outputs"][0].get("data"), &last["truncated"]), (None, &json!(true)));
    let broken = of_bytes(b"{\"cells\": 1}", "x.ipynb", Asked::default()).unwrap();
    assert_eq!((broken.kind, broken.content.as_deref()), (PreviewKind::Notebook, Some("{\"cells\": 1}")));
    let beyond = of_bytes(b"{\"cells\": []}", "x.ipynb", at(1, 10));
    assert!(matches!(beyond, Err(PreviewError::Offset)));
}

#[test]
fn a_picture_is_shown_with_its_size() {
    let png = shown("plot.png", Asked::default());
    assert_eq!((&png["width"], &png["height"], &png["encoding"]), (&json!(3), &json!(2), &json!("base64")));
    assert_eq!(
        STANDARD.decode(png["content"].as_str().unwrap()).unwrap(),
        std::fs::read(fixture("plot.png")).unwrap()
    );
    let gif = shown("dots.gif", at(0, 8));
    assert_eq!((&gif["width"], &gif["height"], &gif["nextOffset"]), (&json!(4), &json!(5), &json!(8)));
    let cut = of_bytes(b"\x89PNG\r\n\x1a\n\0\0", "x.png", Asked::default()).unwrap();
    assert_eq!((cut.kind, cut.width), (PreviewKind::Image, None));
}

#[test]
fn sequences_are_counted() {
    let fasta = shown("genome.fasta", Asked::default());
    assert_eq!(
        fasta["records"],
        json!([
            {"id": "sp|P0A7G6|RECA_ECOLI", "description": "Protein RecA", "length": 102},
            {"id": "seq2", "length": 8},
        ])
    );
    assert!(fasta["content"].as_str().unwrap().starts_with(">sp|"));
}

#[test]
fn pages_of_text_split_no_character_in_any_charset() {
    let text = "aé文🧬b\nü🧬".repeat(5);
    let utf16 = |order: fn(u16) -> [u8; 2]| {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect::<Vec<u8>>()
    };
    let cases = [
        (text.clone().into_bytes(), Charset::Utf8),
        (format!("\u{feff}{text}").into_bytes(), Charset::Utf8),
        (utf16(u16::to_le_bytes), Charset::Utf16Le),
        (utf16(u16::to_be_bytes), Charset::Utf16Be),
    ];
    for (bytes, charset) in cases {
        for bytes_max in [1, 4, 5, 6, 7, 1_000] {
            let (mut read, mut offset) = (String::new(), 0);
            loop {
                let page = of_bytes(&bytes, "x.txt", at(offset, bytes_max)).unwrap();
                assert_eq!((page.charset, page.offset), (Some(charset), offset));
                read.push_str(&page.content.unwrap());
                let Some(next) = page.next_offset else { break };
                assert!(next > offset);
                offset = next;
            }
            assert_eq!(read, text, "{charset:?} {bytes_max}");
        }
    }
    assert_eq!(shown("latin1.txt", Asked::default())["content"], "Größe: 3 µm\n");
    assert_eq!(shown("latin1.txt", Asked::default())["charset"], "iso-8859-1");
    assert_eq!(shown("utf16.csv", Asked::default())["rows"][1], json!(["recA", "größer 🧬"]));
}

#[test]
fn an_offset_inside_a_character_moves_to_the_next_and_one_beyond_the_end_is_refused() {
    let page = of_bytes("a文b".as_bytes(), "x.txt", at(2, 100)).unwrap();
    assert_eq!((page.offset, page.content.as_deref()), (4, Some("b")));
    let end = of_bytes(b"abc", "x.txt", at(3, 100)).unwrap();
    assert_eq!((end.content.as_deref(), end.truncated), (Some(""), false));
    assert!(matches!(of_bytes(b"abc", "x.txt", at(4, 100)), Err(PreviewError::Offset)));
}

#[test]
fn any_file_can_be_read_as_base64_and_what_is_no_text_is_not_shown_unasked() {
    let base64 = Asked { offset: 1, bytes_max: Some(3), encoding: Some(PreviewEncoding::Base64) };
    let page = shown("counts.h5", base64);
    assert_eq!((&page["content"], &page["nextOffset"]), (&json!(STANDARD.encode("HDF")), &json!(4)));
    assert_eq!(shown("counts.h5", Asked::default()).get("content"), None);
    let table = shown("genes.csv", Asked { encoding: Some(PreviewEncoding::Base64), ..Asked::default() });
    assert_eq!((table.get("rows"), table["content"].is_string()), (None, true));
    let lying = of_bytes(b"\x7fELF\0\0\0", "x.txt", Asked::default()).unwrap();
    assert_eq!(lying.kind, PreviewKind::Binary);
}

#[test]
fn a_page_is_bounded_by_what_is_asked_and_by_us() {
    let bytes = vec![b'x'; 20_000];
    let page = of_bytes(&bytes, "x.log", Asked::default()).unwrap();
    assert_eq!((page.content.unwrap().len(), page.next_offset, page.size), (8_192, Some(8_192), 20_000));
    let empty = of_bytes(b"", "x.json", Asked::default()).unwrap();
    assert_eq!((empty.kind, empty.content.as_deref(), empty.truncated), (PreviewKind::Json, Some(""), false));
    let huge = of_bytes(&vec![b'x'; 11 << 20], "x.log", at(0, u32::MAX)).unwrap();
    assert_eq!(huge.content.unwrap().len(), PREVIEW_BYTES_MAX as usize);
}
