//! Is what `openscience run --format json` wrote well formed? Checked as a harness does it, which knows the contract and
//! nothing of the program.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

/// The lines of one run.
#[derive(Debug)]
pub(crate) struct Lines(pub(crate) Vec<Value>);

impl Lines {
    /// Reads merged output: lines that are no JSON object with a string `type` are for people and left out.
    #[track_caller]
    pub(crate) fn read(output: &str) -> Self {
        let lines = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let lines: Vec<Value> = lines.filter(|line| line["type"].is_string()).collect();
        let lines = Self(lines);
        lines.check(output);
        lines
    }

    /// Everything that a consumer relies on.
    #[track_caller]
    fn check(&self, output: &str) {
        const KNOWN: [&str; 10] = [
            "user",
            "step_start",
            "step_finish",
            "text",
            "reasoning",
            "tool_use",
            "permission",
            "question",
            "error",
            "done",
        ];
        let root = self.0.first().expect("lines")["sessionID"].clone();
        let mut parts: HashSet<String> = HashSet::new();
        let mut open: HashMap<String, bool> = HashMap::new();
        for (index, line) in self.0.iter().enumerate() {
            let kind = line["type"].as_str().expect("a type");
            assert!(KNOWN.contains(&kind), "{line}");
            assert!(line["timestamp"].as_i64().is_some_and(|at| at > 1_600_000_000_000), "{line}");
            assert_eq!(line["sessionID"], root, "{line}");
            let session = line["sessionID"].as_str().expect("a session").to_owned();
            let of_user = line["parts"].as_array().into_iter().flatten();
            for part in of_user.chain(line.get("part")) {
                assert_eq!(part["sessionID"], line["sessionID"], "{line}");
                assert!(parts.insert(part["id"].as_str().expect("an id").to_owned()), "twice: {line}");
            }
            let step = open.entry(session).or_default();
            match kind {
                "step_start" => assert!(!std::mem::replace(step, true), "a step in a step: {line}"),
                "step_finish" => {
                    assert!(std::mem::replace(step, false), "no step is open: {line}");
                    assert!(line["part"]["reason"].is_string(), "{line}");
                }
                "text" | "reasoning" => {
                    assert!(*step, "outside a step: {line}");
                    assert!(
                        line["part"]["time"]["end"].is_i64() && line["part"]["text"].is_string(),
                        "{line}"
                    );
                }
                "tool_use" => {
                    assert!(*step, "outside a step: {line}");
                    let status = line["part"]["state"]["status"].as_str().expect("a status");
                    assert!(["completed", "error"].contains(&status), "{line}");
                }
                _ => {}
            }
            assert_eq!(kind == "done", index + 1 == self.0.len(), "done is last and once:\n{output}");
        }
        assert!(open.values().all(|open| !open), "a step stays open:\n{output}");
        let done = self.done();
        let completed = done["status"] == "completed";
        assert_eq!(completed, done["exitCode"] == 0, "{done}");
        let errors = self.of("error").count();
        assert_eq!(errors, usize::from(!completed), "an error if and only if it did not complete:\n{output}");
        for key in ["input", "output", "reasoning"] {
            assert!(done["tokens"][key].is_u64(), "{done}");
        }
        for key in ["read", "write"] {
            assert!(done["tokens"]["cache"][key].is_u64(), "{done}");
        }
        assert!(
            done["cost"].is_number() && done["agent"].is_string() && done["children"].is_array(),
            "{done}"
        );
    }

    /// The last line.
    pub(crate) fn done(&self) -> &Value {
        self.0.last().expect("done")
    }

    pub(crate) fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |line| line["type"] == kind)
    }

    pub(crate) fn has(&self, kind: &str) -> bool {
        self.of(kind).next().is_some()
    }

    /// The types in order.
    pub(crate) fn types(&self) -> Vec<&str> {
        self.0.iter().filter_map(|line| line["type"].as_str()).collect()
    }

    /// The words of the answer.
    pub(crate) fn text(&self) -> String {
        self.of("text").filter_map(|line| line["part"]["text"].as_str()).collect()
    }

    pub(crate) fn session(&self) -> &str {
        self.done()["sessionID"].as_str().expect("a session")
    }
}
