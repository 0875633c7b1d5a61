"""A job that is done once, however often this program is started, stopped or killed.

    python examples/persist_and_recover.py job.json "say 20 100"

What identifies the work is written down before it is submitted. Start it again after a crash, of this
program or of the daemon: it finds the same run. Only an interrupted run is yours to decide about.

It uses the daemon at OPENSCIENCE_URL (and OPENSCIENCE_AUTH_TOKEN), else it starts one of its own.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any, Dict

from openscience import Client, RunState, Server, text_of


def job_of(path: Path, message: str) -> Dict[str, Any]:
    """The job on file; written before anything of it is sent."""
    if path.exists():
        job: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return job
    # An id of our own makes creating the session repeatable, a request id the prompt.
    job = {"session": f"ses_{uuid.uuid4().hex}", "request": str(uuid.uuid4()), "message": message}
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(job), encoding="utf-8")
    beside.replace(path)
    return job


def work(client: Client, path: Path, message: str) -> str:
    job = job_of(path, message)
    client.create_session("A job", id=job["session"])
    accepted = client.prompt(job["session"], job["message"], request_id=job["request"])
    run = client.wait(job["session"], accepted["runID"])
    if run["state"] == RunState.COMPLETED:
        return text_of(client.result(run))
    # Never repeated behind your back: look at what was done, then submit it under another request id.
    raise SystemExit(f"{run['state']}: {run.get('error', {}).get('message', '')}")


def main() -> None:
    path, message = Path(sys.argv[1]), sys.argv[2]
    url = os.environ.get("OPENSCIENCE_URL")
    if url:
        with Client(url, token=os.environ.get("OPENSCIENCE_AUTH_TOKEN")) as client:
            print(work(client, path, message))
    else:
        with Server() as server, server.client() as client:
            print(work(client, path, message))


if __name__ == "__main__":
    main()
