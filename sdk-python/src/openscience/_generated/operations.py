# Written by tools/generate.py; change the OpenAPI document or the generator instead.
"""Every operation of the HTTP interface as a method.

Any of them may also be refused for what all requests share: 400 for a directory or arguments that
are not valid, 401 without the token, 403 for a Host or origin that is not allowed, 410 for a
directory that is gone, 500 and 503 where the daemon cannot answer.
"""

from __future__ import annotations

from typing import Any, List, Literal

from .._transport import Download, EventStream, Operations, Transport
from .._wire import Call, Content, segment
from .types import (
    Agent,
    AgentConnection,
    AgentLogin,
    ArtifactDetail,
    ArtifactFile,
    ArtifactState,
    Capabilities,
    DecisionInput,
    DecisionResult,
    DelegationSettings,
    Delivery,
    Effort,
    Health,
    InitialConfigInput,
    InputPart,
    McpServerInput,
    Message,
    ModelRef,
    OpenBody,
    OpenInput,
    OperationBundle,
    Part,
    PermissionReply,
    PermissionRequest,
    Preview,
    PreviewEncoding,
    Project,
    PromptAccepted,
    QuestionRequest,
    Queue,
    QueuePolicy,
    QueuedTurn,
    Replay,
    Rule,
    RunTurn,
    RuntimeEvent,
    RuntimeRun,
    Session,
    SessionAgent,
    SessionAgentInput,
    SessionList,
    SessionState,
    SessionStatus,
    SessionTimeChange,
    Snapshot,
    StandingGrant,
    StateDiff,
    StateEvent,
    StateMetadata,
    StatePermission,
    StateTerminal,
    StateUsage,
    ThreadEntry,
    Todo,
    ToolCallBundle,
    Upload,
    Withdrawn,
    Workspace,
)


class AgentOperations(Operations):
    """Agents that can be started, and their processes at work."""

    def list(self, *, timeout: float | None = None) -> List[Agent]:
        """List the agents that can be asked for: configured ones, those of the public registry, and what came
        with the daemon.

        Looks at what is on this machine; nothing is fetched or started.

        `GET /agent`
        """
        call = Call("GET", "/agent")
        answer: List[Agent] = self._transport.json(call, timeout)
        return answer

    def connections(self, *, timeout: float | None = None) -> List[AgentConnection]:
        """List the agent processes of this daemon, oldest first, with the newest 500 things that happened on
        each.

        `GET /agent/connection`
        """
        call = Call("GET", "/agent/connection")
        answer: List[AgentConnection] = self._transport.json(call, timeout)
        return answer

    def disconnect(self, connection_id: str, *, timeout: float | None = None) -> bool:
        """End an agent process.

        Answers once it is gone with all it started. Turns it works on fail with `agent_exited`; the
        next prompt starts another.

        Raises:
            HTTPError 404: connection_not_found.

        `DELETE /agent/connection/{id}`
        """
        call = Call("DELETE", f"/agent/connection/{segment(connection_id)}")
        answer: bool = self._transport.json(call, timeout)
        return answer

    def get(self, agent_id: str, *, timeout: float | None = None) -> Agent:
        """Read one agent.

        Raises:
            HTTPError 404: agent_not_found.

        `GET /agent/{id}`
        """
        call = Call("GET", f"/agent/{segment(agent_id)}")
        answer: Agent = self._transport.json(call, timeout)
        return answer

    def authenticate(
        self,
        agent_id: str,
        *,
        method_id: str | None = None,
        timeout: float | None = None,
    ) -> AgentLogin:
        """Log in to an agent.

        Only what the agent does alone is done. Where a person has to run a program or set variables
        the answer is 409 and `data` says which; end the agent's processes afterwards, so that they
        start anew.

        Args:
            method_id: Id of one of the agent's ways; the marked or only one if left out.

        Raises:
            HTTPError 400: invalid_request or auth_method_not_found.
            HTTPError 404: agent_not_found.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: auth_terminal or auth_env.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 502: auth_failed, or the agent could not be started.

        `POST /agent/{id}/authenticate`
        """
        call = Call(
            "POST",
            f"/agent/{segment(agent_id)}/authenticate",
            fields={"methodId": method_id},
            selects=True,
        )
        answer: AgentLogin = self._transport.json(call, timeout)
        return answer


class ArtifactOperations(Operations):
    """Files that agents save."""

    def finalize(self, *, claim_id: str, message_id: str, timeout: float | None = None) -> List[ArtifactFile]:
        """Put the files of a claim with their message.

        The daemon does so itself at the end of each turn: this is for a claim that failed, or to be
        sure. Asked again for the same message it answers the same list.

        Raises:
            HTTPError 404: claim_not_found.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: claim_conflict: they belong to another message; claim_not_finalized with the
                reason.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.

        `POST /artifact/finalize`
        """
        call = Call(
            "POST",
            "/artifact/finalize",
            fields={"claimID": claim_id, "messageID": message_id},
            selects=True,
        )
        answer: List[ArtifactFile] = self._transport.json(call, timeout)
        return answer

    def preview(
        self,
        artifact_id: str,
        *,
        version_id: str | None = None,
        offset: int | None = None,
        max_bytes: int | None = None,
        encoding: PreviewEncoding | None = None,
        timeout: float | None = None,
    ) -> Preview:
        """Look at an artifact.

        A page of text, rows of a table, cells of a notebook, or an image with its size. Of a Result,
        its newest version.

        Args:
            artifact_id: `art_…`, or `sessionId:ownerId:filename`, percent-encoded.
            version_id: Of a Result: this version instead of the newest.
            offset: Byte at which the page begins; of a notebook, the cell.
            max_bytes: Bytes the page has at most: 8,192 if left out, never more than 10 MiB.
            encoding: As the kind of file wants it if left out.

        Raises:
            HTTPError 404: artifact_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 410: artifact_damaged: the bytes are gone.

        `GET /artifact/{id}/preview`
        """
        call = Call(
            "GET",
            f"/artifact/{segment(artifact_id)}/preview",
            query={"versionID": version_id, "offset": offset, "maxBytes": max_bytes, "encoding": encoding},
            selects=True,
        )
        answer: Preview = self._transport.json(call, timeout)
        return answer

    def raw(
        self,
        artifact_id: str,
        *,
        version_id: str | None = None,
        download: bool | None = None,
        timeout: float | None = None,
    ) -> Download:
        """Read an artifact's bytes.

        They are compared with their digest before any is sent. What a browser would run is sandboxed.
        Who has them already (`If-None-Match`) is told so by 304.

        Args:
            artifact_id: `art_…`, or `sessionId:ownerId:filename`, percent-encoded.
            version_id: Another version than the newest.
            download: To be saved, not shown.

        Raises:
            HTTPError 404: artifact_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 410: artifact_damaged: the bytes are gone.
            HTTPError 416: range_not_satisfiable.

        `GET /artifact/{id}/raw`
        """
        call = Call(
            "GET",
            f"/artifact/{segment(artifact_id)}/raw",
            query={"versionID": version_id, "download": download},
            selects=True,
        )
        return self._transport.bytes(call, timeout)

    def list(
        self,
        session_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        timeout: float | None = None,
    ) -> List[ArtifactFile]:
        """List the files that a session has saved, oldest first.

        Each is there once, as it is with its message or in its run. `path` and `fileUrl` are for
        callers on the same machine. Files that no turn has claimed come last, without `versionID`.

        Args:
            limit: At most so many.
            after: Only files after this version: the `x-next-cursor` of the page before.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/artifact`
        """
        call = Call(
            "GET",
            f"/session/{segment(session_id)}/artifact",
            query={"limit": limit, "after": after},
            selects=True,
        )
        answer: List[ArtifactFile] = self._transport.json(call, timeout)
        return answer


