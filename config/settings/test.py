"""What the tests run under: server mode, a throw-away database, quick password hashes."""

import tempfile
from pathlib import Path

from config import env
from config.settings.base import *

SECRET_KEY = "only-for-tests-" + "0" * 40
PLUMBLINE_SECRETS_KEYS = ["only-for-tests"]
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
DATA_DIR = Path(tempfile.gettempdir()) / "plumbline-tests"
STATIC_ROOT = DATA_DIR / "static"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if not env.text("PLUMBLINE_DATABASE_URL", ""):
    DATABASES["default"]["NAME"] = ":memory:"
    DATABASES["default"]["TEST"] = {"NAME": env.text("PLUMBLINE_TEST_DATABASE", "") or None}
