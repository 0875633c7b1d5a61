//! What does one line of a prompt ask for?
//!
//! Parsing only: a line becomes a [`Directive`], and a line that names a
//! directive but is malformed becomes words that say what is wrong. Nothing
//! here touches the wire.

use serde_json::{Map, Value};

/// The directive reference shown to people.
pub const HELP: &str = "\
Each line of a prompt is one directive, carried out in order. Any other line is
answered in words. An argument with spaces is written as a JSON string.

Talking
  say N [MS]              N words w1 w2 ... wN, MS milliseconds apart
  think N                 N words of thought
  plan A | B              a plan whose entries are carried out one after the other
  usage N                 N tokens used of 200000
  title TEXT              name the session
  mode NAME               announce another mode
  instructions            say the instructions the session was opened with
  raw {JSON}              send that object as a session update
  blocks                  say what the prompt brought: its blocks as JSON, a long text by length and SHA-256
Tools and the client
  tool NAME {JSON}        a tool call with that input; \"error\": true fails it, \"output\" is its text
  ask NAME [OPTIONS]      ask permission; OPTIONS such as allow_once,reject_once,allow_always
  ask-first NAME [OPTIONS]  the same, with no tool call announced before
  question TEXT [| A | B] ask the person a question, free or with choices
  read PATH               read a file through the client
  write PATH TEXT         write a file through the client
  terminal COMMAND [ARGS] run a command in the client's terminal
  artifact NAME TEXT      save a file through the artifact tool
  call METHOD [{JSON}]    send the client any request and tell its answer
Flow
  sleep MS                wait
  repeat N DIRECTIVE      carry it out N times
  together D ;; D         carry them out at the same time
  stop REASON             end the turn with that stop reason, known or not
  late MS                 answer the prompt, then go on MS milliseconds later
Faults
  fail CODE               answer the prompt with that JSON-RPC error
  exit CODE               exit the process
  hang                    never answer; a cancel still ends the turn
  ignore-cancel           this turn ignores a cancel from here on
  ignore-eof              the process stays when its stdin ends
  ignore-term             the process ignores SIGTERM
  next METHOD FAULT       the next request of that method meets fail CODE, hang, exit CODE,
                          or raw {JSON}: an update of its session before its answer
  garbage                 noise, broken JSON and invalid UTF-8 on stdout
  huge BYTES              one message frame of exactly that many bytes
  stderr N                N lines on stderr
  spawn [detached] [holding]  leave a child sleeping for ten minutes: in a process
                          group of its own, holding our stdout
";

/// Longest stream of words, lines or repetitions one directive may ask for.
const COUNT_MAX: u64 = 10_000_000;
/// Largest frame `huge` writes; it is never held in memory.
const HUGE_MAX: u64 = 8 * 1024 * 1024 * 1024;
/// Deepest nesting of `repeat` and `together`, so that parsing cannot exhaust the stack.
const DEPTH_MAX: u32 = 8;

/// One step of a turn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Directive {
    /// Text said word by word: the answer to an ordinary line.
    Tell(String),
    Say {
        words: u64,
        pace_ms: u64,
    },
    Think {
        words: u64,
    },
    Tool {
        name: String,
        input: Value,
    },
    Plan(Vec<String>),
    Ask {
        name: String,
        options: Vec<String>,
        announced: bool,
    },
    Question {
        text: String,
        choices: Vec<String>,
    },
    Read(String),
    Write {
        path: String,
        text: String,
    },
    Terminal {
        command: String,
        args: Vec<String>,
    },
    Artifact {
        name: String,
        text: String,
    },
    Call {
        method: String,
        params: Map<String, Value>,
    },
    Usage(u64),
    Title(String),
    Mode(String),
    Instructions,
    Raw(Value),
    /// The prompt's own blocks, in words once the prompt is known.
    Blocks,
    Sleep(u64),
    Repeat {
        times: u64,
        step: Box<Directive>,
    },
    Together(Vec<Directive>),
    Stop(String),
    Late(u64),
    Fail(i32),
    Exit(u8),
    Hang,
    IgnoreCancel,
    IgnoreEof,
    IgnoreTerm,
    /// What the next request of a method meets: a fail, hang, exit or raw.
    Next {
        method: String,
        fault: Box<Directive>,
    },
    Garbage,
    Huge(u64),
    Stderr(u64),
    Spawn {
        detached: bool,
        holding: bool,
    },
}

