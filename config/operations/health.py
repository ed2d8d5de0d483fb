"""`/healthz`: whether this installation works, for probes; it needs no sign-in and tells no secret."""

import logging

from django.contrib.auth.decorators import login_not_required
from django.db import Error
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.operations.queries import worker_state

logger = logging.getLogger(__name__)


@login_not_required
@never_cache
@require_safe
def health(_request: HttpRequest) -> JsonResponse:
    """`{status, database, worker}`: 200 as long as the database answers, else 503.

    `status` is ok, degraded (no worker has shown a sign of life for a minute) or unavailable;
    `worker` is ok, silent or unknown. A silent worker is no reason to take the web server out of
    service, so it stays 200.
    """
    try:
        alive = worker_state().alive
    except Error:
        logger.exception("the database does not answer")
        return JsonResponse({"status": "unavailable", "database": "unavailable", "worker": "unknown"}, status=503)
    status, worker = ("ok", "ok") if alive else ("degraded", "silent")
    return JsonResponse({"status": status, "database": "ok", "worker": worker})
