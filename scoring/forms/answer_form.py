"""PURE: an answer that is tried on a profile: its observation, as a form or as JSON, and what stands beside it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from foundation import exact_json, strict_json
from foundation.errors import FieldError, MalformedJson, ValidationFailed
from scoring.evaluate_bodies import Answer, EvaluateBody, read_body
from scoring.forms.bound import BoundField
from scoring.forms.fields import Field, fields_of
from scoring.forms.observation_form.cells import json_text, same
from scoring.forms.observation_form.examples import StartingPoint
from scoring.forms.observation_form.form import CannotShow, ObservationForm, form_from_post, form_of
from scoring.forms.widgets import OMITTED, Unreadable, read_json
from scoring.kit.observation_document import document_faults

DOCUMENT = "observation"
_EXTRAS: Mapping[str, Mapping[str, Any]] = {
    "action": {"x-widget": "textarea"},
    "metadata": {"x-widget": "json"},
}
_BESIDE = ("action", "metadata", "agent", "taskId")
_ONLY_TEXT = {"output"}


@cache
def beside_fields() -> Sequence[Field]:
    """The fields that stand beside the observation, in the order of the form."""
    fields = {item.name: item for item in fields_of(Answer, _EXTRAS)}
    return tuple(fields[name] for name in _BESIDE)


class AnswerForm:
    """What was typed, read into the body that the API takes.

    The observation is typed as a form, or as one JSON text while `as_json`. `note` says why JSON
    stayed JSON.
    """

    def __init__(self, post: Mapping[str, str], *, as_json: bool = False) -> None:
        self.as_json = post.get("view") == "json" if post else as_json
        self.values = {item.name: _lines(post.get(item.name, "")) for item in beside_fields()}
        self.observation = ObservationForm() if self.as_json else form_from_post(post)
        self.text = _lines(post.get(DOCUMENT, "")) if self.as_json else ""
        self.errors: dict[str, str] = {}
        self.general: list[str] = []
        self.note = ""

    @property
    def blank(self) -> bool:
        """Whether nothing was typed that could be scored."""
        form = self.observation
        cells = (text for rows in form.rows.values() for row in rows for text in row.values())
        typed = any(text.strip() for text in (*form.texts.values(), *cells, self.text, self.values["action"]))
        return not (typed or form.flags)

    @property
    def empty(self) -> bool:
        """Whether nothing was typed at all."""
        return self.blank and not any(text.strip() for text in self.values.values())

    def document(self) -> Any:
        """The observation document; what could not be read is told at its control."""
        if not self.as_json:
            return self.observation.read()
        try:
            return read_json(self.text) if self.text.strip() else {}
        except Unreadable as fault:
            self.errors[DOCUMENT] = str(fault)
            return {}

    def body(self, profile_id: str) -> EvaluateBody:
        """The body as the API takes it; ValidationFailed once every fault stands at its control.

        An observation that is nothing but a text is sent as the output; with nothing at all in it,
        the output is empty.
        """
        self.errors, self.general = {}, []
        document = self.document()
        beside, faults = self._beside()
        if not self._unread:
            faults += list(ValidationFailed(observation_faults(document)).under(DOCUMENT).fields)
        body = None
        try:
            body = read_body(EvaluateBody, {"profileId": profile_id, **beside, **_given(document)})
        except ValidationFailed as refusal:
            # The faults of the document were found above, all of them and not the first alone.
            told = {DOCUMENT, "output"} if faults or self._unread else set()
            faults += [fault for fault in refusal.fields if fault.path.partition(".")[0] not in told]
        self._tell(faults)
        if body is None or self.general or self.faults():
            raise ValidationFailed(faults, "Some fields are not valid.", hint="The faults stand at their fields.")
        return body

    @property
    def _unread(self) -> bool:
        return DOCUMENT in self.errors or bool(self.observation.faults)

    def _beside(self) -> tuple[dict[str, Any], list[FieldError]]:
        beside, faults = {}, []
        for item in beside_fields():
            text = self.values[item.name]
            if not text.strip():
                continue
            try:
                value = item.read(text)
                strict_json.check_text({item.name: value})
            except Unreadable as fault:
                faults.append(FieldError(item.name, "malformed", str(fault)))
            except ValidationFailed as refusal:
                faults += refusal.fields
            else:
                if value is not OMITTED:
                    beside[item.name] = value
        return beside, faults

    def _tell(self, faults: Iterable[FieldError]) -> None:
        """Put each fault at its control; the rest above the form."""
        inner = []
        for fault in faults:
            name, _, inside = fault.path.partition(".")
            if name == DOCUMENT and not self.as_json:
                inner.append(FieldError(inside, fault.code, fault.message))
            elif name == DOCUMENT or name in self.values:
                words = f"{inside}: {fault.message}" if inside else fault.message
                self.errors[name] = f"{self.errors[name]} {words}" if name in self.errors else words
            else:
                self.general.append(f"{fault.path}: {fault.message}" if fault.path else fault.message)
        for fault in self.observation.tell(inner):
            self.general.append(f"{fault.path}: {fault.message}" if fault.path else fault.message)

    def faults(self) -> dict[str, str]:
        """What is wrong, by control."""
        return {**self.errors, **self.observation.faults}

    def bound(self) -> dict[str, BoundField]:
        """The fields beside the observation with their text and errors, by name."""
        return {
            item.name: BoundField(item, item.name, self.values[item.name], self.errors.get(item.name, ""))
            for item in beside_fields()
        }

    def turn_to_json(self) -> bool:
        """Show the observation as one JSON text; False when something typed cannot be read yet."""
        if self.as_json:
            return True
        document = self.document()
        if self.observation.faults:
            return False
        self.as_json, self.text, self.observation = True, json_text(document) if document else "", ObservationForm()
        return True

    def turn_to_form(self) -> bool:
        """Show the observation as a form; False when the JSON cannot be read, or holds what the form cannot show."""
        if not self.as_json:
            return True
        document = self.document()
        if DOCUMENT in self.errors:
            return False
        if not isinstance(document, dict):
            self.errors[DOCUMENT] = "Must be an object."
            return False
        try:
            form = form_of(document)
        except CannotShow as reason:
            self.note = str(reason)
            return False
        self.as_json, self.text, self.observation = False, "", form
        return True

    def fill(self, point: StartingPoint) -> None:
        """Put an example in place of everything typed."""
        for item in beside_fields():
            self.values[item.name] = item.show(point.beside.get(item.name))
        self.text, was_json = json_text(dict(point.document)), self.as_json
        self.as_json = True
        if not was_json:
            self.turn_to_form()

    def holds(self, point: StartingPoint) -> bool:
        """Whether nothing but this example stands in the form, so that replacing it loses nothing."""
        document = self.document()
        beside, faults = self._beside()
        unread = bool(faults or self._unread)
        return not unread and same(document, point.document) and same(beside, point.beside)


def observation_faults(document: Any) -> list[FieldError]:
    """Everything that is wrong with an observation that somebody typed, each fault at its path in it."""
    if not isinstance(document, dict):
        return [FieldError("", "dict_type", "Must be an object.")]
    try:
        strict_json.loads(exact_json.dumps(document))
    except MalformedJson as error:
        return [FieldError("", "malformed", error.message.replace("The body", "This"))]
    except ValidationFailed as refusal:
        return list(refusal.fields)
    return document_faults(document)


def answer_of(output: str, action: str, observation: str) -> Answer:
    """The answer that a text and an observation as JSON make; the text wins over the one in the observation.

    Raises ValidationFailed, what is wrong with the observation at paths under `observation`.
    """
    body: dict[str, Any] = {"action": action or None}
    if observation.strip():
        try:
            document = read_json(observation)
        except Unreadable as fault:
            raise ValidationFailed.one(DOCUMENT, "malformed", str(fault)) from fault
        faults = observation_faults(document)
        if faults:
            raise ValidationFailed(faults).under(DOCUMENT)
        body[DOCUMENT] = document
    if output or not observation.strip():
        body["output"] = output
    return read_body(Answer, body)


def _given(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict) or not document:
        return {"output": ""}
    output = document.get("output")
    if document.keys() == _ONLY_TEXT and isinstance(output, dict) and output.keys() == {"text"}:
        return {"output": output["text"]}
    return {DOCUMENT: document}


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
