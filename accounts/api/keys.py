"""One's own API keys."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import queries, services
from accounts.actors import Actor, Role
from accounts.api.bodies import KeyAnswer, KeyBody, KeyList, NewKeyAnswer
from accounts.models import ApiKey, Project
from accounts.permissions import actor_of, require
from foundation.errors import NotFound, ValidationFailed
from foundation.http.api import json_body
from foundation.http.bodies import PAGE_PARAMETERS, read_body, read_page, write_answer
from foundation.http.openapi import describe


def _members(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.public_id,
        "name": key.name,
        "project_id": key.project.public_id if key.project else None,
        "role": key.role_in_force.value,
        "prefix": key.shown_prefix,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "last_used_at": key.last_used_at,
    }


def _project(actor: Actor, project_id: str | None) -> Project | None:
    """The project that a key is for; one that the caller may not see is a fault of the body."""
    try:
        return None if project_id is None else queries.project_for(actor, project_id)
    except NotFound as error:
        raise ValidationFailed.one("project_id", "unknown", "There is no project with this identifier.") from error


class KeysView(APIView):
    """All of them."""

    @describe("list-api-keys", "List your API keys.", query=PAGE_PARAMETERS, answers={200: KeyList}, needs=Role.VIEWER)
    def get(self, request: Request) -> Response:
        """Your API keys that are not revoked, newest first, without their secrets."""
        actor = require(actor_of(request._request), Role.VIEWER)  # noqa: SLF001
        limit, offset = read_page(request.query_params)
        keys = queries.own_keys(actor)
        shown = [KeyAnswer(**_members(key)) for key in keys[offset : offset + limit]]
        return Response(write_answer(KeyList(data=shown, total=len(keys), limit=limit, offset=offset)))

    @describe(
        "create-api-key",
        "Create an API key.",
        body=KeyBody,
        answers={201: NewKeyAnswer},
        needs=Role.VIEWER,
        example={"name": "nightly build", "role": "reviewer"},
    )
    def post(self, request: Request) -> Response:
        """A new API key of your own. Its secret is in this answer and nowhere else."""
        actor = require(actor_of(request._request), Role.VIEWER)  # noqa: SLF001
        body = read_body(KeyBody, json_body(request))
        role = Role(body.role) if body.role else None
        key, secret = services.key_create(
            actor=actor, name=body.name, role=role, expires_at=body.expires_at, project=_project(actor, body.project_id)
        )
        answer = NewKeyAnswer(**_members(key), secret=secret)
        return Response(write_answer(answer), status=201, headers={"Cache-Control": "no-store"})


class KeyView(APIView):
    """One of them."""

    @describe("get-api-key", "Get an API key.", answers={200: KeyAnswer}, needs=Role.VIEWER, refusals=(404,))
    def get(self, request: Request, key_id: str) -> Response:
        """One of your API keys, without its secret."""
        actor = require(actor_of(request._request), Role.VIEWER)  # noqa: SLF001
        return Response(write_answer(KeyAnswer(**_members(queries.own_key(actor, key_id)))))

    @describe("delete-api-key", "Revoke an API key.", answers={204: None}, needs=Role.VIEWER, refusals=(404,))
    def delete(self, request: Request, key_id: str) -> Response:
        """The key stops working at once."""
        actor = require(actor_of(request._request), Role.VIEWER)  # noqa: SLF001
        services.key_revoke(actor=actor, key=queries.own_key(actor, key_id))
        return Response(status=204)
