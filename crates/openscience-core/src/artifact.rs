//! What becomes of the files a turn has saved: they are claimed for its answer before the turn ends.
//!
//! Which files there are, and where, is for the shell to find out. Nothing here changes how a run ends.

use openscience_protocol::artifact::{
    ArtifactClaim, ArtifactFile, CaptureQuality, ClaimState, SavedFile, SavedSource,
};
use openscience_protocol::row::{ClaimRow, TurnRow, VersionRow};
use openscience_protocol::{
    ArtifactRunId, ClaimId, EventBody, MessageId, Millis, ProjectId, SessionId, TurnId,
};
use sha2::{Digest as _, Sha256};

use crate::answer::Answer;
use crate::change::Change;
use crate::input::TurnEnd;
use crate::session::{Context, Decided, Live, State, after};

/// Files that one event lists; all of them are in the session's list.
const EVENT_FILES_MAX: usize = 200;

/// How long an ended turn waits for writes that were accepted, in milliseconds.
const WRITES_WAIT_MS: u64 = 5_000;

/// How long before a stopped turn must be over its files are looked for, whatever its agent does.
const LOOK_MS: u64 = 1_000;

/// What a turn that starts now saves its files under. Turns that start at one moment are told apart.
pub(crate) fn run_of(turn: &TurnId, now: Millis) -> ArtifactRunId {
    let digest = Sha256::digest(turn.as_str().as_bytes());
    let number = digest.iter().take(4).fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    ArtifactRunId::new(now, number % 1_000_000)
}

/// What must happen before the current turn may end: its files are looked for. None if it may end now.
pub(crate) fn collect(
    state: &State,
    live: &Live,
    end: Option<&TurnEnd>,
    cx: &Context<'_>,
) -> Option<Vec<Change>> {
    let turn = live.open_turn().filter(|_| cx.artifacts && live.run.owner == *cx.me)?;
    let run = turn.artifact_run.clone().filter(|_| turn.sent_at.is_some())?;
    if state.draining.as_ref() == Some(&turn.id) {
        // A turn that had to be over by now is not held up by its files.
        let waits = live.told(turn).is_none_or(|told| cx.now < after(told, cx.limits.cancel_settle_ms));
        return waits.then(Vec::new);
    }
    let wait_ms = live.told(turn).map_or(WRITES_WAIT_MS, |told| {
        // Half of what is left is for putting them away.
        let left = after(told, cx.limits.cancel_settle_ms).saturating_sub(cx.now) / 2;
        u64::try_from(left).unwrap_or_default().min(WRITES_WAIT_MS)
    });
    let turn = turn.id.clone();
    Some(vec![Change::Collecting { turn, run, end: end.cloned().map(Box::new), wait_ms }])
}

/// When a turn that was told to stop is ended whatever its agent does: one that may have files a little before
/// it must be over, so that they are looked for first; while they are, when it must be.
pub(crate) fn settle_at(turn: &TurnRow, told: Millis, draining: Option<&TurnId>, settle_ms: u64) -> Millis {
    let looks = turn.artifact_run.is_some() && draining != Some(&turn.id);
    let before = if looks { LOOK_MS.min(settle_ms / 10) } else { 0 };
    after(told, settle_ms - before)
}

