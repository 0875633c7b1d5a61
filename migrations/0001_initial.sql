-- What openscience keeps: one row of truth per thing, and the newest events of each session.
--
-- Rows of one session stand together: every table below `session` is keyed by (session, …) and
-- has no rowid, so a commit writes few pages. Counters come first and large text last, because
-- SQLite then rewrites only the pages that changed. Times are milliseconds since the epoch.

CREATE TABLE project (
    -- Derived from the canonical directory, so every process finds the same one.
    id       TEXT PRIMARY KEY,
    -- The canonical directory itself: a digest cannot be turned back.
    worktree TEXT NOT NULL,
    -- `git`, or null; clients show it.
    vcs      TEXT,
    -- A name for people, if one is known.
    name     TEXT,
    -- When it was first selected.
    created  INTEGER NOT NULL,
    -- When its row last changed.
    updated  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    -- Small and growing: the first column of every key below, and the order of creation.
    key             INTEGER PRIMARY KEY,
    -- The public name; kept for ever, so a deleted one is never made again.
    id              TEXT NOT NULL UNIQUE,
    -- Compared and raised by every append: how processes that share a session notice each other.
    revision        INTEGER NOT NULL DEFAULT 0,
    -- Number of the newest event; the replay window is computed from it.
    latest_sequence INTEGER NOT NULL DEFAULT 0,
    -- Position of the newest message, so that the next one needs no search.
    latest_message  INTEGER NOT NULL DEFAULT 0,
    -- When it was deleted; such a row is a tombstone and holds nothing but this and its id.
    deleted         INTEGER,
    -- Deletion was asked for: no process admits new work.
    deleting        INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1)),
    -- Where it is listed.
    project_id      TEXT REFERENCES project (id),
    -- The session it was made from; listed as a child of that one.
    parent_id       TEXT,
    -- Canonical project directory: agents start there.
    directory       TEXT,
    -- `isolated` or `project`: which folder agents may write.
    workspace       TEXT,
    -- The agent it is bound to.
    agent           TEXT,
    -- Version of the daemon that made it; part of its public form.
    version         TEXT,
    -- When it was made.
    created         INTEGER,
    -- When a person or an agent last changed it; listings filter by it.
    updated         INTEGER,
    -- When a person put it away, if so.
    archived        INTEGER,
    -- When a person pinned it, if so.
    pinned          INTEGER,
    -- Default deadline of its runs, in milliseconds.
    deadline_ms     INTEGER,
    -- Name for people.
    title           TEXT,
    -- Permission rules given at creation: a JSON array.
    permission      TEXT,
    -- What is not searched: agent session, todos, mode, model, config, commands, usage. A JSON object.
    meta            TEXT,
    -- A row is either whole or a tombstone.
    CHECK (
        deleted IS NOT NULL
        OR (project_id IS NOT NULL AND directory IS NOT NULL AND workspace IS NOT NULL AND agent IS NOT NULL
            AND version IS NOT NULL AND created IS NOT NULL AND updated IS NOT NULL AND title IS NOT NULL
            AND meta IS NOT NULL)
    )
) STRICT;

-- Sessions of a project, newest created first: the row key is the last column of every index.
CREATE INDEX session_by_project ON session (project_id) WHERE deleted IS NULL;

-- Deletions to take up after a restart: a handful at most.
CREATE INDEX session_deleting ON session (key) WHERE deleting = 1;