/// Reads one line; surrounding blanks do not matter.
pub(crate) fn parse(line: &str) -> Directive {
    parse_nested(line, 0)
}

fn parse_nested(line: &str, depth: u32) -> Directive {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let parsed = match name {
        "say" | "think" | "usage" | "sleep" | "late" | "fail" | "exit" | "huge" | "stderr" => {
            counted(name, rest)
        }
        "hang" | "ignore-cancel" | "ignore-eof" | "ignore-term" | "garbage" | "instructions" | "blocks" => {
            bare(name, rest)
        }
        "repeat" | "together" if depth >= DEPTH_MAX => Err("nested too deeply"),
        "repeat" => repeat(rest, depth),
        "together" => together(rest, depth),
        "next" => next(rest),
        "tool" => tool(rest),
        "plan" => some(split_bars(rest), "expected entries: plan A | B").map(Directive::Plan),
        "ask" => ask(rest, true),
        "ask-first" => ask(rest, false),
        "question" => question(rest),
        "read" => single(rest, "expected one path: read PATH").map(Directive::Read),
        "write" => pair(rest, "expected a path: write PATH TEXT")
            .map(|(path, text)| Directive::Write { path, text: unquoted(text) }),
        "terminal" => terminal(rest),
        "artifact" => pair(rest, "expected a name: artifact NAME TEXT")
            .map(|(name, text)| Directive::Artifact { name, text: unquoted(text) }),
        "call" => call(rest),
        "title" => filled(rest.to_owned(), "expected text: title TEXT").map(Directive::Title),
        "mode" => single(rest, "expected one name: mode NAME").map(Directive::Mode),
        "stop" => single(rest, "expected one word: stop REASON").map(Directive::Stop),
        "raw" => object(rest).map(|update| Directive::Raw(Value::Object(update))),
        "spawn" => spawn(rest),
        _ => return Directive::Tell(format!("You said: {line}")),
    };
    parsed.unwrap_or_else(|problem| Directive::Tell(format!("{name}: {problem}")))
}

/// A directive, or what is wrong with it in words.
type Parsed<T = Directive> = Result<T, &'static str>;

fn counted(name: &str, rest: &str) -> Parsed {
    let mut numbers = rest.split_whitespace();
    let first = numbers.next().ok_or("expected a number")?;
    let second = numbers.next();
    if numbers.next().is_some() || (second.is_some() && name != "say") {
        return Err("too many arguments");
    }
    if name == "fail" {
        return first.parse().map(Directive::Fail).map_err(|_| "expected an error code");
    }
    if name == "exit" {
        return first.parse().map(Directive::Exit).map_err(|_| "expected an exit code from 0 to 255");
    }
    let number = |text: &str| text.parse::<u64>().map_err(|_| "expected a number");
    let value = number(first)?;
    Ok(match name {
        "usage" => Directive::Usage(value),
        "sleep" => Directive::Sleep(value),
        "late" => Directive::Late(value),
        "huge" if value > HUGE_MAX => return Err("at most 8589934592 bytes"),
        "huge" => Directive::Huge(value),
        _ if value > COUNT_MAX => return Err("at most 10000000"),
        "say" => Directive::Say { words: value, pace_ms: second.map_or(Ok(0), number)? },
        "think" => Directive::Think { words: value },
        _ => Directive::Stderr(value),
    })
}

fn bare(name: &str, rest: &str) -> Parsed {
    if !rest.is_empty() {
        return Err("takes no arguments");
    }
    Ok(match name {
        "hang" => Directive::Hang,
        "blocks" => Directive::Blocks,
        "ignore-cancel" => Directive::IgnoreCancel,
        "ignore-eof" => Directive::IgnoreEof,
        "ignore-term" => Directive::IgnoreTerm,
        "instructions" => Directive::Instructions,
        _ => Directive::Garbage,
    })
}

fn repeat(rest: &str, depth: u32) -> Parsed {
    let problem = "expected a number and a directive: repeat N DIRECTIVE";
    let (times, step) = rest.split_once(char::is_whitespace).ok_or(problem)?;
    let times = times.parse().map_err(|_| problem)?;
    if times > COUNT_MAX {
        return Err("at most 10000000");
    }
    Ok(Directive::Repeat { times, step: Box::new(parse_nested(step, depth + 1)) })
}

