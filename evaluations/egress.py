"""The one door to the network of this process, under the installation's policy."""

from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings

from evaluations.outbound.door import Door
from evaluations.outbound.policy import EgressPolicy


def door() -> Door:
    """The door that every call of a provider or tool goes through; all threads share it."""
    return _door(tuple(settings.PLUMBLINE_EGRESS_ALLOW), settings.PLUMBLINE_MODE == "local", _own_ports())


@lru_cache(maxsize=2)
def _door(allowed: tuple[str, ...], local_mode: bool, own_ports: tuple[int, ...]) -> Door:  # noqa: FBT001
    return Door(EgressPolicy.of(allowed, local_mode=local_mode, own_ports=own_ports))


def _own_ports() -> tuple[int, ...]:
    database = settings.DATABASES["default"].get("PORT") or 0
    broker = urlsplit(settings.CELERY_BROKER_URL or "").port or 0
    return tuple(sorted({int(str(port)) for port in (settings.PORT, database, broker) if port}))
