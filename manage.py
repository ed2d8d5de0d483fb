#!/usr/bin/env python
"""Run Django's commands; without DJANGO_SETTINGS_MODULE they use the local settings."""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    execute_from_command_line(sys.argv)
