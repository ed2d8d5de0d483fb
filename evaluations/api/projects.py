"""Projects and their members, over HTTP."""

from typing import Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import Role
from accounts.api.bodies import RoleName
from accounts.models import Membership, Project
from accounts.queries import projects_of
from evaluations.api.texts import LongText, Name
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.permissions import CREATE_PROJECT, LEAST_ROLE, Act
from evaluations.queries.projects import members_of
from evaluations.services.projects import (
    member_remove,
    member_set,
    project_create,
    project_delete,
    project_update,
)
from foundation.errors import Unauthorized
from foundation.http.api import json_body
from foundation.http.bodies import PAGE_PARAMETERS, Moment, StrictBody, read_body, write_answer
from foundation.http.openapi import describe

FORCE = {"force": ({"type": "boolean", "default": False}, "Delete what depends on it too.")}
_EXAMPLE = {"name": "Refund Scoring"}


class ProjectBody(StrictBody):
    """A new project."""

    name: Name
    description: LongText = ""


class ProjectChange(StrictBody):
    """What to change of a project; what is left out stays."""

    name: Name = Field(default="")
    description: LongText = ""


class ProjectAnswer(StrictBody):
    """A project, and the caller's role in it."""

    id: str
    name: str
    description: str
    created_at: Moment
    updated_at: Moment


class ProjectList(StrictBody):
    """A part of the projects that the caller may see, newest first."""

    data: list[ProjectAnswer]
    total: int
    limit: int
    offset: int


class MemberBody(StrictBody):
    """Who is to be a member, with which role."""

    username: str = Field(min_length=1, max_length=150)
    role: RoleName


class MemberAnswer(StrictBody):
    """A member of a project."""

    user_id: str
    username: str
    name: str
    role: RoleName
    created_at: Moment


class MemberList(StrictBody):
    """A part of a project's members, by username."""

    data: list[MemberAnswer]
    total: int
    limit: int
    offset: int


def _project(project: Project) -> dict[str, Any]:
    answer = ProjectAnswer(
        id=project.public_id,
        name=project.name,
        description=project.description,
        created_at=project.created_at,
        updated_at=project.updated_at,
    )
    return write_answer(answer)


def _member(membership: Membership) -> dict[str, Any]:
    answer = MemberAnswer(
        user_id=membership.user.public_id,
        username=membership.user.username,
        name=membership.user.name,
        role=Role(membership.role).value,
        created_at=membership.created_at,
    )
    return write_answer(answer)


class Projects(ProjectView):
    """All of them."""

    @describe(
        "list-projects",
        "List the projects you may see.",
        query=PAGE_PARAMETERS,
        answers={200: ProjectList},
        needs=LEAST_ROLE[Act.READ],
    )
    def get(self, request: Request) -> Response:
        """The projects that the caller is a member of, newest first; all of them for an owner of the installation."""
        actor = self.actor(request)
        only_parameters(request, ())
        if actor is None:
            raise Unauthorized
        return page_of(request, projects_of(actor), _project)

    @describe(
        "create-project",
        "Create a project.",
        body=ProjectBody,
        answers={201: ProjectAnswer},
        needs=CREATE_PROJECT,
        example=_EXAMPLE,
    )
    def post(self, request: Request) -> Response:
        """The new project; the caller is its owner."""
        body = read_body(ProjectBody, json_body(request))
        project = project_create(actor=self.actor(request), name=body.name, description=body.description)
        return Response(_project(project), status=201)


class ProjectDetail(ProjectView):
    """One of them."""

    @describe(
        "get-project",
        "Get a project.",
        answers={200: ProjectAnswer},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """The project."""
        return Response(_project(self.project(request, project_id)))

    @describe(
        "update-project",
        "Change a project.",
        body=ProjectChange,
        answers={200: ProjectAnswer},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404,),
        example={"description": "Grading the refund agent."},
    )
    def put(self, request: Request, project_id: str) -> Response:
        """The project as it is now."""
        project = self.project(request, project_id, Act.OWN)
        changes = read_body(ProjectChange, json_body(request)).model_dump(exclude_unset=True)
        return Response(_project(project_update(actor=self.actor(request), project=project, changes=changes)))

    @describe(
        "delete-project",
        "Delete a project.",
        query=FORCE,
        answers={204: None},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404, 409),
    )
    def delete(self, request: Request, project_id: str) -> Response:
        """Nothing: the project is deleted."""
        force = only_parameters(request, FORCE).get("force") == "true"
        project_delete(actor=self.actor(request), project=self.project(request, project_id, Act.OWN), force=force)
        return Response(status=204)


class Members(ProjectView):
    """The people of one project."""

    @describe(
        "list-project-members",
        "List a project's members.",
        query=PAGE_PARAMETERS,
        answers={200: MemberList},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """The members, by username."""
        only_parameters(request, ())
        return page_of(request, members_of(self.project(request, project_id)), _member)

    @describe(
        "set-project-member",
        "Make somebody a member of a project, or change the role of one.",
        body=MemberBody,
        answers={200: MemberAnswer},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404,),
        example={"username": "rita", "role": "reviewer"},
    )
    def put(self, request: Request, project_id: str) -> Response:
        """The membership as it is now."""
        project = self.project(request, project_id, Act.OWN)
        body = read_body(MemberBody, json_body(request))
        membership = member_set(
            actor=self.actor(request), project=project, username=body.username, role=Role(body.role)
        )
        return Response(_member(membership))


class MemberDetail(ProjectView):
    """One member."""

    @describe(
        "remove-project-member",
        "Remove a member from a project.",
        answers={204: None},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404,),
    )
    def delete(self, request: Request, project_id: str, user_id: str) -> Response:
        """Nothing: the person is no member any more."""
        project = self.project(request, project_id, Act.OWN)
        member_remove(actor=self.actor(request), project=project, user_public_id=user_id)
        return Response(status=204)
