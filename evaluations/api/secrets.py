"""A project's secrets, over HTTP: their names, never their values."""

from typing import Annotated, Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.models import ProjectSecret
from evaluations.permissions import LEAST_ROLE, Act
from evaluations.queries.tools import secrets_of
from evaluations.services.secrets import secret_delete, secret_set
from foundation.http.api import json_body
from foundation.http.bodies import PAGE_PARAMETERS, Moment, StrictBody, read_body, write_answer
from foundation.http.openapi import describe


class SecretBody(StrictBody):
    """A secret's name, which headers of tools hold as `{{secret:NAME}}`, and its value, which is never answered."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    value: Annotated[str, Field(min_length=1, max_length=8_000)]


class SecretAnswer(StrictBody):
    """A secret: its name, and when its value was first and last set."""

    name: str
    created_at: Moment
    updated_at: Moment


class SecretList(StrictBody):
    """A part of a project's secrets, by name."""

    data: list[SecretAnswer]
    total: int
    limit: int
    offset: int


def secret_document(row: ProjectSecret) -> dict[str, Any]:
    """The secret as the API answers it, without its value."""
    return write_answer(SecretAnswer(name=row.name, created_at=row.created_at, updated_at=row.updated_at))


class Secrets(ProjectView):
    """All of one project."""

    @describe(
        "list-project-secrets",
        "List the names of a project's secrets.",
        query=PAGE_PARAMETERS,
        answers={200: SecretList},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """The names, and when each value was last set."""
        only_parameters(request, ())
        return page_of(request, secrets_of(self.project(request, project_id, Act.WRITE)), secret_document)

    @describe(
        "set-project-secret",
        "Set a secret of a project.",
        body=SecretBody,
        answers={200: SecretAnswer},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404,),
        example={"name": "POLICY_TOKEN", "value": "a value that is kept encrypted"},
    )
    def put(self, request: Request, project_id: str) -> Response:
        """The secret's name and dates; a value that it had is replaced."""
        project = self.project(request, project_id, Act.OWN)
        body = read_body(SecretBody, json_body(request))
        row = secret_set(actor=self.actor(request), project=project, name=body.name, value=body.value)
        return Response(secret_document(row))


class SecretDetail(ProjectView):
    """One of them."""

    @describe(
        "delete-project-secret",
        "Delete a secret of a project.",
        answers={204: None},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404,),
    )
    def delete(self, request: Request, project_id: str, secret_name: str) -> Response:
        """Nothing: the secret is deleted; tools that name it cannot be called until it is set again."""
        only_parameters(request, ())
        project = self.project(request, project_id, Act.OWN)
        secret_delete(actor=self.actor(request), project=project, name=secret_name)
        return Response(status=204)
