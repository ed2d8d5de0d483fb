"""The files in deploy/ are well formed and say nothing that the code does not know."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from config.launch.__main__ import _COMMANDS
from tests.config.running import ROOT
from tests.config.test_operating_document import reads

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("plumbline*"))


def variables(text: str) -> set[str]:
    return set(re.findall(r"\bPLUMBLINE_[A-Z_]+", text))


@pytest.mark.parametrize(
    "path", [path for path in sorted(DEPLOY.rglob("*")) if path.is_file()], ids=lambda path: path.name
)
def test_only_variables_that_are_read_are_set(path: Path) -> None:
    known = set(reads())
    assert {name for name in variables(path.read_text()) if name.removesuffix("_FILE") not in known} == set()


def test_every_service_of_ours_runs_a_command_that_exists() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    ours = {name: service for name, service in services.items() if service["image"] == "plumbline"}
    assert {"prepare", "web", "worker", "beat"} == set(ours)
    assert all(service["command"] == [name] for name, service in ours.items())
    assert set(ours) <= set(_COMMANDS)


def test_every_secret_is_declared_and_none_stands_in_the_file() -> None:
    document = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    for service in document["services"].values():
        assert set(service.get("secrets", [])) <= set(document["secrets"])
        for name, value in service.get("environment", {}).items():
            if "PASSWORD" in name or "SECRET" in name or "DATABASE_URL" in name:
                assert name.endswith("_FILE"), name
                assert value.removeprefix("/run/secrets/") in service["secrets"]


def test_only_the_web_server_is_reachable_and_only_from_this_machine() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert {name: service["ports"] for name, service in services.items() if "ports" in service} == {
        "web": ["127.0.0.1:3001:3001"]
    }


def test_the_image_copies_every_package_there_is() -> None:
    copied = set(re.findall(r"^COPY (\w+) \w+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE))
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"bench", "commandline", "tests"}
    assert copied == packages | {"static", "templates"}
    allowed = set(re.findall(r"^!(\w+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE))
    assert allowed == copied


def test_every_unit_runs_a_command_that_exists() -> None:
    for path in UNITS:
        if path.suffix == ".service":
            name = path.stem.removeprefix("plumbline-")
            assert name in _COMMANDS
            assert f"ExecStart=/opt/plumbline/.venv/bin/python -m config.launch {name}\n" in path.read_text()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd-analyze on the PATH")
def test_systemd_finds_no_fault_in_the_units(tmp_path: Path) -> None:
    for path in UNITS:
        # It looks for the program, which is only there after an installation.
        text = path.read_text().replace("/opt/plumbline/.venv/bin/python", "/bin/true")
        (tmp_path / path.name).write_text(text)
    result = subprocess.run(
        ["systemd-analyze", "verify", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
