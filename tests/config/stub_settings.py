"""The local settings with two tiny pages: what the launcher is tested with."""

from config.settings.local import *  # noqa: F403

INSTALLED_APPS = [app for app in INSTALLED_APPS if app != "django.contrib.admin"]  # noqa: F405
MIDDLEWARE = ["django.middleware.common.CommonMiddleware", "axes.middleware.AxesMiddleware"]
ROOT_URLCONF = "tests.config.stub_urls"