/// Claims what the turn has saved for its answer: versions of their Results, and the claim that tells of them.
pub(crate) fn claim(
    state: &State,
    live: &Live,
    turn: &TurnRow,
    files: &[SavedFile],
    cx: &mut Context<'_>,
) -> Vec<Change> {
    let Some(run) = &turn.artifact_run else { return Vec::new() };
    if files.is_empty() {
        return Vec::new();
    }
    let answer = live.answer.as_ref().map(|answer| answer.row.info.id().clone());
    let claim = ClaimRow {
        id: cx.ids.claim(cx.now),
        run_id: live.run.id.clone(),
        turn_id: turn.id.clone(),
        artifact_run: run.clone(),
        // A turn that never came to an answer leaves them with its question.
        message_id: answer.unwrap_or_else(|| turn.message_id.clone()),
        state: ClaimState::Pending,
        reason: None,
        owner: cx.me.clone(),
        created: cx.now,
        updated: cx.now,
    };
    let versions: Vec<VersionRow> = files.iter().map(|file| version(state, &claim, file, cx.now)).collect();
    let shown: Vec<&VersionRow> = versions.iter().filter(|version| !version.replaced).collect();
    let body = EventBody::ArtifactCreated {
        session_id: state.row.id.clone(),
        run_id: live.run.id.clone(),
        turn_id: turn.id.clone(),
        artifact_session_id: state.row.id.clone(),
        artifact_claim_id: claim.id.clone(),
        files: shown.iter().take(EVENT_FILES_MAX).map(|row| announced(row, &claim)).collect(),
        file_count: (shown.len() > EVENT_FILES_MAX).then_some(shown.len()),
    };
    let mut changes: Vec<Change> = versions.into_iter().map(|row| Change::Versioned(Box::new(row))).collect();
    changes.push(Change::Claimed { claim: Box::new(claim), body: Box::new(body) });
    // They are claimed once, whatever is told of them again.
    changes.push(Change::TurnNoted(Box::new(TurnRow { artifact_run: None, ..turn.clone() })));
    changes
}

fn version(state: &State, claim: &ClaimRow, file: &SavedFile, now: Millis) -> VersionRow {
    let source_path = match &file.source {
        SavedSource::Inline => file.name.clone(),
        SavedSource::LocalPath { path } => path.clone(),
    };
    let made = Made { project: &state.row.project_id, session: &state.row.id, file, now };
    VersionRow {
        claim_id: Some(claim.id.clone()),
        artifact_run: Some(claim.artifact_run.clone()),
        message_id: Some(claim.message_id.clone()),
        source_path,
        capture: CaptureQuality::Exact,
        ..made.row()
    }
}

/// A file that a person named, as a version.
pub fn declared(
    project: &ProjectId,
    session: &SessionId,
    message: Option<MessageId>,
    summary: Option<String>,
    file: &SavedFile,
    now: Millis,
) -> VersionRow {
    let row = Made { project, session, file, now }.row();
    VersionRow { message_id: message, summary, capture: CaptureQuality::Declared, ..row }
}

/// What every version has of its file.
struct Made<'a> {
    project: &'a ProjectId,
    session: &'a SessionId,
    file: &'a SavedFile,
    now: Millis,
}

impl Made<'_> {
    fn row(&self) -> VersionRow {
        let Self { project, session, file, now } = *self;
        VersionRow {
            id: file.version_id.clone(),
            artifact_id: file.result_id.clone(),
            project_id: project.clone(),
            session_id: session.clone(),
            claim_id: None,
            artifact_run: None,
            message_id: None,
            write: file.number,
            name: file.name.clone(),
            mime_type: file.mime_type.clone(),
            size: file.size,
            sha256: file.sha256.clone(),
            mtime: file.mtime_ms,
            source_path: match &file.source {
                SavedSource::Inline => file.name.clone(),
                SavedSource::LocalPath { path } => path.clone(),
            },
            capture: CaptureQuality::Unknown,
            replaced: file.replaced,
            title: file.name.clone(),
            kind: kind_of(file.mime_type.as_deref().unwrap_or_default()).to_owned(),
            summary: None,
            created: now,
        }
    }
}

/// A file as an event tells it: what does not change.
fn announced(version: &VersionRow, claim: &ClaimRow) -> ArtifactFile {
    ArtifactFile { claim: None, ..file(version, Some(claim)) }
}