class EventOperations(Operations):
    """What happens now, without cursor."""

    def subscribe(self, *, timeout: float | None = None) -> EventStream:
        """Listen to what happens in a project.

        Frames of `data` alone, each `{type, properties}`: `server.connected` first, then whatever
        this daemon does in the project from now on, journaled or not, and `server.heartbeat` at each
        interval. There is no cursor: who needs every event of a session follows `/runtime/events`.
        Closed on a client that falls 2,000 facts behind.

        One connection, opened when it is entered or first read; it does not reconnect.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 429: too_many_subscribers: come back after `Retry-After` seconds.

        `GET /event`
        """
        call = Call("GET", "/event", selects=True)
        return self._transport.stream(call, timeout)


class FileOperations(Operations):
    """Files that clients hand over for prompts."""

    def uploads(self, *, timeout: float | None = None) -> List[Upload]:
        """List uploads, newest first; at most 1,000.

        `GET /file/upload`
        """
        call = Call("GET", "/file/upload")
        answer: List[Upload] = self._transport.json(call, timeout)
        return answer

    def upload(
        self,
        content: Content,
        *,
        filename: str | None = None,
        mime: str | None = None,
        size: int | None = None,
        timeout: float | None = None,
    ) -> Upload:
        """Hand over a file.

        The body is the file itself, of any type, and goes to the disk as it comes. The answer's `url`
        names it in a `file` part of a prompt. A large file may come in pieces: give its `size`, then
        go on at `offset`.

        Args:
            filename: Its name, without directories; at most 255 bytes.
            mime: Its type; told by its name if left out.
            size: Bytes it will have, if it comes in pieces: it is whole once it has them.
            content: The bytes: as they are, a file opened for reading, or pieces one after the other.

        Raises:
            HTTPError 400: invalid_request.
            HTTPError 408: The body did not come on for a minute; what came is kept.
            HTTPError 413: The file is larger than `limit` bytes.
            HTTPError 507: storage_full.

        `POST /file/upload`
        """
        call = Call(
            "POST",
            "/file/upload",
            query={"filename": filename, "mime": mime, "size": size},
            content=content,
        )
        answer: Upload = self._transport.json(call, timeout)
        return answer

    def get(self, upload_id: str, *, timeout: float | None = None) -> Upload:
        """Read what is known of an upload.

        Raises:
            HTTPError 404: upload_not_found.

        `GET /file/upload/{id}`
        """
        call = Call("GET", f"/file/upload/{segment(upload_id)}")
        answer: Upload = self._transport.json(call, timeout)
        return answer

    def resume(
        self,
        upload_id: str,
        content: Content,
        *,
        offset: int,
        timeout: float | None = None,
    ) -> Upload:
        """Go on with a file.

        The body is the next piece. 409 `upload_offset` tells where it goes on if `offset` is not
        there.

        Args:
            offset: Bytes that are there already.
            content: The bytes: as they are, a file opened for reading, or pieces one after the other.

        Raises:
            HTTPError 400: invalid_request.
            HTTPError 404: upload_not_found.
            HTTPError 408: The body did not come on for a minute; what came is kept.
            HTTPError 409: upload_offset, upload_busy or upload_sealed.
            HTTPError 413: The file is larger than `limit` bytes.
            HTTPError 507: storage_full; what came is kept.

        `PUT /file/upload/{id}`
        """
        call = Call("PUT", f"/file/upload/{segment(upload_id)}", query={"offset": offset}, content=content)
        answer: Upload = self._transport.json(call, timeout)
        return answer

    def delete(self, upload_id: str, *, timeout: float | None = None) -> bool:
        """Throw an upload away.

        One that a message names stays: 409 `upload_in_use`.

        Raises:
            HTTPError 404: upload_not_found.
            HTTPError 409: upload_in_use.

        `DELETE /file/upload/{id}`
        """
        call = Call("DELETE", f"/file/upload/{segment(upload_id)}")
        answer: bool = self._transport.json(call, timeout)
        return answer

    def preview(
        self,
        upload_id: str,
        *,
        offset: int | None = None,
        max_bytes: int | None = None,
        encoding: PreviewEncoding | None = None,
        timeout: float | None = None,
    ) -> Preview:
        """Look at an upload.

        A page of text, rows of a table, cells of a notebook, or an image with its size.

        Args:
            offset: Byte at which the page begins; of a notebook, the cell.
            max_bytes: Bytes the page has at most: 8,192 if left out, never more than 10 MiB.
            encoding: As the kind of file wants it if left out.

        Raises:
            HTTPError 400: invalid_request: the offset is beyond the end.
            HTTPError 404: upload_not_found.

        `GET /file/upload/{id}/preview`
        """
        call = Call(
            "GET",
            f"/file/upload/{segment(upload_id)}/preview",
            query={"offset": offset, "maxBytes": max_bytes, "encoding": encoding},
        )
        answer: Preview = self._transport.json(call, timeout)
        return answer


