//! The report as people read it.

use std::fmt::{self, Write};

use serde_json::Value;

use super::agents::AgentReport;
use super::data::DataReport;
use super::registry::RegistryReport;
use super::{ConfigurationReport, Report};

/// Lines of an agent's stderr; the JSON form has all that is kept.
const STDERR_LINES: usize = 20;

pub(super) fn render(report: &Report) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    write(&mut text, report).ok();
    text
}

fn write(out: &mut String, report: &Report) -> fmt::Result {
    writeln!(out, "openscience {}", report.version)?;
    configuration(out, &report.configuration)?;
    if let Some(data) = &report.data {
        data_directory(out, data)?;
    }
    if let Some(cache) = &report.cache {
        writeln!(out, "  cache: {} files, {}", cache.files, bytes(cache.bytes))?;
    }
    if !report.agents.is_empty() {
        writeln!(out, "\nagents")?;
    }
    for report in &report.agents {
        agent(out, report)?;
    }
    if let Some(report) = &report.registry {
        registry(out, report)?;
    }
    if report.ok {
        let failed: Vec<&str> =
            report.agents.iter().filter(|a| a.error.is_some()).map(|a| a.id.as_str()).collect();
        return match failed.as_slice() {
            [] => writeln!(out, "\nAll is well."),
            failed => {
                writeln!(out, "\nThe daemon and its default agent would work. Not: {}", failed.join(", "))
            }
        };
    }
    writeln!(out, "\nThe daemon would not work:")?;
    report.problems.iter().try_for_each(|problem| writeln!(out, "- {problem}"))
}

fn configuration(out: &mut String, report: &ConfigurationReport) -> fmt::Result {
    writeln!(out, "\nconfiguration")?;
    for source in &report.sources {
        let note = match source.state {
            "reduced" => " (the project is not trusted: it may choose and tighten only)",
            _ => "",
        };
        writeln!(out, "  {}: {}{note}", source.state, source.name)?;
    }
    report.warnings.iter().try_for_each(|warning| writeln!(out, "  warning: {warning}"))?;
    for (name, value) in [("error", &report.error), ("model", &report.model)] {
        if let Some(value) = value {
            writeln!(out, "  {name}: {value}")?;
        }
    }
    if !report.mcp_servers.is_empty() {
        writeln!(out, "  MCP servers: {}", report.mcp_servers.join(", "))?;
    }
    Ok(())
}

fn data_directory(out: &mut String, report: &DataReport) -> fmt::Result {
    writeln!(out, "\ndata directory {}", report.path)?;
    let state = match report.state {
        "absent" => "does not exist yet, it would be made",
        "empty" => "empty, it would be laid out",
        "ours" => "in order",
        _ => "cannot be used",
    };
    writeln!(out, "  {state}{}", if report.writable { "" } else { ", not writable" })?;
    if let Some(schema) = report.schema {
        writeln!(out, "  schema {schema}, this version writes {}", report.known_schema)?;
    }
    if let Some(free) = report.free_bytes {
        writeln!(out, "  free: {}", bytes(free))?;
    }
    if let Some(error) = &report.error {
        writeln!(out, "  error: {error}")?;
    }
    for daemon in &report.daemons {
        let at = daemon.url.as_deref().map(|url| format!(" at {url}")).unwrap_or_default();
        writeln!(out, "  in use: process {}{at}, version {}", daemon.pid, daemon.version)?;
    }
    Ok(())
}

fn registry(out: &mut String, report: &RegistryReport) -> fmt::Result {
    let known = match report.document {
        "fresh" => "",
        "stale" => " (older than a day)",
        _ => " (as this version knows it; openscience agent update fetches the newest)",
    };
    writeln!(out, "\nregistry: {} agents{known}", report.agents)?;
    if report.installed.is_empty() {
        return writeln!(out, "  none of them is installed");
    }
    report.installed.iter().try_for_each(|agent| writeln!(out, "  {}: {}", agent.id, agent.command))
}

fn agent(out: &mut String, report: &AgentReport) -> fmt::Result {
    let marks = [(report.default, "default"), (report.built_in, "built in")];
    let marks: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    write!(out, "  {}{marks}: ", report.id)?;
    match (&report.answer, &report.error) {
        (Some(answer), _) => writeln!(out, "works, ready after {} ms", answer.initialize_ms)?,
        (None, Some(error)) => {
            let stage = error.stage.as_deref().map(|stage| format!(" at {stage}")).unwrap_or_default();
            writeln!(out, "FAILED{stage}: {}", error.message)?;
        }
        (None, None) => writeln!(out, "not examined")?,
    }
    if report.command.is_empty() {
        return report.hint.iter().try_for_each(|hint| writeln!(out, "    try: {hint}"));
    }
    match &report.resolved {
        Some(path) if *path == report.command => writeln!(out, "    command: {path}")?,
        Some(path) => writeln!(out, "    command: {} is {path}", report.command)?,
        None => writeln!(out, "    command: {}", report.command)?,
    }
    if let Some(answer) = &report.answer {
        if let Some(info) = &answer.agent_info {
            let word = |key: &str| info.get(key).and_then(Value::as_str).unwrap_or("?");
            writeln!(out, "    calls itself: {} {}", word("name"), word("version"))?;
        }
        let methods = answer.auth.methods.join(", ");
        match &answer.auth.login {
            Some(login) => writeln!(out, "    login: by {login}, if it wants one")?,
            None if methods.is_empty() => writeln!(out, "    login: none")?,
            None => writeln!(out, "    login: by hand, if it wants one: {methods}")?,
        }
        if !answer.left_out_mcp_servers.is_empty() {
            writeln!(out, "    works without MCP servers: {}", answer.left_out_mcp_servers.join(", "))?;
        }
    }
    if let Some(hint) = &report.hint {
        writeln!(out, "    {}{hint}", if report.error.is_some() { "try: " } else { "" })?;
    }
    let lines: Vec<&str> = report.stderr.lines().collect();
    let skipped = lines.len().saturating_sub(STDERR_LINES);
    lines.iter().skip(skipped).try_for_each(|line| writeln!(out, "    stderr: {line}"))
}

/// A size with one place after the point.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if count < 1_024 {
        return format!("{count} B");
    }
    let mut tenths = u128::from(count) * 10;
    let mut unit = "";
    for next in UNITS {
        if tenths < 10_240 {
            break;
        }
        tenths /= 1_024;
        unit = next;
    }
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1_023), "1023 B");
        assert_eq!(bytes(1_536), "1.5 KiB");
        assert_eq!(bytes(5 << 30), "5.0 GiB");
        assert_eq!(bytes(u64::MAX), "16383.9 PiB");
    }
}
