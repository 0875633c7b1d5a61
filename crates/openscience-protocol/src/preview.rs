//! A bounded look at a file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Bytes a preview shows if nobody says otherwise.
pub const PREVIEW_BYTES: u32 = 8_192;

/// Most bytes one preview shows.
pub const PREVIEW_BYTES_MAX: u32 = 10 << 20;

/// What a file is to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewKind {
    Text,
    Markdown,
    Html,
    Json,
    /// Rows of cells: CSV, TSV and the like.
    Csv,
    /// Cells of a notebook.
    Notebook,
    /// Sequences in FASTA form.
    Fasta,
    Image,
    /// Nothing that could be shown as text.
    Binary,
}

/// How `content` stands for the file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewEncoding {
    #[default]
    Utf8,
    Base64,
}

/// How the file itself writes its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum Charset {
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "utf-16le")]
    Utf16Le,
    #[serde(rename = "utf-16be")]
    Utf16Be,
    /// Not one of the others: each byte is taken for a character.
    #[serde(rename = "iso-8859-1")]
    Latin1,
}

/// One sequence that begins on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SequenceRecord {
    pub id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// Letters of it that stand on the page.
    pub length: u64,
}

/// What a cell put out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CellOutput {
    /// stream, execute_result, display_data or error.
    #[serde(rename = "type")]
    pub output_type: String,
    /// Type of `text` or `data`.
    pub mime: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Base64, of an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Of a stream: stdout or stderr.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// One cell of a notebook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotebookCell {
    /// code, markdown or raw.
    #[serde(rename = "type")]
    pub cell_type: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_count: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub outputs: Vec<CellOutput>,
}

/// A page of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    pub kind: PreviewKind,
    pub mime: String,
    pub filename: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// More of the file follows.
    pub truncated: bool,
    /// Where the page begins: a byte; of a notebook a cell.
    pub offset: u64,
    /// Where the next page begins, if more follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    pub encoding: PreviewEncoding,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charset: Option<Charset>,
    /// The page as text or base64; absent where rows or cells stand for it, and for what is neither text nor
    /// image unless base64 is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Vec<String>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<Vec<NotebookCell>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Vec<SequenceRecord>>,
    /// Pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u64>,
    /// Of a notebook: its language and the like, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}
