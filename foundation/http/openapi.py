"""How views say what they take and answer, and how that becomes the OpenAPI 3.1 document.

`describe` is the decorator for views whose shapes are pydantic models or JSON Schemas; apps add
named schemas with `contribute`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from foundation.errors import problem_classes

View = TypeVar("View", bound=Callable[..., Any])
Shape = type[BaseModel] | Mapping[str, Any] | list[Any] | None
REF = "#/components/schemas/{model}"
_contributions: list[Callable[[], Mapping[str, Any]]] = []
_ERROR = {"$ref": "#/components/schemas/Error"}
REFUSALS: Mapping[int, str] = {
    400: "The request is malformed, or some fields are not valid; each is named in meta.fields.",
    401: "Nobody is signed in, or the token or key is not known.",
    403: "The role does not allow this, the thing is built in, or another site sent the request.",
    404: "There is no such thing.",
    409: "Something else has this name, or depends on the thing.",
    412: "A newer version was saved meanwhile; meta.current holds it.",
    413: "The body is too large; meta.limitBytes says how large it may be.",
    415: "The body is not application/json.",
    422: "The stored profile holds a scorer that was removed.",
    429: "Too many attempts; see Retry-After.",
    502: "The tool or AI provider gave no answer that can be used; meta holds what it said.",
    503: "The service cannot do this now; see Retry-After.",
}
_RETRY_AFTER = "Seconds to wait before the next attempt."
_WAITING = (429, 503)


def ref(name: str) -> dict[str, str]:
    """A reference to the component `name`."""
    return {"$ref": REF.format(model=name)}


def contribute(source: Callable[[], Mapping[str, Any]]) -> Callable[[], Mapping[str, Any]]:
    """Decorator: what `source` returns, by name, is added to the document's component schemas.

    It is called anew for each document, so that scorers declared later are in it.
    """
    _contributions.append(source)
    return source


def describe(
    operation_id: str,
    summary: str,
    *,
    body: Shape = None,
    answers: Mapping[int, Shape],
    needs: str = "",
    query: Mapping[str, tuple[Mapping[str, Any], str]] | None = None,
    headers: Mapping[str, str] | None = None,
    answer_headers: Mapping[str, str] | None = None,
    refusals: Sequence[int] = (),
    example: Any = None,
    answer_example: Any = None,
    tags: Sequence[str] | None = None,
    public: bool = False,
) -> Callable[[View], View]:
    """Decorator of a view method: its entry in the OpenAPI document.

    The method's docstring says what the answer holds. `needs` is the least role; `query` maps a
    parameter to its JSON Schema and its description, `headers` and `answer_headers` a header to its
    description. `refusals` are statuses beyond those that every operation may answer; the examples
    are one body and the answer to it. `public`: no credentials are looked at.
    """
    statuses = sorted({400, 401, 403, 503, *refusals, *((413, 415) if body is not None else ())})

    def decorate(view: View) -> View:
        words = " ".join((view.__doc__ or "").split())
        responses: dict[Any, Any] = {
            status: _answer(_shape(shape), words, answer_example) for status, shape in answers.items()
        }
        responses |= {status: OpenApiResponse(response=_ERROR, description=REFUSALS[status]) for status in statuses}
        decorated: View = extend_schema(
            operation_id=operation_id,
            summary=summary,
            description=f"Needs the role {needs}." if needs else "Needs no credentials." if public else "",
            request={"application/json": _shape(body)} if body is not None else None,
            responses=responses,
            parameters=[
                *_parameters(query or {}, headers or {}),
                *_answer_headers(answer_headers or {}, list(answers), statuses),
            ],
            examples=[OpenApiExample("Example", value=example, request_only=True)] if example is not None else [],
            tags=list(tags) if tags else None,
            auth=[] if public else None,
        )(view)
        return decorated

    return decorate


def _answer(shape: Any, words: str, example: Any) -> Any:
    # A bare sequence of examples would be taken for the example of each item of a list.
    examples = [OpenApiExample("Example", value=example, response_only=True)] if example is not None and shape else []
    return OpenApiResponse(response=shape, description=words, examples=examples)


def _parameters(query: Mapping[str, tuple[Mapping[str, Any], str]], headers: Mapping[str, str]) -> list[Any]:
    return [
        *(
            OpenApiParameter(name, dict(schema), OpenApiParameter.QUERY, description=text)
            for name, (schema, text) in query.items()
        ),
        *(OpenApiParameter(name, str, OpenApiParameter.HEADER, description=text) for name, text in headers.items()),
    ]


def _answer_headers(headers: Mapping[str, str], answered: list[int], refused: list[int]) -> list[Any]:
    waiting = [status for status in refused if status in _WAITING]
    return [
        *(
            OpenApiParameter(name, str, OpenApiParameter.HEADER, description=text, response=answered)
            for name, text in headers.items()
        ),
        OpenApiParameter("Retry-After", int, OpenApiParameter.HEADER, description=_RETRY_AFTER, response=waiting),
    ]


def _shape(shape: Shape) -> Any:
    """The form in which drf-spectacular takes it: a list of one is an array of that."""
    if isinstance(shape, list):
        item = shape[0]
        inner = ref(item.__name__) if isinstance(item, type) else item
        return {"type": "array", "items": inner}
    return shape


class PlumblineSchema(AutoSchema):
    """Tags operations by the first word after the API's prefix, unless `describe` says another."""

    def get_tags(self) -> list[str]:
        """One tag, such as `profiles`, `users` or `api-keys`."""
        steps = [step for step in self.path.split("/") if step not in ("", "api", "v1", "scoring")]
        return [steps[0]] if steps else ["api"]


class PydanticShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Lets a pydantic model stand where drf-spectacular expects a serializer."""

    target_class = "pydantic.BaseModel"
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: str) -> str:
        """The model's own name."""
        name: str = self.target.__name__
        return name

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        """Its JSON Schema; what it refers to becomes components too."""
        schema = model_schemas([self.target])
        own = schema.pop(self.target.__name__)
        for name, inner in schema.items():
            component = ResolvedComponent(  # type: ignore[no-untyped-call]
                name=name, type=ResolvedComponent.SCHEMA, schema=inner, object=name
            )
            auto_schema.registry.register_on_missing(component)
        return dict(own)


def model_schemas(models: Sequence[type[BaseModel]]) -> dict[str, Any]:
    """The JSON Schemas of pydantic models and of what they refer to, by name."""
    _, definitions = models_json_schema([(model, "validation") for model in models], ref_template=REF, by_alias=True)
    return dict(definitions.get("$defs", {}))


def add_components(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:  # noqa: FBT001
    """drf-spectacular's last hook: the contributed schemas, sorted by name, and words for what is left bare."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    schemas["Error"] = _error_schema()
    for source in _contributions:
        schemas.update(source())
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    for path in result.get("paths", {}).values():
        for operation in path.values():
            _complete(operation)
    return result


def _complete(operation: dict[str, Any]) -> None:
    """What drf-spectacular leaves out: that a body must be sent, and what an identifier in the path names."""
    if "requestBody" in operation:
        operation["requestBody"]["required"] = True
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            thing = parameter["name"].removesuffix("_id").replace("_", " ")
            parameter.setdefault("description", f"The id of the {thing}.")


def _error_schema() -> dict[str, Any]:
    """The one shape of every refusal, with the codes that there are."""
    codes = sorted({kind.code for kind in problem_classes()})
    field = {
        "type": "object",
        "required": ["path", "code", "message"],
        "properties": {
            "path": {"type": "string", "description": "Where, dotted: scorers.2.pattern; empty for the whole."},
            "code": {"type": "string"},
            "message": {"type": "string"},
            "scorerId": {"type": "string"},
        },
    }
    members = {
        "code": {"type": "string", "enum": codes, "description": "A stable word."},
        "message": {"type": "string", "description": "One sentence."},
        "hint": {"type": "string", "description": "What to do."},
        "meta": {
            "type": "object",
            "description": "What helps a program; which members it has depends on the code.",
            "properties": {"fields": {"type": "array", "items": field}},
        },
    }
    error = {"type": "object", "required": list(members), "properties": members}
    return {"type": "object", "required": ["error"], "properties": {"error": error}}
