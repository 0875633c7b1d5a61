//! What type is a file? By what was said of it, by its name, by its first bytes.
//!
//! Our own table: those of operating systems do not know the files of science. Opens nothing.

/// The type of what is not known.
pub const UNKNOWN: &str = "application/octet-stream";

/// Types that say nothing: the name may know better.
const GENERIC: &[&str] = &[UNKNOWN, "binary/octet-stream", "application/x-binary"];

/// Endings of names, in lower case, and their types.
const BY_NAME: &[(&str, &str)] = &[
    // text and code
    ("txt", "text/plain"),
    ("text", "text/plain"),
    ("log", "text/plain"),
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("rst", "text/x-rst"),
    ("tex", "text/x-tex"),
    ("bib", "text/x-bibtex"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("ts", "text/x-typescript"),
    ("py", "text/x-python"),
    ("r", "text/x-r"),
    ("rmd", "text/x-r-markdown"),
    ("jl", "text/x-julia"),
    ("m", "text/x-matlab"),
    ("c", "text/x-c"),
    ("h", "text/x-c"),
    ("cpp", "text/x-c++"),
    ("rs", "text/x-rust"),
    ("go", "text/x-go"),
    ("java", "text/x-java"),
    ("sh", "text/x-shellscript"),
    ("sql", "text/x-sql"),
    ("toml", "text/x-toml"),
    ("yaml", "text/x-yaml"),
    ("yml", "text/x-yaml"),
    ("ini", "text/plain"),
    ("diff", "text/x-diff"),
    ("patch", "text/x-diff"),
    ("xml", "application/xml"),
    ("json", "application/json"),
    ("geojson", "application/geo+json"),
    ("jsonl", "application/x-ndjson"),
    ("ndjson", "application/x-ndjson"),
    ("ipynb", "application/x-ipynb+json"),
    // tables
    ("csv", "text/csv"),
    ("tsv", "text/tab-separated-values"),
    ("tab", "text/tab-separated-values"),
    ("psv", "text/x-pipe-separated-values"),
    // sequences, structures and what is known of them
    ("fasta", "text/x-fasta"),
    ("fa", "text/x-fasta"),
    ("fna", "text/x-fasta"),
    ("faa", "text/x-fasta"),
    ("ffn", "text/x-fasta"),
    ("fastq", "text/x-fastq"),
    ("fq", "text/x-fastq"),
    ("vcf", "text/x-vcf"),
    ("bed", "text/x-bed"),
    ("gff", "text/x-gff3"),
    ("gff3", "text/x-gff3"),
    ("gtf", "text/x-gtf"),
    ("sam", "text/x-sam"),
    ("gb", "chemical/seq-na-genbank"),
    ("gbk", "chemical/seq-na-genbank"),
    ("nwk", "text/x-newick"),
    ("pdb", "chemical/x-pdb"),
    ("cif", "chemical/x-cif"),
    ("mmcif", "chemical/x-mmcif"),
    ("sdf", "chemical/x-mdl-sdfile"),
    ("mol", "chemical/x-mdl-molfile"),
    ("mol2", "chemical/x-mol2"),
    ("smi", "chemical/x-daylight-smiles"),
    ("xyz", "chemical/x-xyz"),
    // data that is no text
    ("h5", "application/x-hdf5"),
    ("hdf5", "application/x-hdf5"),
    ("h5ad", "application/x-hdf5"),
    ("nc", "application/x-netcdf"),
    ("parquet", "application/vnd.apache.parquet"),
    ("npy", "application/x-npy"),
    ("bam", "application/x-bam"),
    ("rds", "application/x-r-data"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    // pictures and sounds
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("svg", "image/svg+xml"),
    ("tif", "image/tiff"),
    ("wav", "audio/wav"),
    ("mp3", "audio/mpeg"),
];

/// Types that are text and do not say so in their name.
const TEXT: &[&str] = &[
    "application/xml",
    "application/x-ndjson",
    "application/javascript",
    "application/x-yaml",
    "application/toml",
];

/// First bytes, from where, and their type.
const BY_BYTES: &[(usize, &[u8], &str)] = &[
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (4, b"ftypavif", "image/avif"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"\x89HDF\r\n\x1a\n", "application/x-hdf5"),
    (0, b"PAR1", "application/vnd.apache.parquet"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
];

/// The type without parameters, in lower case.
pub fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// True for the form of a type: two words and a slash, with any parameters.
pub fn is_valid(mime: &str) -> bool {
    let word = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    essence(mime).split_once('/').is_some_and(|(kind, form)| word(kind) && word(form))
}

/// The type that a name tells.
pub fn of_name(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    BY_NAME.iter().find(|(known, _)| *known == ending).map(|(_, mime)| *mime)
}

/// What to take for the type: what was said if it says anything, else what the name tells.
pub fn settled(declared: &str, name: &str) -> String {
    let said = essence(declared);
    if is_valid(&said) && !GENERIC.contains(&said.as_str()) {
        return said;
    }
    of_name(name).unwrap_or(UNKNOWN).to_owned()
}

/// The type that the first bytes tell.
pub fn of_bytes(head: &[u8]) -> Option<&'static str> {
    let found =
        BY_BYTES.iter().find(|(at, bytes, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(bytes)));
    found.map(|(_, _, mime)| *mime)
}

/// True for a picture that is made of points. SVG is a document.
pub fn is_raster(mime: &str) -> bool {
    mime.starts_with("image/") && mime != "image/svg+xml"
}

/// True for what people and agents read as text.
pub fn is_text(mime: &str) -> bool {
    mime.starts_with("text/")
        || mime.starts_with("chemical/")
        || mime == "application/json"
        || mime.ends_with("+json")
        || mime.ends_with("+xml")
        || TEXT.contains(&mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_wins_over_the_name_unless_it_says_nothing() {
        let check =
            |declared, name, expected| assert_eq!(settled(declared, name), expected, "{declared} {name}");
        check("text/csv", "a.txt", "text/csv");
        check("Text/CSV; charset=utf-8", "a", "text/csv");
        check("application/pdf", "a.txt", "application/pdf");
        check("application/octet-stream", "reads.FASTA", "text/x-fasta");
        check("", "counts.h5", "application/x-hdf5");
        check("nonsense", "a.ipynb", "application/x-ipynb+json");
        check("", "a.pdb", "chemical/x-pdb");
        check("", "archive.tar.gz", "application/gzip");
        check("", "README", UNKNOWN);
        check("", "what.is.this", UNKNOWN);
    }

    #[test]
    fn files_of_science_are_known_by_their_names_and_text_where_they_are_text() {
        let check = |name: &str, mime: &str, text: bool| {
            assert_eq!((of_name(name), is_text(mime)), (Some(mime), text), "{name}");
        };
        check("a.fa", "text/x-fasta", true);
        check("a.vcf", "text/x-vcf", true);
        check("a.mmcif", "chemical/x-mmcif", true);
        check("a.cif", "chemical/x-cif", true);
        check("a.R", "text/x-r", true);
        check("a.bib", "text/x-bibtex", true);
        check("a.jsonl", "application/x-ndjson", true);
        check("a.svg", "image/svg+xml", true);
        check("a.hdf5", "application/x-hdf5", false);
        check("a.parquet", "application/vnd.apache.parquet", false);
        check("a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", false);
    }

    #[test]
    fn no_ending_stands_in_the_table_twice() {
        let mut endings: Vec<&str> = BY_NAME.iter().map(|(ending, _)| *ending).collect();
        endings.sort_unstable();
        endings.dedup();
        assert_eq!(endings.len(), BY_NAME.len());
        assert!(BY_NAME.iter().all(|(_, mime)| is_valid(mime)));
    }

    #[test]
    fn the_first_bytes_tell_what_a_name_may_hide() {
        assert_eq!(of_bytes(b"\x89PNG\r\n\x1a\n..."), Some("image/png"));
        assert_eq!(of_bytes(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(of_bytes(b"<html>"), None);
        assert_eq!(of_bytes(b""), None);
    }

    #[test]
    fn a_type_has_two_words_and_a_slash() {
        for good in ["text/plain", "application/x-ipynb+json", "text/plain; charset=utf-8"] {
            assert!(is_valid(good), "{good}");
        }
        for bad in ["", "text", "text/", "/plain", "text/pl ain", "text/plain/x", "té/x"] {
            assert!(!is_valid(bad), "{bad}");
        }
    }
}
