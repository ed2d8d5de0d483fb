"""HTTP tools, over HTTP."""

from typing import Any, Literal

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.evals import OF_PROJECT
from evaluations.api.idempotency import HEADER_WORDS, idempotent
from evaluations.api.texts import Identifier, JsonObject, LongText, Name
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.models import Tool
from evaluations.permissions import LEAST_ROLE, Act, project_to_write
from evaluations.queries.tools import tool_for, tools_listed
from evaluations.services.tools import tool_call, tool_create, tool_delete, tool_update
from foundation import times
from foundation.http.api import json_body
from foundation.http.bodies import Moment, StrictBody, read_body
from foundation.http.openapi import describe

_EXAMPLE = {
    "project_id": "proj_0123456789abcdef",
    "name": "refund-policy",
    "type": "http",
    "description": "Checks a refund against the price paid",
    "execute": {"url": "https://policy.example.org/score", "method": "POST"},
}


class ToolBody(StrictBody):
    """A new tool: an address that is called with JSON.

    `execute` is `{url, method, headers, timeout_s}`: POST and 30 seconds unless it says otherwise;
    `{param}` in the URL's path and query is filled from the input; header values may hold
    `{{secret:NAME}}`, which only owners of the project may write. `parameters` says for people and
    models what the input holds; `preset_parameters` are sent unless the input says otherwise.
    """

    project_id: Identifier
    name: Name
    type: Literal["http"] = "http"
    description: LongText = ""
    parameters: JsonObject | None = None
    execute: JsonObject
    preset_parameters: JsonObject = Field(default_factory=dict)


class ToolChange(StrictBody):
    """What to change of a tool; what is left out stays, and `execute` is replaced as a whole."""

    name: Name = Field(default="")
    type: Literal["http"] = "http"
    description: LongText = ""
    parameters: JsonObject | None = None
    execute: JsonObject = Field(default_factory=dict)
    preset_parameters: JsonObject = Field(default_factory=dict)


class ToolDocument(StrictBody):
    """A tool. Its headers are as they were written: a secret stands there by its name."""

    id: str
    project_id: str
    name: str
    type: Literal["http"]
    description: str
    parameters: JsonObject | None
    execute: JsonObject
    preset_parameters: JsonObject
    created_at: Moment
    updated_at: Moment


class ToolList(StrictBody):
    """A part of the tools, newest first."""

    data: list[ToolDocument]
    total: int
    limit: int
    offset: int


class CallBody(StrictBody):
    """What the tool is sent."""

    input: JsonObject = Field(default_factory=dict)


# Schemas and parameters are the caller's own JSON, whose exact numbers no model may touch: this is written by hand.
def tool_document(row: Tool) -> dict[str, Any]:
    """The tool as the API answers it."""
    return {
        "id": row.public_id,
        "project_id": row.project.public_id,
        "name": row.name,
        "type": row.type,
        "description": row.description,
        "parameters": row.parameters,
        "execute": row.execute,
        "preset_parameters": row.preset_parameters,
        "created_at": times.iso(row.created_at),
        "updated_at": times.iso(row.updated_at),
    }


class Tools(ProjectView):
    """All of them."""

    @describe(
        "list-tools",
        "List tools.",
        query=OF_PROJECT,
        answers={200: ToolList},
        needs=LEAST_ROLE[Act.READ],
    )
    def get(self, request: Request) -> Response:
        """The tools of one project, or of all that the caller may see, newest first."""
        project_id = only_parameters(request, OF_PROJECT).get("project_id")
        return page_of(request, tools_listed(self.actor(request), project_id), tool_document)

    @describe(
        "create-tool",
        "Create a tool.",
        body=ToolBody,
        headers=HEADER_WORDS,
        answers={201: ToolDocument},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(409, 422),
        example=_EXAMPLE,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """The new tool; nothing was called yet."""
        body = read_body(ToolBody, json_body(request)).model_dump()
        actor = self.actor(request)
        project = project_to_write(actor, body.pop("project_id"))
        return Response(tool_document(tool_create(actor=actor, project=project, body=body)), status=201)


class ToolDetail(ProjectView):
    """One of them."""

    @describe("get-tool", "Get a tool.", answers={200: ToolDocument}, needs=LEAST_ROLE[Act.READ], refusals=(404,))
    def get(self, request: Request, tool_id: str) -> Response:
        """The tool."""
        only_parameters(request, ())
        return Response(tool_document(tool_for(self.actor(request), tool_id)))

    @describe(
        "update-tool",
        "Change a tool.",
        body=ToolChange,
        answers={200: ToolDocument},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404, 409),
        example={"description": "Checks a refund against the price paid"},
    )
    def put(self, request: Request, tool_id: str) -> Response:
        """The tool as it is now."""
        actor = self.actor(request)
        tool = tool_for(actor, tool_id, Act.WRITE)
        changes = read_body(ToolChange, json_body(request)).model_dump(exclude_unset=True)
        return Response(tool_document(tool_update(actor=actor, tool=tool, changes=changes)))

    @describe("delete-tool", "Delete a tool.", answers={204: None}, needs=LEAST_ROLE[Act.DELETE], refusals=(404, 409))
    def delete(self, request: Request, tool_id: str) -> Response:
        """Nothing: the tool is deleted; refused while scorers of evals ask it."""
        only_parameters(request, ())
        actor = self.actor(request)
        tool_delete(actor=actor, tool=tool_for(actor, tool_id, Act.DELETE))
        return Response(status=204)


class Call(ProjectView):
    """Calling one."""

    @describe(
        "call-tool",
        "Call a tool.",
        body=CallBody,
        headers=HEADER_WORDS,
        answers={200: {"description": "Any JSON: the tool's own answer."}},
        needs=LEAST_ROLE[Act.RUN],
        refusals=(404, 409, 422, 502),
        example={"input": {"object": {"category": "refund"}, "item": {"metadata": {"order_total": 25}}}},
    )
    @idempotent
    def post(self, request: Request, tool_id: str) -> Response:
        """The tool's own answer: its JSON, a text that is not JSON as a JSON string, null when it is empty."""
        actor = self.actor(request)
        tool = tool_for(actor, tool_id, Act.RUN)
        body = read_body(CallBody, json_body(request) if request.stream is not None else {})
        return Response(tool_call(actor=actor, tool=tool, given=body.input).body)
