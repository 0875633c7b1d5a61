//! A notebook as its cells, with what they put out.

use openscience_protocol::preview::{CellOutput, NotebookCell, PREVIEW_BYTES_MAX, Preview};
use serde_json::{Map, Value};

use super::{PreviewError, Source, blank};

/// Kinds of output that are shown, the best first.
const BEST: [&str; 7] =
    ["image/png", "image/jpeg", "image/gif", "text/html", "text/markdown", "application/json", "text/plain"];

/// The cells from there on, as far as they fit; none if it is no notebook or too large for one.
pub(super) fn show(
    source: &Source<'_>,
    mime: &str,
    first: u64,
    bytes_max: u64,
) -> Result<Option<Preview>, PreviewError> {
    if source.size > u64::from(PREVIEW_BYTES_MAX) {
        return Ok(None);
    }
    let bytes = source.read(0, u64::from(PREVIEW_BYTES_MAX))?;
    let Ok(Value::Object(notebook)) = serde_json::from_slice::<Value>(&bytes) else { return Ok(None) };
    let Some(cells) = notebook.get("cells").and_then(Value::as_array) else { return Ok(None) };
    let count = cells.len() as u64;
    if first > count {
        return Err(PreviewError::Offset);
    }
    let mut room = Room { left: usize::try_from(bytes_max).unwrap_or(usize::MAX), cut: false };
    let mut shown: Vec<NotebookCell> = Vec::new();
    for cell in cells.iter().skip(usize::try_from(first).unwrap_or(usize::MAX)) {
        if room.left == 0 && !shown.is_empty() {
            break;
        }
        shown.push(cell_of(cell, &mut room));
    }
    let next = first + shown.len() as u64;
    let next_offset = (next < count).then_some(next);
    let truncated = room.cut || next_offset.is_some();
    let blank = blank(source, openscience_protocol::preview::PreviewKind::Notebook, mime.to_owned(), first);
    let metadata = notebook.get("metadata").and_then(Value::as_object).cloned();
    let metadata = metadata.filter(|metadata| metadata.len() <= 64).map(small);
    Ok(Some(Preview { cells: Some(shown), truncated, next_offset, metadata, ..blank }))
}

/// What it says of its language; the rest may be of any size.
fn small(mut metadata: Map<String, Value>) -> Map<String, Value> {
    metadata.retain(|key, _| key == "kernelspec" || key == "language_info");
    metadata
}

/// How much may still be shown.
struct Room {
    left: usize,
    /// Something was left out.
    cut: bool,
}

impl Room {
    /// The beginning of a text that still fits.
    fn text(&mut self, text: &str) -> String {
        let at = text.floor_char_boundary(self.left.min(text.len()));
        let kept = text.get(..at).unwrap_or_default();
        self.cut |= kept.len() < text.len();
        self.left -= kept.len();
        kept.to_owned()
    }

    /// All or nothing: half an image is none.
    fn whole(&mut self, text: String) -> Option<String> {
        let fits = text.len() <= self.left;
        self.cut |= !fits;
        if fits {
            self.left -= text.len();
        }
        fits.then_some(text)
    }
}

/// A text, or the list of its lines.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        Some(other) if !other.is_null() => other.to_string(),
        Some(_) | None => String::new(),
    }
}

fn word(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn cell_of(cell: &Value, room: &mut Room) -> NotebookCell {
    let outputs = cell.get("outputs").and_then(Value::as_array);
    let source = room.text(&joined(cell.get("source")));
    NotebookCell {
        cell_type: word(cell, "cell_type"),
        source,
        execution_count: cell.get("execution_count").and_then(Value::as_u64),
        outputs: outputs.into_iter().flatten().map(|output| output_of(output, room)).collect(),
    }
}

fn output_of(output: &Value, room: &mut Room) -> CellOutput {
    let output_type = word(output, "output_type");
    let plain = |text: String, name| CellOutput {
        output_type: output_type.clone(),
        mime: "text/plain".to_owned(),
        text: Some(text),
        data: None,
        name,
    };
    match output_type.as_str() {
        "stream" => {
            let name = Some(word(output, "name")).filter(|name| !name.is_empty());
            plain(room.text(&joined(output.get("text"))), name)
        }
        "error" => {
            let lines = output.get("traceback").and_then(Value::as_array);
            let traceback: Vec<&str> = lines.into_iter().flatten().filter_map(Value::as_str).collect();
            let said = format!("{}: {}", word(output, "ename"), word(output, "evalue"));
            let text = if traceback.is_empty() { said } else { traceback.join("\n") };
            plain(room.text(&text), None)
        }
        _ => {
            let data = output.get("data").and_then(Value::as_object);
            let best = BEST.into_iter().find_map(|mime| Some((mime, data?.get(mime)?)));
            let Some((mime, value)) = best else { return plain(String::new(), None) };
            let text = joined(Some(value));
            let (mime, name) = (mime.to_owned(), None);
            if mime.starts_with("image/") {
                let data = room.whole(text.split_whitespace().collect());
                return CellOutput { output_type, mime, text: None, data, name };
            }
            CellOutput { output_type, mime, text: Some(room.text(&text)), data: None, name }
        }
    }
}
