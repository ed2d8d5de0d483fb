"""What `make help` promises is there, and the file is fit for `make -j`."""

import os
import re
import subprocess

import pytest

from tests.config.running import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
COMMANDS = (
    "up",
    "test",
    "lint",
    "bench",
    "help",
    "format",
    "openapi",
    "lock",
    "test-browser",
    "test-services",
    "test-model",
    "faults",
)


def make(*words: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *words], cwd=ROOT, env=clean, capture_output=True, text=True, timeout=30, check=False
    )


def test_help_is_what_make_does_by_itself_and_lists_every_command_with_a_sentence() -> None:
    plain = make()
    assert plain.returncode == 0
    assert plain.stdout == make("help").stdout
    listed = re.findall(r"^  make ([a-z-]+) +(.+)$", plain.stdout, re.MULTILINE)
    assert set(COMMANDS) <= {name for name, _ in listed}
    assert all(sentence[0].isupper() for _, sentence in listed)


def test_every_target_is_phony_and_every_phony_target_exists() -> None:
    phony = set(re.search(r"^\.PHONY: ((?:.|\\\n)+?)\n\n", MAKEFILE, re.MULTILINE)[1].replace("\\\n", " ").split())
    targets = set(re.findall(r"^([a-z][a-z-]*):(?!=)", MAKEFILE, re.MULTILINE))
    assert phony == targets


@pytest.mark.parametrize(
    "target", ["up", "test", "lint", "test-browser", "test-services", "faults", "bench", "openapi"]
)
def test_a_dry_run_goes_through(target: str) -> None:
    result = make("-n", target)
    assert result.returncode == 0, result.stderr
    assert "config/launch/environment.sh" in result.stdout


def test_a_backup_without_a_name_says_how_to_give_one() -> None:
    assert 'backup "$(TO)"' in MAKEFILE