/// A file of a session as people see it, without where it is.
pub fn file(version: &VersionRow, claim: Option<&ClaimRow>) -> ArtifactFile {
    let open = claim.filter(|claim| claim.state != ClaimState::Finalized);
    let message_id = version.message_id.clone().filter(|_| open.is_none());
    let run_id = version.artifact_run.clone().filter(|_| message_id.is_none());
    let owner = message_id.as_ref().map(MessageId::as_str).or(run_id.as_ref().map(ArtifactRunId::as_str));
    ArtifactFile {
        id: format!("{}:{}:{}", version.session_id, owner.unwrap_or_default(), version.name),
        project_name: version.project_id.as_str().to_owned(),
        session_id: version.session_id.clone(),
        message_id,
        run_id,
        name: version.name.clone(),
        path: None,
        file_url: None,
        mime_type: version.mime_type.clone(),
        size: version.size,
        mtime_ms: version.mtime,
        result_id: Some(version.artifact_id.clone()),
        version_id: Some(version.id.clone()),
        claim: open.map(|claim| ArtifactClaim {
            id: claim.id.clone(),
            state: claim.state,
            message_id: claim.message_id.clone(),
            reason: claim.reason.clone(),
        }),
    }
}

/// A claim that failed is tried again. One that is open, or was meanwhile, stays as it is.
pub(crate) fn reopen(state: &State, claim: &ClaimRow, cx: &Context<'_>) -> Decided {
    let known = state.claims.iter().any(|open| open.id == claim.id);
    let reopened = (!known && claim.state == ClaimState::Failed).then(|| {
        Change::ClaimSet(Box::new(ClaimRow {
            state: ClaimState::Pending,
            reason: None,
            owner: cx.me.clone(),
            updated: cx.now,
            ..claim.clone()
        }))
    });
    Decided { changes: reopened.into_iter().collect(), answer: Some(Ok(Answer::Done)) }
}

/// What became of the files of a claim. One that is not open any more stays as it is.
pub(crate) fn settle(state: &State, id: &ClaimId, failure: Option<&str>, cx: &Context<'_>) -> Decided {
    let open = state.claims.iter().find(|claim| claim.id == *id);
    let set = open.map(|claim| {
        Change::ClaimSet(Box::new(ClaimRow {
            state: if failure.is_none() { ClaimState::Finalized } else { ClaimState::Failed },
            reason: failure.map(str::to_owned),
            updated: cx.now,
            ..claim.clone()
        }))
    });
    Decided { changes: set.into_iter().collect(), answer: Some(Ok(Answer::Done)) }
}

/// The word for what a file of that type is.
pub fn kind_of(mime_type: &str) -> &'static str {
    let essence = mime_type.split(';').next().unwrap_or(mime_type).trim().to_ascii_lowercase();
    match essence.as_str() {
        "text/csv" | "text/tab-separated-values" => "table",
        "application/x-ipynb+json" => "notebook",
        "application/pdf" | "text/html" | "text/markdown" | "text/plain" => "document",
        _ if essence.starts_with("image/") => "image",
        _ if essence.starts_with("text/x-") => "code",
        _ if essence.ends_with("json") || essence.ends_with("xml") || essence.starts_with("chemical/") => {
            "data"
        }
        _ => "file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_is_called_follows_from_its_type() {
        for (mime, kind) in [
            ("image/svg+xml", "image"),
            ("text/csv; charset=utf-8", "table"),
            ("application/pdf", "document"),
            ("application/json", "data"),
            ("text/x-python", "code"),
            ("application/octet-stream", "file"),
            ("", "file"),
        ] {
            assert_eq!(kind_of(mime), kind, "{mime}");
        }
    }

    #[test]
    fn turns_that_start_at_one_moment_save_under_names_of_their_own() {
        let run = |turn: &str| run_of(&turn.parse().unwrap(), 1_700_000_000_000);
        assert_ne!(run("trn_a"), run("trn_b"));
        assert_eq!(run("trn_a"), run("trn_a"));
        assert_eq!(run("trn_a").as_str().parse(), Ok(run("trn_a")));
    }
}
