//! What the head of a frame that is too large tells: is it certainly an
//! update, and of which session.
//!
//! The head is not valid JSON (it ends somewhere), so it is walked, not parsed.

/// A frame that is certainly a `session/update`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OversizedUpdate {
    pub(crate) session: Option<String>,
    /// Its `sessionUpdate` word.
    pub(crate) kind: Option<String>,
}

/// One open object or array.
struct Level {
    object: bool,
    /// The key whose value is being read.
    key: Option<String>,
    /// The next string of this object is a key.
    key_next: bool,
}

/// What the head tells; none if it may be anything else than an update.
pub(crate) fn scan(head: &[u8]) -> Option<OversizedUpdate> {
    let mut levels: Vec<Level> = Vec::new();
    let mut method = None;
    let mut found = OversizedUpdate { session: None, kind: None };
    let mut at = 0;
    while let Some(&byte) = head.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => levels.push(Level { object: byte == b'{', key: None, key_next: byte == b'{' }),
            b'}' | b']' => {
                levels.pop();
            }
            b',' => {
                if let Some(level) = levels.last_mut() {
                    level.key_next = level.object;
                }
            }
            b'"' => {
                let Some((text, end)) = string(head, at) else { break };
                at = end;
                match levels.last_mut() {
                    Some(level) if level.key_next => {
                        level.key = Some(text);
                        level.key_next = false;
                    }
                    _ => match path(&levels).as_slice() {
                        ["method"] => method = Some(text),
                        ["params", "sessionId"] => found.session = Some(text),
                        ["params", "update", "sessionUpdate"] => found.kind = Some(text),
                        _ => {}
                    },
                }
            }
            _ => {}
        }
    }
    (method.as_deref() == Some("session/update")).then_some(found)
}

/// The keys down to the current value; arrays have none, so nothing below one matches.
fn path(levels: &[Level]) -> Vec<&str> {
    levels.iter().map(|level| level.key.as_deref().unwrap_or_default()).collect()
}

/// The string that opens before `from`, and where it ends; none if the head ends first.
fn string(head: &[u8], from: usize) -> Option<(String, usize)> {
    let mut at = from;
    loop {
        match head.get(at)? {
            b'"' => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    let quoted = head.get(from - 1..=at)?;
    Some((serde_json::from_slice(quoted).ok()?, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &str, expected: Option<(Option<&str>, Option<&str>)>) {
        let expected = expected.map(|(session, kind)| OversizedUpdate {
            session: session.map(str::to_owned),
            kind: kind.map(str::to_owned),
        });
        assert_eq!(scan(head.as_bytes()), expected, "{head}");
    }

    #[test]
    fn an_update_is_told_from_anything_else_by_its_head() {
        check(
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"a\"b","update":{"sessionUpdate":"tool_call","content":[{"text":"xxxx"#,
            Some((Some("a\"b"), Some("tool_call"))),
        );
        check(
            r#"{"params":{"update":{"x":1},"sessionId":"s"},"method":"session/update","x":"#,
            Some((Some("s"), None)),
        );
        check(r#"{"method":"session/update","params":{"sessionId":"s"#, Some((None, None)));
        check(r#"{"jsonrpc":"2.0","id":3,"result":{"method":"session/update","x":"#, None);
        check(r#"{"id":0,"method":"session/request_permission","params":{"sessionId":"s","#, None);
        check(r#"[{"method":"session/update""#, None);
        check(r#"{"params":{"sessionId":"s","update":{"content":"xxxxxxxx"#, None);
        check("garbage", None);
    }
}
