"""What can be called over HTTP, and the secrets that such a call may carry."""

from django.db import models

from accounts.models import Project
from evaluations.models.identified import Identified, name_is_unique
from foundation import times
from foundation.http.json_field import JsonTextField


class Tool(Identified):
    """An address that takes JSON and answers JSON: a scorer of one's own, or a tool of an agent."""

    prefix = "tool"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="tools")
    name = models.CharField(max_length=256)
    type = models.CharField(max_length=16, default="http")
    description = models.TextField(blank=True)
    parameters = JsonTextField(null=True)
    execute = JsonTextField()
    """`{url, method, headers, timeout_s}`; header values may hold {{secret:NAME}}."""
    preset_parameters = JsonTextField(default=dict)

    class Meta(Identified.Meta):
        constraints = (name_is_unique("tool"),)


class ProjectSecret(models.Model):
    """A value that a tool's headers may name; kept encrypted, never given out."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="secrets")
    name = models.CharField(max_length=64)
    value_encrypted = models.TextField(editable=False)
    created_at = models.DateTimeField(default=times.now, editable=False)
    updated_at = models.DateTimeField(default=times.now, editable=False)

    class Meta:
        constraints = (name_is_unique("secret"),)

    def __str__(self) -> str:
        return self.name
