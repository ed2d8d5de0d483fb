from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env

NAME = "PLUMBLINE_SOMETHING"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(NAME, raising=False)
    monkeypatch.delenv(f"{NAME}_FILE", raising=False)


def test_the_default_stands_in_for_what_is_not_set() -> None:
    assert env.text(NAME, "a") == "a"
    assert env.integer(NAME, 7, low=1, high=9) == 7
    assert env.boolean(NAME, default=True) is True
    assert env.words(NAME, "a, b") == ["a", "b"]
    assert env.choice(NAME, "x", ("x", "y")) == "x"


def test_a_value_without_default_must_be_set() -> None:
    with pytest.raises(ImproperlyConfigured, match=f"{NAME} is not set"):
        env.text(NAME)


def test_a_value_may_stand_in_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("pässword \n")
    monkeypatch.setenv(f"{NAME}_FILE", str(tmp_path / "secret"))
    assert env.text(NAME) == "pässword "


def test_both_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "a")
    monkeypatch.setenv(f"{NAME}_FILE", "/b")
    with pytest.raises(ImproperlyConfigured, match="are both set"):
        env.text(NAME, "default")


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv(f"{NAME}_FILE", str(path))
    with pytest.raises(ImproperlyConfigured, match="cannot be read"):
        env.text(NAME, "default")


@pytest.mark.parametrize("raw", ["0", "10", "-1", "1.5", "", "one", "9" * 30])
def test_a_number_out_of_bounds_is_refused(monkeypatch: pytest.MonkeyPatch, raw: str) -> None:
    monkeypatch.setenv(NAME, raw)
    with pytest.raises(ImproperlyConfigured, match="whole number from 1 to 9"):
        env.integer(NAME, 7, low=1, high=9)


@pytest.mark.parametrize(
    ("raw", "expected"), [("1", True), ("Yes", True), (" on ", True), ("FALSE", False), ("", False)]
)
def test_a_boolean(monkeypatch: pytest.MonkeyPatch, raw: str, expected: bool) -> None:
    monkeypatch.setenv(NAME, raw)
    assert env.boolean(NAME, default=not expected) is expected


def test_a_boolean_that_is_neither_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "perhaps")
    with pytest.raises(ImproperlyConfigured, match="write true or false"):
        env.boolean(NAME, default=True)


def test_words_are_trimmed_and_empty_ones_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, " a.example , ,b.example,")
    assert env.words(NAME) == ["a.example", "b.example"]


def test_a_choice_must_be_one_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "z")
    with pytest.raises(ImproperlyConfigured, match="one of x, y"):
        env.choice(NAME, "x", ("x", "y"))
