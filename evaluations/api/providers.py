"""AI providers, over HTTP. A key goes in and never comes out."""

from typing import Annotated, Any, Literal

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.evals import OF_PROJECT
from evaluations.api.idempotency import HEADER_WORDS, idempotent
from evaluations.api.texts import Identifier, JsonObject, Name, ShortText
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.models import AiProvider
from evaluations.permissions import LEAST_ROLE, Act, project_to_write
from evaluations.queries.agents import provider_for, providers_listed
from evaluations.services.providers import KEY_DROPPED, provider_create, provider_delete, provider_update
from foundation import times
from foundation.http.api import json_body
from foundation.http.bodies import Moment, StrictBody, read_body
from foundation.http.openapi import describe

Kind = Literal["ollama", "openai", "openai_compatible", "anthropic"]
Address = Annotated[str, Field(max_length=2_000)]
Key = Annotated[str, Field(max_length=8_000)]


class ProviderBody(StrictBody):
    """A new AI provider.

    Without `base_url` it is at its kind's usual address; only owners of the project set another.
    `api_key` is kept encrypted and never answered. `config` may hold `headers`, `parameters` (members
    of each request's body), `timeout_s` (1 to 600) and `stream` (true).
    """

    project_id: Identifier
    name: Name
    provider: Kind
    default_model: Name
    base_url: Address | None = None
    api_key: Key | None = None
    config: JsonObject = Field(default_factory=dict)


class ProviderChange(StrictBody):
    """What to change of an AI provider; what is left out stays.

    A key belongs to the address it was given for: when the address changes, the stored key is dropped
    unless a new one comes along. Null, or an empty text, removes it.
    """

    name: Name = Field(default="")
    provider: Kind = "ollama"
    default_model: Name = Field(default="")
    base_url: Address | None = None
    api_key: Key | None = None
    config: JsonObject = Field(default_factory=dict)


class ProviderAnswer(StrictBody):
    """An AI provider. Of its key only `api_key_set`, and the last four characters of a long one.

    `notes` are sentences about what a change did beside what was asked: that the key was dropped.
    """

    id: str
    project_id: str
    name: str
    provider: Kind
    default_model: ShortText
    base_url: str | None
    api_key_set: bool
    api_key_hint: str | None
    config: JsonObject
    notes: list[str]
    created_at: Moment
    updated_at: Moment


class ProviderList(StrictBody):
    """A part of the AI providers, newest first."""

    data: list[ProviderAnswer]
    total: int
    limit: int
    offset: int


# The config is the caller's own JSON, whose exact numbers no model may touch: this is written by hand.
def provider_document(row: AiProvider, notes: tuple[str, ...] = ()) -> dict[str, Any]:
    """The provider as the API answers it, without its key."""
    return {
        "id": row.public_id,
        "project_id": row.project.public_id,
        "name": row.name,
        "provider": row.provider,
        "default_model": row.default_model,
        "base_url": row.base_url or None,
        "api_key_set": bool(row.api_key_encrypted),
        "api_key_hint": row.api_key_hint or None,
        "config": row.config,
        "notes": list(notes),
        "created_at": times.iso(row.created_at),
        "updated_at": times.iso(row.updated_at),
    }


class Providers(ProjectView):
    """All of them."""

    @describe(
        "list-ai-providers",
        "List AI providers.",
        query=OF_PROJECT,
        answers={200: ProviderList},
        needs=LEAST_ROLE[Act.READ],
    )
    def get(self, request: Request) -> Response:
        """The AI providers of one project, or of all that the caller may see, newest first."""
        project_id = only_parameters(request, OF_PROJECT).get("project_id")
        return page_of(request, providers_listed(self.actor(request), project_id), provider_document)

    @describe(
        "create-ai-provider",
        "Create an AI provider.",
        body=ProviderBody,
        headers=HEADER_WORDS,
        answers={201: ProviderAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(409, 422),
        example={
            "project_id": "proj_0123456789abcdef",
            "name": "Local Ollama",
            "provider": "ollama",
            "default_model": "qwen2.5:0.5b",
        },
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """The new AI provider."""
        body = read_body(ProviderBody, json_body(request)).model_dump()
        actor = self.actor(request)
        project = project_to_write(actor, body.pop("project_id"))
        return Response(provider_document(provider_create(actor=actor, project=project, body=body)), status=201)


class ProviderDetail(ProjectView):
    """One of them."""

    @describe(
        "get-ai-provider",
        "Get an AI provider.",
        answers={200: ProviderAnswer},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, ai_provider_id: str) -> Response:
        """The AI provider, without its key."""
        only_parameters(request, ())
        return Response(provider_document(provider_for(self.actor(request), ai_provider_id)))

    @describe(
        "update-ai-provider",
        "Change an AI provider.",
        body=ProviderChange,
        answers={200: ProviderAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404, 409),
        example={"default_model": "qwen2.5:3b"},
    )
    def put(self, request: Request, ai_provider_id: str) -> Response:
        """The AI provider as it is now; `notes` says when its key was dropped with its address."""
        actor = self.actor(request)
        provider = provider_for(actor, ai_provider_id, Act.WRITE)
        changes = read_body(ProviderChange, json_body(request)).model_dump(exclude_unset=True)
        row, dropped = provider_update(actor=actor, provider=provider, changes=changes)
        return Response(provider_document(row, (KEY_DROPPED,) if dropped else ()))

    @describe(
        "delete-ai-provider",
        "Delete an AI provider.",
        answers={204: None},
        needs=LEAST_ROLE[Act.DELETE],
        refusals=(404, 409),
    )
    def delete(self, request: Request, ai_provider_id: str) -> Response:
        """Nothing: the AI provider and its key are deleted; refused while a version of an agent asks it."""
        only_parameters(request, ())
        actor = self.actor(request)
        provider_delete(actor=actor, provider=provider_for(actor, ai_provider_id, Act.DELETE))
        return Response(status=204)
