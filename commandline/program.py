"""The program: its words → its exit status."""

import os
import sys
from collections.abc import Mapping, Sequence

from commandline import answers, help_texts
from commandline.client import Client, is_file, pieces, read_text, refuse
from commandline.commands import COMMANDS
from commandline.failures import FAILED, Failure, misused, unknown
from commandline.flags import PICK, SERVER, SERVER_SCHEMA, Given, read_words
from commandline.operations import Operation, operations_of, packaged_document
from commandline.terminal import Terminal
from commandline.transport import DEFAULT_BASE_URL, DEFAULT_SECONDS, base_url_of, sender

_FLAG = "--"
_HELP = ("help", "--help", "-h")


def main(words: Sequence[str], terminal: Terminal | None = None) -> int:
    """The exit status: 0 done, 1 refused or failed, 2 the words cannot be understood (or a gate is undecided)."""
    here = terminal or Terminal(os.environ, sys.stdin.buffer, sys.stdout.buffer, sys.stderr)
    try:
        status = _run(list(words), here)
        here.stdout.flush()
    except Failure as failure:
        here.stderr.write(failure.document() + "\n")
        return failure.status
    except BrokenPipeError:
        # Whoever read has read enough. Python would complain of it once more when it ends.
        if terminal is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        return 130
    return status


def _run(words: list[str], here: Terminal) -> int:
    leading, named = _split(words)
    known = _operations(here, words)
    helped = [word for word in words if word in _HELP]
    if helped or not named:
        named = [word for word in named if word not in _HELP]
        here.write(_help(known, named[:1]).rstrip("\n"))
        return 0
    operation = _operation(known, named[0])
    given = read_words(operation, [*leading, *named[1:]], here.source)
    client = _client(here, given.text(SERVER.name))
    command = COMMANDS.get(operation.name)
    return command.run(client, given, here) if command else _call(client, given, here)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The program's own options that stand before the operation, and the words from it on."""
    place = 0
    while place < len(words) and words[place].startswith(_FLAG) and words[place] not in _HELP:
        place += 2 if words[place] == f"{_FLAG}{SERVER.name}" else 1
    return list(words[:place]), list(words[place:])


def _operations(here: Terminal, words: Sequence[str]) -> dict[str, Operation]:
    if f"{_FLAG}{SERVER_SCHEMA.name}" in words:
        document = _client(here, _written_url(words)).document("/api/schema", {"format": "json"})
    else:
        document = packaged_document()
    return {**operations_of(document), **{name: command.operation for name, command in COMMANDS.items()}}


def _written_url(words: Sequence[str]) -> str | None:
    """The --server among the words, which is needed before it is known what the others mean."""
    flag = f"{_FLAG}{SERVER.name}"
    for place, word in enumerate(words):
        if word.startswith(f"{flag}="):
            return word.partition("=")[2]
        if word == flag and place + 1 < len(words):
            return words[place + 1]
    return None


def _operation(known: Mapping[str, Operation], name: str) -> Operation:
    operation = known.get(name.replace("_", "-"))
    if operation is None:
        raise unknown("operation", name, list(known), otherwise="plumbline help lists them.")
    return operation


def _help(known: Mapping[str, Operation], named: Sequence[str]) -> str:
    return help_texts.explained(_operation(known, named[0])) if named else help_texts.overview(known)


def _client(here: Terminal, base_url: str | None) -> Client:
    url = base_url_of(base_url or here.variable("BASE_URL") or DEFAULT_BASE_URL)
    return Client(url, here.variable("TOKEN"), here.send or sender(_patience(here.variable("TIMEOUT"))))


def _patience(text: str) -> float:
    try:
        seconds = float(text or DEFAULT_SECONDS)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 100_000:
        raise misused(f"PLUMBLINE_TIMEOUT is {text!r}; it is a number of seconds above 0.")
    return seconds


def _call(client: Client, given: Given, here: Terminal) -> int:
    """Any operation of the server."""
    path = given.text(PICK.name)
    with client.call(given) as answer:
        refuse(answer)
        if is_file(answer) and path is None:
            for piece in pieces(answer):
                here.stdout.write(piece)
            return 0
        text = read_text(answer)
    if text:
        here.write(answers.indented(text) if path is None else answers.picked(text, path))
    return 0
