"""docs/tutorial.md as one shell script, and what came of running it."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.config.running import ROOT, Running, free_port

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_MARK = "==== "
_IDS = ("AGENT_ID", "DATASET_ID", "EVAL_ID", "BASELINE_RUN_ID", "CANDIDATE_RUN_ID")


def blocks(language: str) -> list[str]:
    return [body for kind, body in FENCE.findall(PAGE) if kind == language]


def admin() -> dict[str, str]:
    """The variables that the page starts a server with."""
    words = re.findall(r"(PLUMBLINE_ADMIN_\w+)=(\S+)", blocks("text")[0])
    return {name: value.strip("'") for name, value in words}


@dataclass(frozen=True)
class Followed:
    """What the commands printed, and the things they made."""

    output: str
    ids: Mapping[str, str]
    environment: Mapping[str, str]

    @cached_property
    def runs(self) -> list[Any]:
        """Both runs, the first one first."""
        return [
            self.ask("get-eval-run", "--eval-id", self.ids["EVAL_ID"], "--eval-run-id", self.ids[name])
            for name in ("BASELINE_RUN_ID", "CANDIDATE_RUN_ID")
        ]

    def ask(self, *words: str) -> Any:
        return json.loads(client(self.environment, *words).stdout)


def client(environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """`./plumbline` with these words."""
    return subprocess.run(
        [str(ROOT / "plumbline"), *words], env=environment, capture_output=True, text=True, timeout=60, check=True
    )


def followed(up: Running, folder: Path, model_port: int, seconds: float) -> Followed:
    """The page's commands, run as they stand in an empty folder, with ports and the model's address put in."""
    scorer_port = str(free_port())
    script = "\n".join(blocks("sh")).replace("localhost:3001", f"localhost:{up.port}").replace("8789", scorer_port)
    provider = '--provider "ollama"'
    assert script.count(provider) == 1
    script = script.replace(provider, f'{provider} --base-url "http://localhost:{model_port}"')
    shown = "\n".join(f'echo "{_MARK}{name} ${name}"' for name in (*_IDS, "PLUMBLINE_TOKEN"))
    # Whatever happens, the service of step 3 ends.
    script = f"trap 'kill $SCORER_PID 2>/dev/null || true' EXIT\n{script}\n{shown}"
    (folder / "plumbline").symlink_to(ROOT / "plumbline")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PLUMBLINE_", "SOAT_"))}
    done = subprocess.run(
        ["sh", "-e", "-c", script], cwd=folder, env=clean, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr + up.output
    ids = dict(re.findall(rf"^{_MARK}(\w+) (\S+)$", done.stdout, re.MULTILINE))
    token = ids.pop("PLUMBLINE_TOKEN")
    assert set(ids) == set(_IDS)
    base_url = f"http://127.0.0.1:{up.port}"
    return Followed(done.stdout, ids, {**clean, "PLUMBLINE_BASE_URL": base_url, "PLUMBLINE_TOKEN": token})
