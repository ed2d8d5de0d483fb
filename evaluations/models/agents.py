"""Where answers come from: providers of models, and agents with their versions."""

from django.conf import settings
from django.db import models

from accounts.models import Project
from evaluations.models.identified import Identified, name_is_unique
from foundation import times
from foundation.http.json_field import JsonTextField
from foundation.identifiers import new_identifier


class AiProvider(Identified):
    """A service that runs models. Its key is kept encrypted and is never given out again."""

    prefix = "aip"

    class Kind(models.TextChoices):
        """The wire format that the service speaks."""

        OLLAMA = "ollama", "Ollama"
        OPENAI = "openai", "OpenAI"
        OPENAI_COMPATIBLE = "openai_compatible", "OpenAI-compatible"
        ANTHROPIC = "anthropic", "Anthropic"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="ai_providers")
    name = models.CharField(max_length=256)
    provider = models.CharField(max_length=32, choices=Kind.choices)
    default_model = models.CharField(max_length=256)
    base_url = models.TextField(blank=True)
    api_key_encrypted = models.TextField(blank=True, editable=False)
    """Empty when there is none; see evaluations.encryption."""
    api_key_hint = models.CharField(max_length=8, blank=True, editable=False)
    """The last four characters, for people to tell keys apart."""
    config = JsonTextField(default=dict)

    class Meta(Identified.Meta):
        verbose_name = "AI provider"
        constraints = (name_is_unique("provider"),)


class Agent(Identified):
    """Something that answers: a model with instructions. Its content is its newest version."""

    prefix = "agent"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="agents")
    name = models.CharField(max_length=256)
    version = models.PositiveIntegerField(default=1, editable=False)

    class Meta(Identified.Meta):
        constraints = (name_is_unique("agent"),)


def _new_version_id() -> str:
    return new_identifier("agver")


class AgentVersion(models.Model):
    """One version of an agent, which never changes; only its label may be given later."""

    public_id = models.CharField(max_length=32, unique=True, default=_new_version_id, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=256, blank=True)
    ai_provider = models.ForeignKey(AiProvider, on_delete=models.PROTECT, related_name="agent_versions")
    instructions = models.TextField(blank=True)
    model = models.CharField(max_length=256, blank=True)
    """Empty for the provider's default model."""
    temperature = models.FloatField(null=True)
    max_tokens = models.PositiveIntegerField(null=True)
    output_schema = JsonTextField(null=True)
    changes = JsonTextField(default=list)
    """Sentences: what this version changed."""
    created_at = models.DateTimeField(default=times.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False)
    created_by_name = models.CharField(max_length=256, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("agent", "number"), name="evaluations_agent_version_once"),)
        ordering = ("-number",)

    def __str__(self) -> str:
        return f"{self.agent_id} version {self.number}"
