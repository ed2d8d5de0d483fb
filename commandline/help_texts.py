"""What `plumbline help` says, of the whole and of one operation."""

import json
import textwrap
from collections.abc import Mapping

from commandline.flags import CONTENT_TYPE, accepted
from commandline.operations import Field, Operation

_WIDTH = 100
INTRODUCTION = """\
Usage: plumbline OPERATION [--flag VALUE …]
       plumbline help [OPERATION]

The answer is JSON on standard output; a refusal is JSON on standard error, with exit status 1.
Words that cannot be understood end with exit status 2, before anything is sent.

  PLUMBLINE_BASE_URL   the server (http://localhost:3001)
  PLUMBLINE_TOKEN      a login token or an API key; a server in local mode needs none
  PLUMBLINE_TIMEOUT    seconds to wait for an answer (90)
  (SOAT_BASE_URL and SOAT_TOKEN are read where these are not set.)

Values: where a field may be other than a text, what is valid JSON is JSON, and everything else a
text. @FILE stands for what the file holds, - for standard input, @@ for one @ at the beginning.
A value that begins with two dashes is written --flag=VALUE.

  --pick PATH          print that member of the answer alone: --pick id
  --body VALUE         the whole body, instead of a flag for each of its members
  --server URL         the server, for this command
  --server-schema      take the operations from the server, not from this client's own list
"""


def overview(operations: Mapping[str, Operation]) -> str:
    """The introduction, and every operation with its summary."""
    longest = max((len(name) for name in operations), default=0)
    lines = [f"  {name:{longest}}  {operation.summary}" for name, operation in sorted(operations.items())]
    return "\n".join([INTRODUCTION, "Operations:", *lines, ""])


def explained(operation: Operation) -> str:
    """One operation: what it does, its flags, an example."""
    positional = " ".join(f"[{one.name.upper()}]" for one in operation.path_fields)
    lines = [f"Usage: plumbline {operation.name} {positional}".rstrip() + " [--flag VALUE …]", "", operation.summary]
    if operation.description:
        lines += ["", *textwrap.wrap(" ".join(operation.description.split()), _WIDTH)]
    lines += ["", "Flags:"]
    for one in accepted(operation):
        lines += _flag(one, operation)
    if isinstance(operation.example, dict):
        lines += ["", "Example:", _example(operation)]
    return "\n".join([*lines, ""])


def _flag(one: Field, operation: Operation) -> list[str]:
    words = [" or ".join(sorted(one.types - {"null"})) or "any JSON"]
    if one.required:
        words.append("required")
    if one.choices:
        words.append("one of " + ", ".join(one.choices))
    if one.default not in (None, "", [], {}):
        words.append(f"{json.dumps(one.default)} when left out")
    text = " ".join(one.description.split())
    if one == CONTENT_TYPE:
        text += f" One of {', '.join(operation.media_types)}."
    lines = [f"  --{one.flag}  ({'; '.join(words)})"]
    return [*lines, *textwrap.wrap(text, _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)]


def _example(operation: Operation) -> str:
    words = [f"plumbline {operation.name}", *(f"--{one.flag} …" for one in operation.path_fields)]
    flags = {one.name: one.flag for one in operation.fields if one.place == "body"}
    for name, value in operation.example.items():
        if name in flags:
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            words.append(f"--{flags[name]} '{shown.replace(chr(39), chr(39) + chr(92) + chr(39) * 2)}'")
    return "  " + " \\\n    ".join(words)
