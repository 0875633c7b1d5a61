"""The agent that Harbor installs and runs: uploads the binary, runs one prompt, keeps what it told."""

import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any, override

from harbor.agents.installed.base import BaseInstalledAgent, CliFlag, with_prompt_template
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from harbor.utils.trajectory_utils import format_trajectory_json

from openscience_harbor.stream import MalformedStream, read
from openscience_harbor.trajectory import to_trajectory

_OUTPUT = "openscience.txt"
_TRAJECTORY = "trajectory.json"
_BINARY = "/installed-agent/openscience"
# Outside the logs: the configuration may hold keys.
_CONFIG_DIR = "/tmp/openscience/config"
_DATA_DIR = "/tmp/openscience/data"


class OpenScience(BaseInstalledAgent):
    """Runs `openscience run --format json` in a task's environment."""

    SUPPORTS_ATIF = True
    SUPPORTS_CONFIG = True
    CLI_FLAGS = [
        CliFlag("variant", cli="--variant"),
        CliFlag("effort", cli="--effort", type="enum", choices=["normal", "ultra"]),
        CliFlag("agent", cli="--agent"),
        CliFlag("deadline", cli="--deadline", type="int"),
    ]

    def __init__(
        self,
        *args: Any,
        binary: str | None = None,
        install_command: str | None = None,
        agent_env: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._binary = binary
        self._install_command = install_command
        self._agent_env = list(agent_env or [])

    @staticmethod
    @override
    def name() -> str:
        return "openscience"

    @override
    def get_version_command(self) -> str | None:
        return f"{_BINARY} --version"

    @override
    async def install(self, environment: BaseEnvironment) -> None:
        binary = self._binary or shutil.which("openscience")
        if binary is None or not Path(binary).is_file():
            raise ValueError("no openscience binary to upload: pass it as `binary`")
        await environment.upload_file(Path(binary), _BINARY)
        await self.exec_as_root(environment, command=f"chmod 755 {_BINARY}")
        # An older one would take the words of the prompt for something else.
        await self.exec_as_agent(environment, command=f"{_BINARY} run --help | grep -q -- --workspace")
        if self._install_command:
            await self.exec_as_root(environment, command=self._install_command)

    def configuration(self) -> dict[str, Any]:
        """What is uploaded as openscience.json."""
        source = self.config_source
        config = json.loads(source.read_text()) if isinstance(source, Path) else dict(source or {})
        variables = {name: value for name in self._agent_env if (value := self._get_env(name)) is not None}
        missing = [name for name in self._agent_env if name not in variables]
        if missing:
            raise ValueError(f"agent_env names variables that are not set: {', '.join(missing)}")
        for agent in config.get("agents", {}).values():
            # What the configuration says itself counts.
            agent["env"] = {**variables, **agent.get("env", {})}
        servers = {server.name: _mcp(server) for server in self.mcp_servers}
        if servers:
            config["mcp"] = {**servers, **config.get("mcp", {})}
        return config

    def command(self, instruction: str) -> str:
        """The command line of the run."""
        words = [_BINARY, "run", "--format", "json", "--auto-approve", "--workspace", "project"]
        if self.model_name:
            words += ["--model", self.model_name]
        flags = self.build_cli_flags()
        line = shlex.join(words) + (f" {flags}" if flags else "")
        output = shlex.quote(str(self.environment_logs_dir / _OUTPUT))
        return f"{line} -- {shlex.quote(instruction)} </dev/null 2>&1 | tee {output}"

    @override
    @with_prompt_template
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        await self.exec_as_agent(environment, command=f"umask 077; mkdir -p {_CONFIG_DIR} {_DATA_DIR}")
        await self._upload_private_config(environment)
        env = {
            "OPENSCIENCE_CONFIG_DIR": _CONFIG_DIR,
            "OPENSCIENCE_DATA_DIR": _DATA_DIR,
            # What the task's directory says about permissions is no business of its solver.
            "OPENSCIENCE_DISABLE_PROJECT_CONFIG": "1",
        }
        result = await self.exec_as_agent(environment, command=self.command(instruction), env=env)
        # One that ends well has said so in a whole stream.
        read(result.stdout or "")

    async def _upload_private_config(self, environment: BaseEnvironment) -> None:
        path = f"{_CONFIG_DIR}/openscience.json"
        local = self.logs_dir / ".openscience.json"
        local.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(local, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                json.dump(self.configuration(), file)
            await environment.upload_file(local, path)
        finally:
            local.unlink()
        if environment.default_user is not None:
            owner = shlex.quote(str(environment.default_user))
            await self.exec_as_root(environment, command=f"chown {owner} {path}")
        await self.exec_as_root(environment, command=f"chmod 600 {path}")

    @override
    def populate_context_post_run(self, context: AgentContext) -> None:
        """Writes the trajectory, also of a run that failed or was cut off."""
        path = self.logs_dir / _OUTPUT
        if not path.is_file():
            return
        output = path.read_text(encoding="utf-8", errors="replace")
        try:
            lines = read(output, whole=False)
        except MalformedStream:
            self.logger.exception("the lines of the run are not well formed")
            return
        trajectory = to_trajectory(lines, version=self.version() or "unknown", model=self.model_name)
        if trajectory is None:
            return
        document = format_trajectory_json(trajectory.to_json_dict())
        (self.logs_dir / _TRAJECTORY).write_text(document, encoding="utf-8")
        context.metadata = {"sessionID": trajectory.session_id, **(trajectory.extra or {}).get("ended", {})}
        total = trajectory.final_metrics
        if total is not None:
            context.n_input_tokens = total.total_prompt_tokens
            context.n_output_tokens = total.total_completion_tokens
            context.n_cache_tokens = total.total_cached_tokens
            context.cost_usd = total.total_cost_usd


def _mcp(server: Any) -> dict[str, Any]:
    """A server of the task, in the words of openscience.json."""
    if server.transport == "stdio":
        return {"type": "stdio", "command": server.command, "args": list(server.args)}
    return {"type": "sse" if server.transport == "sse" else "http", "url": server.url}
