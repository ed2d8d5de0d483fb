"""The embedded default: one machine, one person, no sign-in, nothing reachable from elsewhere."""

from config.secret_key import kept_secret_key
from config.settings.base import *

PLUMBLINE_MODE = "local"
SECRET_KEY = kept_secret_key(DATA_DIR)
PLUMBLINE_SECRETS_KEYS = PLUMBLINE_SECRETS_KEYS or [kept_secret_key(DATA_DIR, "secrets-key")]
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
# Static files are served from where they lie: nothing to collect before the first page.
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]
