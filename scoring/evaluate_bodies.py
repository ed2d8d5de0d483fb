"""PURE: the body of an evaluate request, read strictly, and the observation it makes."""

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeVar

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from foundation import exact_json
from foundation.errors import ValidationFailed
from scoring.kit.faults import field_errors
from scoring.kit.observation import Observation
from scoring.kit.observation_document import MAX_OUTPUT, document_faults
from scoring.kit.paths import ABSENT
from scoring.kit.samples import observation_of
from scoring.kit.settings import Settings, bounded

MAX_METADATA_BYTES = 64_000


class Answer(Settings):
    """What is scored: the output and everything recorded beside it."""

    output: Annotated[str, bounded(0, MAX_OUTPUT)] = Field(
        default="",
        title="Output",
        description='The agent\'s answer; "" is an answer. Required unless object or observation is given.',
    )
    action: Annotated[str, bounded(0, 10_000)] | None = Field(
        default=None, title="Action", description="What the agent was doing."
    )
    agent: Annotated[str, bounded(0, 128)] | None = Field(
        default=None, title="Agent", description="Who gave the answer."
    )
    task_id: Annotated[str, bounded(0, 128)] | None = Field(
        default=None, title="Task", description="What the answer belongs to."
    )
    metadata: dict[str, Any] | None = Field(
        default=None,
        title="Metadata",
        description="Any object, at most 64,000 bytes as JSON. The server adds seven counts.",
    )
    expected: str | dict[str, Any] = Field(
        default="", title="Expected", description="The answer, or the structured ground truth."
    )
    object: Any = Field(default=None, title="Object", description="The structured answer: any JSON.")
    observation: dict[str, Any] | None = Field(
        default=None,
        title="Observation",
        description="The whole observation document; output, object and expected may then be left out.",
    )

    @field_validator("metadata")
    @classmethod
    def _metadata_is_small(cls, metadata: dict[str, Any] | None) -> dict[str, Any] | None:
        size = len(exact_json.dumps(metadata).encode()) if metadata else 0
        if size > MAX_METADATA_BYTES:
            limits = {"limit": f"{MAX_METADATA_BYTES:,}", "size": f"{size:,}"}
            raise PydanticCustomError("too_large", "Must be at most {limit} bytes as JSON; this is {size}.", limits)
        return metadata

    @field_validator("observation")
    @classmethod
    def _observation_is_known(cls, document: dict[str, Any] | None) -> dict[str, Any] | None:
        for fault in document_faults(document or {}):
            # The first is told, at its own path within the document.
            place = {"field": fault.path} if fault.path else {}
            raise PydanticCustomError("bad_observation", "{reason}", {"reason": fault.message, **place})
        return document

    @model_validator(mode="after")
    def _something_is_given(self) -> Self:
        self._answer_is_given()
        return self

    def _answer_is_given(self) -> None:
        if not self.model_fields_set & {"output", "object"} and self.observation is None:
            raise PydanticCustomError(
                "missing", "This is required, unless object or observation is given.", {"field": "output"}
            )

    def given(self, name: str) -> Any:
        """The value of a field that may be absent, or ABSENT. Null is a value."""
        return getattr(self, name) if name in self.model_fields_set else ABSENT

    def inputs(self) -> dict[str, Any]:
        """What was given beside the text, as it is stored: object, expected, observation.

        `output: null` among them marks an answer that had no text, which is not an empty one.
        """
        inputs: dict[str, Any] = {
            name: getattr(self, name) for name in ("object", "expected", "observation") if name in self.model_fields_set
        }
        observed = (self.observation or {}).get("output") or {}
        has_text = "output" in self.model_fields_set or "text" in observed
        return inputs if has_text else {**inputs, "output": None}

    def observe(self) -> Observation:
        """The observation that the scorers read."""
        return observation_of(
            action=self.action,
            output=self.given("output"),
            object=self.given("object"),
            expected=self.given("expected"),
            metadata=self.metadata,
            document=self.observation,
        )


class EvaluateBody(Answer):
    """What POST /api/scoring/evaluate takes."""

    profile_id: Annotated[str, bounded(1, 64)] = Field(
        title="Profile", description="The id of the profile to score with; its newest version is used."
    )


class PreviewBody(Answer):
    """What POST /api/scoring/preview takes: an unsaved profile, and an answer or stored evaluations."""

    profile: dict[str, Any] = Field(title="Profile", description="A profile as POST /api/scoring/profiles takes it.")
    evaluation_ids: Annotated[list[Annotated[str, bounded(1, 64)]], Field(min_length=1, max_length=50)] | None = Field(
        default=None,
        title="Evaluations",
        description="Stored evaluations to score again, at most 50, instead of an output.",
    )

    @model_validator(mode="after")
    def _something_is_given(self) -> Self:
        answers = self.model_fields_set & set(Answer.model_fields)
        if self.evaluation_ids is not None and answers:
            raise PydanticCustomError(
                "one_of", "Give an answer or evaluationIds, not both.", {"field": "evaluationIds"}
            )
        if self.evaluation_ids is None:
            self._answer_is_given()
        return self


Body = TypeVar("Body", bound=Settings)


def read_body(kind: type[Body], body: Any) -> Body:
    """The body as `kind`; ValidationFailed with the path of every fault."""
    if not isinstance(body, dict):
        raise ValidationFailed.one("", "dict_type", "The body must be an object.")
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise ValidationFailed(field_errors(error)) from error


def stored_observation(
    *,
    action: str,
    output: str,
    metadata: Mapping[str, Any],
    inputs: Mapping[str, Any],
) -> Observation:
    """The observation that a stored evaluation was made of, as `Answer.inputs` kept it."""
    return observation_of(
        action=action,
        output=ABSENT if "output" in inputs else output,
        object=inputs.get("object", ABSENT),
        expected=inputs.get("expected", ABSENT),
        metadata=metadata,
        document=inputs.get("observation"),
    )
