"""One more owner, from the command line of the server."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.actors import COMMAND_LINE, Role
from accounts.services import user_create
from foundation.errors import Problem


class Command(BaseCommand):
    """Makes an owner; asks nothing, so that scripts can use it.

    The password is PLUMBLINE_ADMIN_PASSWORD, or the first line of standard input with
    --password-stdin; never an argument, which every user of the machine could see.
    """

    help = "Make an owner. The password is PLUMBLINE_ADMIN_PASSWORD, or comes on standard input with --password-stdin."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--password-stdin", action="store_true", help="read the password from standard input")

    def handle(self, *_args: Any, **options: Any) -> None:
        password = (
            sys.stdin.readline().rstrip("\r\n") if options["password_stdin"] else settings.PLUMBLINE_ADMIN_PASSWORD
        )
        if not password:
            raise CommandError("Set PLUMBLINE_ADMIN_PASSWORD, or send the password with --password-stdin.")
        try:
            user = user_create(actor=COMMAND_LINE, username=options["username"], password=password, role=Role.OWNER)
        except Problem as problem:
            raise CommandError(problem.message) from problem
        self.stdout.write(f"Made the owner {user.username}.")
