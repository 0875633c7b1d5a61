"""A client of the `openscience` daemon: durable sessions with any ACP agent.

    from openscience import Client

    with Client(directory="/path/to/project") as client:
        session = client.create_session("Calibration")
        accepted = client.prompt(session["id"], "Analyze the data.", request_id="job-17")
        run = client.wait(session["id"], accepted["runID"])

Records are dictionaries with the keys of the wire; their types are in `openscience.types`, its words in
`openscience.constants` (the common ones are here too).
"""

from ._aio_readers import AsyncEvents, AsyncFollow
from ._aio_transport import AsyncDownload, AsyncEventStream
from ._generated.constants import (
    DecisionStatus,
    Delivery,
    Effort,
    ErrorCode,
    EventKind,
    EventType,
    PartType,
    PermissionReply,
    RuleAction,
    RunErrorCode,
    RunState,
    StartErrorCode,
    TurnState,
    Workspace,
)
from ._readers import Events, Follow
from ._transport import Download, EventStream
from ._verbs import PROTOCOL_VERSION, ReplayPage
from .aio import AsyncClient
from .client import Client
from .cursors import CursorStore, FileCursorStore, MemoryCursorStore
from .errors import (
    ConnectionError,
    CursorError,
    DecisionNeeded,
    EventGapError,
    HTTPError,
    OpenScienceError,
    ProtocolError,
    RequestTimeout,
    ServerError,
    WaitTimeout,
)
from .events import TERMINAL_EVENTS, TERMINAL_STATES, Resync, RuntimeEvent, is_terminal
from .server import Server, find_binary
from .sse import ServerSentEvent
from .text import Transcript, text_of

__version__ = "0.1.0"

__all__ = [
    "PROTOCOL_VERSION",
    "TERMINAL_EVENTS",
    "TERMINAL_STATES",
    "AsyncClient",
    "AsyncDownload",
    "AsyncEventStream",
    "AsyncEvents",
    "AsyncFollow",
    "Client",
    "ConnectionError",
    "CursorError",
    "CursorStore",
    "DecisionNeeded",
    "DecisionStatus",
    "Delivery",
    "Download",
    "Effort",
    "ErrorCode",
    "EventGapError",
    "EventKind",
    "EventStream",
    "EventType",
    "Events",
    "FileCursorStore",
    "Follow",
    "HTTPError",
    "MemoryCursorStore",
    "OpenScienceError",
    "PartType",
    "PermissionReply",
    "ProtocolError",
    "ReplayPage",
    "RequestTimeout",
    "Resync",
    "RuleAction",
    "RunErrorCode",
    "RunState",
    "RuntimeEvent",
    "Server",
    "ServerError",
    "ServerSentEvent",
    "StartErrorCode",
    "Transcript",
    "TurnState",
    "WaitTimeout",
    "Workspace",
    "find_binary",
    "is_terminal",
    "text_of",
]
