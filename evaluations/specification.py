"""PURE: what a run froze at its start, read back from its stored document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluations.eval_scorers import KeyedScorer, ToolScorer, load_eval_scorers, profile_scorers
from scoring.profile_documents import Profile, load_profile


@dataclass(frozen=True)
class Specification:
    """The frozen document of a run: `{scorers | profile, agent?, tools, thresholds…}`.

    `agent` is the agent's version as it was: `{version, label, ai_provider_id, model,
    instructions, temperature, max_tokens, output_schema}`; `tools` the definitions of the tools
    that the scorers ask, by identifier.
    """

    document: Mapping[str, Any]

    @cached_property
    def profile(self) -> Profile | None:
        """The profile's version that judges, or None when the eval has scorers of its own."""
        kept = self.document.get("profile")
        return None if kept is None else load_profile(kept["document"])

    @cached_property
    def scorers(self) -> tuple[KeyedScorer, ...]:
        """The scorers in their order."""
        if self.profile is not None:
            return profile_scorers(self.profile)
        return load_eval_scorers(self.document["scorers"])

    @property
    def agent(self) -> Mapping[str, Any] | None:
        """The agent's version, None when nothing is generated."""
        agent: Mapping[str, Any] | None = self.document.get("agent")
        return agent

    @property
    def tools(self) -> Mapping[str, Mapping[str, Any]]:
        """The tools' definitions by identifier."""
        tools: Mapping[str, Mapping[str, Any]] = self.document.get("tools", {})
        return tools

    @property
    def identities(self) -> Mapping[str, str]:
        """The identity of each scorer by its key."""
        identities: Mapping[str, str] = self.document["identities"]
        return identities

    @property
    def pass_threshold(self) -> float | None:
        """The pass rate from which the run passes, None when it is not judged."""
        threshold: float | None = self.document.get("pass_threshold")
        return threshold

    @property
    def group_by(self) -> str | None:
        """The member of an item's metadata that names its kind."""
        name: str | None = self.document.get("group_by")
        return name

    @property
    def min_coverage(self) -> float:
        """The share of items that must be scored for the run to pass."""
        share: float = self.document.get("min_coverage", 0.9)
        return share

    @cached_property
    def asks_tools(self) -> bool:
        """Whether scoring waits for the network."""
        return any(isinstance(keyed.scorer, ToolScorer) for keyed in self.scorers)


def frozen_specification(
    *,
    scorers: Sequence[KeyedScorer],
    profile: Mapping[str, Any] | None,
    agent: Mapping[str, Any] | None,
    tools: Mapping[str, Mapping[str, Any]],
    pass_threshold: float | None,
    group_by: str | None,
    min_coverage: float,
) -> dict[str, Any]:
    """The document to store. `profile` is `{id, version, document}`; without it the scorers' own are kept.

    An output_schema scorer without a schema gets the agent's here, so that both are frozen together.
    """
    schema = (agent or {}).get("output_schema")
    settled = tuple(_with_schema(keyed, schema) for keyed in scorers)
    judged = {"profile": profile} if profile is not None else {"scorers": [dict(keyed.document) for keyed in settled]}
    return {
        **judged,
        **({"agent": agent} if agent is not None else {}),
        "tools": {name: dict(tool) for name, tool in tools.items()},
        "identities": {keyed.key: keyed.identity for keyed in settled},
        "pass_threshold": pass_threshold,
        "group_by": group_by,
        "min_coverage": min_coverage,
    }


def _with_schema(keyed: KeyedScorer, schema: Any) -> KeyedScorer:
    if keyed.type != "output_schema" or schema is None or "schema" in keyed.document:
        return keyed
    (settled,) = load_eval_scorers([{**keyed.document, "schema": schema}])
    return settled


def group_of(metadata: Mapping[str, Any], group_by: str | None) -> str | None:
    """The kind that an item's metadata names: a flat member that is text; None for anything else."""
    value = metadata.get(group_by) if group_by is not None else None
    return value if isinstance(value, str) and len(value) <= 256 else None
