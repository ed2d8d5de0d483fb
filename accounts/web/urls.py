"""Addresses of the pages about people."""

from django.urls import path

from accounts.web import account, audit, people, sign_in

urlpatterns = [
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-out", sign_in.sign_out, name="sign-out"),
    path("account", account.account, name="account"),
    path("account/name", account.rename, name="account-name"),
    path("account/password", account.change_password, name="account-password"),
    path("account/keys", account.create_key, name="account-key-create"),
    path("account/keys/<str:key_id>/revoke", account.revoke_key, name="account-key-revoke"),
    path("people", people.people, name="people"),
    path("people/<str:user_id>", people.person, name="person"),
    path("people/<str:user_id>/role", people.change_role, name="person-role"),
    path("people/<str:user_id>/deactivate", people.deactivate, name="person-deactivate"),
    path("people/<str:user_id>/activate", people.activate, name="person-activate"),
    path("audit", audit.audit, name="audit"),
]
