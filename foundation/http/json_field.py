"""A column that holds a JSON document as text, byte for byte the same on every database.

Django's own JSONField is jsonb on PostgreSQL, which reorders members and rewrites numbers; what a
person sent would come back different there. Nothing here is ever searched by its inside.
"""

from typing import TYPE_CHECKING, Any

from django.db import models

from foundation import exact_json

if TYPE_CHECKING:
    _Text = models.TextField[Any, Any]
else:
    _Text = models.TextField


class JsonTextField(_Text):
    """Any JSON value, compact, members in the order given, numbers exact. NaN is refused with ValueError."""

    # What django-stubs reads: a TextField takes and gives text, this one any JSON.
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        """The document; None for NULL."""
        return None if value is None else exact_json.loads(value)

    def to_python(self, value: Any) -> Any:
        """Documents are what Python code holds, so there is nothing to convert."""
        return value

    def get_prep_value(self, value: Any) -> str | None:
        """The text that is stored; NULL for None."""
        return None if value is None else exact_json.dumps(value)

    def value_to_string(self, obj: models.Model) -> Any:
        """The document itself, which is what loaddata gives back to `to_python`."""
        return self.value_from_object(obj)
