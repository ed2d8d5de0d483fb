"""The form of an eval: what it asks, who answers, what judges the answers, when a run passes."""

from collections.abc import Sequence
from typing import Any

from django import forms

from evaluations.forms.fields import Json, json_text, name_field
from foundation.errors import Problem, ValidationFailed

Choices = Sequence[tuple[str, str]]
_FIELDS = {"dataset_id": "dataset", "agent_id": "agent", "profile_id": "profile", "baseline_run_id": None}
EXAMPLE = '[\n  {"type": "contains", "name": "says-yes", "value": "yes"}\n]'


class EvalForm(forms.Form):
    """What to make an eval of. A profile or scorers, one of the two."""

    name = name_field()
    dataset = forms.ChoiceField(label="Dataset", help_text="Each of its items is asked once a run, or once a trial.")
    agent = forms.ChoiceField(
        label="Agent", required=False, help_text="Who answers. Without one, each run brings recorded outputs."
    )
    profile = forms.ChoiceField(
        label="Profile", required=False, help_text="Judges each answer as it does everywhere; the newest version."
    )
    scorers = Json(
        label="Scorers",
        required=False,
        rows=10,
        help_text="Instead of a profile: a JSON list of scorers. An item passes when all of them pass.",
    )
    pass_threshold = forms.FloatField(
        label="Passes from",
        required=False,
        min_value=0,
        max_value=1,
        help_text="The pass rate, 0 to 1, from which a run passes. Empty: runs are not judged.",
    )
    min_coverage = forms.FloatField(
        label="Least coverage",
        initial=0.9,
        min_value=0,
        max_value=1,
        help_text="The share of items, 0 to 1, that must be scored for a run to pass.",
    )
    group_by = forms.CharField(
        label="Kinds by",
        required=False,
        max_length=255,
        help_text="The member of an item's metadata that names its kind, such as kind.",
    )

    def __init__(self, data: Any = None, *, datasets: Choices, agents: Choices, profiles: Choices, **rest: Any) -> None:
        super().__init__(data, **rest)
        self._offer("dataset", [("", "Choose a dataset"), *datasets])
        self._offer("agent", [("", "None: runs bring their outputs"), *agents])
        self._offer("profile", [("", "None: the scorers below"), *profiles])

    def _offer(self, name: str, choices: Choices) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices

    def clean_scorers(self) -> Any:
        """A list, or None for nothing."""
        scorers = self.cleaned_data["scorers"]
        if scorers is not None and not isinstance(scorers, list):
            raise forms.ValidationError('Must be a JSON list, such as [{"type": "contains", "value": "yes"}].')
        return scorers

    def clean(self) -> dict[str, Any]:
        """Refuse both a profile and scorers, and neither."""
        given = super().clean() or {}
        if "scorers" in given and "profile" in given and (given["scorers"] is None) == (not given["profile"]):
            self.add_error("scorers", "Choose a profile, or write scorers here: one of the two.")
        return given

    def body(self) -> dict[str, Any]:
        """What the services take."""
        given = self.cleaned_data
        return {
            "name": given["name"],
            "dataset_id": given["dataset"],
            "agent_id": given["agent"] or None,
            "profile_id": given["profile"] or None,
            "scorers": given["scorers"],
            "pass_threshold": given["pass_threshold"],
            "min_coverage": given["min_coverage"],
            "group_by": given["group_by"] or None,
        }

    def refuse(self, problem: Problem) -> None:
        """Put a service's refusal at the fields that it names; a fault of a scorer keeps its path."""
        if not isinstance(problem, ValidationFailed):
            self.add_error("name", problem.message)
            return
        for fault in problem.fields:
            name = _FIELDS.get(fault.path, fault.path)
            if fault.path.startswith("scorers."):
                self.add_error("scorers", f"{fault.path}: {fault.message}")
            else:
                self.add_error(name if name in self.fields else None, fault.message)


def eval_initial(row: Any) -> dict[str, Any]:
    """What the form shows of an eval as it is."""
    return {
        "name": row.name,
        "dataset": row.dataset.public_id,
        "agent": row.agent.public_id if row.agent else "",
        "profile": row.profile_id or "",
        "scorers": json_text(row.scorers),
        "pass_threshold": row.pass_threshold,
        "min_coverage": row.min_coverage,
        "group_by": row.group_by or "",
    }
