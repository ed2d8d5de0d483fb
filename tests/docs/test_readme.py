"""The README's commands, run as they stand against a real server in local mode."""

import importlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as django_settings

from scoring.models import Evaluation, Profile
from scoring.queries.profiles import forget_loaded

ROOT = Path(django_settings.BASE_DIR)
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def local_server(live_server: Any, settings: Any) -> Iterator[str]:
    settings.PLUMBLINE_MODE = "local"
    seed = importlib.import_module("scoring.migrations.0002_built_in_profiles").seed
    forget_loaded()
    seed(apps, None)
    yield live_server.url
    forget_loaded()


@pytest.mark.skipif(not shutil.which("curl") or not shutil.which("sh"), reason="needs curl and a POSIX shell")
def test_the_calls_work_as_printed(local_server: str, tmp_path: Path) -> None:
    [script] = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert script.count("curl ") == 7
    # Each curl fails on an error's status, and ends its answer with the status on a line of its own.
    (tmp_path / ".curlrc").write_text('fail-with-body\nsilent\nwrite-out = "\\n%{stderr}%{http_code}\\n"\n')
    environment = {"PATH": os.environ["PATH"], "CURL_HOME": str(tmp_path), "HOME": str(tmp_path)}
    script = script.replace("http://localhost:3001", local_server)
    done = subprocess.run(
        ["sh", "-e", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.split() == ["201", "200", "201", "200", "200", "200", "204"]
    answers = [json.loads(line) for line in done.stdout.splitlines() if line]
    listed, evaluation, history, filtered, changed = answers
    assert [profile["name"] for profile in listed][-1] == "Task Summary Quality"
    assert (evaluation["score"], evaluation["passed"]) == (1.0, True)
    assert history == filtered == [evaluation]
    assert (changed["version"], changed["compositeMethod"]) == (2, "minimum")
    assert Evaluation.objects.count() == 1
    assert Profile.objects.get(pk=changed["id"]).deleted_at is not None


def test_the_make_targets_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_five_minutes_name_buttons_that_are_there() -> None:
    """What the steps call by name is written on a page."""
    steps = README.split("## Five minutes")[1].split("## From a program")[0]
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "templates").rglob("*.html"))
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "foundation" / "http").glob("*.py"))
    for words in re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", steps):
        assert words in pages + code, words
