"""What the tests of providers, agents, tools and secrets share: a secret to look for, and where to look."""

import contextlib
import logging
import sqlite3
from collections.abc import Iterator
from typing import Any

from django.db import connection

CANARY = "sk-canary-5f0e9a7b2c"


class Kept(logging.Handler):
    """Every line that any logger writes, at every level."""

    def __init__(self) -> None:
        super().__init__(level=logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@contextlib.contextmanager
def all_logs() -> Iterator[Kept]:
    """What is logged inside, whatever the settings let through."""
    handler, root = Kept(), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    ours = logging.getLogger("evaluations")
    before = ours.level
    ours.setLevel(logging.DEBUG)
    try:
        yield handler
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        ours.setLevel(before)


def database_text() -> str:
    """Everything that the database holds, as text."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            raw = connection.connection
            assert isinstance(raw, sqlite3.Connection)
            return "\n".join(raw.iterdump())
        texts = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT t::text FROM "{table}" t')  # noqa: S608 - the database's own names
            texts += [str(row[0]) for row in cursor.fetchall()]
    return "\n".join(texts)


def chat_answer(text: str, **more: Any) -> dict[str, Any]:
    """What an OpenAI-compatible server answers in one piece."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 12, "completion_tokens": 5}
    return {"id": "r1", "model": "small-1", "choices": [choice], "usage": usage, **more}
