"""A server that other machines reach: everybody signs in, every cookie is secure."""

from config import env
from config.settings.base import *

SECRET_KEY = env.text("PLUMBLINE_SECRET_KEY")
ALLOWED_HOSTS = env.words("PLUMBLINE_ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = env.words("PLUMBLINE_TRUSTED_ORIGINS")

# PLUMBLINE_INSECURE_HTTP=true is for a private network without TLS; it gives up secure cookies.
_SECURE = not env.boolean("PLUMBLINE_INSECURE_HTTP", default=False)
SECURE_SSL_REDIRECT = _SECURE
# Probes inside the machine or the cluster speak plain HTTP.
SECURE_REDIRECT_EXEMPT = ["^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if _SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _SECURE
SECURE_HSTS_PRELOAD = _SECURE
SESSION_COOKIE_SECURE = _SECURE
CSRF_COOKIE_SECURE = _SECURE
# The proxy's own last entry in X-Forwarded-For is then the client's address (accounts/addresses.py).
PLUMBLINE_BEHIND_PROXY = env.boolean("PLUMBLINE_BEHIND_PROXY", default=False)
if PLUMBLINE_BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
