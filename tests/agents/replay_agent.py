#!/usr/bin/env python3
"""Plays the agent's side of a recorded ACP conversation. Standard library only.

  replay_agent.py RECORDING

A recording holds one JSON object a line: {"t": ms, "dir": "c2a" | "a2c" | "stderr" | ..., "msg": ...}. What the client
said then is what it must say now, by method and, for an answer to a permission request, by outcome; ids of its requests
may differ. Messages the client sent one after the other may come in any order. Requests that were not recorded are
answered as unknown methods. What it wrote to stderr and what was no message on stdout it writes again, and it leaves where
a note says that the client could write no more. A client that says something else than recorded ends the process with status 3.
"""
import json
import os
import sys


def kind(message):
    """What two messages of the client must have in common to be the same."""
    if "method" in message:
        return message["method"]
    return json.dumps([message.get("id"), (message.get("result") or {}).get("outcome")], sort_keys=True)


class Client:
    """The client as it speaks now."""

    def __init__(self):
        self.ids = {}

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n"
        while data:
            data = data[os.write(1, data):]

    def hear(self, expected):
        """Reads until every expected message has come."""
        expected = list(expected)
        while expected:
            line = sys.stdin.buffer.readline()
            if not line:
                os._exit(0)
            message = json.loads(line)
            found = next((e for e in expected if kind(e) == kind(message)), None)
            if found is not None:
                expected.remove(found)
                if "method" in message and "id" in message:
                    self.ids[json.dumps(found["id"])] = message["id"]
            elif "method" in message and "id" in message:
                self.send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
            elif "method" not in message and message.get("id") is not None:
                sys.stderr.write(f"answered otherwise than recorded: {kind(message)}, not {[kind(e) for e in expected]}\n")
                sys.stderr.flush()
                os._exit(3)


def main():
    with open(sys.argv[1], encoding="utf-8") as recording:
        lines = [json.loads(line) for line in recording]
    client, expected = Client(), []
    for entry in lines:
        if entry["dir"] == "c2a":
            expected.append(entry["msg"])
        elif entry["dir"] == "stderr":
            sys.stderr.write(entry["msg"] + "\n")
            sys.stderr.flush()
        elif entry["dir"] == "stdout-noise":
            sys.stdout.write(entry["msg"] + "\n")
            sys.stdout.flush()
        elif entry["dir"] == "note" and str(entry["msg"]).startswith("write failed"):
            return
        elif entry["dir"] == "a2c":
            client.hear(expected)
            expected = []
            message = dict(entry["msg"])
            if "method" not in message:
                message["id"] = client.ids.get(json.dumps(message["id"]), message["id"])
            client.send(message)
    client.hear(expected)
    client.hear([{"method": "the end of the recording"}])


if __name__ == "__main__":
    main()
