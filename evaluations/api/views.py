"""What the views of /api/v1 have in common: who asks, one page of a list, query parameters that exist."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.actors import Actor
from accounts.models import Project
from accounts.permissions import actor_of
from accounts.queries import project_for
from evaluations.permissions import Act, permit
from foundation.errors import FieldError, Unauthorized, ValidationFailed
from foundation.http.bodies import read_page

PAGING = ("limit", "offset")


class ProjectView(APIView):
    """A view that knows its actor. What it does on PUT it does on PATCH: both change only what is sent."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        put = cls.__dict__.get("put")
        if put is not None:

            @extend_schema(exclude=True)
            def patch(self: "ProjectView", request: Request, **path: str) -> Response:
                answer: Response = put(self, request, **path)
                return answer

            cls.patch = patch  # type: ignore[attr-defined]

    def actor(self, request: Request) -> Actor | None:
        """Who sent the request."""
        return actor_of(request._request)  # noqa: SLF001 - DRF offers no other way to the request

    def project(self, request: Request, project_id: str, act: Act = Act.READ) -> Project:
        """The project that the path names, for somebody who may `act` in it. Raises NotFound or Forbidden."""
        actor = self.actor(request)
        if actor is None:
            raise Unauthorized
        project = project_for(actor, project_id)
        permit(actor, project, act)
        return project


def only_parameters(request: Request, known: Iterable[str]) -> Mapping[str, str]:
    """The query parameters, the last of each. Raises ValidationFailed for one that this address does not know."""
    names = {*known, *PAGING}
    unknown = [name for name in request.query_params if name not in names]
    if unknown:
        raise ValidationFailed(
            FieldError(name, "unknown_parameter", f"There is no parameter {name!r} here.") for name in unknown
        )
    return request.query_params.dict()


def page_of(request: Request, rows: Any, document: Callable[[Any], Any]) -> Response:
    """One page of `rows` (a queryset): `{data, total, limit, offset}`, two queries."""
    limit, offset = read_page(request.query_params)
    shown: Sequence[Any] = rows[offset : offset + limit]
    data = [document(row) for row in shown]
    total = offset + len(data) if 0 < len(data) < limit else rows.count()
    return Response({"data": data, "total": total, "limit": limit, "offset": offset})