class GlobalOperations(Operations):
    """The daemon itself."""

    def doc(self, *, timeout: float | None = None) -> dict[str, Any]:
        """This document.

        `GET /doc`
        """
        call = Call("GET", "/doc")
        answer: dict[str, Any] = self._transport.json(call, timeout)
        return answer

    def event(self, *, timeout: float | None = None) -> EventStream:
        """Listen to what happens in all projects.

        As `/event`, each frame `{directory, payload: {type, properties}}`; those of the daemon itself
        have no `directory`.

        One connection, opened when it is entered or first read; it does not reconnect.

        Raises:
            HTTPError 429: too_many_subscribers: come back after `Retry-After` seconds.
            HTTPError 503: shutting_down.

        `GET /global/event`
        """
        call = Call("GET", "/global/event")
        return self._transport.stream(call, timeout)

    def health(self, *, timeout: float | None = None) -> Health:
        """Tell that the daemon answers.

        Needs no token.

        `GET /global/health`
        """
        call = Call("GET", "/global/health")
        answer: Health = self._transport.json(call, timeout)
        return answer

    def metrics(self, *, timeout: float | None = None) -> str:
        """Read what is at work now, in the text format of Prometheus.

        `GET /metrics`
        """
        call = Call("GET", "/metrics")
        return self._transport.text(call, timeout)


