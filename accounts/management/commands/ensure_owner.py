"""The first start's owner."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.services import first_owner_create, local_owner_ensure
from foundation.errors import Problem


class Command(BaseCommand):
    """Makes the first owner from PLUMBLINE_ADMIN_USERNAME and PLUMBLINE_ADMIN_PASSWORD when there is none.

    Prints one line. Fails, with one line, when they are not good enough.
    """

    help = "Make the first owner from PLUMBLINE_ADMIN_USERNAME and PLUMBLINE_ADMIN_PASSWORD when there is none."

    def handle(self, *_args: Any, **_options: Any) -> None:
        local = settings.PLUMBLINE_MODE == "local"
        if local:
            local_owner_ensure()
        username, password = settings.PLUMBLINE_ADMIN_USERNAME, settings.PLUMBLINE_ADMIN_PASSWORD
        if not username or not password:
            self.stdout.write(_without(local=local))
            return
        try:
            user = first_owner_create(username=username, password=password)
        except Problem as problem:
            raise CommandError(f"PLUMBLINE_ADMIN_USERNAME, PLUMBLINE_ADMIN_PASSWORD: {problem.message}") from problem
        self.stdout.write(f"Made the first owner, {user.username}." if user else "There is an owner already.")


def _without(*, local: bool) -> str:
    if local:
        return "Local mode: whoever uses this machine acts as the owner."
    return "No first owner was asked for (PLUMBLINE_ADMIN_USERNAME and PLUMBLINE_ADMIN_PASSWORD are not both set)."
