//! Every statement, as a constant: nothing is assembled at run time but the sequence of those an append needs.
//!
//! Writes take one JSON array, a row each, and run once per batch however many
//! sessions it holds: sqlx pays per statement. `v ->> n` is column n. Those that follow each other in one
//! query ask for their argument by a bare `?`: the next one is theirs.

/// Declares statements, and for tests the list of all of them.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$doc])* pub(crate) const $name: &str = $sql;)*
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}

/// The rows of the argument. Without MATERIALIZED each `v ->> n` would write its row out as text again.
macro_rules! rows {
    () => {
        "WITH row (v) AS MATERIALIZED (SELECT value FROM json_each(?)) "
    };
}

/// The columns of [`crate::decode::session`].
macro_rules! session_columns {
    () => {
        "s.key, s.id, s.project_id, s.directory, s.workspace, s.parent_id, s.title, s.agent, s.permission,
         s.deadline_ms, s.version, s.created, s.updated, s.archived, s.pinned, s.deleting, s.revision,
         s.latest_sequence, s.latest_message, s.meta"
    };
}

/// The columns of [`crate::decode::run`].
macro_rules! run_columns {
    () => {
        "r.id, r.request_id, r.fingerprint, r.message_id, r.turn_id, r.state, r.effort, r.agent, r.owner, r.accepted_at, r.updated_at, r.completed_at, r.result_message_id, r.error,
         r.stop_reason, r.cancel, r.stop_at, r.deadline_at, r.agent_still_running, r.context_reset, r.seq"
    };
}

/// The columns of [`crate::decode::turn`].
macro_rules! turn_columns {
    () => {
        "t.run_id, t.id, t.message_id, t.state, t.rank, t.queued_at, t.started_at, t.sent_at, t.active_at,
         t.cancel_at, t.ended_at, t.into_turn_id, t.stop_reason, t.error, t.refused, t.instead, t.escalated_at,
         t.artifact_run, t.settings"
    };
}

/// The columns of [`crate::decode::decision`].
macro_rules! decision_columns {
    () => {
        "d.id, d.run_id, d.state, d.request, d.reply, d.message, d.answers, d.actor, d.close_reason, d.asked_at,
         d.decided_at"
    };
}

/// The columns of [`crate::decode::terminal`].
macro_rules! terminal_columns {
    () => {
        "x.id, x.revision, x.created, x.updated, x.completed, x.stop_requested, x.released, x.exit_code,
         x.signal, x.truncated, x.command, x.cwd, x.output"
    };
}

/// The columns of [`crate::decode::claim`].
macro_rules! claim_columns {
    () => {
        "c.id AS claim, c.run_id, c.turn_id, c.artifact_run AS claim_run, c.message_id AS claim_message, c.state,
         c.reason, c.owner, c.created AS claim_created, c.updated AS claim_updated"
    };
}

/// The columns of [`crate::decode::version`].
macro_rules! version_columns {
    () => {
        "v.id, v.result, v.number, r.project_id, v.session_id, v.claim_id, v.artifact_run, v.message_id, v.write,
         v.name, v.mime_type, v.size, v.sha256, v.mtime, v.source_path, v.capture, v.replaced, v.created,
         r.title, r.kind, r.summary"
    };
}

/// The columns of [`crate::decode::result`], besides those of its newest version.
macro_rules! result_columns {
    () => {
        "r.created AS result_created, r.updated, r.trashed,
         (SELECT count(*) FROM version AS n WHERE n.result = r.id) AS versions"
    };
}

