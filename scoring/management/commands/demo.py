"""The demo, from the command line of the server."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from accounts.actors import COMMAND_LINE
from scoring.services.demo import demo_load, demo_remove


class Command(BaseCommand):
    """Loads the demo, or takes away what it made and nothing else."""

    help = (
        "Load the demo's evaluations and profile, so that every page has something to show; --remove takes them away."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--remove", action="store_true", help="remove what the demo made, and nothing else")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["remove"]:
            self.stdout.write(f"Removed {demo_remove(actor=COMMAND_LINE)} evaluations of the demo, and its profile.")
            return
        count = demo_load(actor=COMMAND_LINE)
        self.stdout.write(f"Made {count} evaluations." if count else "The demo is here already.")
