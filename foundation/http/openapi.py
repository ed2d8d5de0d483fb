"""How views say what they take and answer, and how that becomes the OpenAPI 3.1 document.

`describe` is the decorator for views whose shapes are pydantic models or JSON Schemas; apps add
named schemas with `contribute`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

View = TypeVar("View", bound=Callable[..., Any])
Shape = type[BaseModel] | Mapping[str, Any] | list[Any] | None
REF = "#/components/schemas/{model}"
_contributions: list[Callable[[], Mapping[str, Any]]] = []
_ERROR = {"$ref": "#/components/schemas/Error"}
_REFUSALS: Mapping[int, str] = {
    400: "The request is malformed, or some fields are not valid; each is named in meta.fields.",
    401: "Nobody is signed in, or the token or key is not known.",
    403: "The role does not allow this, or the thing is built in.",
    404: "There is no such thing.",
    409: "Something else has this name, or depends on the thing.",
    412: "A newer version was saved meanwhile; meta.current holds it.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "The stored profile holds a scorer that was removed.",
    429: "Too many attempts; see Retry-After.",
    503: "The service cannot do this now; see Retry-After.",
}
_PARAMETER_TYPES: Mapping[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool}


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
    query: Mapping[str, tuple[str, str]] | None = None,
    headers: Mapping[str, str] | None = None,
    refusals: Sequence[int] = (),
    tags: Sequence[str] | None = None,
) -> Callable[[View], View]:
    """Decorator of a view method: its entry in the OpenAPI document.

    `query` maps a parameter to its JSON type and its description, `headers` a header to its
    description; `refusals` are statuses beyond those that every operation may answer.
    """
    statuses = sorted({400, 401, 403, 404, *refusals, *((413, 415) if body is not None else ())})
    responses: dict[int, Any] = {status: _shape(shape) for status, shape in answers.items()}
    responses |= {status: _refusal(status) for status in statuses}
    parameters = [
        OpenApiParameter(name, _PARAMETER_TYPES[kind], OpenApiParameter.QUERY, description=text)
        for name, (kind, text) in (query or {}).items()
    ] + [
        OpenApiParameter(name, str, OpenApiParameter.HEADER, description=text)
        for name, text in (headers or {}).items()
    ]
    return extend_schema(
        operation_id=operation_id,
        summary=summary,
        description="",
        request={"application/json": _shape(body)} if body is not None else None,
        responses=responses,
        parameters=parameters,
        tags=list(tags) if tags else None,
    )


def _shape(shape: Shape) -> Any:
    """The form in which drf-spectacular takes it: a list of one is an array of that."""
    if isinstance(shape, list):
        item = shape[0]
        inner = ref(item.__name__) if isinstance(item, type) else item
        return {"type": "array", "items": inner}
    return shape


def _refusal(status: int) -> Any:
    return OpenApiResponse(response=_ERROR, description=_REFUSALS[status])


class PlumblineSchema(AutoSchema):  # type: ignore[misc]
    """Tags operations by the first word after the API's prefix."""

    def get_tags(self) -> list[str]:
        """One tag: `scoring`, `users`, `api-keys`, …"""
        steps = [step for step in self.path.split("/") if step not in ("", "api", "v1")]
        return [steps[0]] if steps else ["api"]


class PydanticShape(OpenApiSerializerExtension):  # type: ignore[misc]
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
            component = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, schema=inner, object=name)
            auto_schema.registry.register_on_missing(component)
        return dict(own)


def model_schemas(models: Sequence[type[BaseModel]]) -> dict[str, Any]:
    """The JSON Schemas of pydantic models and of what they refer to, by name."""
    _, definitions = models_json_schema([(model, "validation") for model in models], ref_template=REF, by_alias=True)
    return dict(definitions.get("$defs", {}))


def add_components(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:  # noqa: FBT001
    """drf-spectacular's last hook: the contributed schemas, sorted by name."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    schemas["Error"] = ERROR_SCHEMA
    for source in _contributions:
        schemas.update(source())
    result["components"]["schemas"] = dict(sorted(schemas.items()))
    return result


ERROR_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint", "meta"],
            "properties": {
                "code": {"type": "string", "description": "A stable word, such as VALIDATION_FAILED."},
                "message": {"type": "string", "description": "One sentence."},
                "hint": {"type": "string", "description": "What to do."},
                "meta": {
                    "type": "object",
                    "properties": {
                        "fields": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "required": ["path", "code", "message"],
                                "properties": {
                                    "path": {"type": "string"},
                                    "code": {"type": "string"},
                                    "message": {"type": "string"},
                                    "scorerId": {"type": "string"},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
