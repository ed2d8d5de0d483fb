"""The scorer types, over HTTP."""

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import actor_of
from foundation.http.openapi import describe
from scoring.api import schemas
from scoring.permissions import LEAST_ROLE, Act, permit
from scoring.reference import scorer_documents


class Scorers(APIView):
    """Every scorer type."""

    @describe(
        "list-scorers",
        "List every scorer type with the schema of its settings and examples.",
        answers={200: [schemas.SCORER_TYPE]},
        needs=LEAST_ROLE[Act.READ],
    )
    def get(self, request: Request) -> Response:
        """One document a type, by name."""
        permit(actor_of(request), Act.READ)
        return Response(scorer_documents())