-- Children of a session.
CREATE INDEX session_by_parent ON session (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE message (
    -- Key of its session.
    session  INTEGER NOT NULL REFERENCES session (key),
    -- Order in the transcript, from 1.
    position INTEGER NOT NULL CHECK (position >= 1),
    -- Public name, unique in its session.
    id       TEXT NOT NULL,
    -- The user message an assistant message answers, taken out of `info`: restoring finds the
    -- answers of a live run by it. Null for a user message.
    parent   TEXT,
    -- All that is known of it besides its parts: a JSON object.
    info     TEXT NOT NULL,
    PRIMARY KEY (session, position),
    UNIQUE (session, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE part (
    -- Key of its session.
    session  INTEGER NOT NULL,
    -- Position of its message.
    message  INTEGER NOT NULL,
    -- Order in the message, from 1.
    position INTEGER NOT NULL CHECK (position >= 1),
    -- Public name.
    id       TEXT NOT NULL,
    -- Its text still grows by `part_chunk` rows.
    open     INTEGER NOT NULL CHECK (open IN (0, 1)),
    -- The part without its ids: a JSON object.
    body     TEXT NOT NULL,
    PRIMARY KEY (session, message, position),
    FOREIGN KEY (session, message) REFERENCES message (session, position)
) STRICT, WITHOUT ROWID;

-- Uploads that messages name: what is not here may be thrown away. The form of a file part is looked at before
-- its address is, so that a part of any other kind costs next to nothing.
CREATE INDEX part_upload ON part (body ->> '$.url')
    WHERE substr(body, 1, 14) = '{"type":"file"' AND substr(body ->> '$.url', 1, 7) = 'upload:';

CREATE TABLE part_chunk (
    -- Key of its session.
    session INTEGER NOT NULL,
    -- Position of its message.
    message INTEGER NOT NULL,
    -- Position of its part.
    part    INTEGER NOT NULL,
    -- UTF-16 units of text before it: the order, and a proof that nothing is missing.
    offset  INTEGER NOT NULL CHECK (offset >= 0),
    -- The growth. Appended, so a long text is not rewritten each time it grows.
    text    TEXT NOT NULL,
    PRIMARY KEY (session, message, part, offset),
    FOREIGN KEY (session, message, part) REFERENCES part (session, message, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE run (
    -- Key of its session.
    session             INTEGER NOT NULL REFERENCES session (key),
    -- Public name; derived from the request key, so a repeated request finds its receipt.
    id                  TEXT NOT NULL,
    -- Order of acceptance in the session; ids are not ordered. Gaps are fine.
    seq                 INTEGER NOT NULL,
    -- The key the client chose, if any.
    request_id          TEXT,
    -- Digest of the input: the same key with another digest is a conflict.
    fingerprint         TEXT NOT NULL,
    -- The user message it answers; committed with it.
    message_id          TEXT NOT NULL,
    -- The turn its message became.
    turn_id             TEXT NOT NULL,
    -- accepted, running, completed, failed, cancelled or interrupted.
    state               TEXT NOT NULL,
    -- normal or ultra, as asked for.
    effort              TEXT NOT NULL,
    -- The agent that answers.
    agent               TEXT NOT NULL,
    -- The process that executes it: when that one dies, others settle the run.
    owner               TEXT NOT NULL,
    -- When the receipt became durable.
    accepted_at         INTEGER NOT NULL,
    -- When it last changed.
    updated_at          INTEGER NOT NULL,
    -- When it ended.
    completed_at        INTEGER,
    -- The assistant message with the result.
    result_message_id   TEXT,
    -- Why it did not complete, or while it lives the end that is intended: a JSON object, or null.
    error               TEXT,
    -- ACP's word for the end of its last turn.
    stop_reason         TEXT,
    -- Who asked to stop it: recorded before the agent is told.
    cancel              TEXT,
    -- When the agent was told to stop, whatever the cause.
    stop_at             INTEGER,
    -- When it is stopped whatever it has reached.
    deadline_at         INTEGER,
    -- The agent could not be stopped without harming other sessions.
    agent_still_running INTEGER NOT NULL CHECK (agent_still_running IN (0, 1)),
    -- The agent had lost the conversation and was told of it from the transcript; else null.
    context_reset       INTEGER CHECK (context_reset = 1),
    PRIMARY KEY (session, id),
    -- A receipt without its message cannot be, so a message id is looked up in one place only.
    FOREIGN KEY (session, message_id) REFERENCES message (session, id)
) STRICT, WITHOUT ROWID;

-- The newest receipts of a session, and the next place in its order.
CREATE INDEX run_by_seq ON run (session, seq);

-- Recovery and statuses look at live runs only: a handful of rows, whatever the history.
CREATE INDEX run_live ON run (session, seq) WHERE state IN ('accepted', 'running');

CREATE TABLE follow_up (
    -- Key of its session.
    session     INTEGER NOT NULL,
    -- The run id its own request key stands for, so a repeated request finds its receipt.
    id          TEXT NOT NULL,
    -- The run it joined: its outcome is read there, never copied.
    run_id      TEXT NOT NULL,
    -- The key the client chose, if any.
    request_id  TEXT,
    -- Digest of the input: the same key with another digest is a conflict.
    fingerprint TEXT NOT NULL,
    -- The user message it brought; committed with it.
    message_id  TEXT NOT NULL,
    -- The turn its message became.
    turn_id     TEXT NOT NULL,
    PRIMARY KEY (session, id),
    FOREIGN KEY (session, run_id) REFERENCES run (session, id),
    FOREIGN KEY (session, message_id) REFERENCES message (session, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE turn (
    -- Key of its session.
    session      INTEGER NOT NULL,
    -- The run it belongs to: restoring reads turns by live run.
    run_id       TEXT NOT NULL,
    -- Public name.
    id           TEXT NOT NULL,
    -- Order in the run: the smallest is next. People may put one first.
    rank         INTEGER NOT NULL,
    -- The user message it sends.
    message_id   TEXT NOT NULL,
    -- queued, ready, active, completed, cancelled, coalesced, withdrawn or failed.
    state        TEXT NOT NULL,
    -- When it came.
    queued_at    INTEGER NOT NULL,
    -- When its agent was asked for; null while it waits in the queue.
    started_at   INTEGER,
    -- When its prompt was handed out: no later prompt is sent with it.
    sent_at      INTEGER,
    -- When its prompt was written to the agent.
    active_at    INTEGER,
    -- When a person asked to stop it and not its run: recorded before the agent is told.
    cancel_at    INTEGER,
    -- When it ended; null for one that restoring needs.
    ended_at     INTEGER,
    -- The turn whose prompt it was sent with: needed as long as that one is.
    into_turn_id TEXT,
    -- ACP's word for its end.
    stop_reason  TEXT,
    -- Why it failed: a JSON object, or null.
    error        TEXT,
    -- It says what to do instead of something refused: it follows also where that ended the turn before.
    instead      INTEGER NOT NULL CHECK (instead IN (0, 1)),
    -- A permission of it was refused: its end is judged by that.
    refused      INTEGER NOT NULL CHECK (refused IN (0, 1)),
    -- When the agent's process tree was told to end because the turn did not.
    escalated_at INTEGER,
    -- What it saves files under: when its process dies, whoever settles it looks there.
    artifact_run TEXT,
    -- What the agent is set to for it: effort, model, variant, tier, context. A JSON object.
    settings     TEXT NOT NULL,
    PRIMARY KEY (session, run_id, id),
    FOREIGN KEY (session, run_id) REFERENCES run (session, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE decision (
    -- Key of its session.
    session      INTEGER NOT NULL,
    -- Public name; the agent's request is answered under it.
    id           TEXT NOT NULL,
    -- The run that waits for it.
    run_id       TEXT NOT NULL,
    -- pending, indeterminate, resolved or closed.
    state        TEXT NOT NULL,
    -- What is asked, a permission or questions: a JSON object.
    request      TEXT NOT NULL,
    -- once, session, project, always or reject.
    reply        TEXT,
    -- What the person said with it, or why nobody could be asked.
    message      TEXT,
    -- What questions were answered: a JSON array with the labels for each; null for a permission.
    answers      TEXT,
    -- Who answered: rule, grant, policy, person or timeout.
    actor        TEXT,
    -- Why nobody can answer any more.
    close_reason TEXT,
    -- When it was asked.
    asked_at     INTEGER NOT NULL,
    -- When it was answered or closed.
    decided_at   INTEGER,
    PRIMARY KEY (session, id),
    FOREIGN KEY (session, run_id) REFERENCES run (session, id)
) STRICT, WITHOUT ROWID;

-- Decisions still to be answered or delivered; every other one is history.
CREATE INDEX decision_open ON decision (session, asked_at) WHERE state IN ('pending', 'indeterminate');

CREATE TABLE terminal (
    -- Key of its session.
    session        INTEGER NOT NULL REFERENCES session (key),
    -- Public name; the agent asks for it by this.
    id             TEXT NOT NULL,
    -- 1 for the first, then one more with each change: who watches sees what is newer.
    revision       INTEGER NOT NULL CHECK (revision >= 1),
    -- When it was started.
    created        INTEGER NOT NULL,
    -- When anything of it last changed.
    updated        INTEGER NOT NULL,
    -- When its command was seen to have ended; null while it runs, and for ever if nobody saw it end.
    completed      INTEGER,
    -- When the agent or a person asked to stop it.
    stop_requested INTEGER,
    -- When the agent let go of it, or was gone; null if it may still be asked for.
    released       INTEGER,
    -- How its command ended, if by itself.
    exit_code      INTEGER,
    -- The signal that ended it, if one did.
    signal         TEXT,
    -- Output before what is kept was dropped.
    truncated      INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    -- The command and its arguments as one line.
    command        TEXT NOT NULL,
    -- Where it was started.
    cwd            TEXT NOT NULL,
    -- The end of what it wrote: people see it after the process is gone.
    output         TEXT NOT NULL,
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;

-- Restoring looks at terminals that may still be asked for; every other one is history.
CREATE INDEX terminal_held ON terminal (session) WHERE released IS NULL;

CREATE TABLE grant (
    -- The decision it was given with, and its place there; people revoke it by this name.
    id         TEXT PRIMARY KEY,
    -- session, project or always: how far it reaches.
    scope      TEXT NOT NULL,
    -- Key of the session it is for; 0 if it reaches further.
    session    INTEGER NOT NULL,
    -- The project it is for; empty if it is for one session or for all.
    project_id TEXT NOT NULL,
    -- The category it allows.
    permission TEXT NOT NULL,
    -- Exactly what it allows; compared literally.
    pattern    TEXT NOT NULL,
    -- When it was given.
    created    INTEGER NOT NULL,
    -- Given once, however often it is allowed.
    UNIQUE (scope, session, project_id, permission, pattern)
) STRICT, WITHOUT ROWID;

CREATE TABLE claim (
    -- Key of its session.
    session      INTEGER NOT NULL,
    -- Public name, not to be guessed: who knows it may ask for its files to be put with their message.
    id           TEXT NOT NULL,
    -- The run whose events tell of it.
    run_id       TEXT NOT NULL,
    -- The turn that saved the files.
    turn_id      TEXT NOT NULL,
    -- The folder they were saved in.
    artifact_run TEXT NOT NULL,
    -- The message they go to: decided once.
    message_id   TEXT NOT NULL,
    -- pending, finalized or failed; of its own, and never of the run.
    state        TEXT NOT NULL,
    -- Why it failed.
    reason       TEXT,
    -- The process that puts the files there: when that one dies, others do.
    owner        TEXT NOT NULL,
    -- When the files became durable.
    created      INTEGER NOT NULL,
    -- When its state last changed.
    updated      INTEGER NOT NULL,
    PRIMARY KEY (session, id),
    -- A turn's files are claimed once, whoever settles it.
    UNIQUE (session, artifact_run),
    FOREIGN KEY (session, run_id) REFERENCES run (session, id)
) STRICT, WITHOUT ROWID;

-- Claims by name alone, as people have it.
CREATE INDEX claim_by_id ON claim (id);

-- Claims to be taken up: a handful, whatever the history.
CREATE INDEX claim_open ON claim (session) WHERE state = 'pending';

CREATE TABLE result (
    -- Derived from what it is a version of, so that the same source is the same Result in every process.
    id         TEXT PRIMARY KEY,
    -- Where it is listed; also when the session that made it is gone.
    project_id TEXT NOT NULL REFERENCES project (id),
    -- Name for people: that of its first file, until one is given.
    title      TEXT NOT NULL,
    -- image, table, notebook, document, code, data or file.
    kind       TEXT NOT NULL,
    -- What a person said it is.
    summary    TEXT,
    -- When its first version came.
    created    INTEGER NOT NULL,
    -- When its newest version came, or its title changed.
    updated    INTEGER NOT NULL,
    -- When it was put into the trash, if it is there.
    trashed    INTEGER
) STRICT, WITHOUT ROWID;

-- Results of a project, newest first.
CREATE INDEX result_by_project ON result (project_id, updated);

-- What the trash holds, to be emptied.
CREATE INDEX result_trashed ON result (trashed) WHERE trashed IS NOT NULL;

CREATE TABLE version (
    -- The Result it is one of.
    result       TEXT NOT NULL REFERENCES result (id),
    -- 1 for the first, then always one more.
    number       INTEGER NOT NULL CHECK (number >= 1),
    -- Public name; derived from the write that made it, so that it is never recorded twice.
    id           TEXT NOT NULL UNIQUE,
    -- Public name of the session that made it; that one may be gone.
    session_id   TEXT NOT NULL,
    -- The claim it came with; null for a file that a person named.
    claim_id     TEXT,
    -- The folder it was saved in while its turn lasted.
    artifact_run TEXT,
    -- The message it belongs to, or will once its claim is finalized.
    message_id   TEXT,
    -- Its place among the writes of its turn; 0 for a file that a person named.
    write        INTEGER NOT NULL,
    -- Its file name.
    name         TEXT NOT NULL,
    -- Its type, if somebody said one.
    mime_type    TEXT,
    -- Its size in bytes.
    size         INTEGER NOT NULL,
    -- Names its bytes, and proves them.
    sha256       TEXT NOT NULL,
    -- When its file was written.
    mtime        INTEGER NOT NULL,
    -- The file it was copied from, else its name.
    source_path  TEXT NOT NULL,
    -- exact, declared, partial or unknown.
    capture      TEXT NOT NULL,
    -- Its own turn saved another file over it: no file of the turn.
    replaced     INTEGER NOT NULL CHECK (replaced IN (0, 1)),
    -- When it was recorded.
    created      INTEGER NOT NULL,
    PRIMARY KEY (result, number)
) STRICT, WITHOUT ROWID;

-- The files of a session, in the order they came.
CREATE INDEX version_by_session ON version (session_id, created);

-- Whether any version still has these bytes.
CREATE INDEX version_by_bytes ON version (sha256);

CREATE TABLE event (
    -- Key of its session. No foreign key: the statement that numbers an event has just read the row.
    session  INTEGER NOT NULL,
    -- 1 for the first, then always one more.
    sequence INTEGER NOT NULL CHECK (sequence >= 1),
    -- The `event:` line of its frame, without parsing the body.
    type     TEXT NOT NULL,
    -- The `data:` line less sequence and session: JSON text on one line.
    body     TEXT NOT NULL,
    PRIMARY KEY (session, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE owner (
    -- Names its lock file: who holds that lock lives.
    id             TEXT PRIMARY KEY,
    -- For people who look for the process; never proof of life.
    pid            INTEGER NOT NULL,
    -- A lock of an earlier boot proves nothing.
    boot_id        TEXT NOT NULL,
    -- The schema it writes: another one may not migrate under it.
    schema_version INTEGER NOT NULL,
    -- Version of its binary, for messages.
    version        TEXT NOT NULL,
    -- Where it listens, once it does.
    url            TEXT,
    -- When it started.
    started        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
