# Written by tools/generate.py from aio.py; change that instead.
"""How does a program use the daemon?

`Client` has the verbs an integration needs by name, and every operation of the HTTP interface below
`client.session`, `client.queue`, `client.agent` and so on. Records are dictionaries with the keys of the
wire (`openscience.types`); what a newer daemon adds stays in them.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ._connection import sleep
from ._readers import Events, Follow
from ._transport import Transport
from ._generated.operations import Namespaces
from ._generated.types import (
    Capabilities,
    DecisionResult,
    DelegationSettings,
    Effort,
    InitialConfigInput,
    InputPart,
    McpServerInput,
    Message,
    ModelRef,
    PermissionReply,
    PromptAccepted,
    Rule,
    RuntimeRun,
    Session,
    SessionAgentInput,
    Snapshot,
    Workspace,
)
from ._prompt import Prompt, dropped, listed
from ._verbs import (
    DEFAULT_URL,
    MAX_EVENT_BYTES,
    MAX_RESPONSE_BYTES,
    Look,
    OnWaiting,
    ReplayPage,
    capabilities_checked,
)
from ._wire import Address, Call, Directory, segment, sequence
from .cursors import CursorStore, MemoryCursorStore
from .errors import ConnectionError, HTTPError, ProtocolError
from .events import Attempts, Backoff

__all__ = ["Client"]


class Client(Namespaces):
    """The daemon, for programs that wait for their answers.

    Threads may share it. It keeps a few connections: `close` it, or use it in a `with`.

        with Client(directory="/path/to/project") as client:
            session = client.create_session("Calibration")
            accepted = client.prompt(session["id"], "Analyze the data.", request_id="job-17")
            run = client.wait(session["id"], accepted["runID"])
    """

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        *,
        token: str | None = None,
        directory: Directory | None = None,
        project: str | None = None,
        timeout: float | None = 60.0,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
        max_event_bytes: int = MAX_EVENT_BYTES,
        prompt_retries: int = 5,
        retry_delay: float = 0.2,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """
        Args:
            base_url: Where the daemon listens, as it printed it.
            token: The bearer token, if the daemon was started with one.
            directory: Project directory; the daemon's own if left out. It selects, it does not authorize.
            project: Id of the project, in place of or besides its directory.
            timeout: Seconds the daemon may say nothing before a request is given up. Streams say something
                every five seconds. None waits for ever.
            max_response_bytes: Longer answers are refused with ProtocolError.
            max_event_bytes: The same for one event of a stream.
            prompt_retries: How often `prompt` is sent again, under its key, when the connection is lost.
            retry_delay: Seconds before the first of these, doubled each time and jittered.
            ssl_context: For https addresses.
        """
        if timeout is not None and not timeout > 0:
            raise ValueError("timeout is more than 0 seconds, or None")
        if max_response_bytes < 1 or max_event_bytes < 1:
            raise ValueError("limits are 1 byte or more")
        if prompt_retries < 0:
            raise ValueError("prompt_retries is 0 or more")
        address = Address(base_url, token, directory, project)
        self._transport = Transport(address, timeout, max_response_bytes, max_event_bytes, ssl_context)
        self._prompt_retries = prompt_retries
        self._retry_delay = retry_delay
        super().__init__(self._transport)

    @property
    def base_url(self) -> str:
        return self._transport.address.base_url

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.base_url!r})"

    def close(self) -> None:
        """Closes the connections that are kept. Streams have their own and end by themselves."""
        self._transport.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Any operation that answers JSON, for daemons newer than this package."""
        call = Call(method, path, query=query or {}, headers=headers or {}, body=body, selects=True)
        return self._transport.json(call, timeout)

    # Sessions

    def capabilities(self) -> Capabilities:
        """What the runtime can do. ProtocolError unless it speaks this package's protocol."""
        return capabilities_checked(self.runtime.capabilities())

    def create_session(
        self,
        title: str | None = None,
        workspace: Workspace | None = None,
        *,
        id: str | None = None,
        agent: SessionAgentInput | None = None,
        permission: Sequence[Rule] | None = None,
        deadline_ms: int | None = None,
        mcp_servers: Sequence[McpServerInput] | None = None,
        parent_id: str | None = None,
        system_prompt: str | None = None,
        initial_config: InitialConfigInput | None = None,
    ) -> Session:
        """Creates a session. No agent is started yet. `session.create` takes everything there is.

        Args:
            title: For people.
            workspace: `isolated` (default): an empty folder of its own; `project`: the project directory.
            id: `ses_…` of your own: creating it again then answers the same session.
            agent: Id or alias of the agent, or how to start one.
            permission: Rules of this session, before those of the configuration.
            deadline_ms: Default deadline of its runs, in milliseconds.
            mcp_servers: MCP servers its agent is given besides the configured ones.
            parent_id: The session it belongs to.
            system_prompt: Instructions its agent is opened with.
            initial_config: Mode, model and effort its agent is set to when it is opened.
        """
        fields = dropped(
            title=title,
            workspace=workspace,
            id=id,
            agent=agent,
            permission=listed(permission),
            deadlineMs=deadline_ms,
            mcpServers=listed(mcp_servers),
            parentID=parent_id,
            systemPrompt=system_prompt,
            initialConfig=initial_config,
        )
        result: Session = self._transport.json(Call("POST", "/session", fields=fields, selects=True))
        return result

    def get_session(self, session_id: str) -> Session:
        """One session."""
        return self.session.get(session_id)

    def iter_sessions(
        self,
        *,
        roots: bool | None = None,
        start: int | None = None,
        search: str | None = None,
        page_size: int = 100,
    ) -> Iterator[Session]:
        """All sessions of the project, newest created first.

        Args:
            roots: Only sessions without a parent.
            start: Only sessions updated at or after this time, in milliseconds since 1970.
            search: Part of the title, in any case.
            page_size: How many are asked for at once.
        """
        before: str | None = None
        while True:
            page = self.session.list(
                roots=roots, start=start, search=search, limit=page_size, before=before
            )
            if not isinstance(page, list):
                raise ProtocolError("a list of sessions is none")
            for session in page:
                yield session
            if len(page) < page_size:
                return
            before = page[-1]["id"]

    def messages(self, session_id: str, limit: int | None = None) -> list[Message]:
        """The transcript, oldest first; with a limit the newest so many."""
        return self.session.messages(session_id, limit=limit)

    def get_message(self, session_id: str, message_id: str) -> Message:
        """One message, whole."""
        return self.session.message(session_id, message_id)

    def abort_session(self, session_id: str) -> bool:
        """Stops whatever the session does; fine if it does nothing."""
        call = Call("POST", f"/session/{segment(session_id)}/abort", body={}, selects=True)
        result: bool = self._transport.json(call)
        return result

    # Prompts and runs

    def prompt(
        self,
        session_id: str,
        message: str | None = None,
        *,
        request_id: str | None = None,
        parts: Sequence[InputPart] | None = None,
        effort: Effort = "normal",
        model: ModelRef | None = None,
        variant: str | None = None,
        tier: str | None = None,
        context: int | None = None,
        message_id: str | None = None,
        delegation: bool | None = None,
        delegation_settings: DelegationSettings | None = None,
        deadline_ms: int | None = None,
    ) -> PromptAccepted:
        """Submits a prompt. The answer acknowledges admission, not success: `wait` for the run.

        It has a key, `request_id`: under it the same prompt gets the same receipt, however often it is
        sent. Persist your own before you call, and a crash of your program changes nothing. Without
        one the prompt gets a random key, so that it is still admitted once when the connection is lost
        and it is sent again.

        Args:
            session_id: The conversation.
            message: The prompt as one text, or
            parts: in parts; exactly one of the two.
            request_id: Your key, 1 to 200 characters, unique in its session.
            effort: `ultra` for the agent's highest thought level.
            model: `{"providerID": …, "modelID": …}`; the agent's own if left out.
            variant: Name of a thought level.
            message_id: Id of the user message; serves as the key if there is no request_id.
            deadline_ms: Milliseconds from acceptance after which the run is stopped.

        Raises:
            HTTPError 409: `request_conflict` if the key was used with another prompt.
            ConnectionError: Whether it was admitted is not known; its `request_id` is the key to send the
                same prompt under again.
        """
        prompt = Prompt(
            session_id,
            message,
            parts,
            request_id,
            message_id,
            effort,
            model,
            variant,
            tier,
            context,
            delegation,
            delegation_settings,
            deadline_ms,
        )
        backoff = Backoff(self._retry_delay)
        for left in range(self._prompt_retries, -1, -1):
            try:
                result: PromptAccepted = self._transport.json(prompt.call())
                return result
            except ConnectionError as error:
                prompt.name(error)
                if not left:
                    raise
            sleep(backoff.next())
        raise AssertionError("unreachable")

    def get_run(self, session_id: str, run_id: str, turn_id: str | None = None) -> RuntimeRun:
        """The receipt of a run, with one of its turns if that is named."""
        return self.runtime.run(session_id=session_id, run_id=run_id, turn_id=turn_id)

    def wait(
        self,
        session_id: str,
        run_id: str,
        *,
        timeout: float | None = None,
        interval: float = 1.0,
        on_waiting: OnWaiting = "wait",
        patience: float = 60.0,
    ) -> RuntimeRun:
        """Waits until a run has ended and answers its receipt. It never decides and never prompts.

        It reads the receipt again and again, first often, then every `interval` seconds: the receipt is
        what counts, and it survives restarts of the daemon and lost connections.

        Args:
            timeout: Seconds after which WaitTimeout is raised; the run goes on. None: no limit.
            interval: Seconds between two looks, at most.
            on_waiting: What to do when the run waits for a person: go on waiting, `return` the receipt
                (its `waiting` names the requests) or `raise` DecisionNeeded.
            patience: Seconds without any answer of the daemon after which its fault is raised.
        """
        look = Look(run_id, timeout, interval, on_waiting, patience)
        while True:
            try:
                limit = look.limit(self._transport.timeout)
                run = self.runtime.run(session_id=session_id, run_id=run_id, timeout=limit)
            except (ConnectionError, HTTPError) as error:
                delay = look.failed(error)
            else:
                if look.is_over(run):
                    return run
                delay = look.delay()
            sleep(delay)

    def result(self, run: RuntimeRun) -> Message | None:
        """The message that holds what a run said; None if it said nothing. Also of runs that failed."""
        message_id = run.get("resultMessageID")
        return None if message_id is None else self.get_message(run["sessionID"], message_id)

    def cancel_run(self, session_id: str, run_id: str) -> RuntimeRun:
        """Asks for the end of one run. It may still say `running`: `wait` for it.

        A run that has ended is answered unchanged, and a later one is never touched.
        """
        return self.runtime.cancel(session_id=session_id, run_id=run_id)

    # Events

    def snapshot(self, session_id: str) -> Snapshot:
        """Where a session stands: its runs, what waits for a person, the cursor to follow it from."""
        return self.runtime.snapshot(session_id=session_id)

    def replay(self, session_id: str, after_sequence: int | None = None) -> ReplayPage:
        """Retained events after a cursor, at most about 16 MiB: go on from the last until it is empty.

        Raises:
            CursorError: That cursor is too old, or of another session.
        """
        body = self.runtime.replay(session_id=session_id, after_sequence=sequence(after_sequence))
        return ReplayPage(body)

    def events(
        self,
        session_id: str,
        after_sequence: int | None = None,
        reconnects: int | None = 0,
        retry_delay: float = 1.0,
    ) -> Events:
        """Every retained event after the cursor, then each new one, each once and none left out.

        Use it in a `with`, or `close` it. It does not end with a run: stop at `event.is_terminal`.

        Args:
            after_sequence: Sequence of the last event already handled; all retained ones if left out.
            reconnects: How often to connect again after a fault or an end of the stream, in all; None for
                no limit. A stream that ends after the last of them ends the iteration, a fault is raised.
            retry_delay: Seconds before the first of these, doubled each time and jittered, up to 30.

        Raises:
            CursorError: That cursor is too old, or ahead: take a snapshot. `follow` does so.
            EventGapError: An event is missing.
        """
        attempts = Attempts(reconnects, retry_delay, renews=False)
        return Events(self._transport, session_id, sequence(after_sequence), attempts)

    def follow(
        self,
        session_id: str,
        *,
        cursor: CursorStore | None = None,
        after_sequence: int | None = None,
        reconnects: int | None = None,
        retry_delay: float = 0.2,
    ) -> Follow:
        """Follows a session through lost connections and restarts, from where you left off.

        Yields `Resync` with a snapshot first, unless there is a cursor, and wherever events are gone for
        good; else every RuntimeEvent once. The cursor is saved when you ask for the next one, so an
        event under which your program dies comes again.

        Args:
            cursor: Where the cursor is kept, such as `FileCursorStore`.
            after_sequence: Start here, whatever the store says.
            reconnects: How many attempts in a row may bring nothing; None for no limit.
            retry_delay: As for `events`.
        """
        start = sequence(after_sequence)
        attempts = Attempts(reconnects, retry_delay, renews=True)
        return Follow(self._transport, session_id, cursor or MemoryCursorStore(), start, attempts)

    # Decisions

    def reply_permission(
        self, session_id: str, request_id: str, reply: PermissionReply, message: str | None = None
    ) -> DecisionResult:
        """Answers a permission of a fresh snapshot. The same answer again gets the same receipt.

        Args:
            session_id: The session of the request itself, as the snapshot names it.
            request_id: `per_…`.
            reply: How far it reaches: `once`, `session`, `project`, `always`, or `reject`.
            message: With `reject`: why; the agent gets it as its next prompt.

        Raises:
            HTTPError 409: `decision_conflict`: it was answered differently; `decision_expired`: nobody can
                answer it any more; `decision_not_owned`: answer it at the `url` in the body.
            HTTPError 400: `scope_not_available`: it cannot be granted that widely.
        """
        fields = {"kind": "permission", "sessionID": session_id, "requestID": request_id, "reply": reply}
        return self._decide({**fields, **dropped(message=message)})

    def reply_question(
        self, session_id: str, request_id: str, answers: list[list[str]]
    ) -> DecisionResult:
        """Answers questions of a fresh snapshot: one list of labels per question, in order."""
        fields = {"kind": "question", "sessionID": session_id, "requestID": request_id, "answers": answers}
        return self._decide(fields)

    def reject_question(self, session_id: str, request_id: str) -> DecisionResult:
        """Dismisses questions."""
        return self._decide(
            {"kind": "question_reject", "sessionID": session_id, "requestID": request_id}
        )

    def _decide(self, body: dict[str, Any]) -> DecisionResult:
        result: DecisionResult = self._transport.json(
            Call("POST", "/runtime/decision", body=body, selects=True)
        )
        return result
