"""Logging in and out, and who one is."""

from typing import cast

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import queries, services
from accounts.actors import Role
from accounts.api.bodies import LoginAnswer, LoginBody, PersonAnswer, RequestVia
from accounts.middleware import bearer_of
from accounts.permissions import actor_of, require
from foundation.errors import BadRequest
from foundation.http.api import json_body
from foundation.http.bodies import read_body, write_answer
from foundation.http.openapi import describe


class LoginView(APIView):
    """A password for a token."""

    authentication_classes = ()
    permission_classes = ()

    @describe(
        "login-user",
        "Exchange a username and password for a login token.",
        body=LoginBody,
        answers={200: LoginAnswer},
        refusals=(429,),
        example={"username": "olga", "password": "a long and winding password"},
        public=True,
    )
    def post(self, request: Request) -> Response:
        """A login token for a username and password. After five wrong ones, a quarter of an hour has to pass."""
        body = read_body(LoginBody, json_body(request))
        http = request._request  # noqa: SLF001 - the throttle marks the request that middleware sees
        user = services.credentials_check(request=http, username=body.username, password=body.password)
        token = services.token_create(request=http, user=user)
        answer = LoginAnswer(
            id=user.public_id,
            username=user.username,
            role=Role(user.role).value,
            token=token,
            created_at=user.created_at,
            updated_at=user.updated_at,
        )
        return Response(write_answer(answer), headers={"Cache-Control": "no-store"})


class MeView(APIView):
    """Oneself."""

    @describe("get-current-user", "Ask who you are.", answers={200: PersonAnswer}, needs=Role.VIEWER)
    def get(self, request: Request) -> Response:
        """Who you are to this server, and with which role."""
        actor = require(actor_of(request._request), Role.VIEWER)  # noqa: SLF001
        user = queries.person_of(actor)
        answer = PersonAnswer(
            id=user.public_id,
            username=user.username,
            name=user.get_full_name(),
            role=actor.role.value,
            via=cast("RequestVia", actor.via),
            created_at=user.created_at,
            updated_at=user.updated_at,
        )
        return Response(write_answer(answer))


class LogoutView(APIView):
    """The end of a token or session."""

    @describe("logout-user", "End a login token or session.", answers={204: None}, needs=Role.VIEWER)
    def post(self, request: Request) -> Response:
        """Your login token (or browser session) stops working at once."""
        http = request._request  # noqa: SLF001
        actor = require(actor_of(http), Role.VIEWER)
        secret = bearer_of(http)
        if secret is not None:
            services.token_revoke(actor=actor, secret=secret)
        elif actor.via == "session":
            services.session_end(request=http, actor=actor)
        else:
            raise BadRequest("Nobody is signed in: in local mode there is nothing to end.")
        return Response(status=204)
