//! Which sequences begin on a page of FASTA.

use openscience_protocol::preview::SequenceRecord;

/// The sequences that begin in the text. What stands before the first belongs to the page before.
pub(super) fn records(text: &str) -> Vec<SequenceRecord> {
    let mut records: Vec<SequenceRecord> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix('>') {
            let (id, description) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
            let (id, description) = (id.to_owned(), description.trim().to_owned());
            records.push(SequenceRecord { id, description, length: 0 });
        } else if let Some(record) = records.last_mut()
            && !line.starts_with(';')
        {
            record.length += line.chars().filter(|c| !c.is_whitespace()).count() as u64;
        }
    }
    records
}
