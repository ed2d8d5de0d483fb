"""Text search in evaluations: which rows hold a text, when they are few enough to be named.

A text that many rows hold is found soonest by looking at the newest rows one by one; a text that
few or none hold, by an index of three-letter pieces. Neither database's planner can tell which it
is, so we ask the index first, for one key more than is worth naming.
"""

from django.db import DEFAULT_DB_ALIAS, connections

from scoring.search_index import has_search_index

SHORTEST = 3
"""The index knows pieces of three characters; shorter texts are looked for row by row."""
MOST_KEYS = 2_000
_MOST_PIECES = 24


def found_keys(needle: str) -> list[int] | None:
    """The keys of the rows whose search text holds `needle` (folded); None when they are too many.

    Also None where the database has no such index; docs/operating.md says when.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    if not has_search_index(connection):
        return None
    statement, values = _STATEMENTS[connection.vendor](needle)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*values, MOST_KEYS + 1])
        keys = [key for (key,) in cursor.fetchall()]
    return keys if len(keys) <= MOST_KEYS else None


def _in_sqlite(needle: str) -> tuple[str, list[str]]:
    """All pieces must be there, in any order; then the text itself decides."""
    pieces = dict.fromkeys(needle[start : start + SHORTEST] for start in range(len(needle) - SHORTEST + 1))
    quoted = ['"' + piece.replace('"', '""') + '"' for piece in list(pieces)[:_MOST_PIECES]]
    statement = (
        "SELECT evaluation.id FROM scoring_evaluation_search JOIN scoring_evaluation AS evaluation"
        " ON evaluation.id = scoring_evaluation_search.rowid"
        " WHERE scoring_evaluation_search MATCH %s AND instr(evaluation.search_text, %s) > 0 LIMIT %s"
    )
    return statement, [" AND ".join(quoted), needle]


def _in_postgresql(needle: str) -> tuple[str, list[str]]:
    pattern = needle.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return "SELECT id FROM scoring_evaluation WHERE search_text LIKE %s LIMIT %s", [f"%{pattern}%"]


_STATEMENTS = {"sqlite": _in_sqlite, "postgresql": _in_postgresql}
