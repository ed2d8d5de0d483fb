"""The filtered history as a file, streamed: as little memory for a million rows as for ten."""

from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from accounts.permissions import actor_of
from foundation import times
from foundation.errors import NotFound
from foundation.table_files import joined
from scoring.exporters import MEDIA_TYPES, export_pieces
from scoring.history_filters import read_history
from scoring.permissions import Act, permit
from scoring.queries.documents import evaluation_document
from scoring.queries.history import history_stream


@require_safe
def history_export(request: HttpRequest, kind: str) -> StreamingHttpResponse:
    """Every evaluation that the address means, newest first; `kind` is csv or jsonl."""
    permit(actor_of(request), Act.READ)
    if kind not in MEDIA_TYPES:
        raise NotFound(f"There is no export as {kind}.", hint="Choose csv or jsonl.")
    wanted, _ = read_history(request.GET.dict())
    documents = (evaluation_document(row) for row in history_stream(wanted))
    response = StreamingHttpResponse(joined(export_pieces(kind, documents)), content_type=MEDIA_TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="plumbline-history-{times.now():%Y-%m-%d}.{kind}"'
    return response
