"""The stream, the trajectory and the agent, with Harbor's own models and the real binary.

OPENSCIENCE_BINARY names the binary; recorded runs stand beside this file.
"""

import asyncio
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path, PurePosixPath

from harbor.environments.base import ExecResult
from harbor.agents.installed.base import NonZeroAgentExitCodeError
from harbor.models.agent.context import AgentContext
from harbor.models.task.config import MCPServerConfig
from harbor.models.trajectories import Trajectory

from openscience_harbor import MalformedStream, OpenScience, read, to_trajectory

STREAMS = Path(__file__).parent / "streams"
BINARY = os.environ["OPENSCIENCE_BINARY"]


def recorded(name: str) -> list[dict]:
    return read((STREAMS / f"{name}.txt").read_text())


def validated(trajectory: Trajectory | None) -> dict:
    """The trajectory as a document that Harbor reads back."""
    assert trajectory is not None
    document = trajectory.to_json_dict()
    assert Trajectory.model_validate(document).to_json_dict() == document
    return document


def line(kind: str, **fields: object) -> dict:
    return {"type": kind, "timestamp": 1_700_000_000_000, "sessionID": "ses_1", **fields}


def part(number: int, kind: str, **fields: object) -> dict:
    return {"id": f"prt_{number}", "sessionID": "ses_1", "messageID": "msg_1", "type": kind, **fields}


def finish(number: int, *, input: int, output: int, cost: float = 0.0, read: int = 0) -> dict:
    tokens = {"input": input, "output": output, "reasoning": 1, "cache": {"read": read, "write": 2}}
    return line("step_finish", part=part(number, "step-finish", reason="stop", cost=cost, tokens=tokens))


