"""Files in a request: as the body itself or as a part of a form, put aside on disk and bounded."""

from collections.abc import Mapping
from tempfile import SpooledTemporaryFile
from typing import Any

from rest_framework.parsers import BaseParser

from foundation.errors import TooLarge
from foundation.http.api import declared_length

_IN_MEMORY = 2_000_000
_CHUNK = 65_536


def refuse_large(request: Any, limit: int) -> None:
    """Raise TooLarge for a request that says that its body has more than `limit` bytes."""
    declared = declared_length(request)
    if declared is not None and declared > limit:
        raise too_large(limit)


def too_large(limit: int) -> TooLarge:
    """The refusal of a file with more than `limit` bytes."""
    return TooLarge(f"The file is larger than {limit:,} bytes.", meta={"limitBytes": limit})


class FileParser(BaseParser):
    """Puts the body aside as a file at its start, on disk beyond 2 MB; TooLarge beyond `limit` bytes.

    Subclass it for a media type.
    """

    limit: int

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """The file, open for reading; the view closes it."""
        refuse_large(stream, self.limit)
        spool = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the view closes it
        while chunk := stream.read(_CHUNK):
            spool.write(chunk)
            if spool.tell() > self.limit:
                spool.close()
                raise too_large(self.limit)
        spool.seek(0)
        return spool
