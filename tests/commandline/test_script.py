"""`./plumbline` at the repository's root: from any folder, and without the project's environment."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.config.running import ROOT

SCRIPT = ROOT / "plumbline"


def run(command: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], **variables}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=30, check=False)


def test_it_runs_from_any_folder_and_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(SCRIPT)
    for command in ([str(SCRIPT), "help"], ["./link", "help"]):
        done = run(command, tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert "create-eval" in done.stdout
    assert run([str(SCRIPT), "get-evl"], tmp_path).returncode == 2


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """The client and its list of operations alone, in a folder with a space, without a .venv."""
    folder = tmp_path / "a copy"
    (folder / "docs").mkdir(parents=True)
    shutil.copy(SCRIPT, folder)
    shutil.copytree(ROOT / "commandline", folder / "commandline", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "docs" / "openapi.json", folder / "docs")
    return folder


def test_it_needs_no_environment_and_no_package(elsewhere: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python3"
    # -I -S: no installed package can be imported. -I also ignores PYTHONPATH, which the script needs.
    python.write_text(f'#!/bin/sh\nexec {getattr(sys, "_base_executable", sys.executable)} -S "$@"\n')
    python.chmod(0o755)
    done = run([str(elsewhere / "plumbline"), "help"], tmp_path, PATH=f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (0, "")
    assert "create-eval" in done.stdout


def test_without_the_list_of_operations_it_says_how_to_go_on(elsewhere: Path, tmp_path: Path) -> None:
    (elsewhere / "docs" / "openapi.json").unlink()
    done = run([str(elsewhere / "plumbline"), "help"], tmp_path)
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"], error["hint"]) == (1, "NO_SCHEMA", "Use --server-schema.")


def test_without_python_it_says_so(elsewhere: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "readlink", "dirname"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
    done = run([str(elsewhere / "plumbline"), "help"], tmp_path, PATH=str(tmp_path / "bin"))
    assert (done.returncode, json.loads(done.stderr)["error"]["code"]) == (1, "NO_PYTHON")
