#!/usr/bin/env python3
"""A second, strict ACP agent for tests of the daemon: it misbehaves exactly as told.

Standard library only. Every request is checked against what ACP v1 demands; the first violation is
written to the log and ends the process with status 3. Everything received goes to the log as one
JSON line, so a test can count and compare.

  --log FILE           where to write what was received
  --mcp TRANSPORT      offer MCP servers over http or sse; may be repeated
  --takes LIST         prompt capabilities: image,audio,embeddedContext
  --exit-before METHOD print three lines on stderr and exit 7 when METHOD arrives
  --noise              print banners, an empty line and a CRLF line between the frames
  --stubborn           ignore end of input and SIGTERM
  --slow MS            answer initialize only after so many milliseconds
  --silent-at METHOD   never answer that method
  --nap MS             read nothing for so many milliseconds after a session was opened
  --models A,B         offer these models as a config option
  --slow-config MS     set a config option only after so many milliseconds
  --deaf-once FILE     read nothing after the first prompt, unless FILE exists; make it
  --same-id            give every new session the same id
  --reopen HOW         offer session/load; ok: tell 200 old updates and open, missing: refuse as unknown,
                       broken: refuse with an internal error; resume: offer session/resume and tell 20 of them;
                       story: offer both, load tells two turns and one more answer after it has answered
  --modes A,B          offer these modes; set_mode is checked
  --switch             offer a boolean option
  --refuse VALUE       refuse to set that value of any option or mode
  --more A,B           serve session/fork, session/list, session/close: those named
  --auth KIND          offer one way to log in: agent, refusing, terminal or env_var
  --instructed         offer systemPrompt of ACP
  -c KEY=VALUE         write that to the log

The prompt text holds one directive a line:

  text WORDS         an answer chunk
  split TEXT         the same, its bytes written one by one
  tail TEXT          the last chunk and the response in one write
  late N [MS]        the response first, N chunks 60 ms or so many later
  error CODE [TEXT]  answer session/prompt with an error; TEXT none: no message, huge: 1 MB of it
  ask N              N permission requests in one write; unusual option ids, no allow_always
  order N            text, tool start, thought, tool end of two overlapping tools, N times
  grow N BYTES       one tool call told N times, each time with its whole output so far
  env                the environment as an answer chunk of JSON
  stop REASON        end with this stop reason
  hang               never answer
  ignore             never answer, not even to a cancel
  linger MS          never answer; end so many milliseconds after a cancel
  wait MS            do nothing for so long, unless cancelled
  begin ID, end ID   start and finish a tool call
  nap MS             read nothing for so long from now on
  orphan             start a sleeping grandchild in a session of its own
  takeback           a permission request and its withdrawal in one write
  mcp SERVER TOOL JSON  start that MCP server of the session, call its tool with JSON and say what it answers
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time

OPTIONS = [
    {"optionId": "n:o", "name": "Refuse", "kind": "reject_once"},
    {"optionId": "y es/1", "name": "Do it", "kind": "allow_once"},
    {"optionId": "later", "name": "Ask me later", "kind": "ask_again"},
]
LOCK = threading.Lock()


class Violation(Exception):
    """The client broke the protocol."""


def need(condition, text):
    if not condition:
        raise Violation(text)


class Agent:
    def __init__(self, options):
        self.options = options
        self.log_file = open(options.log, "a", buffering=1)
        self.sessions = {}
        self.servers = {}
        self.initialized = False
        self.waiting = {}
        self.cancelled = set()
        self.next_id = 0
        self.nap = 0
        self.model = None
        self.mode = None
        self.switch = False

    def log(self, entry):
        self.log_file.write(json.dumps(entry) + "\n")

    # --- writing

    def raw(self, data):
        with LOCK:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view):]

    def frame(self, message):
        return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n"

    def send(self, *messages):
        data = b"".join(self.frame(m) for m in messages)
        if self.options.noise:
            data = b"Loaded cached credentials.\n\x1b[1mbanner\x1b[0m\n\n\r\n{\"jsonrpc\n" + data.replace(b"\n", b"\r\n")
        self.raw(data)

    def update(self, session, update):
        return {"method": "session/update", "params": {"sessionId": session, "update": update}}

    def chunk(self, session, text, kind="agent_message_chunk"):
        return self.update(session, {"sessionUpdate": kind, "content": {"type": "text", "text": text}})

    def check_servers(self, params):
        """Every field that ACP v1 demands is there, and no transport that was not offered."""
        for server in params.get("mcpServers") or []:
            transport = server.get("type", "stdio")
            need(transport == "stdio" or transport in self.options.mcp, f"{transport} was not offered")
            pairs = server.get("env" if transport == "stdio" else "headers")
            need(isinstance(pairs, list), "no list of variables or headers")
            need(all(set(pair) == {"name", "value"} for pair in pairs), "not a name and a value")
            need(isinstance(server.get("name"), str), "a server without name")
            if transport == "stdio":
                need(isinstance(server.get("args"), list), "args is not a list")
                need(os.path.isabs(server.get("command") or ""), "command is not absolute")
            else:
                need(isinstance(server.get("url"), str), "no url")

    # --- reading

    def serve(self):
        for line in sys.stdin.buffer:
            message = json.loads(line)
            self.log(message)
            need(message.get("jsonrpc") == "2.0", "jsonrpc is not 2.0")
            if "method" not in message:
                self.answered(message)
            elif message["method"] == self.options.exit_before:
                sys.stderr.write("first line\nsecond line\nlast words\n")
                sys.stderr.flush()
                os._exit(7)
            elif message["method"] != self.options.silent_at:
                self.called(message)
            while self.nap:
                nap, self.nap = self.nap, 0
                time.sleep(nap / 1000)

    def answered(self, message):
        if message.get("id") is None and "error" in message:
            return  # a complaint about noise
        need(message.get("id") in self.waiting, "answer to a request never made")
        if message["id"] == "taken-back":
            return need(message.get("error", {}).get("code") == -32800, f"not taken back: {message}")
        need("result" in message, f"error answer to a permission request: {message}")
        outcome = message["result"].get("outcome")
        need(isinstance(outcome, dict), "no outcome")
        if outcome.get("outcome") == "selected":
            need(outcome.get("optionId") in [o["optionId"] for o in OPTIONS], "optionId was not offered")
        else:
            need(outcome == {"outcome": "cancelled"}, f"no such outcome: {outcome}")
        self.waiting.pop(message["id"])(outcome)

    def called(self, message):
        method, params = message["method"], message.get("params")
        need(isinstance(params, dict), f"{method} without params object")
        if method == "session/cancel":
            need("id" not in message, "session/cancel must be a notification")
            need(params.get("sessionId") in self.sessions, "cancel of an unknown session")
            self.cancelled.add(params["sessionId"])
            for identifier in [i for i, call in self.waiting.items() if hasattr(call, "__self__") and call.__self__.session == params["sessionId"]]:
                self.log({"still_waiting": identifier})
            return
        if method.startswith("$/") or method.startswith("_"):
            return
        need("id" in message, f"{method} must be a request")
        if method == "initialize":
            need(not self.initialized, "initialized twice")
            need(params.get("protocolVersion") == 1, "protocolVersion is not the number 1")
            need(isinstance(params.get("clientCapabilities"), dict), "no clientCapabilities")
            self.initialized = True
            capabilities = {"promptCapabilities": {name: True for name in self.options.takes.split(",") if name}}
            offered = capabilities["sessionCapabilities"] = {name: {} for name in self.options.more.split(",") if name}
            if self.options.reopen in ("resume", "story"):
                offered["resume"] = {}
            if self.options.reopen and self.options.reopen != "resume":
                capabilities["loadSession"] = True
            if self.options.instructed:
                offered["systemPrompt"] = {}
            time.sleep(self.options.slow / 1000)
            result = {"protocolVersion": 1, "agentCapabilities": capabilities,
                      "agentInfo": {"name": "scripted", "version": "1"}, "authMethods": self.auth_methods()}
        elif method == "session/new":
            need(self.initialized, "session/new before initialize")
            self.check_servers(params)
            need(os.path.isabs(params.get("cwd") or ""), "cwd is not absolute")
            need(os.path.isdir(params["cwd"]), "cwd is no directory")
            need(isinstance(params.get("mcpServers"), list), "mcpServers is not a list")
            need("systemPrompt" not in params or self.options.instructed, "systemPrompt was not offered")
            session = "remote" if self.options.same_id else f"remote/{os.getpid()}#{len(self.sessions)}"
            self.sessions[session] = None
            self.servers[session] = params["mcpServers"]
            result = {"sessionId": session, **self.config()}
        elif method == "session/set_config_option":
            need(params.get("sessionId") in self.sessions, "configuration of an unknown session")
            time.sleep(self.options.slow_config / 1000)
            if params.get("value") == self.options.refuse:
                return self.send({"id": message["id"], "error": {"code": -32602, "message": "not today"}})
            if params.get("configId") == "switch":
                need(params.get("type") == "boolean" and isinstance(params.get("value"), bool), "a switch is no boolean")
                self.switch = params["value"]
            else:
                self.model = params.get("value")
            result = self.config()
        elif method == "session/set_mode":
            need(params.get("sessionId") in self.sessions, "mode of an unknown session")
            need(params.get("modeId") in self.options.modes.split(","), "a mode that was not offered")
            if params["modeId"] == self.options.refuse:
                return self.send({"id": message["id"], "error": {"code": -32603, "message": "not that mode"}})
            self.mode = params["modeId"]
            result = {}
        elif method == "authenticate":
            need(self.options.auth in ("agent", "refusing"), "this way is not the agent's")
            if self.options.auth == "refusing":
                return self.send({"id": message["id"], "error": {"code": -32603, "message": "wrong account"}})
            result = {}
        elif method.split("/")[-1] in self.options.more.split(","):
            result = self.more(method, params)
        elif method in ("session/load", "session/resume"):
            result = self.reopened(method, message)
            if result is None:
                return
        elif method == "session/prompt":
            session = params.get("sessionId")
            need(session in self.sessions, "prompt of an unknown session")
            need(self.sessions[session] is None, "prompt while a prompt is running")
            blocks = params.get("prompt")
            need(isinstance(blocks, list) and blocks, "prompt is not a list of blocks")
            need(all(isinstance(b, dict) and b.get("type") for b in blocks), "a block without type")
            text = "\n".join(b.get("text", "") for b in blocks if b["type"] == "text")
            self.cancelled.discard(session)
            self.sessions[session] = turn = Turn(self, session, message["id"], text)
            threading.Thread(target=turn.run, daemon=True).start()
            if self.options.deaf_once and not os.path.exists(self.options.deaf_once):
                open(self.options.deaf_once, "w").close()
                while True:
                    time.sleep(60)
            return
        else:
            return self.send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
        if method == "initialize":
            result["agentCapabilities"]["mcpCapabilities"] = {transport: True for transport in self.options.mcp}
        self.send({"id": message["id"], "result": result})
        if method == "session/new":
            time.sleep(self.options.nap / 1000)

    def config(self):
        told, options = {}, []
        if self.options.models:
            models = self.options.models.split(",")
            options.append({"id": "model", "name": "Model", "category": "model", "type": "select",
                            "currentValue": self.model or models[0], "options": [{"value": m, "name": m} for m in models]})
        if self.options.switch:
            options.append({"id": "switch", "name": "Big switch", "type": "boolean", "currentValue": self.switch})
        if options:
            told["configOptions"] = options
        if self.options.modes:
            modes = self.options.modes.split(",")
            told["modes"] = {"currentModeId": self.mode or modes[0],
                             "availableModes": [{"id": m, "name": f"The {m} mode"} for m in modes]}
        return told

    def auth_methods(self):
        methods = {
            "agent": {"id": "own", "name": "Own login"},
            "refusing": {"id": "own", "name": "Own login"},
            "terminal": {"id": "tty", "name": "At a terminal", "type": "terminal", "args": ["login"], "env": {"TTY_SECRET": "hush-hush"}},
            "env_var": {"id": "key", "name": "Key", "type": "env_var", "vars": [{"name": "SCRIPTED_KEY"}]},
        }
        return [methods[self.options.auth]] if self.options.auth else []

    def more(self, method, params):
        if method == "session/list":
            need(os.path.isabs(params.get("cwd") or ""), "cwd is not absolute")
            if params.get("cursor"):
                need(params["cursor"] == "page 2", "a cursor that was not given")
                return {"sessions": [{"sessionId": "older", "cwd": params["cwd"], "title": None}]}
            known = [{"sessionId": s, "cwd": params["cwd"]} for s in self.sessions]
            story = {"sessionId": "story", "cwd": params["cwd"], "title": "A story", "updatedAt": "2026-01-02T03:04:05Z"}
            return {"sessions": known + [story], "nextCursor": "page 2"}
        need(params.get("sessionId") in self.sessions, f"{method} of an unknown session")
        if method == "session/close":
            del self.sessions[params["sessionId"]]
            return {}
        need(os.path.isdir(params.get("cwd") or ""), "cwd is no directory")
        need(isinstance(params.get("mcpServers"), list), "mcpServers is not a list")
        session = f"fork of {params['sessionId']}"
        self.sessions[session] = None
        return {"sessionId": session, **self.config()}

    def story(self, message):
        session = message["params"]["sessionId"]
        tool = {"toolCallId": "t", "title": "Look", "kind": "read", "status": "completed",
                "content": [{"type": "content", "content": {"type": "text", "text": "seen"}}]}
        self.sessions[session] = None
        self.send(
            self.chunk(session, "Once ", "user_message_chunk"), self.chunk(session, "upon a time", "user_message_chunk"),
            self.chunk(session, "I think", "agent_thought_chunk"),
            self.chunk(session, "there "), self.chunk(session, "was"),
            self.update(session, {"sessionUpdate": "tool_call", **tool}),
            self.chunk(session, "a tool."),
            self.chunk(session, "And then?", "user_message_chunk"),
            self.chunk(session, "The end"),
            self.update(session, {"sessionUpdate": "available_commands_update", "availableCommands": []}),
            {"id": message["id"], "result": self.config()},
            self.chunk(session, ", or not."),
        )

    def reopened(self, method, message):
        how, params = self.options.reopen, message["params"]
        need(how and (how == "story" or (method == "session/resume") == (how == "resume")), f"{method} was not offered")
        need(isinstance(params.get("sessionId"), str), "no sessionId")
        need(os.path.isabs(params.get("cwd") or ""), "cwd is not absolute")
        need(isinstance(params.get("mcpServers"), list), "mcpServers is not a list")
        if how in ("missing", "broken"):
            code, text = (-32002, "Resource not found") if how == "missing" else (-32603, "query closed")
            self.send({"id": message["id"], "error": {"code": code, "message": text}})
            return None
        session = params["sessionId"]
        if how == "story":
            if method == "session/load" and session == "story":
                return self.story(message)
            self.sessions[session] = None
            return self.config()
        for number in range(20 if how == "resume" else 200):
            kind = ("user_message_chunk", "agent_message_chunk")[number % 2]
            self.send(self.chunk(session, f"old{number} ", kind))
        self.sessions[session] = None
        self.servers[session] = params["mcpServers"]
        return {}


class Turn:
    def __init__(self, agent, session, request, text):
        self.agent, self.session, self.request = agent, session, request
        self.lines = [line for line in text.split("\n") if line.strip()]
        self.stop = "end_turn"

    def response(self):
        self.agent.sessions[self.session] = None
        return {"id": self.request, "result": {"stopReason": self.stop}}

    def say(self, text, kind="agent_message_chunk"):
        self.agent.send(self.agent.chunk(self.session, text, kind))

    def run(self):
        for line in self.lines:
            word, _, rest = line.partition(" ")
            ended = getattr(self, "do_" + word)(rest)
            if ended:
                return
        self.agent.send(self.response())

    def do_text(self, rest):
        self.say(rest)

    def do_split(self, rest):
        for byte in self.agent.frame(self.agent.chunk(self.session, rest)):
            self.agent.raw(bytes([byte]))

    def do_tail(self, rest):
        chunk = self.agent.chunk(self.session, rest)
        self.agent.send(chunk, self.response())
        return True

    def do_late(self, rest):
        count, _, after = rest.partition(" ")
        self.agent.send(self.response())
        time.sleep(int(after or 60) / 1000)
        for number in range(int(count)):
            self.say(f" late{number}")
        return True

    def do_error(self, rest):
        code, _, text = rest.partition(" ")
        error = {"code": int(code)}
        if text != "none":
            error["message"] = "x" * 1_000_000 if text == "huge" else text
        self.agent.sessions[self.session] = None
        self.agent.send({"id": self.request, "error": error})
        return True

    def do_ask(self, rest):
        count = int(rest)
        outcomes, done, frames = {}, threading.Event(), []
        for number in range(count):
            self.agent.next_id += 1
            identifier = f"ask-{self.agent.next_id}"
            call = f"call-{identifier}"
            self.agent.waiting[identifier] = Answer(self.session, call, outcomes, count, done).take
            frames.append({"id": identifier, "method": "session/request_permission", "params": {
                "sessionId": self.session, "options": OPTIONS,
                "toolCall": {"toolCallId": call, "title": f"command {number}", "kind": "execute",
                             "rawInput": {"command": f"echo {number}"}}}})
        self.agent.send(*frames)
        done.wait()
        chosen = [outcomes[key].get("optionId", "cancelled") for key in sorted(outcomes, key=lambda k: int(k.split("-")[-1]))]
        self.say("chosen " + ",".join(chosen))
        if self.session in self.agent.cancelled:
            self.stop = "cancelled"

    def do_order(self, rest):
        def tool(number, status, first=False):
            return self.agent.update(self.session, {
                "sessionUpdate": "tool_call" if first else "tool_call_update", "toolCallId": f"t{number}",
                "title": f"tool {number}", "kind": "other", "status": status})
        for number in range(int(rest)):
            a, b = 2 * number, 2 * number + 1
            self.say(f"text{number} ")
            self.agent.send(tool(a, "in_progress", True), tool(b, "in_progress", True))
            self.say(f"between{number} ")
            self.agent.send(tool(b, "completed"))
            self.say(f"thought{number} ", "agent_thought_chunk")
            self.agent.send(tool(a, "completed"))

    def do_grow(self, rest):
        count, size = map(int, rest.split())
        for number in range(1, count + 1):
            output = "o" * (size * number)
            update = {"sessionUpdate": "tool_call" if number == 1 else "tool_call_update", "toolCallId": "grow",
                      "status": "completed" if number == count else "in_progress",
                      "content": [{"type": "content", "content": {"type": "text", "text": output}}]}
            if number == 1:
                update["title"] = "grow"
            self.agent.send(self.agent.update(self.session, update))

    def do_env(self, _rest):
        self.say(json.dumps(dict(os.environ)))

    def do_stop(self, rest):
        self.stop = rest

    def do_orphan(self, _rest):
        subprocess.Popen(["sleep", "600"], start_new_session=True, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def do_takeback(self, _rest):
        identifier = "taken-back"
        self.agent.waiting[identifier] = lambda outcome: None
        self.agent.send({"id": identifier, "method": "session/request_permission", "params": {
            "sessionId": self.session, "options": OPTIONS,
            "toolCall": {"toolCallId": "taken", "title": "taken back", "kind": "execute",
                         "rawInput": {"command": "echo taken"}}}},
            {"method": "$/cancel_request", "params": {"requestId": identifier}})

    def do_mcp(self, rest):
        name, tool, arguments = rest.split(" ", 2)
        server = next(s for s in self.agent.servers[self.session] if s["name"] == name)
        env = {**os.environ, **{pair["name"]: pair["value"] for pair in server["env"]}}
        process = subprocess.Popen([server["command"], *server["args"]], env=env, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)

        def call(number, method, params):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            progress = 0
            for line in process.stdout:
                answer = json.loads(line)
                progress += answer.get("method") == "notifications/progress"
                if answer.get("id") == number:
                    return answer, progress
            return None, progress

        call(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                               "clientInfo": {"name": "scripted", "version": "1"}})
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        listed, _ = call(2, "tools/list", {})
        self.agent.log({"tools": listed["result"]["tools"], "env": env})
        answer, progress = call(3, "tools/call", {"name": tool, "arguments": json.loads(arguments),
                                                  "_meta": {"progressToken": "t"}})
        if answer is None:
            self.say("the server has gone")
        elif "error" in answer:
            self.say(f"refused {answer['error']['code']}")
        else:
            result = answer["result"]
            self.agent.log({"result": result, "progress": progress})
            self.say(("failed: " if result.get("isError") else "") + result["content"][0]["text"])
        process.stdin.close()
        process.wait()
        if self.session in self.agent.cancelled:
            self.stop = "cancelled"

    def do_ignore(self, _rest):
        while True:
            time.sleep(1)

    def do_linger(self, rest):
        self.do_hang(rest)
        time.sleep(int(rest) / 1000)

    def do_wait(self, rest):
        end = time.monotonic() + int(rest) / 1000
        while time.monotonic() < end:
            if self.session in self.agent.cancelled:
                self.stop = "cancelled"
                return
            time.sleep(0.005)

    def do_begin(self, rest):
        self.agent.send(self.agent.update(self.session, {
            "sessionUpdate": "tool_call", "toolCallId": rest, "title": rest, "kind": "other", "status": "in_progress"}))

    def do_end(self, rest):
        output = {"type": "content", "content": {"type": "text", "text": f"done {rest}"}}
        self.agent.send(self.agent.update(self.session, {
            "sessionUpdate": "tool_call_update", "toolCallId": rest, "status": "completed", "content": [output]}))

    def do_nap(self, rest):
        self.agent.nap = int(rest)

    def do_hang(self, _rest):
        while self.session not in self.agent.cancelled or self.agent.options.stubborn:
            time.sleep(0.01)
        self.stop = "cancelled"


class Answer:
    """Collects the answers to the permission requests of one turn."""

    def __init__(self, session, call, outcomes, count, done):
        self.session, self.call, self.outcomes, self.count, self.done = session, call, outcomes, count, done

    def take(self, outcome):
        self.outcomes[self.call] = outcome
        if len(self.outcomes) == self.count:
            self.done.set()


def main():
    parser = argparse.ArgumentParser(description="scripted strict ACP agent")
    parser.add_argument("--log", required=True)
    parser.add_argument("--mcp", action="append", default=[])
    parser.add_argument("--takes", default="embeddedContext")
    parser.add_argument("--exit-before")
    parser.add_argument("--noise", action="store_true")
    parser.add_argument("--stubborn", action="store_true")
    parser.add_argument("--slow", type=int, default=0)
    parser.add_argument("--silent-at")
    parser.add_argument("--nap", type=int, default=0)
    parser.add_argument("--models")
    parser.add_argument("--slow-config", type=int, default=0)
    parser.add_argument("--deaf-once")
    parser.add_argument("--same-id", action="store_true")
    parser.add_argument("--reopen", choices=["ok", "missing", "broken", "resume", "story"])
    parser.add_argument("--modes", default="")
    parser.add_argument("--switch", action="store_true")
    parser.add_argument("--refuse")
    parser.add_argument("--more", default="")
    parser.add_argument("--auth", choices=["agent", "refusing", "terminal", "env_var"])
    parser.add_argument("--instructed", action="store_true")
    parser.add_argument("-c", dest="override")
    agent = Agent(parser.parse_args())
    if agent.options.override:
        agent.log({"override": agent.options.override})
    if agent.options.stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        agent.serve()
    except Violation as violation:
        agent.log({"violation": str(violation)})
        sys.stderr.write(f"violation: {violation}\n")
        sys.stderr.flush()
        os._exit(3)
    while agent.options.stubborn:
        time.sleep(1)


if __name__ == "__main__":
    main()
