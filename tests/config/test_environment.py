"""The script that makes the virtual environment, with stand-ins for the interpreters it may find."""

import subprocess
from pathlib import Path

import pytest

from tests.config.running import ROOT

SCRIPT = ROOT / "config" / "launch" / "environment.sh"
# A stand-in for an interpreter: says its version, makes "environments" that are copies of itself,
# and writes down what pip is asked for.
INTERPRETER = """#!/bin/sh
case "$*" in
    --version) echo "Python {version}" ;;
    *version_info*) exit {too_old} ;;
    *ensurepip*) exit {without_venv} ;;
    "-m venv "*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; echo "made by $0" >>"{journal}" ;;
    *"import pip"*) exit 0 ;;
    "-m pip "*) echo "$*" >>"{journal}"; exit {pip_status} ;;
esac
"""


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal"
    path.touch()
    return path


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "requirements.lock"
    path.write_text("something==1\n")
    return path


def interpreter(tmp_path: Path, name: str, version: str, *, without_venv: bool = False, pip_status: int = 0) -> Path:
    path = tmp_path / "path" / name
    path.parent.mkdir(exist_ok=True)
    too_old = int(tuple(map(int, version.split("."))) < (3, 11))
    content = INTERPRETER.format(
        version=version,
        too_old=too_old,
        without_venv=int(without_venv),
        journal=tmp_path / "journal",
        pip_status=pip_status,
    )
    path.write_text(content)
    path.chmod(0o755)
    return path


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The script, where only the stand-ins and the plain tools of a system are on the PATH."""
    tools = tmp_path / "tools"
    if not tools.exists():
        tools.mkdir()
        for name in ("sh", "cksum", "cat", "basename", "tail", "mkdir", "cp"):
            tools.joinpath(name).symlink_to(
                Path("/bin") / name if (Path("/bin") / name).exists() else f"/usr/bin/{name}"
            )
    command = ["/bin/sh", str(SCRIPT), str(tmp_path / "venv"), str(tmp_path / "requirements.lock"), *words]
    path = {"PATH": f"{tmp_path / 'path'}:{tools}"}
    return subprocess.run(command, env=path, capture_output=True, text=True, timeout=30, check=False)


def refusal(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


def test_it_installs_by_hash_and_only_again_when_the_lock_changed(tmp_path: Path, journal: Path, lock: Path) -> None:
    interpreter(tmp_path, "python3", "3.11")
    assert run(tmp_path).returncode == 0
    first = journal.read_text()
    assert first.count("made by") == 1
    assert first.count("--require-hashes") == 1
    again = run(tmp_path)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert journal.read_text() == first
    lock.write_text("something==2\n")
    assert run(tmp_path).returncode == 0
    assert journal.read_text().count("--require-hashes") == 2
    assert journal.read_text().count("made by") == 1


def test_a_python_too_old_is_one_clear_line(tmp_path: Path, journal: Path, lock: Path) -> None:
    interpreter(tmp_path, "python3", "3.9")
    assert "Plumbline needs Python 3.11 or newer (found: Python 3.9)" in refusal(run(tmp_path))


def test_no_python_at_all_is_one_clear_line(tmp_path: Path, journal: Path, lock: Path) -> None:
    assert "Plumbline needs Python 3.11 or newer" in refusal(run(tmp_path))


def test_the_newest_other_python_stands_in_for_one_that_is_too_old(tmp_path: Path, journal: Path, lock: Path) -> None:
    interpreter(tmp_path, "python3", "3.10")
    interpreter(tmp_path, "python3.11", "3.11")
    interpreter(tmp_path, "python3.12", "3.12")
    assert run(tmp_path).returncode == 0
    assert "python3.12" in journal.read_text().splitlines()[0]


def test_python3_is_taken_when_it_is_new_enough(tmp_path: Path, journal: Path, lock: Path) -> None:
    interpreter(tmp_path, "python3", "3.11")
    interpreter(tmp_path, "python3.13", "3.13")
    assert run(tmp_path).returncode == 0
    assert journal.read_text().splitlines()[0].endswith("/python3")


def test_the_python_asked_for_is_the_one(tmp_path: Path, journal: Path, lock: Path) -> None:
    interpreter(tmp_path, "python3", "3.11")
    other = interpreter(tmp_path, "other-python", "3.12")
    assert run(tmp_path, str(other)).returncode == 0
    assert journal.read_text().splitlines()[0].endswith("/other-python")
    old = interpreter(tmp_path, "old-python", "3.8")
    (tmp_path / "venv" / "bin" / "python").unlink()
    assert "(found: Python 3.8)" in refusal(run(tmp_path, str(old)))


def test_a_python_without_venv_is_one_clear_line(tmp_path: Path, journal: Path, lock: Path) -> None:
    interpreter(tmp_path, "python3", "3.11", without_venv=True)
    assert "python3 has no venv and ensurepip modules. Install them" in refusal(run(tmp_path))
    assert journal.read_text() == ""


def test_an_installation_that_fails_is_tried_again_the_next_time(tmp_path: Path, journal: Path, lock: Path) -> None:
    interpreter(tmp_path, "python3", "3.11", pip_status=1)
    failed = run(tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.splitlines()[-1].endswith("cannot be installed; the reason is above.")
    assert run(tmp_path).returncode == 1
    assert journal.read_text().count("--require-hashes") == 2


def test_the_developers_lock_holds_every_pin_of_the_users() -> None:
    def pins(name: str) -> set[str]:
        lines = (ROOT / name).read_text().splitlines()
        return {line.split(";")[0].rstrip("\\ ").strip() for line in lines if "==" in line and line[0].isalpha()}

    users, developers = pins("requirements.lock"), pins("requirements-dev.lock")
    assert len(users) > 30
    assert users <= developers


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_has_hashes_and_no_addresses(name: str) -> None:
    text = (ROOT / name).read_text()
    assert "http" not in "".join(line for line in text.splitlines() if "--hash" not in line and "==" not in line)
    assert "://" not in text
    assert "index" not in text
    entries = [line for line in text.splitlines() if "==" in line and line[0].isalpha()]
    assert all(line.endswith("\\") for line in entries)
