"""A copy of the SQLite database, whole and consistent, taken while everything runs."""

import contextlib
import os
import sqlite3
from pathlib import Path

from config.launch.preflight import loaded_settings
from config.launch.refusal import Refusal


def run(words: list[str]) -> int:
    """0 once the file that `words` names holds the copy; never overwrites one."""
    if len(words) != 1 or not words[0]:
        raise Refusal("Name the file to write: make backup TO=backup.sqlite3")
    database = loaded_settings().DATABASES["default"]
    if database["ENGINE"] != "django.db.backends.sqlite3":
        raise Refusal("The database is PostgreSQL: use pg_dump (docs/operating.md, 'Backup and restore').")
    size = copy_database(Path(str(database["NAME"])), Path(words[0]))
    print(f"{words[0]}: {size:,} bytes. Keep the data folder's secret-key file with it.")
    return 0


def copy_database(source: Path, target: Path) -> int:
    """The size in bytes of `target`, a checked copy of the database `source`, readable by its owner only.

    The copy is one moment's state; writers wait for nothing. Nothing is left when it fails.
    """
    if not source.is_file():
        raise Refusal(f"There is no database {source} yet.")
    if target.exists():
        raise Refusal(f"{target} exists already; name another file.")
    partial = target.with_name(f"{target.name}.partial")
    try:
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with contextlib.closing(sqlite3.connect(source, timeout=20)) as connection:
            connection.execute("VACUUM INTO ?", [str(partial)])
        with contextlib.closing(sqlite3.connect(partial)) as copy:
            verdict = copy.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            raise Refusal(f"The copy is not sound: {verdict}")
        size = partial.stat().st_size
        partial.rename(target)
    except (OSError, sqlite3.Error) as error:
        raise Refusal(f"{target} cannot be written: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    return size
