"""What a worker needs for a run, read once: the frozen specification, the door, the secrets."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluations.egress import door
from evaluations.encryption import decrypt
from evaluations.models import AiProvider, ProjectSecret, Run
from evaluations.outbound.clock import SystemClock
from evaluations.outbound.door import Door
from evaluations.outbound.providers import Provider
from evaluations.outbound.tools import ToolDefinition
from evaluations.specification import Specification


@dataclass(frozen=True)
class RunContext:
    """A run as its workers see it. `canceled` ends what waits for the network."""

    run_id: int
    run_public_id: str
    source: str
    specification: Specification
    door: Door
    canceled: threading.Event
    provider: Provider | None
    secrets: Mapping[str, str] = field(repr=False)

    @property
    def generates(self) -> bool:
        """Whether answers are asked for, rather than brought."""
        return self.source == Run.Source.AGENT


def load_context(run: Run) -> RunContext:
    """The context of a run. Raises SecretUnreadable, or AiProvider.DoesNotExist for a provider that is gone."""
    specification = Specification(run.specification)
    canceled = threading.Event()
    project = run.eval.project
    names = {name for tool in specification.tools.values() for name in _secret_names(tool)}
    rows = ProjectSecret.objects.filter(project=project, name__in=names)
    return RunContext(
        run_id=run.pk,
        run_public_id=run.public_id,
        source=run.source,
        specification=specification,
        door=door().with_clock(SystemClock(canceled)),
        canceled=canceled,
        provider=_provider(specification.agent) if run.source == Run.Source.AGENT else None,
        secrets={row.name: decrypt(row.value_encrypted) for row in rows},
    )


def _secret_names(tool: Mapping[str, Any]) -> frozenset[str]:
    return ToolDefinition.of(tool["execute"], tool["preset_parameters"]).secret_names


def _provider(agent: Mapping[str, Any] | None) -> Provider | None:
    if agent is None:
        return None
    row = AiProvider.objects.get(public_id=agent["ai_provider_id"])
    # A key that was entered for another address must not reach the one that the run froze.
    same_address = (row.provider, row.base_url) == (agent["provider"], agent["base_url"])
    return Provider(
        kind=agent["provider"],
        default_model=agent["model"],
        base_url=agent["base_url"] or None,
        api_key=(decrypt(row.api_key_encrypted) or None) if same_address else None,
        config=agent["config"] or {},
    )
