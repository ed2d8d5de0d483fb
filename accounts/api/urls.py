"""Addresses under /api/v1/ about people."""

from django.urls import path

from accounts.api import keys, security, users  # noqa: F401 - security registers itself

urlpatterns = [
    path("users/login", users.LoginView.as_view(), name="api-login"),
    path("users/me", users.MeView.as_view(), name="api-me"),
    path("users/logout", users.LogoutView.as_view(), name="api-logout"),
    path("api-keys", keys.KeysView.as_view(), name="api-keys"),
    path("api-keys/<str:key_id>", keys.KeyView.as_view(), name="api-key"),
]
