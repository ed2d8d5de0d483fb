"""Files of items, over HTTP: imported from what people have, exported so that an import gives the same."""

import io
import re
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import IO, Any

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.texts import JsonObject
from evaluations.api.uploads import FileParser, refuse_large, too_large
from evaluations.api.views import ProjectView, only_parameters
from evaluations.exporters import MEDIA_TYPES, export_pieces
from evaluations.importers import MAX_FILE_BYTES, ImportOptions, ItemRow, read_options
from evaluations.importers.options import FORMAT_BY_SUFFIX
from evaluations.item_documents import ItemBody
from evaluations.permissions import LEAST_ROLE, Act
from evaluations.queries.datasets import dataset_for
from evaluations.queries.items import item_content, items_stream
from evaluations.services.item_imports import ImportReport, items_import
from foundation import exact_json, strict_json
from foundation.errors import MalformedJson, ValidationFailed
from foundation.http.api import MAX_BODY_BYTES, json_body, read_bounded
from foundation.http.bodies import StrictBody
from foundation.http.openapi import describe

_TAGS = ("datasets",)
_FORM_ROOM = 1_000_000
_TRUTH = {"true": True, "false": False}
_BY_MEDIA_TYPE = {"text/csv": "csv", "application/x-ndjson": "jsonl"}
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]+')
_MOST_NAME = 100
_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "format": ({"type": "string", "enum": ["csv", "json", "jsonl"]}, "What the body is, when it is a file itself."),
    "mode": ({"type": "string", "enum": ["append", "upsert"], "default": "append"}, "As in the JSON body."),
    "preview": ({"type": "boolean", "default": False}, "As in the JSON body."),
    "mapping": ({"type": "string"}, "As in the JSON body, as JSON."),
    "trim": ({"type": "boolean", "default": False}, "As in the JSON body."),
    "guarded": ({"type": "boolean"}, "As in the JSON body."),
    "allow_duplicates": ({"type": "boolean", "default": False}, "As in the JSON body."),
}
_FORMAT = {"format": ({"type": "string", "enum": [*MEDIA_TYPES], "default": "jsonl"}, "What file to make.")}


class ImportBody(ImportOptions):
    """A small file inside a JSON body; `content` is its text, or `rows` the items of a JSON list.

    Larger ones, up to 100 MiB, are sent as the body itself (text/csv, application/x-ndjson, or
    application/json with `format=json` in the query) or as `file` of a multipart form, the options
    in the query or in fields of the form.
    """

    content: str | None = None
    rows: list[JsonObject] | None = None


class ImportColumn(StrictBody):
    """A column or member of the file, and where it goes; null for nowhere."""

    name: str
    field: str | None


class ImportFault(StrictBody):
    """One thing wrong. `line` is where the row begins (in a JSON list the item), 0 for the file as a whole."""

    line: int
    column: str
    code: str
    message: str


class ImportRow(StrictBody):
    """A row as it would be imported, or what is wrong with it."""

    line: int
    item: ItemBody | None
    errors: list[ImportFault]


class ImportAnswer(StrictBody):
    """What an import did, or with `preview` would do.

    `added`, `changed` and `unchanged` count rows; `duplicates` those without a key that are the same
    as an item without a key. `errors` are the first 100 of `error_count`, `rows` a preview's first 20.
    """

    preview: bool
    row_count: int = Field(ge=0)
    added: int
    changed: int
    unchanged: int
    duplicates: int
    columns: list[ImportColumn]
    errors: list[ImportFault]
    error_count: int
    rows: list[ImportRow]


class _JsonFile(FileParser):
    media_type = "application/json"
    limit = MAX_FILE_BYTES


class _CsvFile(FileParser):
    media_type = "text/csv"
    limit = MAX_FILE_BYTES


class _JsonLinesFile(FileParser):
    media_type = "application/x-ndjson"
    limit = MAX_FILE_BYTES


_TEXT = {"type": "string"}
_takes_files: Callable[[Any], Any] = extend_schema(
    request={
        "application/json": ImportBody,
        "text/csv": _TEXT,
        "application/x-ndjson": _TEXT,
        "multipart/form-data": {
            "type": "object",
            "required": ["file"],
            "properties": {
                "file": {"type": "string", "contentMediaType": "application/octet-stream"},
                **{name: schema for name, (schema, _) in _OPTIONS.items()},
            },
        },
    }
)


class ItemImport(ProjectView):
    """Many items at once."""

    parser_classes = (_JsonFile, _CsvFile, _JsonLinesFile, MultiPartParser)

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """The request, unless it says that it is too large: a form is parsed before anybody asks the view."""
        refuse_large(request, MAX_FILE_BYTES + _FORM_ROOM)
        return super().initialize_request(request, *args, **kwargs)

    @_takes_files
    @describe(
        "import-dataset-items",
        "Import a file of items: all of it or nothing.",
        body=ImportBody,
        query=_OPTIONS,
        answers={200: ImportAnswer, 201: ImportAnswer},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404,),
        example={"format": "csv", "content": "question,answer,kind\r\nDo you ship to Canada?,Yes,question\r\n"},
        tags=_TAGS,
    )
    def post(self, request: Request, dataset_id: str) -> Response:
        """200 what a preview found, its errors included; 201 what was imported."""
        actor = self.actor(request)
        dataset = dataset_for(actor, dataset_id, Act.WRITE)
        stream, options = _sent(request)
        with closing(stream):
            report = items_import(actor=actor, dataset=dataset, stream=stream, options=options)
        return Response(_report_document(report, options), status=200 if options.preview else 201)


