"""Public identifiers: a prefix that names the kind, and sixteen characters nobody can guess."""

import secrets
import string

_ALPHABET = string.ascii_letters + string.digits
LENGTH = 16


def new_identifier(prefix: str) -> str:
    """A fresh identifier such as `eval_0aB…` (prefix, underscore, 16 of A-Z a-z 0-9; 95 bits)."""
    # One draw for all of them: an import makes a hundred thousand identifiers.
    rest = secrets.randbelow(len(_ALPHABET) ** LENGTH)
    characters = []
    for _ in range(LENGTH):
        rest, index = divmod(rest, len(_ALPHABET))
        characters.append(_ALPHABET[index])
    return f"{prefix}_{''.join(characters)}"