class PermissionOperations(Operations):
    """Permissions that wait for an answer."""

    def list(self, *, timeout: float | None = None) -> List[PermissionRequest]:
        """List the permissions that wait in the sessions of a project.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /permission`
        """
        call = Call("GET", "/permission", selects=True)
        answer: List[PermissionRequest] = self._transport.json(call, timeout)
        return answer

    def standing(self, *, timeout: float | None = None) -> List[StandingGrant]:
        """List what people have allowed for more than one session: the project's grants and those for all.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /permission/standing`
        """
        call = Call("GET", "/permission/standing", selects=True)
        answer: List[StandingGrant] = self._transport.json(call, timeout)
        return answer

    def revoke(self, standing_id: str, *, timeout: float | None = None) -> bool:
        """Revoke a standing grant.

        The next request it would have covered is asked again.

        Raises:
            HTTPError 404: grant_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `DELETE /permission/standing/{id}`
        """
        call = Call("DELETE", f"/permission/standing/{segment(standing_id)}", selects=True)
        answer: bool = self._transport.json(call, timeout)
        return answer

    def reply(
        self,
        permission_id: str,
        *,
        reply: PermissionReply,
        message: str | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Answer a permission by its id alone.

        For older clients: `/runtime/decision` answers with the receipt and tells a conflict. Here a
        stored receipt wins, whatever it says.

        Raises:
            HTTPError 400: invalid_request or scope_not_available.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: decision_expired, or decision_not_owned with the `url` that can.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.

        `POST /permission/{id}/reply`
        """
        call = Call(
            "POST",
            f"/permission/{segment(permission_id)}/reply",
            fields={"reply": reply, "message": message},
            selects=True,
        )
        answer: bool = self._transport.json(call, timeout)
        return answer


class ProjectOperations(Operations):
    """Directories the daemon works for."""

    def list(self, *, timeout: float | None = None) -> List[Project]:
        """List all projects the daemon knows.

        Raises:
            HTTPError 503: store_unavailable.

        `GET /project`
        """
        call = Call("GET", "/project")
        answer: List[Project] = self._transport.json(call, timeout)
        return answer

    def current(self, *, timeout: float | None = None) -> Project:
        """Read the selected project.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /project/current`
        """
        call = Call("GET", "/project/current", selects=True)
        answer: Project = self._transport.json(call, timeout)
        return answer


class QuestionOperations(Operations):
    """Questions that wait for an answer."""

    def list(self, *, timeout: float | None = None) -> List[QuestionRequest]:
        """List the questions that wait in the sessions of a project.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /question`
        """
        call = Call("GET", "/question", selects=True)
        answer: List[QuestionRequest] = self._transport.json(call, timeout)
        return answer

    def reject(self, question_id: str, *, timeout: float | None = None) -> bool:
        """Dismiss a question by its id alone.

        A body is ignored.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: decision_expired, or decision_not_owned with the `url` that can.

        `POST /question/{id}/reject`
        """
        call = Call("POST", f"/question/{segment(question_id)}/reject", selects=True)
        answer: bool = self._transport.json(call, timeout)
        return answer

    def reply(self, question_id: str, *, answers: List[List[str]], timeout: float | None = None) -> bool:
        """Answer a question by its id alone.

        For older clients: `/runtime/decision` answers with the receipt and tells a conflict. Here a
        stored receipt wins, whatever it says.

        Raises:
            HTTPError 400: invalid_request or invalid_answer.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: decision_expired, or decision_not_owned with the `url` that can.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.

        `POST /question/{id}/reply`
        """
        call = Call(
            "POST",
            f"/question/{segment(question_id)}/reply",
            fields={"answers": answers},
            selects=True,
        )
        answer: bool = self._transport.json(call, timeout)
        return answer


class QueueOperations(Operations):
    """Prompts of a session that wait for its agent."""

    def list(self, session_id: str, *, timeout: float | None = None) -> Queue:
        """List the turns that wait for the agent, next first.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/queue`
        """
        call = Call("GET", f"/session/{segment(session_id)}/queue", selects=True)
        answer: Queue = self._transport.json(call, timeout)
        return answer

    def set(self, session_id: str, *, delivery: Delivery, timeout: float | None = None) -> Queue:
        """Set how waiting turns are sent from now on.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.

        `PUT /session/{id}/queue`
        """
        call = Call(
            "PUT",
            f"/session/{segment(session_id)}/queue",
            fields={"delivery": delivery},
            selects=True,
        )
        answer: Queue = self._transport.json(call, timeout)
        return answer

    def clear(self, session_id: str, *, timeout: float | None = None) -> Withdrawn:
        """Take every waiting turn back.

        Their messages stay. The turn the agent has goes on; a run that only waited ends cancelled.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: run_not_owned with the `url` that can.

        `DELETE /session/{id}/queue`
        """
        call = Call("DELETE", f"/session/{segment(session_id)}/queue", selects=True)
        answer: Withdrawn = self._transport.json(call, timeout)
        return answer

    def get(self, session_id: str, turn_id: str, *, timeout: float | None = None) -> QueuedTurn:
        """Read a turn that waits.

        Raises:
            HTTPError 404: session_not_found or turn_not_found.
            HTTPError 409: turn_not_queued: it does not wait any more.

        `GET /session/{id}/queue/{turnID}`
        """
        call = Call("GET", f"/session/{segment(session_id)}/queue/{segment(turn_id)}", selects=True)
        answer: QueuedTurn = self._transport.json(call, timeout)
        return answer

    def withdraw(self, session_id: str, turn_id: str, *, timeout: float | None = None) -> RunTurn:
        """Take a waiting turn back.

        Its message stays.

        Raises:
            HTTPError 404: session_not_found or turn_not_found.
            HTTPError 409: turn_not_queued, or run_not_owned with the `url` that can.

        `DELETE /session/{id}/queue/{turnID}`
        """
        call = Call("DELETE", f"/session/{segment(session_id)}/queue/{segment(turn_id)}", selects=True)
        answer: RunTurn = self._transport.json(call, timeout)
        return answer

    def send(self, session_id: str, turn_id: str, *, timeout: float | None = None) -> RunTurn:
        """Send a waiting turn next.

        The turn the agent has is cancelled for it; the run goes on.

        Raises:
            HTTPError 404: session_not_found or turn_not_found.
            HTTPError 409: turn_not_queued, or run_not_owned with the `url` that can.

        `POST /session/{id}/queue/{turnID}/send-now`
        """
        call = Call("POST", f"/session/{segment(session_id)}/queue/{segment(turn_id)}/send-now", selects=True)
        answer: RunTurn = self._transport.json(call, timeout)
        return answer


class ResultsOperations(Operations):
    """Results: what agents made, with all versions."""

    def declare(
        self,
        *,
        path: str,
        session_id: str,
        message_id: str | None = None,
        summary: str | None = None,
        timeout: float | None = None,
    ) -> Artifact:
        """Keep a file as a version of a Result.

        The same file again is the next version of the same Result.

        Args:
            path: Below the project, or below the session's own folder.

        Raises:
            HTTPError 400: invalid_request or artifact_refused.
            HTTPError 403: path_not_allowed: it leads out of the folders of the session.
            HTTPError 404: file_not_found, session_not_found or message_not_found.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 413: The file is larger than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 507: storage_full: too little space would be left.

        `POST /file/artifact`
        """
        call = Call(
            "POST",
            "/file/artifact",
            fields={"path": path, "sessionID": session_id, "messageID": message_id, "summary": summary},
            selects=True,
        )
        answer: Artifact = self._transport.json(call, timeout)
        return answer

    def list(self, *, state: ArtifactState | None = None, timeout: float | None = None) -> List[Artifact]:
        """List the Results of a project, the newest first.

        Args:
            state: `active` if absent.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /file/artifact-store`
        """
        call = Call("GET", "/file/artifact-store", query={"state": state}, selects=True)
        answer: List[Artifact] = self._transport.json(call, timeout)
        return answer

    def get(self, artifact_store_id: str, *, timeout: float | None = None) -> ArtifactDetail:
        """Read a Result with all its versions.

        Raises:
            HTTPError 404: artifact_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /file/artifact-store/{id}`
        """
        call = Call("GET", f"/file/artifact-store/{segment(artifact_store_id)}", selects=True)
        answer: ArtifactDetail = self._transport.json(call, timeout)
        return answer

    def trash(self, artifact_store_id: str, *, timeout: float | None = None) -> Artifact:
        """Put a Result into the trash.

        It is kept there for thirty days; saving it again takes it out.

        Raises:
            HTTPError 404: artifact_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `DELETE /file/artifact-store/{id}`
        """
        call = Call("DELETE", f"/file/artifact-store/{segment(artifact_store_id)}", selects=True)
        answer: Artifact = self._transport.json(call, timeout)
        return answer

    def update(self, artifact_store_id: str, *, title: str, timeout: float | None = None) -> Artifact:
        """Give a Result another title.

        Raises:
            HTTPError 404: artifact_not_found.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.

        `PATCH /file/artifact-store/{id}`
        """
        call = Call(
            "PATCH",
            f"/file/artifact-store/{segment(artifact_store_id)}",
            fields={"title": title},
            selects=True,
        )
        answer: Artifact = self._transport.json(call, timeout)
        return answer

    def raw(
        self,
        artifact_store_id: str,
        *,
        version_id: str | None = None,
        download: bool | None = None,
        timeout: float | None = None,
    ) -> Download:
        """Read the bytes of a version.

        Who has them already (`If-None-Match`) is told so by 304.

        Args:
            version_id: Another version than the newest.
            download: To be saved, not shown.

        Raises:
            HTTPError 404: artifact_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 410: artifact_damaged: the bytes are gone.
            HTTPError 416: range_not_satisfiable.

        `GET /file/artifact-store/{id}/raw`
        """
        call = Call(
            "GET",
            f"/file/artifact-store/{segment(artifact_store_id)}/raw",
            query={"versionID": version_id, "download": download},
            selects=True,
        )
        return self._transport.bytes(call, timeout)

    def restore(self, artifact_store_id: str, *, timeout: float | None = None) -> Artifact:
        """Take a Result out of the trash.

        Raises:
            HTTPError 404: artifact_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `POST /file/artifact-store/{id}/restore`
        """
        call = Call("POST", f"/file/artifact-store/{segment(artifact_store_id)}/restore", selects=True)
        answer: Artifact = self._transport.json(call, timeout)
        return answer


class RuntimeOperations(Operations):
    """Prompts, receipts, decisions and the event journal."""

    def cancel(self, *, session_id: str, run_id: str, timeout: float | None = None) -> RuntimeRun:
        """Cancel a run.

        A run that has ended is answered unchanged. Otherwise its terminal event follows.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.

        `POST /runtime/cancel`
        """
        call = Call(
            "POST",
            "/runtime/cancel",
            fields={"sessionID": session_id, "runID": run_id},
            selects=True,
        )
        answer: RuntimeRun = self._transport.json(call, timeout)
        return answer

    def capabilities(self, *, timeout: float | None = None) -> Capabilities:
        """Tell what this runtime can do.

        `GET /runtime/capabilities`
        """
        call = Call("GET", "/runtime/capabilities")
        answer: Capabilities = self._transport.json(call, timeout)
        return answer

    def decide(self, body: DecisionInput, *, timeout: float | None = None) -> DecisionResult:
        """Answer a permission or a question.

        The same answer again gets the same receipt.

        Raises:
            HTTPError 400: invalid_request, invalid_answer or scope_not_available.
            HTTPError 404: The session does not exist in this project.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: decision_conflict, decision_expired, or decision_not_owned with the `url` that can.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.

        `POST /runtime/decision`
        """
        call = Call("POST", "/runtime/decision", body=body, selects=True)
        answer: DecisionResult = self._transport.json(call, timeout)
        return answer

    def events(
        self,
        *,
        session_id: str,
        after_sequence: int | None = None,
        last_event_id: str | None = None,
        timeout: float | None = None,
    ) -> EventStream:
        """Follow the events of a session.

        Every retained event after the cursor, then each new one, each as a frame of `id` (the
        sequence), `event` (the type) and `data` (a RuntimeEvent on one line). A `Last-Event-ID`
        header that is not empty beats `afterSequence`. Comments keep the stream alive; it does not
        end with a run.

        Args:
            after_sequence: Sequence of the last event already seen; all retained events if absent.
            last_event_id: Where to go on.

        One connection, opened when it is entered or first read; it does not reconnect.

        Raises:
            HTTPError 400: invalid_request or invalid_cursor.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: cursor_expired or cursor_ahead, with `oldestSequence` and `latestSequence`.
            HTTPError 429: too_many_subscribers: come back after `Retry-After` seconds.

        `GET /runtime/events`
        """
        call = Call(
            "GET",
            "/runtime/events",
            query={"sessionID": session_id, "afterSequence": after_sequence},
            headers={"Last-Event-ID": last_event_id},
            selects=True,
        )
        return self._transport.stream(call, timeout)

    def replay(
        self,
        *,
        session_id: str,
        after_sequence: int | None = None,
        timeout: float | None = None,
    ) -> Replay:
        """Read retained events after a cursor.

        At most about 16 MiB at once: go on from the last sequence until the answer is empty.

        Args:
            after_sequence: Sequence of the last event already seen; all retained events if absent.

        Raises:
            HTTPError 400: invalid_request or invalid_cursor.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: cursor_expired or cursor_ahead, with `oldestSequence` and `latestSequence`.

        `GET /runtime/events/replay`
        """
        call = Call(
            "GET",
            "/runtime/events/replay",
            query={"sessionID": session_id, "afterSequence": after_sequence},
            selects=True,
        )
        answer: Replay = self._transport.json(call, timeout)
        return answer

    def prompt(
        self,
        *,
        session_id: str,
        effort: Effort,
        request_id: str | None = None,
        message_id: str | None = None,
        message: str | None = None,
        parts: List[InputPart] | None = None,
        model: ModelRef | None = None,
        variant: str | None = None,
        tier: str | None = None,
        context: int | None = None,
        delegation: bool | None = None,
        delegation_settings: DelegationSettings | None = None,
        deadline_ms: int | None = None,
        timeout: float | None = None,
    ) -> PromptAccepted:
        """Submit a prompt.

        Answers once the receipt is durable; the agent works on after the answer. The same `requestID`
        with the same prompt gets the same receipt. During a live run the prompt joins it: the answer
        is that run's receipt, with the turn the prompt became.

        Args:
            request_id: Idempotency key: the same key in the same session returns the same receipt. 1 to 200
                characters.
            message_id: A native message id, `^msg_[0-9a-fA-F]{12}[A-Za-z0-9]{14}$`; for advanced clients.
            message: The prompt as one text; left out if there are `parts`.
            parts: The prompt in parts; left out if there is a `message`.
            context: Context budget in tokens, greater than 0.
            deadline_ms: Milliseconds from acceptance after which the run is stopped and fails
                `deadline_exceeded`.

        Raises:
            HTTPError 404: The session does not exist in this project.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: request_conflict, queue_full, session_busy or session_deleting.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 429: too_many_sessions: come back after `Retry-After` seconds.

        `POST /runtime/prompt`
        """
        call = Call(
            "POST",
            "/runtime/prompt",
            fields={
                "sessionID": session_id, "effort": effort, "requestID": request_id, "messageID": message_id,
                "message": message, "parts": parts, "model": model, "variant": variant, "tier": tier,
                "context": context, "delegation": delegation, "delegationSettings": delegation_settings,
                "deadlineMs": deadline_ms,
            },
            selects=True,
        )
        answer: PromptAccepted = self._transport.json(call, timeout)
        return answer

    def run(
        self,
        *,
        session_id: str,
        run_id: str,
        turn_id: str | None = None,
        timeout: float | None = None,
    ) -> RuntimeRun:
        """Read the receipt of a run.

        A prompt that joined a run shares its receipt, with its own turn.

        Args:
            turn_id: A turn of the run, to be told with it.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /runtime/run`
        """
        call = Call(
            "GET",
            "/runtime/run",
            query={"sessionID": session_id, "runID": run_id, "turnID": turn_id},
            selects=True,
        )
        answer: RuntimeRun = self._transport.json(call, timeout)
        return answer

    def snapshot(self, *, session_id: str, timeout: float | None = None) -> Snapshot:
        """Read where a session stands, and the cursor to follow it from.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /runtime/snapshot`
        """
        call = Call("GET", "/runtime/snapshot", query={"sessionID": session_id}, selects=True)
        answer: Snapshot = self._transport.json(call, timeout)
        return answer


class SessionOperations(Operations):
    """Sessions and their transcripts."""

    def list(
        self,
        *,
        roots: bool | None = None,
        start: int | None = None,
        search: str | None = None,
        limit: int | None = None,
        before: str | None = None,
        source: Literal["local", "remote", "all"] | None = None,
        agent: str | None = None,
        cursor: str | None = None,
        timeout: float | None = None,
    ) -> SessionList:
        """List the sessions of a project, newest created first.

        Args:
            roots: Only sessions without a parent.
            start: Only sessions updated at or after this time, in milliseconds.
            search: Part of the title, in any case.
            limit: At most this many; all if absent or 0.
            before: Only sessions listed after this one.
            source: Whose sessions: this daemon's (`local`, the default), those an agent knows (`remote`), or
                both (`all`). The last two answer an object of references and take `agent` and `cursor` alone.
            agent: The agent that is asked; the default agent if left out.
            cursor: Of the page before, for `remote` and `all`.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session`
        """
        call = Call(
            "GET",
            "/session",
            query={
                "roots": roots, "start": start, "search": search, "limit": limit, "before": before,
                "source": source, "agent": agent, "cursor": cursor,
            },
            selects=True,
        )
        answer: SessionList = self._transport.json(call, timeout)
        return answer

    def create(
        self,
        *,
        id: str | None = None,
        parent_id: str | None = None,
        title: str | None = None,
        permission: List[Rule] | None = None,
        workspace: Workspace | None = None,
        working_root: str | None = None,
        agent: SessionAgentInput | None = None,
        deadline_ms: int | None = None,
        agent_session_id: str | None = None,
        open: OpenInput | None = None,
        initial_config: InitialConfigInput | None = None,
        system_prompt: str | None = None,
        mcp_servers: List[McpServerInput] | None = None,
        queue: QueuePolicy | None = None,
        timeout: float | None = None,
    ) -> Session:
        """Create a session.

        Starts no agent. With an `id` it is idempotent: the session of that id is returned if it
        exists.

        Args:
            id: Makes the creation idempotent: an existing session of that id is returned.
            permission: Rules of this session alone, before those of the configuration.
            workspace: Where the agent works; isolated if left out.
            working_root: Only `scratch`, which is what an isolated session has.
            agent: The agent; the default agent if left out.
            deadline_ms: Default deadline of its runs, in milliseconds.
            agent_session_id: A conversation the agent holds, which this session takes over now: the agent's
                id of it.
            open: How it is taken up; with `agentSessionID`.
            initial_config: How its agent is to be set when it is opened.
            system_prompt: Instructions its agent is opened with; not for a conversation that is taken over.
            mcp_servers: MCP servers its agent is given besides the configured ones.
            queue: How prompts that wait for the agent are sent; coalesced if left out.

        Raises:
            HTTPError 400: invalid_request, agent_not_found, system_prompt_unsupported or not_available.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: workspace_mismatch, session_conflict, session_deleted, session_deleting; for a
                conversation that is taken over also agent_session_taken, method_not_supported or
                auth_required.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 502: The agent of a conversation that is taken over could not be started or asked, or
                refused.

        `POST /session`
        """
        call = Call(
            "POST",
            "/session",
            fields={
                "id": id, "parentID": parent_id, "title": title, "permission": permission,
                "workspace": workspace, "workingRoot": working_root, "agent": agent,
                "deadlineMs": deadline_ms, "agentSessionID": agent_session_id, "open": open,
                "initialConfig": initial_config, "systemPrompt": system_prompt, "mcpServers": mcp_servers,
                "queue": queue,
            },
            selects=True,
        )
        answer: Session = self._transport.json(call, timeout)
        return answer

    def status(self, *, timeout: float | None = None) -> dict[str, SessionStatus]:
        """Tell which sessions of a project are at work.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/status`
        """
        call = Call("GET", "/session/status", selects=True)
        answer: dict[str, SessionStatus] = self._transport.json(call, timeout)
        return answer

    def get(self, session_id: str, *, timeout: float | None = None) -> Session:
        """Read a session.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}`
        """
        call = Call("GET", f"/session/{segment(session_id)}", selects=True)
        answer: Session = self._transport.json(call, timeout)
        return answer

    def delete(self, session_id: str, *, timeout: float | None = None) -> bool:
        """Delete a session and its children.

        A live run is cancelled first. Files of the project stay.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `DELETE /session/{id}`
        """
        call = Call("DELETE", f"/session/{segment(session_id)}", selects=True)
        answer: bool = self._transport.json(call, timeout)
        return answer

    def update(
        self,
        session_id: str,
        *,
        title: str | None = None,
        time: SessionTimeChange | None = None,
        timeout: float | None = None,
    ) -> Session:
        """Change the title or the marks of a session.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.

        `PATCH /session/{id}`
        """
        call = Call(
            "PATCH",
            f"/session/{segment(session_id)}",
            fields={"title": title, "time": time},
            selects=True,
        )
        answer: Session = self._transport.json(call, timeout)
        return answer

    def abort(
        self,
        session_id: str,
        *,
        abort_source: str | None = None,
        timeout: float | None = None,
    ) -> bool:
        """Stop whatever a session is doing.

        Fine if it is idle. A body is ignored.

        Args:
            abort_source: `runner_timeout` if a harness ran out of time; else a person is assumed.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `POST /session/{id}/abort`
        """
        call = Call(
            "POST",
            f"/session/{segment(session_id)}/abort",
            headers={"x-openscience-abort-source": abort_source},
            selects=True,
        )
        answer: bool = self._transport.json(call, timeout)
        return answer

    def agent(self, session_id: str, *, timeout: float | None = None) -> SessionAgent:
        """Read the agent of a session: how it is started, what it told of itself, how it is set.

        Starts nothing: what the agent told is from when the session was opened last.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/agent`
        """
        call = Call("GET", f"/session/{segment(session_id)}/agent", selects=True)
        answer: SessionAgent = self._transport.json(call, timeout)
        return answer

    def config(self, session_id: str, *, id: str, value: Any, timeout: float | None = None) -> SessionAgent:
        """Set a config option of a session's agent, between turns.

        Opens the conversation if need be. It is set again where the agent has to begin afresh.

        Args:
            id: Id, category or name of the option.
            value: Its value or the name of it: a text, a number, or true or false.

        Raises:
            HTTPError 400: invalid_request, config_option_not_found or config_value_invalid.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: session_busy, method_not_supported or auth_required.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 502: The agent could not be started or asked, or refused.

        `POST /session/{id}/agent/config`
        """
        call = Call(
            "POST",
            f"/session/{segment(session_id)}/agent/config",
            fields={"id": id, "value": value},
            selects=True,
        )
        answer: SessionAgent = self._transport.json(call, timeout)
        return answer

    def mode(self, session_id: str, *, mode: str, timeout: float | None = None) -> SessionAgent:
        """Set the mode of a session's agent, between turns.

        Opens the conversation if need be. It is set again where the agent has to begin afresh.

        Args:
            mode: Id, name or alias.

        Raises:
            HTTPError 400: invalid_request or mode_not_found.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: session_busy, method_not_supported or auth_required.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 502: The agent could not be started or asked, or refused.

        `POST /session/{id}/agent/mode`
        """
        call = Call("POST", f"/session/{segment(session_id)}/agent/mode", fields={"mode": mode}, selects=True)
        answer: SessionAgent = self._transport.json(call, timeout)
        return answer

    def children(self, session_id: str, *, timeout: float | None = None) -> List[Session]:
        """List the sessions that have this one as their parent.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/children`
        """
        call = Call("GET", f"/session/{segment(session_id)}/children", selects=True)
        answer: List[Session] = self._transport.json(call, timeout)
        return answer

    def close(self, session_id: str, *, timeout: float | None = None) -> bool:
        """Let the conversation of a session go: the agent frees what it holds of it.

        Nothing is deleted; the next prompt opens it again. A body is ignored.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: session_busy or session_deleting.

        `POST /session/{id}/close`
        """
        call = Call("POST", f"/session/{segment(session_id)}/close", selects=True)
        answer: bool = self._transport.json(call, timeout)
        return answer

    def fork(
        self,
        session_id: str,
        *,
        id: str | None = None,
        title: str | None = None,
        timeout: float | None = None,
    ) -> Session:
        """Make a session of another one's conversation so far, at the agent and here.

        The source stays as it is. An isolated fork begins with an empty scratch folder.

        Args:
            id: Makes the fork idempotent: the fork of that id is returned if there is one.

        Raises:
            HTTPError 400: invalid_request or system_prompt_unsupported.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: session_busy, agent_session_missing, method_not_supported, session_conflict,
                session_deleted or auth_required.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 502: The agent could not be started or asked, or refused.

        `POST /session/{id}/fork`
        """
        call = Call(
            "POST",
            f"/session/{segment(session_id)}/fork",
            fields={"id": id, "title": title},
            selects=True,
        )
        answer: Session = self._transport.json(call, timeout)
        return answer

    def load(
        self,
        session_id: str,
        body: OpenBody | None = None,
        *,
        timeout: float | None = None,
    ) -> SessionAgent:
        """Open the conversation of a session now, by `session/load`.

        There is no other way tried if the agent refuses. One that is open stays as it is.

        Raises:
            HTTPError 400: invalid_request or system_prompt_unsupported.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: session_busy, agent_session_missing, method_not_supported or auth_required.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 502: The agent could not be started or asked, or refused.

        `POST /session/{id}/load`
        """
        call = Call("POST", f"/session/{segment(session_id)}/load", body=body, selects=True)
        answer: SessionAgent = self._transport.json(call, timeout)
        return answer

    def messages(
        self,
        session_id: str,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> List[Message]:
        """Read the messages of a session, oldest first.

        Args:
            limit: Only the newest so many; all if absent or 0.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/message`
        """
        call = Call("GET", f"/session/{segment(session_id)}/message", query={"limit": limit}, selects=True)
        answer: List[Message] = self._transport.json(call, timeout)
        return answer

    def message(self, session_id: str, message_id: str, *, timeout: float | None = None) -> Message:
        """Read one message.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/message/{messageID}`
        """
        call = Call("GET", f"/session/{segment(session_id)}/message/{segment(message_id)}", selects=True)
        answer: Message = self._transport.json(call, timeout)
        return answer

    def resume(
        self,
        session_id: str,
        body: OpenBody | None = None,
        *,
        timeout: float | None = None,
    ) -> SessionAgent:
        """Open the conversation of a session now, by `session/resume`.

        There is no other way tried if the agent refuses. One that is open stays as it is.

        Raises:
            HTTPError 400: invalid_request or system_prompt_unsupported.
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 408: The body did not come on for a minute.
            HTTPError 409: session_busy, agent_session_missing, method_not_supported or auth_required.
            HTTPError 413: The body is longer than `limit` bytes.
            HTTPError 415: The body is not application/json.
            HTTPError 502: The agent could not be started or asked, or refused.

        `POST /session/{id}/resume`
        """
        call = Call("POST", f"/session/{segment(session_id)}/resume", body=body, selects=True)
        answer: SessionAgent = self._transport.json(call, timeout)
        return answer

    def todo(self, session_id: str, *, timeout: float | None = None) -> List[Todo]:
        """Read the agent's plan.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/todo`
        """
        call = Call("GET", f"/session/{segment(session_id)}/todo", selects=True)
        answer: List[Todo] = self._transport.json(call, timeout)
        return answer


class SettingsOperations(Operations):
    """What other servers keep and this daemon does not have."""

    def jobs(self, *, timeout: float | None = None) -> List[dict[str, Any]]:
        """List compute jobs.

        Always empty: this daemon runs agents and no jobs.

        `GET /settings/compute/jobs`
        """
        call = Call("GET", "/settings/compute/jobs")
        answer: List[dict[str, Any]] = self._transport.json(call, timeout)
        return answer


class StateOperations(Operations):
    """A session as objects: thread, diffs, terminals, tool calls, operations."""

    def get(self, session_id: str, *, timeout: float | None = None) -> SessionState:
        """Read everything that is known of a session.

        `revision` grows with each change. Who follows `/state/events` first and reads this then
        leaves out updates of that revision and older ones.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state", selects=True)
        answer: SessionState = self._transport.json(call, timeout)
        return answer

    def diffs(
        self,
        session_id: str,
        *,
        path: str | None = None,
        timeout: float | None = None,
    ) -> List[StateDiff]:
        """Read what became of files: the newest change of each path.

        Args:
            path: Only the change of that path.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/diffs`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/diffs", query={"path": path}, selects=True)
        answer: List[StateDiff] = self._transport.json(call, timeout)
        return answer

    def events(self, session_id: str, *, timeout: float | None = None) -> EventStream:
        """Follow the read model.

        Frames of `event` (the update's `type`) and `data` (a StateEvent on one line): each object
        that came or changed, whole, with the session's `revision`. What changes quickly is told as it
        is then, some times a second. There is no cursor: read `/state` after connecting.

        One connection, opened when it is entered or first read; it does not reconnect.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.
            HTTPError 429: too_many_subscribers: come back after `Retry-After` seconds.

        `GET /session/{id}/state/events`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/events", selects=True)
        return self._transport.stream(call, timeout)

    def metadata(self, session_id: str, *, timeout: float | None = None) -> StateMetadata:
        """Read what the session is called and set to.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/metadata`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/metadata", selects=True)
        answer: StateMetadata = self._transport.json(call, timeout)
        return answer

    def operations(self, session_id: str, *, timeout: float | None = None) -> List[OperationBundle]:
        """Read what the agent did or wants to do, each with the permissions that were asked for it.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/operations`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/operations", selects=True)
        answer: List[OperationBundle] = self._transport.json(call, timeout)
        return answer

    def operation(
        self,
        session_id: str,
        operation_id: str,
        *,
        timeout: float | None = None,
    ) -> OperationBundle:
        """Read one operation with its permissions.

        Raises:
            HTTPError 404: session_not_found or operation_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/operations/{operationID}`
        """
        call = Call(
            "GET",
            f"/session/{segment(session_id)}/state/operations/{segment(operation_id)}",
            selects=True,
        )
        answer: OperationBundle = self._transport.json(call, timeout)
        return answer

    def permissions(self, session_id: str, *, timeout: float | None = None) -> List[StatePermission]:
        """Read the permissions that were asked for, answered or not.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/permissions`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/permissions", selects=True)
        answer: List[StatePermission] = self._transport.json(call, timeout)
        return answer

    def permission(
        self,
        session_id: str,
        request_id: str,
        *,
        timeout: float | None = None,
    ) -> StatePermission:
        """Read one permission.

        Raises:
            HTTPError 404: session_not_found or permission_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/permissions/{requestID}`
        """
        call = Call(
            "GET",
            f"/session/{segment(session_id)}/state/permissions/{segment(request_id)}",
            selects=True,
        )
        answer: StatePermission = self._transport.json(call, timeout)
        return answer

    def terminals(self, session_id: str, *, timeout: float | None = None) -> List[StateTerminal]:
        """Read the terminals that ran, or run, for the agent.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/terminals`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/terminals", selects=True)
        answer: List[StateTerminal] = self._transport.json(call, timeout)
        return answer

    def terminal(self, session_id: str, terminal_id: str, *, timeout: float | None = None) -> StateTerminal:
        """Read one terminal as it was last seen.

        Raises:
            HTTPError 404: session_not_found or terminal_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/terminals/{terminalID}`
        """
        call = Call(
            "GET",
            f"/session/{segment(session_id)}/state/terminals/{segment(terminal_id)}",
            selects=True,
        )
        answer: StateTerminal = self._transport.json(call, timeout)
        return answer

    def kill(self, session_id: str, terminal_id: str, *, timeout: float | None = None) -> StateTerminal:
        """Ask a terminal's command to end.

        The agent may still ask for its output. The answer may still say `running`: wait for the end.

        Raises:
            HTTPError 404: session_not_found or terminal_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `POST /session/{id}/state/terminals/{terminalID}/kill`
        """
        call = Call(
            "POST",
            f"/session/{segment(session_id)}/state/terminals/{segment(terminal_id)}/kill",
            selects=True,
        )
        answer: StateTerminal = self._transport.json(call, timeout)
        return answer

    def refresh(self, session_id: str, terminal_id: str, *, timeout: float | None = None) -> StateTerminal:
        """Look at a terminal's output now.

        Raises:
            HTTPError 404: session_not_found or terminal_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `POST /session/{id}/state/terminals/{terminalID}/refresh`
        """
        call = Call(
            "POST",
            f"/session/{segment(session_id)}/state/terminals/{segment(terminal_id)}/refresh",
            selects=True,
        )
        answer: StateTerminal = self._transport.json(call, timeout)
        return answer

    def release(self, session_id: str, terminal_id: str, *, timeout: float | None = None) -> StateTerminal:
        """End a terminal's command and let go of it: the agent cannot ask for it any more.

        Raises:
            HTTPError 404: session_not_found or terminal_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `POST /session/{id}/state/terminals/{terminalID}/release`
        """
        call = Call(
            "POST",
            f"/session/{segment(session_id)}/state/terminals/{segment(terminal_id)}/release",
            selects=True,
        )
        answer: StateTerminal = self._transport.json(call, timeout)
        return answer

    def wait(
        self,
        session_id: str,
        terminal_id: str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> StateTerminal:
        """Wait until a terminal's command has ended.

        Answers the terminal as it is then, or after `timeoutMs` as it is.

        Args:
            timeout_ms: How long to wait: a minute if absent, ten at most.

        Raises:
            HTTPError 404: session_not_found or terminal_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `POST /session/{id}/state/terminals/{terminalID}/wait`
        """
        call = Call(
            "POST",
            f"/session/{segment(session_id)}/state/terminals/{segment(terminal_id)}/wait",
            query={"timeoutMs": timeout_ms},
            selects=True,
        )
        answer: StateTerminal = self._transport.json(call, timeout)
        return answer

    def threads(self, session_id: str, *, timeout: float | None = None) -> List[ThreadEntry]:
        """Read the conversation as entries in order.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/threads`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/threads", selects=True)
        answer: List[ThreadEntry] = self._transport.json(call, timeout)
        return answer

    def toolcalls(self, session_id: str, *, timeout: float | None = None) -> List[ToolCallBundle]:
        """Read the tool calls, each with what it changed and ran.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/tool-calls`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/tool-calls", selects=True)
        answer: List[ToolCallBundle] = self._transport.json(call, timeout)
        return answer

    def toolcall(self, session_id: str, tool_call_id: str, *, timeout: float | None = None) -> ToolCallBundle:
        """Read one tool call with what it changed and ran.

        Args:
            tool_call_id: Its id in the transcript, or the agent's own, which then means the newest.

        Raises:
            HTTPError 404: session_not_found or tool_call_not_found.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/tool-calls/{toolCallID}`
        """
        call = Call(
            "GET",
            f"/session/{segment(session_id)}/state/tool-calls/{segment(tool_call_id)}",
            selects=True,
        )
        answer: ToolCallBundle = self._transport.json(call, timeout)
        return answer

    def usage(self, session_id: str, *, timeout: float | None = None) -> StateUsage:
        """Read the tokens and the cost that the agent told; an empty object if it told none.

        Raises:
            HTTPError 404: The project, or what the request names, does not exist.
            HTTPError 409: The directory is not that of the project, or see the code.

        `GET /session/{id}/state/usage`
        """
        call = Call("GET", f"/session/{segment(session_id)}/state/usage", selects=True)
        answer: StateUsage = self._transport.json(call, timeout)
        return answer


class TurnOperations(Operations):
    """Single prompts of a run."""

    def cancel(self, session_id: str, turn_id: str, *, timeout: float | None = None) -> RunTurn:
        """Cancel a turn and not its run.

        The next turn of the run follows; a run without one ends cancelled. A turn that waits is taken
        back; one that has ended is answered as it is.

        Raises:
            HTTPError 404: session_not_found or turn_not_found.
            HTTPError 409: run_not_owned with the `url` that can.

        `POST /session/{id}/turn/{turnID}/cancel`
        """
        call = Call("POST", f"/session/{segment(session_id)}/turn/{segment(turn_id)}/cancel", selects=True)
        answer: RunTurn = self._transport.json(call, timeout)
        return answer


class Namespaces:
    """All operations, grouped as in the document."""

    def __init__(self, transport: Transport) -> None:
        self.agent = AgentOperations(transport)
        self.artifact = ArtifactOperations(transport)
        self.event = EventOperations(transport)
        self.file = FileOperations(transport)
        self.global_ = GlobalOperations(transport)
        self.permission = PermissionOperations(transport)
        self.project = ProjectOperations(transport)
        self.question = QuestionOperations(transport)
        self.queue = QueueOperations(transport)
        self.results = ResultsOperations(transport)
        self.runtime = RuntimeOperations(transport)
        self.session = SessionOperations(transport)
        self.settings = SettingsOperations(transport)
        self.state = StateOperations(transport)
        self.turn = TurnOperations(transport)
