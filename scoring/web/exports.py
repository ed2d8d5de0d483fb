"""The filtered history as a file, streamed: as little memory for a million rows as for ten."""

from collections.abc import Iterator

from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from accounts.permissions import actor_of
from foundation import times
from foundation.errors import NotFound
from scoring.exporters import MEDIA_TYPES, export_pieces
from scoring.history_filters import read_history
from scoring.permissions import Act, permit
from scoring.queries.documents import evaluation_document
from scoring.queries.history import history_stream

_PIECE_BYTES = 65_536


@require_safe
def history_export(request: HttpRequest, kind: str) -> StreamingHttpResponse:
    """Every evaluation that the address means, newest first; `kind` is csv or jsonl."""
    permit(actor_of(request), Act.READ)
    if kind not in MEDIA_TYPES:
        raise NotFound(f"There is no export as {kind}.", hint="Choose csv or jsonl.")
    wanted, _ = read_history(request.GET.dict())
    documents = (evaluation_document(row) for row in history_stream(wanted))
    response = StreamingHttpResponse(_joined(export_pieces(kind, documents)), content_type=MEDIA_TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="plumbline-history-{times.now():%Y-%m-%d}.{kind}"'
    return response


def _joined(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in larger pieces: each piece costs the server a write."""
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= _PIECE_BYTES:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)