statements! {
    BEGIN_WRITE = "BEGIN IMMEDIATE";
    COMMIT = "COMMIT";
    ROLLBACK = "ROLLBACK";
    /// The writer waits by itself.
    NO_BUSY_TIMEOUT = "PRAGMA busy_timeout = 0";
    DATA_VERSION = "PRAGMA data_version";

    // ---- writes of an append ----

    /// Finds the sessions whose revision is the expected one and whose grants stand, and numbers their events.
    PICK = "UPDATE session SET
            revision = revision + c.bump,
            latest_sequence = latest_sequence + c.events,
            latest_message = latest_message + c.messages
        FROM (SELECT value ->> 0 AS id, value ->> 1 AS expected, value ->> 2 AS bump, value ->> 3 AS events,
                     value ->> 4 AS messages, value ->> 5 AS grants
              FROM json_each(?1)) AS c
        WHERE session.id = c.id AND session.revision = c.expected AND session.deleted IS NULL
          AND (c.grants IS NULL
               OR NOT EXISTS (SELECT 1 FROM json_each(c.grants) AS j
                              WHERE NOT EXISTS (SELECT 1 FROM grant AS g WHERE g.id = j.value)))
        RETURNING id, key, revision, latest_sequence";
    /// Of sessions that were not picked: those that exist.
    EXISTING_IDS = "SELECT id FROM session
        WHERE id IN (SELECT value FROM json_each(?1)) AND deleted IS NULL";
    MARKS = "SELECT id, latest_sequence, revision FROM session
        WHERE id IN (SELECT value FROM json_each(?1)) AND deleted IS NULL";
    INSERT_EVENTS = concat!(
        rows!(),
        "INSERT INTO event (session, sequence, type, body)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3 FROM row");
    /// A position never changes its message: another id there makes `info` null, which is refused.
    UPSERT_MESSAGES = concat!(
        rows!(),
        "INSERT INTO message (session, position, id, parent, info)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4 FROM row WHERE true
        ON CONFLICT (session, position) DO UPDATE SET
            parent = excluded.parent,
            info = CASE WHEN message.id = excluded.id THEN excluded.info END");
    /// A position never changes its part, as above.
    UPSERT_PARTS = concat!(
        rows!(),
        "INSERT INTO part (session, message, position, id, open, body)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5
        FROM row WHERE true
        ON CONFLICT (session, message, position) DO UPDATE SET
            open = excluded.open,
            body = CASE WHEN part.id = excluded.id THEN excluded.body END");
    DELETE_CHUNKS = "DELETE FROM part_chunk WHERE (session, message, part) IN
        (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))";
    INSERT_CHUNKS = concat!(
        rows!(),
        "INSERT INTO part_chunk (session, message, part, offset, text)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4 FROM row");
    /// Column 1 is the row's place among the new ones: the order of acceptance goes on from the last.
    /// The message of a run is not set again: its foreign key would be checked each time.
    UPSERT_RUNS = concat!(
        rows!(),
        "INSERT INTO run (session, seq, id, request_id, fingerprint, message_id, turn_id, state,
            effort, agent, owner, accepted_at, updated_at, completed_at, result_message_id,
            error, stop_reason, cancel, stop_at, deadline_at, agent_still_running, context_reset)
        SELECT v ->> 0,
               (SELECT coalesce(max(r.seq), 0) FROM run AS r WHERE r.session = v ->> 0) + (v ->> 1),
               v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8,
               v ->> 9, v ->> 10, v ->> 11, v ->> 12, v ->> 13, v ->> 14,
               v ->> 15, v ->> 16, v ->> 17, v ->> 18, v ->> 19, v ->> 20, v ->> 21
        FROM row WHERE true
        ON CONFLICT (session, id) DO UPDATE SET
            request_id = excluded.request_id,
            fingerprint = CASE WHEN run.message_id = excluded.message_id THEN excluded.fingerprint END,
            turn_id = excluded.turn_id, state = excluded.state, effort = excluded.effort,
            agent = excluded.agent, owner = excluded.owner,
            accepted_at = excluded.accepted_at, updated_at = excluded.updated_at,
            completed_at = excluded.completed_at, result_message_id = excluded.result_message_id,
            error = excluded.error, stop_reason = excluded.stop_reason, cancel = excluded.cancel,
            stop_at = excluded.stop_at, deadline_at = excluded.deadline_at,
            agent_still_running = excluded.agent_still_running,
            context_reset = excluded.context_reset");
    INSERT_FOLLOW_UPS = concat!(
        rows!(),
        "INSERT INTO follow_up (session, id, run_id, request_id, fingerprint, message_id, turn_id)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6 FROM row");
    UPSERT_TURNS = concat!(
        rows!(),
        "INSERT INTO turn (session, run_id, id, message_id, state, rank, queued_at, started_at, sent_at,
            active_at, cancel_at, ended_at, into_turn_id, stop_reason, error, refused, instead, escalated_at,
            artifact_run, settings)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8,
               v ->> 9, v ->> 10, v ->> 11, v ->> 12, v ->> 13, v ->> 14, v ->> 15, v ->> 16, v ->> 17, v ->> 18, v ->> 19
        FROM row WHERE true
        ON CONFLICT (session, run_id, id) DO UPDATE SET
            message_id = excluded.message_id, state = excluded.state, rank = excluded.rank,
            queued_at = excluded.queued_at, started_at = excluded.started_at, sent_at = excluded.sent_at,
            active_at = excluded.active_at, cancel_at = excluded.cancel_at, ended_at = excluded.ended_at,
            into_turn_id = excluded.into_turn_id, stop_reason = excluded.stop_reason,
            error = excluded.error, refused = excluded.refused, instead = excluded.instead,
            escalated_at = excluded.escalated_at, artifact_run = excluded.artifact_run,
            settings = excluded.settings");
    UPSERT_DECISIONS = concat!(
        rows!(),
        "INSERT INTO decision (session, id, run_id, state, request, reply, message, answers, actor,
            close_reason, asked_at, decided_at)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6,
               v ->> 7, v ->> 8, v ->> 9, v ->> 10, v ->> 11
        FROM row WHERE true
        ON CONFLICT (session, id) DO UPDATE SET
            state = excluded.state, request = excluded.request, reply = excluded.reply,
            message = excluded.message, answers = excluded.answers, actor = excluded.actor, close_reason = excluded.close_reason,
            asked_at = excluded.asked_at, decided_at = excluded.decided_at");
    INSERT_GRANTS = concat!(
        rows!(),
        "INSERT INTO grant (id, scope, session, project_id, permission, pattern, created)
        SELECT v ->> 1, v ->> 2, iif(v ->> 2 = 'session', v ->> 0, 0),
               iif(v ->> 2 = 'project', (SELECT project_id FROM session WHERE key = v ->> 0), ''),
               v ->> 3, v ->> 4, v ->> 5
        FROM row WHERE true
        ON CONFLICT DO NOTHING");
    UPSERT_TERMINALS = concat!(
        rows!(),
        "INSERT INTO terminal (session, id, revision, created, updated, completed, stop_requested, released,
            exit_code, signal, truncated, command, cwd, output)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8,
               v ->> 9, v ->> 10, v ->> 11, v ->> 12, v ->> 13
        FROM row WHERE true
        ON CONFLICT (session, id) DO UPDATE SET
            revision = excluded.revision, created = excluded.created, updated = excluded.updated,
            completed = excluded.completed, stop_requested = excluded.stop_requested,
            released = excluded.released, exit_code = excluded.exit_code, signal = excluded.signal,
            truncated = excluded.truncated, command = excluded.command, cwd = excluded.cwd,
            output = excluded.output");
    UPSERT_CLAIMS = concat!(
        rows!(),
        "INSERT INTO claim (session, id, run_id, turn_id, artifact_run, message_id, state, reason, owner,
            created, updated)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8, v ->> 9, v ->> 10
        FROM row WHERE true
        ON CONFLICT (session, id) DO UPDATE SET
            state = excluded.state, reason = excluded.reason, owner = excluded.owner, updated = excluded.updated");
    /// Each version brings its Result along: one that is there is only newer by it, and out of the trash.
    UPSERT_RESULTS = concat!(
        rows!(),
        "INSERT INTO result (id, project_id, title, kind, summary, created, updated)
        SELECT v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 6
        FROM row WHERE true
        ON CONFLICT (id) DO UPDATE SET
            summary = coalesce(excluded.summary, result.summary), updated = max(result.updated, excluded.updated),
            trashed = NULL");
    /// Several may be of one Result: their numbers follow their order here.
    INSERT_VERSIONS = "WITH row (key, v) AS MATERIALIZED (SELECT key, value FROM json_each(?))
        INSERT INTO version (result, number, id, session_id, claim_id, artifact_run, message_id, write, name,
            mime_type, size, sha256, mtime, source_path, capture, replaced, created)
        SELECT v ->> 1,
               (SELECT coalesce(max(o.number), 0) FROM version AS o WHERE o.result = v ->> 1)
                   + row_number() OVER (PARTITION BY v ->> 1 ORDER BY key),
               v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6, v ->> 7, v ->> 8, v ->> 9, v ->> 10, v ->> 11,
               v ->> 12, v ->> 13, v ->> 14, v ->> 15, v ->> 16
        FROM row WHERE NOT EXISTS (SELECT 1 FROM version AS k WHERE k.id = v ->> 2)";
    /// Pairs of columns: a null means leave; archived and pinned have a flag, because null clears them.
    PATCH_SESSIONS = "UPDATE session SET
            title = coalesce(c.title, session.title),
            updated = coalesce(c.updated, session.updated),
            archived = CASE WHEN c.set_archived THEN c.archived ELSE session.archived END,
            pinned = CASE WHEN c.set_pinned THEN c.pinned ELSE session.pinned END,
            deleting = coalesce(c.deleting, session.deleting),
            meta = coalesce(c.meta, session.meta)
        FROM (SELECT value ->> 0 AS key, value ->> 1 AS title, value ->> 2 AS updated,
                     value ->> 3 AS set_archived, value ->> 4 AS archived, value ->> 5 AS set_pinned,
                     value ->> 6 AS pinned, value ->> 7 AS deleting, value ->> 8 AS meta
              FROM json_each(?)) AS c
        WHERE session.key = c.key";
    PRUNE_EVENTS = "DELETE FROM event WHERE (session, sequence) IN
        (SELECT e.session, e.sequence FROM json_each(?) AS j
         CROSS JOIN event AS e ON e.session = j.value ->> 0 AND e.sequence <= j.value ->> 1)";

    // ---- other writes ----

    INSERT_SESSIONS = concat!(
        rows!(),
        "INSERT INTO session (id, project_id, parent_id, directory, workspace, agent, version,
            created, updated, archived, pinned, deadline_ms, title, permission, meta)
        SELECT v ->> 0, v ->> 1, v ->> 2, v ->> 3, v ->> 4, v ->> 5, v ->> 6,
               v ->> 7, v ->> 8, v ->> 9, v ->> 10, v ->> 11, v ->> 12, v ->> 13,
               v ->> 14
        FROM row WHERE true
        ON CONFLICT (id) DO NOTHING
        RETURNING id");
    SESSIONS_BY_ID = concat!(
        "SELECT ", session_columns!(),
        " FROM session AS s WHERE s.id IN (SELECT value FROM json_each(?1)) AND s.deleted IS NULL");
    DELETE_SESSION_EVENTS = "DELETE FROM event WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_DECISIONS = "DELETE FROM decision WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_TERMINALS = "DELETE FROM terminal WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_GRANTS = "DELETE FROM grant
        WHERE scope = 'session' AND session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_CLAIMS = "DELETE FROM claim WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_TURNS = "DELETE FROM turn WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_FOLLOW_UPS = "DELETE FROM follow_up WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_RUNS = "DELETE FROM run WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_CHUNKS = "DELETE FROM part_chunk WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_PARTS = "DELETE FROM part WHERE session = (SELECT key FROM session WHERE id = ?1)";
    DELETE_SESSION_MESSAGES = "DELETE FROM message WHERE session = (SELECT key FROM session WHERE id = ?1)";
    BURY_SESSION = "UPDATE session SET deleted = ?2, deleting = 0, revision = 0, latest_sequence = 0,
            latest_message = 0, project_id = NULL, parent_id = NULL, directory = NULL, workspace = NULL,
            agent = NULL, version = NULL, created = NULL, updated = NULL, archived = NULL, pinned = NULL,
            deadline_ms = NULL, title = NULL, permission = NULL, meta = NULL
        WHERE id = ?1 AND deleted IS NULL";
    INSERT_PROJECT = "INSERT INTO project (id, worktree, vcs, name, created, updated)
        VALUES (?1 ->> 0, ?1 ->> 1, ?1 ->> 2, ?1 ->> 3, ?1 ->> 4, ?1 ->> 5)
        ON CONFLICT (id) DO NOTHING";
    INSERT_OWNER = "INSERT INTO owner (id, pid, boot_id, schema_version, version, started)
        VALUES (?1 ->> 0, ?1 ->> 1, ?1 ->> 2, ?1 ->> 3, ?1 ->> 4, ?1 ->> 5)";
    ANNOUNCE_URL = "UPDATE owner SET url = ?1 ->> 1 WHERE id = ?1 ->> 0";
    /// An owner is remembered as long as a live run names it.
    FORGET_OWNER = "DELETE FROM owner WHERE id = ?1 ->> 0 AND NOT EXISTS
        (SELECT 1 FROM run INDEXED BY run_live WHERE state IN ('accepted', 'running') AND owner = ?1 ->> 0)";

    // ---- owners and projects ----

    /// How each table and index was made.
    SHAPE = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL";
    TABLE_COUNT = "SELECT count(*) FROM sqlite_schema";
    OWNERS = "SELECT id, pid, boot_id, schema_version, version, url FROM owner ORDER BY id";
    OWNER_URL = "SELECT url FROM owner WHERE id = ?1";
    PROJECTS = "SELECT id, worktree, vcs, name, created, updated FROM project ORDER BY created, id";
    PROJECT = "SELECT id, worktree, vcs, name, created, updated FROM project WHERE id = ?1";

    // ---- sessions ----

    SESSION = concat!(
        "SELECT ", session_columns!(), " FROM session AS s WHERE s.id = ?1 AND s.deleted IS NULL");
    SESSION_TOMBSTONE = "SELECT 1 FROM session WHERE id = ?1 AND deleted IS NOT NULL";
    /// The session, and whether there is anything to restore besides it.
    SESSION_AT_WORK = concat!(
        "SELECT ", session_columns!(), ",
            EXISTS (SELECT 1 FROM run AS r INDEXED BY run_live
                    WHERE r.session = s.key AND r.state IN ('accepted', 'running'))
            OR EXISTS (SELECT 1 FROM decision AS d INDEXED BY decision_open
                       WHERE d.session = s.key AND d.state IN ('pending', 'indeterminate'))
            OR EXISTS (SELECT 1 FROM terminal AS x INDEXED BY terminal_held
                       WHERE x.session = s.key AND x.released IS NULL)
            OR EXISTS (SELECT 1 FROM claim AS c INDEXED BY claim_open
                       WHERE c.session = s.key AND c.state = 'pending') AS at_work
         FROM session AS s WHERE s.id = ?1 AND s.deleted IS NULL");
    /// Null leaves a condition out; a limit of -1 is none.
    LIST_SESSIONS = concat!(
        "SELECT ", session_columns!(), " FROM session AS s INDEXED BY session_by_project
         WHERE s.project_id = ?1 AND s.deleted IS NULL
           AND (?2 = 0 OR s.parent_id IS NULL)
           AND (?3 IS NULL OR s.updated >= ?3)
           AND s.key < ?4
           AND (?6 IS NULL OR s.agent = ?6)
         ORDER BY s.key DESC LIMIT ?5");
    SESSION_OF_AGENT = concat!(
        "SELECT ", session_columns!(), " FROM session AS s INDEXED BY session_by_project
         WHERE s.project_id = ?1 AND s.deleted IS NULL AND s.agent = ?2 AND s.meta ->> '$.agentSession' = ?3
         LIMIT 1");
    SESSION_KEY = "SELECT key FROM session WHERE id = ?1";
    CHILDREN = concat!(
        "SELECT ", session_columns!(), " FROM session AS s INDEXED BY session_by_parent
         WHERE s.parent_id = ?1 AND s.deleted IS NULL ORDER BY s.key DESC");
    DELETING_SESSIONS = "SELECT id FROM session INDEXED BY session_deleting WHERE deleting = 1 AND deleted IS NULL";
    LIVE_SESSIONS = "SELECT s.id AS session, r.owner, r.id
        FROM run AS r INDEXED BY run_live CROSS JOIN session AS s ON s.key = r.session
        WHERE r.state IN ('accepted', 'running') AND s.deleted IS NULL AND (?1 IS NULL OR s.project_id = ?1)
        ORDER BY r.session, r.seq";

    // ---- runs and turns ----

    RUN = concat!(
        "SELECT ", run_columns!(), " FROM session AS s CROSS JOIN run AS r ON r.session = s.key
         WHERE s.id = ?1 AND r.id = ?2");
    /// The turn and the run of a follow-up.
    FOLLOW_UP = "SELECT f.run_id, f.turn_id FROM session AS s CROSS JOIN follow_up AS f ON f.session = s.key
        WHERE s.id = ?1 AND f.id = ?2";
    LIVE_RUNS = concat!(
        "SELECT ", run_columns!(), " FROM run AS r INDEXED BY run_live
         WHERE r.session = ?1 AND r.state IN ('accepted', 'running') ORDER BY r.seq");
    NEWEST_RUNS = concat!(
        "SELECT ", run_columns!(), " FROM run AS r INDEXED BY run_by_seq
         WHERE r.session = ?1 ORDER BY r.seq DESC LIMIT ?2");
    RUN_COUNT = "SELECT count(*) FROM run WHERE session = ?1";
    LIVE_RUN_COUNT = "SELECT count(*) FROM run INDEXED BY run_live
        WHERE session = ?1 AND state IN ('accepted', 'running')";
    /// For a copy, before it counts: see `transfer`.
    SESSION_OF_KEY = concat!(
        "SELECT ", session_columns!(), " FROM session AS s WHERE s.key = ?1 AND s.deleted IS NULL");
    ALL_RUNS = concat!("SELECT ", run_columns!(), " FROM run AS r WHERE r.session = ?1");
    COUNTED = "SELECT
            (SELECT count(*) FROM event AS e WHERE e.session = ?1) AS events,
            (SELECT coalesce(min(e.sequence), 1) FROM event AS e WHERE e.session = ?1) AS first,
            (SELECT coalesce(max(e.sequence), 0) FROM event AS e WHERE e.session = ?1) AS last,
            (SELECT count(*) FROM message AS m WHERE m.session = ?1) AS messages,
            (SELECT coalesce(max(m.position), 0) FROM message AS m WHERE m.session = ?1) AS newest,
            (SELECT count(*) FROM run AS r INDEXED BY run_live
             WHERE r.session = ?1 AND r.state IN ('accepted', 'running')) AS live";
    /// All columns, for a copy: see `transfer`.
    DUMP_SESSION = "SELECT * FROM session WHERE id = ?1 AND deleted IS NULL";
    /// Deleted or not.
    ANY_SESSION_KEY = "SELECT key FROM session WHERE id = ?1";
    /// A follow-up's receipt names the run it joined, and takes the time from there.
    RECEIPT = "SELECT r.id, r.id AS run_id, r.fingerprint, r.message_id, r.accepted_at, NULL AS turn_id
            FROM session AS s CROSS JOIN run AS r ON r.session = s.key
            WHERE s.id = ?1 AND r.id = ?2
        UNION ALL
        SELECT f.id, f.run_id, f.fingerprint, f.message_id, r.accepted_at, f.turn_id
            FROM session AS s CROSS JOIN follow_up AS f ON f.session = s.key
            CROSS JOIN run AS r ON r.session = f.session AND r.id = f.run_id
            WHERE s.id = ?1 AND f.id = ?2";
    TURN = concat!(
        "SELECT ", turn_columns!(), " FROM session AS s CROSS JOIN turn AS t ON t.session = s.key
         WHERE s.id = ?1 AND t.id = ?2");
    TURNS = concat!("SELECT ", turn_columns!(), " FROM turn AS t WHERE t.session = ?1 ORDER BY t.queued_at, t.id");
    /// What restoring needs: turns of live runs that have not ended, and those sent with them.
    OPEN_TURNS = concat!(
        "SELECT ", turn_columns!(), " FROM run AS r INDEXED BY run_live
         CROSS JOIN turn AS t ON t.session = r.session AND t.run_id = r.id
         WHERE r.session = ?1 AND r.state IN ('accepted', 'running')
           AND (t.ended_at IS NULL
                OR EXISTS (SELECT 1 FROM turn AS i WHERE i.session = t.session AND i.run_id = t.run_id
                           AND i.id = t.into_turn_id AND i.ended_at IS NULL))
         ORDER BY r.seq, t.rank, t.id");

    // ---- messages ----

    MESSAGE_USED = "SELECT 1 FROM session AS s CROSS JOIN message AS m ON m.session = s.key
        WHERE s.id = ?1 AND m.id = ?2";
    /// The messages of those turns, and their answers. Nothing of it lies before the first of them.
    LIVE_MESSAGES = "WITH asked (id) AS MATERIALIZED (
            SELECT t.message_id FROM run AS r INDEXED BY run_live
            CROSS JOIN turn AS t ON t.session = r.session AND t.run_id = r.id
            WHERE r.session = ?1 AND r.state IN ('accepted', 'running')
              AND (t.ended_at IS NULL
                   OR EXISTS (SELECT 1 FROM turn AS i WHERE i.session = t.session AND i.run_id = t.run_id
                              AND i.id = t.into_turn_id AND i.ended_at IS NULL)))
        SELECT m.position, m.info FROM message AS m
        WHERE m.session = ?1
          AND m.position >= (SELECT min(f.position) FROM asked AS a
                             CROSS JOIN message AS f ON f.session = ?1 AND f.id = a.id)
          AND (m.id IN (SELECT id FROM asked) OR m.parent IN (SELECT id FROM asked))
        ORDER BY m.position";
    /// A limit of -1 is none.
    NEWEST_MESSAGES = "SELECT position, info FROM message WHERE session = ?1 ORDER BY position DESC LIMIT ?2";
    MESSAGE = "SELECT s.key, m.position, m.info FROM session AS s CROSS JOIN message AS m ON m.session = s.key
        WHERE s.id = ?1 AND m.id = ?2";
    PARTS_BETWEEN = "SELECT message, position, id, open, body FROM part
        WHERE session = ?1 AND message BETWEEN ?2 AND ?3 ORDER BY message, position";
    PARTS_OF = "SELECT message, position, id, open, body FROM part
        WHERE session = ?1 AND message IN (SELECT value FROM json_each(?2)) ORDER BY message, position";
    CHUNKS_OF = "SELECT message, part, offset, text FROM part_chunk
        WHERE session = ?1 AND message = ?2 AND part = ?3 ORDER BY offset";

    // ---- uploads ----

    USED_UPLOADS = "SELECT DISTINCT body ->> '$.url' AS url FROM part INDEXED BY part_upload
        WHERE substr(body, 1, 14) = '{\"type\":\"file\"' AND substr(body ->> '$.url', 1, 7) = 'upload:'";
    UPLOAD_USED = "SELECT 1 FROM part INDEXED BY part_upload
        WHERE substr(body, 1, 14) = '{\"type\":\"file\"' AND substr(body ->> '$.url', 1, 7) = 'upload:'
          AND body ->> '$.url' = ?1 LIMIT 1";

    // ---- decisions ----

    DECISION = concat!(
        "SELECT ", decision_columns!(), " FROM session AS s CROSS JOIN decision AS d ON d.session = s.key
         WHERE s.id = ?1 AND d.id = ?2");
    /// Decisions are known by session and id: one look-up for each session of the project.
    DECISION_SESSION = "SELECT s.id FROM session AS s INDEXED BY session_by_project
        CROSS JOIN decision AS d ON d.session = s.key
        WHERE s.project_id = ?1 AND s.deleted IS NULL AND d.id = ?2";
    OPEN_DECISIONS = concat!(
        "SELECT ", decision_columns!(), " FROM decision AS d INDEXED BY decision_open
         WHERE d.session = ?1 AND d.state IN ('pending', 'indeterminate') ORDER BY d.asked_at, d.id");
    PENDING_DECISIONS = concat!(
        "SELECT ", decision_columns!(), " FROM decision AS d INDEXED BY decision_open
         CROSS JOIN session AS s ON s.key = d.session
         WHERE d.state IN ('pending', 'indeterminate') AND d.state = 'pending' AND s.project_id = ?1
         ORDER BY d.asked_at, d.id");

    /// All that a person, a rule or a grant allowed in the run.
    ALLOWED_DECISIONS = concat!(
        "SELECT ", decision_columns!(), " FROM session AS s CROSS JOIN decision AS d ON d.session = s.key
         WHERE s.id = ?1 AND d.run_id = ?2 AND d.reply <> 'reject'");
    DECISIONS = concat!(
        "SELECT ", decision_columns!(), " FROM decision AS d WHERE d.session = ?1 ORDER BY d.asked_at, d.id");

    // ---- terminals ----

    HELD_TERMINALS = concat!(
        "SELECT ", terminal_columns!(), " FROM terminal AS x INDEXED BY terminal_held
         WHERE x.session = ?1 AND x.released IS NULL ORDER BY x.created, x.id");
    TERMINALS = concat!(
        "SELECT ", terminal_columns!(), " FROM terminal AS x WHERE x.session = ?1 ORDER BY x.created, x.id");
    TERMINAL = concat!(
        "SELECT ", terminal_columns!(), " FROM session AS s CROSS JOIN terminal AS x ON x.session = s.key
         WHERE s.id = ?1 AND x.id = ?2");

    // ---- grants ----

    /// Those that reach the session.
    GRANTS = "WITH of (key, project) AS (SELECT key, project_id FROM session WHERE id = ?1)
        SELECT g.id, g.scope, g.permission, g.pattern, g.created FROM of CROSS JOIN grant AS g
            ON g.scope = 'session' AND g.session = of.key AND g.project_id = ''
        UNION ALL SELECT g.id, g.scope, g.permission, g.pattern, g.created FROM of CROSS JOIN grant AS g
            ON g.scope = 'project' AND g.session = 0 AND g.project_id = of.project
        UNION ALL SELECT g.id, g.scope, g.permission, g.pattern, g.created FROM of CROSS JOIN grant AS g
            ON g.scope = 'always' AND g.session = 0 AND g.project_id = ''
        ORDER BY created, id";
    /// Those that outlive sessions and reach the project.
    STANDING_GRANTS = "SELECT id, scope, permission, pattern, created FROM grant
            WHERE scope = 'project' AND session = 0 AND project_id = ?1
        UNION ALL SELECT id, scope, permission, pattern, created FROM grant
            WHERE scope = 'always' AND session = 0 AND project_id = ''
        ORDER BY created, id";
    REVOKE_GRANT = "DELETE FROM grant WHERE id = ?1 ->> 0 AND scope <> 'session' AND project_id IN ('', ?1 ->> 1)";

    // ---- artifacts ----

    CLAIM = concat!(
        "SELECT s.id AS session, ", claim_columns!(), " FROM claim AS c INDEXED BY claim_by_id
         CROSS JOIN session AS s ON s.key = c.session WHERE c.id = ?1 AND s.deleted IS NULL");
    CLAIM_OF_RUN = "SELECT 1 FROM session AS s CROSS JOIN claim AS c ON c.session = s.key
        WHERE s.id = ?1 AND c.artifact_run = ?2";
    PENDING_CLAIMS = concat!(
        "SELECT ", claim_columns!(), " FROM claim AS c INDEXED BY claim_open
         WHERE c.session = ?1 AND c.state = 'pending' ORDER BY c.created, c.id");
    /// Those whose process is gone.
    LEFT_CLAIMS = concat!(
        "SELECT s.id AS session, ", claim_columns!(), " FROM claim AS c INDEXED BY claim_open
         CROSS JOIN session AS s ON s.key = c.session
         WHERE c.state = 'pending' AND s.deleted IS NULL
           AND NOT EXISTS (SELECT 1 FROM owner AS o WHERE o.id = c.owner)
         ORDER BY c.created, c.id");
    VERSIONS_OF_CLAIM = concat!(
        "SELECT ", version_columns!(), " FROM version AS v INDEXED BY version_by_session
         CROSS JOIN result AS r ON r.id = v.result
         WHERE v.session_id = ?1 AND v.claim_id = ?2 ORDER BY v.write");
    /// Files of a session's turns, oldest first, with their claims.
    SESSION_FILES = concat!(
        "SELECT ", version_columns!(), ", ", claim_columns!(), " FROM version AS v INDEXED BY version_by_session
         CROSS JOIN result AS r ON r.id = v.result
         LEFT JOIN session AS s ON s.id = v.session_id
         LEFT JOIN claim AS c ON c.session = s.key AND c.id = v.claim_id
         WHERE v.session_id = ?1 AND v.claim_id IS NOT NULL AND v.replaced = 0
           AND (?2 IS NULL OR (v.created, v.name, v.id) >
                (SELECT a.created, a.name, a.id FROM version AS a WHERE a.id = ?2))
         ORDER BY v.created, v.name, v.id LIMIT ?3");
    /// The newest file of that name that the message or the run has.
    SESSION_FILE = concat!(
        "SELECT ", version_columns!(), ", ", claim_columns!(), " FROM version AS v INDEXED BY version_by_session
         CROSS JOIN result AS r ON r.id = v.result
         LEFT JOIN session AS s ON s.id = v.session_id
         LEFT JOIN claim AS c ON c.session = s.key AND c.id = v.claim_id
         WHERE v.session_id = ?1 AND v.name = ?3 AND v.replaced = 0 AND r.project_id = ?4
           AND (v.message_id = ?2 OR v.artifact_run = ?2)
         ORDER BY v.created DESC, v.write DESC LIMIT 1");
    RESULTS = concat!(
        "SELECT ", result_columns!(), ", ", version_columns!(), " FROM result AS r INDEXED BY result_by_project
         CROSS JOIN version AS v ON v.result = r.id
         WHERE r.project_id = ?1 AND (r.trashed IS NOT NULL) = ?2
           AND v.number = (SELECT max(n.number) FROM version AS n WHERE n.result = r.id)
         ORDER BY r.updated DESC, r.id");
    RESULT = concat!(
        "SELECT ", result_columns!(), ", ", version_columns!(), " FROM result AS r
         CROSS JOIN version AS v ON v.result = r.id
         WHERE r.id = ?1 AND r.project_id = ?2
           AND v.number = (SELECT max(n.number) FROM version AS n WHERE n.result = r.id)");
    VERSIONS = concat!(
        "SELECT ", version_columns!(), " FROM version AS v CROSS JOIN result AS r ON r.id = v.result
         WHERE v.result = ?1 ORDER BY v.number DESC");
    RENAME_RESULT = "UPDATE result SET title = ?1 ->> 2, updated = max(updated, ?1 ->> 3)
        WHERE id = ?1 ->> 0 AND project_id = ?1 ->> 1";
    TRASH_RESULT = "UPDATE result SET trashed = ?1 ->> 2
        WHERE id = ?1 ->> 0 AND project_id = ?1 ->> 1 AND trashed IS NULL";
    RESTORE_RESULT = "UPDATE result SET trashed = NULL
        WHERE id = ?1 ->> 0 AND project_id = ?1 ->> 1 AND trashed IS NOT NULL";
    /// What has been in the trash since before that time, with the bytes of its versions.
    OLD_TRASH = "SELECT r.id, r.project_id, v.sha256 FROM result AS r INDEXED BY result_trashed
        CROSS JOIN version AS v ON v.result = r.id
        WHERE r.trashed IS NOT NULL AND r.trashed < ?1 ORDER BY r.id";
    DELETE_OLD_VERSIONS = "DELETE FROM version WHERE result IN
        (SELECT r.id FROM result AS r INDEXED BY result_trashed
         WHERE r.trashed IS NOT NULL AND r.trashed < ?1 ->> 0)";
    DELETE_OLD_RESULTS = "DELETE FROM result WHERE trashed IS NOT NULL AND trashed < ?1 ->> 0
        AND NOT EXISTS (SELECT 1 FROM version AS v WHERE v.result = result.id)";
    BYTES_USED = "SELECT 1 FROM version AS v INDEXED BY version_by_bytes
        CROSS JOIN result AS r ON r.id = v.result WHERE v.sha256 = ?1 AND r.project_id = ?2";

    // ---- events ----

    /// One row: the head, and a page of events as lines of sequence, type and body; null if there is none.
    /// One statement, so the head fits the events; one row, because sqlx pays for each. How many events
    /// make a page of about ?5 bytes is told by their lengths, so few bodies are read that do not fit. The
    /// page is a range and not a limit: the lines are then made of the table's own rows, in the order of
    /// its key. A separator is made of the row it stands before, so it carries that row's type and no body is
    /// copied on the way; sequences are not written, for none is missing if the count is right.
    EVENTS_AFTER = "WITH head (key, latest, seen) AS MATERIALIZED (
            SELECT key, latest_sequence, max(?2, latest_sequence - ?4)
            FROM session WHERE id = ?1 AND deleted IS NULL),
        page (count, bytes) AS MATERIALIZED (
            SELECT max(sequence) - (SELECT seen FROM head), max(1, sum(octet_length(body)))
            FROM event
            WHERE session = (SELECT key FROM head)
              AND sequence > (SELECT seen FROM head) AND sequence <= (SELECT seen FROM head) + ?3),
        span (last) AS MATERIALIZED (
            SELECT seen + max(1, min(count, count * ?5 / bytes)) FROM head, page)
        SELECT latest,
            (SELECT type FROM event WHERE session = key AND sequence = seen + 1) AS first_type,
            (SELECT CASE count(*) WHEN (SELECT last - seen FROM head, span)
                THEN group_concat(body, char(10) || type || char(10)) END
             FROM event
             WHERE session = (SELECT key FROM head)
               AND sequence > (SELECT seen FROM head) AND sequence <= (SELECT last FROM span)) AS events
        FROM head";
    LATEST_SEQUENCE = "SELECT latest_sequence FROM session WHERE id = ?1 AND deleted IS NULL";
}
