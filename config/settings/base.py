"""What every way of running has in common. docs/operating.md lists the variables."""

from pathlib import Path

import dj_database_url
import plotly
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config import env

BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = Path(env.text("PLUMBLINE_DATA", str(BASE_DIR / "var"))).expanduser().resolve()
PORT = env.integer("PLUMBLINE_PORT", 3001, low=1, high=65535)

# "local" lets requests from this machine act as the owner; "server" asks everybody to sign in.
PLUMBLINE_MODE = "server"
# The address the web server binds to; the local mode refuses all but loopback ones.
PLUMBLINE_BIND = env.text("PLUMBLINE_BIND", "127.0.0.1")
# The first one encrypts stored secrets, each decrypts; the local mode keeps one of its own.
PLUMBLINE_SECRETS_KEYS = env.words("PLUMBLINE_SECRETS_KEYS")
# What tools and providers may be reached beside public addresses: host, host:port, *.suffix, CIDR.
PLUMBLINE_EGRESS_ALLOW = env.words("PLUMBLINE_EGRESS_ALLOW")
# How long a killed worker's results wait before another takes them; a living one renews in time.
PLUMBLINE_LEASE_SECONDS = env.integer("PLUMBLINE_LEASE_SECONDS", 45, low=2, high=600)
# How many answers one run asks for at once, in each worker.
PLUMBLINE_RUN_CONCURRENCY = env.integer("PLUMBLINE_RUN_CONCURRENCY", 8, low=1, high=64)
PLUMBLINE_REGEX_ENGINE = env.choice("PLUMBLINE_REGEX_ENGINE", "corvus", ("corvus", "node"))

DEBUG = False
INSTALLED_APPS = [
    "config.operations",
    "accounts",
    "scoring",
    "evaluations",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
]
MIDDLEWARE = [
    "foundation.http.middleware.ApiErrorsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "accounts.middleware.LocalModeGuard",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.ActorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.context.chrome",
            ],
            "builtins": ["django.templatetags.static"],
            "libraries": {"plumbline": "foundation.http.templatetags"},
        },
    },
]


def _database() -> dict[str, object]:
    """PostgreSQL when PLUMBLINE_DATABASE_URL names one, else one SQLite file in the data folder."""
    url = env.text("PLUMBLINE_DATABASE_URL", "")
    if url:
        try:
            parsed = dj_database_url.parse(url)
        except ValueError as error:
            message = "PLUMBLINE_DATABASE_URL is not a database's address (postgres://user:password@host:5432/name)."
            raise ImproperlyConfigured(message) from error
        return {
            **parsed,
            "CONN_MAX_AGE": 0,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": {"pool": {"min_size": 1, "max_size": 12, "timeout": 10}},
        }
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA_DIR / "plumbline.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            # A deferred transaction that has read and then writes fails at once on a busy file,
            # whatever the timeout; an immediate one waits its turn.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                " PRAGMA cache_size=-32000; PRAGMA temp_store=MEMORY;"
            ),
        },
    }


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "overview"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "plumbline_session"
CSRF_COOKIE_NAME = "plumbline_csrf"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "foundation.http.pages.csrf_failure"

# One name and address together may fail five times in a quarter of an hour.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_CLIENT_IP_CALLABLE = "accounts.addresses.attempt_address"
AXES_LOCKOUT_CALLABLE = "accounts.throttle.lockout_answer"
# Sign-ins are in the audit log, which only grows by what people do.
AXES_DISABLE_ACCESS_LOG = True

# The first owner, made at the first start when there is none.
PLUMBLINE_ADMIN_USERNAME = env.text("PLUMBLINE_ADMIN_USERNAME", "")
PLUMBLINE_ADMIN_PASSWORD = env.text("PLUMBLINE_ADMIN_PASSWORD", "")

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("plotly", str(Path(plotly.__file__).parent / "package_data")),
]
STATIC_ROOT: Path | None = DATA_DIR / "static"

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        # plotly.js makes an empty style element that it fills by script (the first is the hash of nothing),
        # and one for its maps; a browser test says when a new release needs another hash.
        "style-src": [
            SELF,
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
            "'sha256-ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE/o='",
        ],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    },
}

# Pages' forms, where each quote of an observation of 4 MiB takes three bytes; the JSON door has its own
# bounds (foundation.http.api).
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["accounts.authentication.ActorAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["accounts.authentication.SignedIn"],
    "DEFAULT_PARSER_CLASSES": ["foundation.http.api.StrictJsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["foundation.http.api.CompactJsonRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "foundation.http.api.AlwaysJson",
    "DEFAULT_SCHEMA_CLASS": "foundation.http.openapi.PlumblineSchema",
    "EXCEPTION_HANDLER": "foundation.http.api.answer_exception",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Plumbline",
    "VERSION": "0.1.0",
    "DESCRIPTION": "Score agents' outputs with profiles of weighted, deterministic scorers, and read why.",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/",
    "TAGS": [
        {"name": "profiles", "description": "Scoring profiles and their versions."},
        {"name": "evaluations", "description": "Evaluating outputs, and the history of it."},
        {"name": "scorers", "description": "The scorer types that profiles are made of."},
        {"name": "api-keys", "description": "Your own API keys."},
        {"name": "users", "description": "Signing in, and who you are."},
    ],
    "POSTPROCESSING_HOOKS": ["foundation.http.openapi.add_components"],
}

CELERY_BROKER_URL = env.text("PLUMBLINE_BROKER_URL", "")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {
        "handlers": ["console"],
        "level": env.choice("PLUMBLINE_LOG_LEVEL", "WARNING", ("DEBUG", "INFO", "WARNING", "ERROR")),
    },
}
