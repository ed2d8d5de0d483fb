"""The index behind the history's text search: made after each migration, whatever the database.

It is no migration of its own because a later one that remakes the evaluations' table on SQLite
would silently drop the triggers that feed it; made here, it heals by itself.
"""

import logging
from typing import Any

from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)
_SQLITE = (
    (
        "CREATE VIRTUAL TABLE scoring_evaluation_search USING fts5("
        "search_text, content='scoring_evaluation', content_rowid='id', detail=none, columnsize=0,"
        " tokenize='trigram case_sensitive 1')"
    ),
    "INSERT INTO scoring_evaluation_search(scoring_evaluation_search) VALUES ('rebuild')",
)
_SQLITE_TRIGGERS = (
    (
        "CREATE TRIGGER IF NOT EXISTS scoring_evaluation_search_add AFTER INSERT ON scoring_evaluation BEGIN"
        " INSERT INTO scoring_evaluation_search(rowid, search_text) VALUES (new.id, new.search_text); END"
    ),
    (
        "CREATE TRIGGER IF NOT EXISTS scoring_evaluation_search_remove AFTER DELETE ON scoring_evaluation BEGIN"
        " INSERT INTO scoring_evaluation_search(scoring_evaluation_search, rowid, search_text)"
        " VALUES ('delete', old.id, old.search_text); END"
    ),
)
_POSTGRESQL = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX IF NOT EXISTS scoring_evaluation_search ON scoring_evaluation USING gin (search_text gin_trgm_ops)",
)


def has_search_index(connection: BaseDatabaseWrapper) -> bool:
    """Whether the database has the index; asked once a connection."""
    known: bool | None = getattr(connection, "_plumbline_has_search_index", None)
    if known is None:
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("SELECT 1 FROM sqlite_master WHERE name = 'scoring_evaluation_search'")
            else:
                cursor.execute("SELECT 1 FROM pg_class WHERE relname = 'scoring_evaluation_search'")
            known = cursor.fetchone() is not None
        connection._plumbline_has_search_index = known  # type: ignore[attr-defined]  # noqa: SLF001
    return known


def ensure_search_index(using: str, **_: Any) -> None:
    """Make the index and what feeds it, as far as they are missing; a post_migrate handler.

    Where the database cannot (an SQLite without the trigram tokenizer, a PostgreSQL user who may
    not add pg_trgm) the search still works, row by row.
    """
    connection = connections[using]
    if "scoring_evaluation" not in connection.introspection.table_names():
        return
    try:
        with transaction.atomic(using=using), connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("SELECT 1 FROM sqlite_master WHERE name = 'scoring_evaluation_search'")
                statements = _SQLITE_TRIGGERS if cursor.fetchone() else (*_SQLITE, *_SQLITE_TRIGGERS)
            else:
                statements = _POSTGRESQL
            for statement in statements:
                cursor.execute(statement)
    except DatabaseError as error:
        logger.warning("no index for the history's text search, which will be slower: %s", error)
    connection._plumbline_has_search_index = None  # type: ignore[attr-defined]  # noqa: SLF001