fn together(rest: &str, depth: u32) -> Parsed {
    let steps = rest.split(";;").map(str::trim).filter(|step| !step.is_empty());
    let steps: Vec<_> = steps.map(|step| parse_nested(step, depth + 1)).collect();
    some(steps, "expected directives: together D ;; D").map(Directive::Together)
}

fn next(rest: &str) -> Parsed {
    let problem = "expected a method and a fault: next METHOD fail CODE";
    let (method, fault) = pair(rest, problem)?;
    match parse_nested(fault, DEPTH_MAX) {
        fault @ (Directive::Fail(_) | Directive::Hang | Directive::Exit(_) | Directive::Raw(_)) => {
            Ok(Directive::Next { method, fault: Box::new(fault) })
        }
        _ => Err(problem),
    }
}

fn tool(rest: &str) -> Parsed {
    let (name, input) = pair(rest, "expected a name: tool NAME {JSON}")?;
    let input = if input.is_empty() { Map::new() } else { object(input)? };
    Ok(Directive::Tool { name, input: Value::Object(input) })
}

fn ask(rest: &str, announced: bool) -> Parsed {
    let (name, options) = pair(rest, "expected a name: ask NAME [OPTIONS]")?;
    if options.contains(char::is_whitespace) {
        return Err("expected options without spaces, such as allow_once,reject_once");
    }
    let options = if options.is_empty() { "allow_once,reject_once" } else { options };
    let options: Vec<_> = options.split(',').filter(|kind| !kind.is_empty()).map(str::to_owned).collect();
    Ok(Directive::Ask { name, options: some(options, "expected options")?, announced })
}

fn question(rest: &str) -> Parsed {
    let mut parts = split_bars(rest).into_iter();
    let text = parts.next().ok_or("expected text: question TEXT")?;
    Ok(Directive::Question { text, choices: parts.collect() })
}

fn terminal(rest: &str) -> Parsed {
    let (command, mut rest) = pair(rest, "expected a command: terminal COMMAND [ARGS]")?;
    let mut args = Vec::new();
    while !rest.is_empty() {
        let (arg, tail) = pair(rest, "an argument is not a JSON string")?;
        args.push(arg);
        rest = tail;
    }
    Ok(Directive::Terminal { command, args })
}

fn call(rest: &str) -> Parsed {
    let (method, params) = pair(rest, "expected a method: call METHOD [{JSON}]")?;
    let params = if params.is_empty() { Map::new() } else { object(params)? };
    Ok(Directive::Call { method, params })
}

fn spawn(rest: &str) -> Parsed {
    let (mut detached, mut holding) = (false, false);
    for word in rest.split_whitespace() {
        match word {
            "detached" => detached = true,
            "holding" => holding = true,
            _ => return Err("expected detached, holding or nothing"),
        }
    }
    Ok(Directive::Spawn { detached, holding })
}

/// The first argument, which may be a JSON string, and what follows it.
fn pair<'a>(rest: &'a str, problem: &'static str) -> Parsed<(String, &'a str)> {
    if rest.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let Some(Ok(first)) = values.next() else { return Err(problem) };
        let tail = rest.get(values.byte_offset()..).unwrap_or_default();
        return filled(first, problem).map(|first| (first, tail.trim_start()));
    }
    let (first, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    filled(first.to_owned(), problem).map(|first| (first, tail.trim_start()))
}

fn single(rest: &str, problem: &'static str) -> Parsed<String> {
    match pair(rest, problem)? {
        (only, "") => Ok(only),
        _ => Err(problem),
    }
}

fn object(text: &str) -> Parsed<Map<String, Value>> {
    serde_json::from_str(text).map_err(|_| "expected a JSON object")
}

/// Text as it stands, or the content of the JSON string it is.
fn unquoted(text: &str) -> String {
    serde_json::from_str(text).unwrap_or_else(|_| text.to_owned())
}

fn split_bars(rest: &str) -> Vec<String> {
    rest.split('|').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

fn filled(text: String, problem: &'static str) -> Parsed<String> {
    if text.is_empty() { Err(problem) } else { Ok(text) }
}

fn some<T>(values: Vec<T>, problem: &'static str) -> Parsed<Vec<T>> {
    if values.is_empty() { Err(problem) } else { Ok(values) }
}

#[cfg(test)]
mod tests;
