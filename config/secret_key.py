"""The keys of a local installation: made once, kept in its data folder."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def kept_secret_key(folder: Path, name: str = "secret-key") -> str:
    """The key in the file `name` of the folder, made (mode 0600) when there is none.

    Raises ImproperlyConfigured when the folder cannot be written to.
    """
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_text(encoding="ascii").strip()
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            key = secrets.token_urlsafe(64)
            file.write(key)
    except OSError as error:
        reason = f"The data folder {folder} cannot be written to ({error.strerror})."
        raise ImproperlyConfigured(f"{reason} Set PLUMBLINE_DATA to one that can.") from error
    return key
