//! Rows of a table that is written as text.

use csv::{ReaderBuilder, StringRecord};

/// What stands between two cells: as the type says, else what the first line has most of.
pub(super) fn delimiter(mime: &str, first_line: &str) -> u8 {
    match mime {
        "text/tab-separated-values" => b'\t',
        "text/x-pipe-separated-values" => b'|',
        _ => {
            let count = |delimiter: u8| first_line.bytes().filter(|byte| *byte == delimiter).count();
            // Of equals the last wins, and a comma it is where there is none.
            b"\t;,".iter().copied().max_by_key(|delimiter| count(*delimiter)).unwrap_or(b',')
        }
    }
}

/// Whole rows, and the text behind them: where `more` follows, the last row may go on there.
pub(super) fn rows(text: &str, delimiter: u8, more: bool) -> (Vec<Vec<String>>, &str) {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut last = 0;
    let mut record = StringRecord::new();
    loop {
        let begin = reader.position().byte();
        // Text is read, so that nothing can fail.
        if !matches!(reader.read_record(&mut record), Ok(true)) {
            break;
        }
        last = begin;
        rows.push(record.iter().map(str::to_owned).collect());
    }
    if !more || rows.len() < 2 {
        return (rows, "");
    }
    rows.pop();
    let left = usize::try_from(last).ok().and_then(|last| text.get(last..));
    (rows, left.unwrap_or_default())
}
