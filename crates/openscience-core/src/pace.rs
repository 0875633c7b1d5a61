//! Spaces out what a running tool tells: agents send its whole output again
//! with every line. Says when an update goes on, never what it means.

use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields};
use openscience_protocol::Millis;

/// At most four updates a second for one tool call (product limit).
const SPACING_MS: Millis = 250;

/// Holds the newest update of each running tool call that came too soon after the one before.
#[derive(Debug, Default)]
pub struct Pacer {
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    id: String,
    last: Millis,
    held: Option<ToolCallUpdate>,
}

impl Pacer {
    /// The update to pass on now, if any: what was held of that call is part of it. The end of a
    /// call is never held.
    pub fn push(&mut self, update: ToolCallUpdate, now: Millis) -> Option<ToolCallUpdate> {
        let id = update.tool_call_id.to_string();
        let ended = matches!(update.fields.status, Some(ToolCallStatus::Completed | ToolCallStatus::Failed));
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else {
            self.calls.push(Call { id, last: now, held: None });
            return Some(update);
        };
        let merged = match call.held.take() {
            Some(held) => merge(held, update),
            None => update,
        };
        if ended || now.saturating_sub(call.last) >= SPACING_MS {
            call.last = now;
            return Some(merged);
        }
        call.held = Some(merged);
        None
    }

    /// Held updates whose time has come.
    pub fn due(&mut self, now: Millis) -> Vec<ToolCallUpdate> {
        let due = |call: &mut Call| {
            let update = (now.saturating_sub(call.last) >= SPACING_MS).then(|| call.held.take()).flatten()?;
            call.last = now;
            Some(update)
        };
        self.calls.iter_mut().filter_map(due).collect()
    }

    /// When the next held update is due.
    pub fn deadline(&self) -> Option<Millis> {
        self.calls.iter().filter(|call| call.held.is_some()).map(|call| call.last + SPACING_MS).min()
    }

    /// Everything held, and a clean slate: the turn is over.
    pub fn finish(&mut self) -> Vec<ToolCallUpdate> {
        self.calls.drain(..).filter_map(|call| call.held).collect()
    }
}

/// Two updates as one: what the later says counts, what it leaves out stays.
fn merge(earlier: ToolCallUpdate, later: ToolCallUpdate) -> ToolCallUpdate {
    let (old, new) = (earlier.fields, later.fields);
    let mut fields = ToolCallUpdateFields::default();
    fields.kind = new.kind.or(old.kind);
    fields.status = new.status.or(old.status);
    fields.title = new.title.or(old.title);
    fields.name = new.name.or(old.name);
    fields.content = new.content.or(old.content);
    fields.locations = new.locations.or(old.locations);
    fields.raw_input = new.raw_input.or(old.raw_input);
    fields.raw_output = new.raw_output.or(old.raw_output);
    ToolCallUpdate::new(later.tool_call_id, fields)
}

#[cfg(test)]
mod tests;
