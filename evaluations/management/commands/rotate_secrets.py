"""Changing the keys that secrets are encrypted with, from the command line of the server."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.actors import COMMAND_LINE
from evaluations.encryption import SecretsUnconfigured
from evaluations.services.secrets import secrets_rotate


class Command(BaseCommand):
    """Encrypts every stored secret anew; afterwards only the first key is needed."""

    help = "Encrypt every provider's key and every secret with the first key of PLUMBLINE_SECRETS_KEYS."

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            done, unreadable = secrets_rotate(actor=COMMAND_LINE)
        except SecretsUnconfigured as error:
            message = "PLUMBLINE_SECRETS_KEYS is empty: there is no key to encrypt with."
            raise CommandError(message) from error
        self.stdout.write(f"Encrypted {done} secrets with the first key.")
        if unreadable:
            message = f"{unreadable} could not be read with any of the keys: keep the old ones, or enter these again."
            raise CommandError(message)
