"""The app's start: find the scorers, and say which engine runs JavaScript's regular expressions."""

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate

from scoring import javascript
from scoring.kit.registry import registry
from scoring.search_index import ensure_search_index


class ScoringConfig(AppConfig):
    """Profiles, evaluations and the scorers they use."""

    name = "scoring"
    verbose_name = "Scoring"

    def ready(self) -> None:
        """Fill the registry; no process is started before the first match."""
        registry.discover("scoring.scorers")
        javascript.configure(engine=settings.PLUMBLINE_REGEX_ENGINE)
        post_migrate.connect(ensure_search_index, sender=self, dispatch_uid="scoring.search_index")
