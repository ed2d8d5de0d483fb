"""What the things of a project have in common: an identifier, times, and the project itself."""

from typing import ClassVar

from django.db import models

from foundation import times
from foundation.identifiers import new_identifier


class Identified(models.Model):
    """A row with a public identifier of its own prefix, and the moments it was made and changed."""

    prefix: ClassVar[str]

    public_id = models.CharField(max_length=32, unique=True, editable=False)
    created_at = models.DateTimeField(default=times.now, editable=False)
    updated_at = models.DateTimeField(default=times.now, editable=False)

    class Meta:
        """Newest first."""

        abstract = True
        ordering = ("-created_at", "-id")

    def __init__(self, *args: object, **fields: object) -> None:
        super().__init__(*args, **fields)
        # bulk_create calls no save(), so an identifier is given as soon as there is a row to give it to.
        if "public_id" not in self.get_deferred_fields() and not self.public_id:
            self.public_id = new_identifier(self.prefix)

    def __str__(self) -> str:
        return self.public_id


def name_is_unique(label: str) -> models.UniqueConstraint:
    """A name stands once in a project."""
    return models.UniqueConstraint(fields=("project", "name"), name=f"evaluations_{label}_name_once")
