#!/usr/bin/env python3
"""A tiny MCP server on standard input and output, to see which agents start and speak to it. Standard library only.

  mcp_server.py LOG

Offers one tool, echo. Each request it gets goes to LOG as one JSON line, with the variable MCP_MARK of its environment.
"""
import json
import os
import sys


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2024-11-05"), "capabilities": {"tools": {}},
                "serverInfo": {"name": "tiny", "version": "1"}}
    if method == "tools/list":
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return {"tools": [{"name": "echo", "description": "Says it again.", "inputSchema": schema}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": params.get("arguments", {}).get("text", "")}]}
    if method == "ping":
        return {}
    return None


def main():
    with open(sys.argv[1], "a", buffering=1, encoding="utf-8") as log:
        for line in sys.stdin:
            message = json.loads(line)
            log.write(json.dumps({"method": message.get("method"), "mark": os.environ.get("MCP_MARK")}) + "\n")
            if "id" not in message or "method" not in message:
                continue
            result = answer(message["method"], message.get("params") or {})
            reply = {"result": result} if result is not None else {"error": {"code": -32601, "message": "Method not found"}}
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