def _sent(request: Request) -> tuple[IO[bytes], ImportOptions]:
    """The file and the options, wherever they stand in the request."""
    parameters = dict(only_parameters(request, _OPTIONS))
    media_type = (request.content_type or "").split(";")[0].strip().lower()
    if media_type == "multipart/form-data":
        return _from_form(request, parameters)
    stream: IO[bytes] = json_body(request)
    if media_type == "application/json" and "format" not in parameters:
        with closing(stream):
            body = strict_json.loads(read_bounded(stream, None, MAX_BODY_BYTES))
        if parameters:
            name = next(iter(parameters))
            raise ValidationFailed.one(name, "not_here", "Say this in the JSON body, or send format as well.")
        return _from_body(body)
    try:
        given = {"format": _BY_MEDIA_TYPE.get(media_type), **_read_texts(parameters)}
        return stream, read_options(given)
    except ValidationFailed:
        stream.close()
        raise


def _from_body(body: Any) -> tuple[IO[bytes], ImportOptions]:
    if not isinstance(body, dict):
        raise ValidationFailed.one(
            "", "dict_type", "The body must be an object, or a file whose format is in the query."
        )
    rest = {name: value for name, value in body.items() if name not in ("content", "rows")}
    content, rows = body.get("content"), body.get("rows")
    if (content is None) == (rows is None):
        raise ValidationFailed.one("content", "one_of", "Give content or rows, one of the two.")
    if rows is not None:
        if not isinstance(rows, list):
            raise ValidationFailed.one("rows", "list_type", "Must be a list.")
        options = read_options({"format": "json", **rest})
        if options.format != "json":
            raise ValidationFailed.one("format", "not_json", "Rows are items of a JSON list; the format is json.")
        return io.BytesIO(exact_json.dumps(rows).encode()), options
    if not isinstance(content, str):
        raise ValidationFailed.one("content", "string_type", "Must be text.")
    return io.BytesIO(content.encode()), read_options(rest)


def _from_form(request: Request, parameters: Mapping[str, str]) -> tuple[IO[bytes], ImportOptions]:
    form: Any = request.data
    fields = {name: value for name, value in form.items() if name != "file"}
    uploaded = request.FILES.get("file")
    if uploaded is None:
        raise ValidationFailed.one("file", "missing", "This is required.")
    if uploaded.size > MAX_FILE_BYTES:
        raise too_large(MAX_FILE_BYTES)
    suffix = uploaded.name.rpartition(".")[2].lower()
    given = {"format": FORMAT_BY_SUFFIX.get(suffix), **_read_texts({**parameters, **fields})}
    return uploaded.file, read_options(given)


def _read_texts(texts: Mapping[str, Any]) -> dict[str, Any]:
    """Options as they stand in a query or a form: truth by its word, the mapping as JSON."""
    read: dict[str, Any] = {}
    for name, text in texts.items():
        if name == "mapping":
            try:
                read[name] = strict_json.loads(text)
            except MalformedJson as error:
                raise ValidationFailed.one("mapping", "malformed_json", "Must be a JSON object.") from error
        else:
            read[name] = text if name in ("format", "mode") else _TRUTH.get(text, text)
    return read


def _report_document(report: ImportReport, options: ImportOptions) -> dict[str, Any]:
    return {
        "preview": options.preview,
        "row_count": report.row_count,
        "added": report.added,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "duplicates": report.duplicates,
        "columns": [{"name": name, "field": target} for name, target in report.columns.items()],
        "errors": [fault.as_dict() for fault in report.faults],
        "error_count": report.fault_count,
        "rows": [_row_document(row) for row in report.shown],
    }


def _row_document(row: ItemRow) -> dict[str, Any]:
    return {
        "line": row.line,
        "item": None if row.content is None else row.content.as_document(),
        "errors": [fault.as_dict() for fault in row.faults],
    }


class ItemExport(ProjectView):
    """All of a dataset as a file."""

    @describe(
        "export-dataset-items",
        "Export a dataset's items as a file that an import takes.",
        query=_FORMAT,
        answers={200: {"type": "string", "description": "The file."}},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        tags=_TAGS,
    )
    def get(self, request: Request, dataset_id: str) -> StreamingHttpResponse:
        """The file, with the members that make up an item and nothing that the server adds."""
        kind = only_parameters(request, _FORMAT).get("format", "jsonl")
        if kind not in MEDIA_TYPES:
            raise ValidationFailed.one("format", "unknown", f"Must be one of {', '.join(MEDIA_TYPES)}.")
        dataset = dataset_for(self.actor(request), dataset_id)
        pieces = export_pieces(kind, map(item_content, items_stream(dataset)))
        response = StreamingHttpResponse(pieces, content_type=MEDIA_TYPES[kind])
        name = file_name(dataset.name, kind)
        response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
        return response


def file_name(name: str, kind: str) -> str:
    """A name for the file that every system takes: `refund requests.csv`."""
    stem = _UNSAFE.sub("_", name.removesuffix(f".{kind}"))[:_MOST_NAME].strip(" .") or "dataset"
    return f"{stem}.{kind}"