DONE = line(
    "done",
    status="completed",
    exitCode=0,
    agent="sim",
    tokens={"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}},
    cost=0.0,
    children=[],
)


def output(*lines: dict) -> str:
    return "\n".join(map(json.dumps, lines))


class Streams(unittest.TestCase):
    def test_recorded_runs_are_well_formed(self) -> None:
        ends = {name: recorded(name)[-1]["exitCode"] for name in ("completed", "unknown_model", "agent_exited")}
        self.assertEqual(ends, {"completed": 0, "unknown_model": 2, "agent_exited": 1})

    def test_what_breaks_the_contract_is_refused(self) -> None:
        start = line("step_start", part=part(1, "step-start"))
        text = line("text", part=part(2, "text", text="x"))
        end = finish(3, input=1, output=1)
        self.assertEqual(len(read("noise\n{}\n" + output(start, text, end, DONE) + '\n{"a": 1}')), 4)
        broken = {
            "there are no lines": ["only noise"],
            "done is missing": [output(start, end)],
            "after done": [output(DONE, start)],
            "stays open": [output(start, DONE)],
            "inside a step": [output(start, line("step_start", part=part(9, "step-start")), DONE)],
            "not open": [output(end, DONE)],
            "outside a step": [output(text, DONE)],
            "twice": [output(start, text, text, end, DONE)],
            "another session": [output(start, {**DONE, "sessionID": "ses_2"})],
            "an error in a run that completed": [output(line("error", error={"name": "E", "data": {}}), DONE)],
        }
        for says, (text_of_it,) in broken.items():
            with self.subTest(says), self.assertRaisesRegex(MalformedStream, says):
                read(text_of_it)

    def test_a_run_that_was_cut_off_is_read_as_far_as_it_goes(self) -> None:
        whole = (STREAMS / "completed.txt").read_text().splitlines(keepends=True)
        for count in range(len(whole)):
            lines = read("".join(whole[:count]) + whole[count][:30], whole=False)
            if trajectory := to_trajectory(lines, version="1"):
                self.assertEqual(validated(trajectory)["extra"]["ended"], {"status": "cut off"})


class Trajectories(unittest.TestCase):
    def test_a_recorded_run_is_divided_where_the_agent_saw_an_output(self) -> None:
        document = validated(to_trajectory(recorded("completed"), version="1", model="a/b"))
        steps = document["steps"]
        self.assertEqual([step["source"] for step in steps], ["user", "agent", "agent", "agent", "agent"])
        self.assertTrue(steps[0]["message"].startswith("think 3\n"))
        first = steps[1]
        self.assertEqual((first["reasoning_content"], first["message"]), ("t1 t2 t3", "w1 w2 w3"))
        calls = [[call["function_name"] for call in step.get("tool_calls", [])] for step in steps[1:]]
        self.assertEqual(calls, [["make"], ["bash"], ["edit"], []])
        shown = steps[2]["observation"]["results"][0]
        self.assertEqual((shown["content"], shown["source_call_id"]), ("a.txt", steps[2]["tool_calls"][0]["tool_call_id"]))
        self.assertEqual(steps[2]["tool_calls"][0]["arguments"]["command"], "ls")
        self.assertEqual(steps[3]["tool_calls"][0]["extra"]["status"], "error")
        self.assertEqual(document["extra"]["ended"], {"status": "completed", "exitCode": 0})
        self.assertEqual(document["extra"]["permissions"][0]["reply"], "once")
        self.assertEqual(document["agent"]["extra"], {"agent": "sim"})

    def test_tokens_stand_at_the_last_step_of_their_turn_and_are_summed_up(self) -> None:
        lines = [
            line("user", parts=[part(0, "text", text="hi"), part(9, "file")]),
            line("step_start", part=part(1, "step-start")),
            line("text", part=part(2, "text", text="a")),
            finish(3, input=10, output=5, cost=0.25, read=4),
            line("user", parts=[part(4, "text", text="more")]),
            line("step_start", part=part(5, "step-start")),
            finish(6, input=1, output=2, cost=0.5),
            DONE,
        ]
        document = validated(to_trajectory(read(output(*lines)), version="1"))
        self.assertEqual(document["steps"][0]["message"], "hi\n[file]")
        metrics = document["steps"][1]["metrics"]
        self.assertEqual((metrics["prompt_tokens"], metrics["cached_tokens"], metrics["cost_usd"]), (16, 4, 0.25))
        total = document["final_metrics"]
        expected = {
            "total_prompt_tokens": 19,
            "total_completion_tokens": 7,
            "total_cached_tokens": 4,
            "total_cost_usd": 0.75,
            "total_steps": 4,
        }
        self.assertEqual(total, expected)

    def test_a_failure_is_a_system_step(self) -> None:
        document = validated(to_trajectory(recorded("agent_exited"), version="1"))
        last = document["steps"][-1]
        self.assertEqual((last["source"], last["message"]), ("system", "the agent exited (exit status: 7)"))
        self.assertEqual(document["extra"]["ended"]["reason"], "agent_exited")


class Container:
    """Stands in for a container: runs commands on this machine, with its paths below a temporary directory."""

    default_user = None

    def __init__(self, root: Path) -> None:
        self.root = root
        self.commands: list[str] = []
        for folder in ("installed-agent", "logs/agent", "work"):
            (root / folder).mkdir(parents=True)

    def _inside(self, text: str) -> str:
        for path in ("/installed-agent", "/tmp/openscience", "/logs/agent"):
            text = text.replace(path, f"{self.root}{path}")
        return text

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = Path(self._inside(target_path))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source_path, target)

    async def exec(self, command: str, cwd=None, env=None, timeout_sec=None, user=None) -> ExecResult:
        self.commands.append(command)
        variables = {key: self._inside(value) for key, value in (env or {}).items()}
        done = subprocess.run(
            ["bash", "-c", self._inside(command)],
            cwd=self.root / "work",
            env={"PATH": os.environ["PATH"], "HOME": str(self.root), **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return ExecResult(stdout=done.stdout, stderr=done.stderr, return_code=done.returncode)


class Agents(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.container = Container(Path(folder.name))
        self.logs = self.container.root / "logs/agent"

    def agent(self, **kwargs: object) -> OpenScience:
        return OpenScience(logs_dir=self.logs, binary=BINARY, **kwargs)

    def trial(self, agent: OpenScience, instruction: str) -> tuple[AgentContext, Exception | None]:
        """Install, run and look at what is left, as a trial does."""
        failure = None
        asyncio.run(agent.setup(self.container))
        context = AgentContext()
        try:
            asyncio.run(agent.run(instruction, self.container, context))
        except NonZeroAgentExitCodeError as error:
            failure = error
        agent.populate_context_post_run(context)
        return context, failure

    def trajectory(self) -> dict:
        return validated(Trajectory.model_validate_json((self.logs / "trajectory.json").read_text()))

    def test_a_trial_runs_the_binary_and_leaves_a_trajectory(self) -> None:
        config = {"agents": {"sim": {"models": ["demo/large"]}}}
        agent = self.agent(model_name="demo/large", config=config, effort="ultra", deadline=50)
        prompt = "say 3\nask make\nit's \"quoted\" $HOME `x`"
        context, failure = self.trial(agent, prompt)
        self.assertIsNone(failure)
        self.assertEqual(agent.version(), subprocess.check_output([BINARY, "--version"], text=True).strip())
        document = self.trajectory()
        self.assertEqual(document["steps"][0]["message"], prompt)
        self.assertIn('You said: it\'s "quoted" $HOME `x`', document["steps"][-1]["message"])
        self.assertEqual(document["agent"]["model_name"], "demo/large")
        self.assertEqual(context.metadata["status"], "completed")
        left = [path.name for path in self.logs.iterdir() if path.is_file()]
        self.assertEqual(sorted(left), ["openscience.txt", "trajectory.json"], "no configuration in the logs")

    def test_a_model_that_nobody_offers_fails_the_trial_and_leaves_a_trajectory_all_the_same(self) -> None:
        context, failure = self.trial(self.agent(model_name="no/such"), "hi")
        self.assertIsInstance(failure, NonZeroAgentExitCodeError)
        self.assertIn("exit 2", str(failure))
        self.assertEqual(context.metadata["reason"], "model_not_available")
        self.assertEqual([step["source"] for step in self.trajectory()["steps"]], ["user", "system"])

    def test_keys_and_servers_go_into_a_private_configuration(self) -> None:
        servers = [
            MCPServerConfig(name="a", transport="stdio", command="tool", args=["-v"]),
            MCPServerConfig(name="b", transport="http", url="http://b"),
            MCPServerConfig(name="c", transport="sse", url="http://c"),
        ]
        config = {"agents": {"codex": {"command": "codex-acp", "env": {"OWN": "1"}}}, "mcp": {"a": {"enabled": False}}}
        agent = self.agent(
            config=config, mcp_servers=servers, agent_env=["MODEL_KEY"], extra_env={"MODEL_KEY": "s3cret"}
        )
        expected = {
            "agents": {"codex": {"command": "codex-acp", "env": {"MODEL_KEY": "s3cret", "OWN": "1"}}},
            "mcp": {
                "a": {"enabled": False},
                "b": {"type": "http", "url": "http://b"},
                "c": {"type": "sse", "url": "http://c"},
            },
        }
        self.assertEqual(agent.configuration(), expected)
        self.assertNotIn("s3cret", agent.command("hi"))
        asyncio.run(agent._upload_private_config(self.container))
        uploaded = self.container.root / "tmp/openscience/config/openscience.json"
        self.assertEqual(uploaded.stat().st_mode & 0o777, 0o600)
        self.assertEqual(json.loads(uploaded.read_text()), expected)
        with self.assertRaisesRegex(ValueError, "MISSING_KEY"):
            self.agent(agent_env=["MISSING_KEY"]).configuration()

    def test_the_command_line_is_that_of_the_contract(self) -> None:
        agent = self.agent(model_name="a/b", variant="high", environment_logs_dir=PurePosixPath("/logs/agent"))
        expected = (
            "/installed-agent/openscience run --format json --auto-approve --workspace project --model a/b "
            "--variant high -- 'do it' </dev/null 2>&1 | tee /logs/agent/openscience.txt"
        )
        self.assertEqual(agent.command("do it"), expected)

    def test_without_a_binary_nothing_is_installed(self) -> None:
        agent = OpenScience(logs_dir=self.logs, binary="/no/such/file")
        with self.assertRaisesRegex(RuntimeError, "no openscience binary"):
            asyncio.run(agent.setup(self.container))


if __name__ == "__main__":
    unittest.main()
