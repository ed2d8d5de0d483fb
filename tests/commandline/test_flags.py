"""From words to a request: what each flag's value becomes, and what is refused before anything is sent."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.commandline.fakes import Desk, Screen

EVAL = ("create-eval", "--project-id", "proj_1", "--name", "n", "--dataset-id", "dset_1")
ITEM = ("create-dataset-item", "--dataset-id", "dset_1")
TEXTS = st.text(st.characters(exclude_categories=("Cs",)))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def misuse(screen: Screen) -> str:
    """The sentence and hint of a command that was not understood, and that sent nothing."""
    assert (screen.status, screen.wanted, screen.stdout) == (2, [], b"")
    return f"{screen.error['message']} {screen.error.get('hint', '')}".strip()


def as_written(text: str) -> str:
    """The word that stands for this text."""
    return f"@{text}" if text.startswith("@") else text


@given(TEXTS.filter(lambda text: text != "-"))
@example("@home")
@example("@@")
@example("--name")
@example("5")
@example('{"a": 1}')
@example("a=b")
def test_any_text_reaches_a_text_field_as_it_is(text: str) -> None:
    screen = Desk().run("create-project", f"--name={as_written(text)}")
    assert screen.status == 0
    assert screen.body == {"name": text}


@given(JSON)
@example("-")
@example(1e22)
def test_any_json_reaches_a_field_of_any_type_as_it_is(value: Any) -> None:
    screen = Desk().run(*ITEM, "--input", "[]", f"--expected-output={json.dumps(value)}")
    assert screen.body["expected_output"] == value
    assert type(screen.body["expected_output"]) is type(value)


@given(TEXTS.filter(lambda text: text != "-"))
@example("a b&c=d/é+%")
def test_any_text_reaches_a_query_as_it_is(text: str) -> None:
    screen = Desk().run("list-evals", f"--project-id={as_written(text)}")
    [wanted] = screen.wanted
    assert parse_qsl(urlsplit(wanted.url).query, keep_blank_values=True) == [("project_id", text)]


@given(TEXTS.filter(lambda text: text not in {"", "-"}))
@example("..")
@example("a/b?c#d")
def test_any_text_in_the_address_stays_one_step(text: str) -> None:
    screen = Desk().run("get-eval", f"--eval-id={as_written(text)}")
    [wanted] = screen.wanted
    steps = urlsplit(wanted.url).path.split("/")
    assert len(steps) == 5
    assert steps[4] not in {"..", "."}


def test_numbers_keep_their_digits() -> None:
    screen = Desk().run(*ITEM, "--input", "[]", "--metadata", '{"total": 1.10, "id": 12345678901234567890.5}')
    assert b'{"total": 1.10, "id": 12345678901234567890.5}' in screen.wanted[0].body


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.75", 0.75),
        ("null", None),
        ("true", True),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("0.7.5", "0.7.5"),
        ("", ""),
    ],
)
def test_a_number_is_json_and_what_is_none_goes_to_the_server_as_text(written: str, meant: Any) -> None:
    assert Desk().run(*EVAL, f"--pass-threshold={written}").body["pass_threshold"] == meant


@pytest.mark.parametrize(
    ("written", "meant"), [("2024", "2024"), ("true", "true"), ("null", None), ("[1]", "[1]"), ("-5", "-5")]
)
def test_a_text_that_may_be_null_is_text_but_for_null(written: str, meant: Any) -> None:
    assert Desk().run(*EVAL, "--group-by", written).body["group_by"] == meant


@pytest.mark.parametrize("flag", ["--pass-threshold", "--pass_threshold", "--passThreshold"])
def test_flags_are_kebab_snake_or_camel(flag: str) -> None:
    assert Desk().run(*EVAL, flag, "1").body["pass_threshold"] == 1


def test_members_in_camel_case_are_written_in_kebab() -> None:
    screen = Desk().run("evaluate", "--profile-id", "prof_1", "--output", "42")
    assert screen.body == {"profileId": "prof_1", "output": "42"}


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["--wait"], True),
        (["--wait", "true"], True),
        (["--wait", "false"], False),
        (["--wait=false"], False),
        (["--wait", "--name", "x"], True),
        (["--wait=yes"], "yes"),
    ],
)
def test_a_boolean_may_stand_alone(words: list[str], meant: Any) -> None:
    assert Desk().run("start-eval-run", "eval_1", *words).body["wait"] == meant


def test_a_body_whose_members_may_all_be_left_out_is_sent_empty() -> None:
    screen = Desk().run("start-eval-run", "eval_1")
    assert screen.body == {}
    assert screen.wanted[0].headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("words", [["eval_1"], ["--id", "eval_1"], ["--eval-id", "eval_1"], ["--", "eval_1"]])
def test_one_thing_may_be_named_in_four_ways(words: list[str]) -> None:
    assert Desk().run("get-eval", *words).wanted[0].url == "http://localhost:3001/api/v1/evals/eval_1"


def test_words_without_a_flag_fill_the_address_in_its_order() -> None:
    url = "http://localhost:3001/api/v1/evals/eval_1/runs/evrun_2"
    assert Desk().run("get-eval-run", "eval_1", "evrun_2").wanted[0].url == url
    assert Desk().run("get-eval-run", "--eval-id", "eval_1", "evrun_2").wanted[0].url == url


def test_files_and_standard_input_are_read(tmp_path: Path) -> None:
    file = tmp_path / "instructions"
    file.write_text("Be kind.\n€\n", encoding="utf-8")
    assert Desk().run("create-project", "--name", f"@{file}").body == {"name": "Be kind.\n€\n"}
    assert Desk(stdin=b"from a pipe").run("create-project", "--name", "-").body == {"name": "from a pipe"}
    assert Desk(stdin=b"[1]").run(*ITEM, "--input=-").body == {"input": [1]}


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    assert "cannot be read" in misuse(Desk().run("create-project", "--name", f"@{tmp_path / 'none'}"))
    file = tmp_path / "picture"
    file.write_bytes(b"\xff\xfe")
    assert misuse(Desk().run("create-project", "--name", f"@{file}")) == "What --name was given is not text in UTF-8."


def test_a_whole_body_is_sent_byte_by_byte(tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    file.write_bytes(b"input\nHello\xff\n")
    words = ("import-dataset-items", "dset_1", "--content-type", "text/csv", "--body", f"@{file}", "--mode", "upsert")
    [wanted] = Desk().run(*words).wanted
    assert (wanted.body, wanted.headers["Content-Type"]) == (b"input\nHello\xff\n", "text/csv")
    assert wanted.url.endswith("/items/import?mode=upsert")
    assert Desk().run("create-project", '--body={"name": "-"}').body == {"name": "-"}


def test_a_flag_that_could_be_a_member_or_a_parameter_is_the_member_while_there_is_no_whole_body() -> None:
    [wanted] = Desk().run("import-dataset-items", "dset_1", "--format", "csv", "--content", "input\na").wanted
    assert json.loads(wanted.body) == {"format": "csv", "content": "input\na"}
    assert wanted.url.endswith("/items/import")


def test_headers_have_flags() -> None:
    screen = Desk().run("update-profile", "prof_1", "--name", "x", "--if-match", '"3"')
    assert screen.wanted[0].headers["If-Match"] == '"3"'
    assert misuse(Desk().run("update-profile", "prof_1", "--if-match", "3\nX: y")).startswith("If-Match holds")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("get-evl",), "There is no operation get-evl. Did you mean get-eval?"),
        (("zzzzzzzzz",), "There is no operation zzzzzzzzz. plumbline help lists them."),
        (
            (*EVAL, "--pass-treshold", "1"),
            "create-eval called --pass-treshold. Did you mean --pass-threshold?",
        ),
        ((*EVAL, "--xyzzy", "1"), "called --xyzzy. plumbline help create-eval lists its flags."),
        (("create-eval", "--name", "x"), "create-eval needs --dataset-id, --project-id."),
        (("get-eval-run", "eval_1"), "get-eval-run needs --eval-run-id."),
        (("create-project", "--name"), "--name needs a value."),
        (("create-project", "--name", "--x"), "A value that begins with two dashes is written --name=VALUE."),
        (("create-project", "--name", "a", "--name", "b"), "--name is given twice."),
        (("get-eval", "--id", "a", "--eval-id", "b"), "--eval-id is given twice."),
        (("get-eval", "a", "b"), "The word 'b' belongs to no flag."),
        (("get-eval", ""), "--eval-id is empty."),
        (("create-project", "--name", "x", "--body", "{}"), "--name is part of the body, which --body gives whole."),
        (("evaluate-batch",), "evaluate-batch needs --body."),
        (("import-dataset-items", "d", "--body", "x", "--content-type", "text/html"), "not text/html."),
        (("create-project", "--name=\udcff"), "The command line is not valid UTF-8."),
        ((*ITEM, "--input", "[" * 100_000), "The JSON is nested too deeply."),
    ],
)
def test_what_cannot_be_understood_is_said_before_anything_is_sent(words: tuple[str, ...], sentence: str) -> None:
    assert sentence in misuse(Desk().run(*words))
