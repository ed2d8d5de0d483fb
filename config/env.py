"""Typed reads of the environment. A wrong value stops the start with one sentence.

Every variable may also be given as `NAME_FILE`, the path of a file that holds the value, which
is how secrets reach a container.
"""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str | None = None) -> str:
    """The value of `name` (or the contents of the file that `name_FILE` names), else `default`.

    Raises ImproperlyConfigured when neither is set and there is no default, when both are set,
    or when the file cannot be read.
    """
    direct, path = os.environ.get(name), os.environ.get(f"{name}_FILE")
    if direct is not None and path is not None:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; set one of them.")
    if path is not None:
        try:
            return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{name}_FILE names {path}, which cannot be read: {error}") from error
    if direct is not None:
        return direct
    if default is None:
        raise ImproperlyConfigured(f"{name} is not set. Set it, or {name}_FILE; docs/operating.md says to what.")
    return default


def integer(name: str, default: int, *, low: int, high: int) -> int:
    """The whole number in `name`, from `low` to `high`, else `default`."""
    raw = text(name, str(default))
    try:
        number = int(raw)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise ImproperlyConfigured(f"{name} is {raw!r}; it must be a whole number from {low} to {high}.")
    return number


def boolean(name: str, *, default: bool) -> bool:
    """True for 1, true, yes, on; False for 0, false, no, off; else `default` when unset."""
    raw = text(name, "true" if default else "false").strip().lower()
    if raw not in _TRUE | _FALSE:
        raise ImproperlyConfigured(f"{name} is {raw!r}; write true or false.")
    return raw in _TRUE


def words(name: str, default: str = "") -> list[str]:
    """The comma-separated words in `name`, trimmed, empty ones left out."""
    return [word for part in text(name, default).split(",") if (word := part.strip())]


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """The value of `name`, which must be one of `allowed`, else `default`."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of {', '.join(allowed)}.")
    return value
