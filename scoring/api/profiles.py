"""Profiles and their versions, over HTTP."""

import re

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import actor_of
from foundation.errors import ValidationFailed
from foundation.http.api import json_body
from foundation.http.openapi import describe
from scoring.api import examples, schemas
from scoring.permissions import LEAST_ROLE, Act, permit
from scoring.queries.documents import profile_document, version_document
from scoring.queries.profiles import ProfileAt, profile_at, profiles_listed, versions_listed
from scoring.services.profiles import profile_create, profile_delete, profile_update

_TAG_WORDS = "The version, in quotes: what If-Match takes."
_ENTITY_TAG = re.compile(r'(?:(?:W/)?"([0-9]{1,9})"|([0-9]{1,9}))')


def _answer(profile: ProfileAt, status: int = 200) -> Response:
    headers = {"ETag": f'"{profile.version.number}"'}
    if status == 201:
        headers["Location"] = f"/api/scoring/profiles/{profile.row.pk}"
    return Response(profile_document(profile), status=status, headers=headers)


class Profiles(APIView):
    """The profiles."""

    @describe(
        "list-profiles",
        "List the profiles: built-ins first, then by name.",
        answers={200: [schemas.PROFILE]},
        needs=LEAST_ROLE[Act.READ],
        answer_example=[examples.PROFILE],
    )
    def get(self, request: Request) -> Response:
        """All profiles, each with its newest version."""
        permit(actor_of(request), Act.READ)
        return Response([profile_document(profile) for profile in profiles_listed()])

    @describe(
        "create-profile",
        "Create a profile.",
        body=schemas.PROFILE_BODY,
        answers={201: schemas.PROFILE},
        needs=LEAST_ROLE[Act.WRITE_PROFILE],
        answer_headers={"ETag": _TAG_WORDS, "Location": "The address of the profile."},
        example=examples.PROFILE_BODY,
        answer_example=examples.PROFILE,
    )
    def post(self, request: Request) -> Response:
        """The new profile, at version 1."""
        actor = permit(actor_of(request), Act.WRITE_PROFILE)
        return _answer(profile_create(actor=actor, body=json_body(request)), 201)


class ProfileDetail(APIView):
    """One profile."""

    @describe(
        "get-profile",
        "Get a profile; with ?version=N as that version was.",
        query={"version": (schemas.WHOLE, "A version of the profile; the newest when left out.")},
        answers={200: schemas.PROFILE},
        needs=LEAST_ROLE[Act.READ],
        answer_headers={"ETag": _TAG_WORDS},
        refusals=(404,),
        answer_example=examples.PROFILE,
    )
    def get(self, request: Request, profile_id: str) -> Response:
        """The profile, its version as the ETag."""
        permit(actor_of(request), Act.READ)
        return _answer(profile_at(profile_id, _version(request)))

    @describe(
        "update-profile",
        "Change a profile: only the keys sent; a sent scorers list replaces the whole list.",
        headers={"If-Match": "The version you changed, in quotes; 412 when it is not the newest any more."},
        body=schemas.PROFILE_CHANGE,
        answers={200: schemas.PROFILE},
        needs=LEAST_ROLE[Act.WRITE_PROFILE],
        answer_headers={"ETag": _TAG_WORDS},
        refusals=(404, 412),
        example=examples.PROFILE_CHANGE,
        answer_example=examples.CHANGED_PROFILE,
    )
    def put(self, request: Request, profile_id: str) -> Response:
        """The profile as it is now."""
        actor = permit(actor_of(request), Act.WRITE_PROFILE)
        updated = profile_update(
            actor=actor, profile_id=profile_id, body=json_body(request), if_match=_if_match(request)
        )
        return _answer(updated)

    @describe(
        "delete-profile",
        "Delete a custom profile; its evaluations stay.",
        answers={204: None},
        needs=LEAST_ROLE[Act.DELETE_PROFILE],
        refusals=(404,),
    )
    def delete(self, request: Request, profile_id: str) -> Response:
        """Nothing: the profile is deleted."""
        profile_delete(actor=actor_of(request), profile_id=profile_id)
        return Response(status=204)


class Versions(APIView):
    """The versions of one profile."""

    @describe(
        "list-profile-versions",
        "List a profile's versions, newest first, with what each changed.",
        answers={200: [schemas.VERSION]},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        answer_example=[examples.VERSION],
    )
    def get(self, request: Request, profile_id: str) -> Response:
        """All versions."""
        permit(actor_of(request), Act.READ)
        return Response([version_document(version) for version in versions_listed(profile_id)])


def _version(request: Request) -> int | None:
    raw = request.query_params.get("version")
    if raw is None:
        return None
    if not (raw.isascii() and raw.isdigit() and 0 < len(raw) <= 9):
        raise ValidationFailed.one("version", "invalid_parameter", "Must be a whole number from 1.")
    return int(raw)


def _if_match(request: Request) -> int | None:
    raw = request.headers.get("If-Match", "").strip()
    if raw in ("", "*"):
        return None
    match = _ENTITY_TAG.fullmatch(raw)
    if match is None:
        raise ValidationFailed.one("If-Match", "invalid_header", 'Must be a version in quotes, such as "3", or *.')
    return int(match.group(1) or match.group(2))
