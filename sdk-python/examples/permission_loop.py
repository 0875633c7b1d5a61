"""Answers what an agent asks for, by a rule or by asking the person at the terminal.

    python examples/permission_loop.py "ask make" make

The first argument is the prompt; commands that may run without asking follow it.
It uses the daemon at OPENSCIENCE_URL (and OPENSCIENCE_AUTH_TOKEN), else it starts one of its own.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from openscience import Client, ErrorCode, HTTPError, PermissionReply, Server, is_terminal
from openscience.types import PermissionRequest, QuestionRequest, RuntimeRun


def is_allowed(request: PermissionRequest, allowed: set[str]) -> bool:
    """Whether this may happen now. `patterns` says exactly what is asked for."""
    if request["permission"] == "bash" and set(request["patterns"]) <= allowed:
        return True
    if not sys.stdin.isatty():
        return False
    return input(f"{request['permission']} {', '.join(request['patterns'])} [y/N] ").lower() == "y"


def answers_of(request: QuestionRequest) -> list[list[str]] | None:
    """What the person says: one list of labels per question; None to say nothing."""
    if not sys.stdin.isatty():
        return None
    answers = []
    for question in request["questions"]:
        labels = " / ".join(option["label"] for option in question["options"])
        answers.append([input(f"{question['question']} {labels} ")])
    return answers


def decide(client: Client, session_id: str, allowed: set[str]) -> None:
    # Only what a fresh snapshot shows can be answered; a child's request names the child's session.
    snapshot = client.snapshot(session_id)
    for request in snapshot["permissions"]:
        reply = PermissionReply.ONCE if is_allowed(request, allowed) else PermissionReply.REJECT
        with suppress_races():
            receipt = client.reply_permission(request["sessionID"], request["id"], reply)
            print(f"{reply}: {', '.join(request['patterns'])} ({receipt['status']})")
    for asked in snapshot["questions"]:
        answers = answers_of(asked)
        with suppress_races():
            if answers is None:
                client.reject_question(asked["sessionID"], asked["id"])
                print(f"dismissed: {asked['questions'][0]['question']}")
            else:
                client.reply_question(asked["sessionID"], asked["id"], answers)


@contextlib.contextmanager
def suppress_races() -> Iterator[None]:
    """Somebody else may be faster, and the run may end meanwhile."""
    try:
        yield
    except HTTPError as error:
        if error.code not in (ErrorCode.DECISION_CONFLICT, ErrorCode.DECISION_EXPIRED):
            raise


def work(client: Client, message: str, allowed: set[str]) -> RuntimeRun:
    session = client.create_session("With permissions")
    accepted = client.prompt(session["id"], message)
    while True:
        run = client.wait(session["id"], accepted["runID"], on_waiting="return")
        if is_terminal(run):
            return run
        decide(client, session["id"], allowed)


def main() -> None:
    message, allowed = sys.argv[1], set(sys.argv[2:])
    url = os.environ.get("OPENSCIENCE_URL")
    if url:
        with Client(url, token=os.environ.get("OPENSCIENCE_AUTH_TOKEN")) as client:
            run = work(client, message, allowed)
    else:
        with Server() as server, server.client() as client:
            run = work(client, message, allowed)
    print(run["state"])


if __name__ == "__main__":
    main()
