"""A project's webhooks, over HTTP."""

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.texts import JsonObject
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.models import Webhook, WebhookDelivery
from evaluations.permissions import LEAST_ROLE, Act, may
from evaluations.queries.webhooks import deliveries_of, webhook_for, webhooks_of
from evaluations.services.webhooks import server_of, webhook_create, webhook_delete, webhook_test, webhook_update
from foundation.http.api import json_body
from foundation.http.bodies import PAGE_PARAMETERS, Moment, StrictBody, read_body, write_answer
from foundation.http.openapi import describe

Address = Annotated[str, Field(min_length=1, max_length=2_000)]
EventName = Literal["eval_run.completed", "eval_run.failed", "eval_run.canceled"]
Events = Annotated[list[EventName], Field(min_length=1, max_length=10)]


class WebhookBody(StrictBody):
    """A new webhook: where events are posted, and which."""

    url: Address
    events: Events = ["eval_run.completed", "eval_run.failed"]
    active: bool = True


class WebhookChange(StrictBody):
    """What to change of a webhook; what is left out stays. `rotate_secret` gives it another secret, at once."""

    url: Address = Field(default="")
    events: Events = Field(default_factory=list)
    active: bool = True
    rotate_secret: bool = False


class WebhookAnswer(StrictBody):
    """A webhook. Only owners of the project see all of its URL, others the server that it is at.

    `secret` signs what is sent. It is there once: in the answer that made or rotated it; else it is null.
    """

    id: str
    project_id: str
    url: str
    events: list[EventName]
    active: bool
    secret: str | None
    created_at: Moment
    updated_at: Moment


class WebhookList(StrictBody):
    """A part of a project's webhooks, newest first."""

    data: list[WebhookAnswer]
    total: int
    limit: int
    offset: int


class DeliveryAnswer(StrictBody):
    """One event for one webhook.

    `status` is that of the last answer, null when there was none; `error` says why it was not taken.
    A pending one is sent at `next_attempt_at`. `payload` is the body that is sent.
    """

    id: str
    event: str
    eval_run_id: str | None
    state: Literal["pending", "delivered", "failed"]
    attempts: int
    status: int | None
    error: str | None
    payload: JsonObject
    created_at: Moment
    next_attempt_at: Moment | None
    delivered_at: Moment | None


class DeliveryList(StrictBody):
    """A part of a webhook's deliveries, newest first."""

    data: list[DeliveryAnswer]
    total: int
    limit: int
    offset: int


def webhook_document(row: Webhook, *, owning: bool, secret: str | None = None) -> dict[str, Any]:
    """The webhook as the API answers it: to owners of its project, or to others."""
    answer = WebhookAnswer(
        id=row.public_id,
        project_id=row.project.public_id,
        url=row.url if owning else server_of(row.url),
        events=row.events,
        active=row.active,
        secret=secret,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
    return write_answer(answer)


def delivery_document(row: WebhookDelivery) -> dict[str, Any]:
    """The delivery as the API answers it."""
    answer = DeliveryAnswer(
        id=row.public_id,
        event=row.event,
        eval_run_id=row.payload["run"]["id"] if "run" in row.payload else None,
        state=row.state,  # type: ignore[arg-type]
        attempts=row.attempts,
        status=row.status,
        error=row.error or None,
        payload={},
        created_at=row.created_at,
        next_attempt_at=row.next_at,
        delivered_at=row.delivered_at,
    )
    return {**write_answer(answer), "payload": row.payload}


class Webhooks(ProjectView):
    """All of one project."""

    @describe(
        "list-webhooks",
        "List a project's webhooks.",
        query=PAGE_PARAMETERS,
        answers={200: WebhookList},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, project_id: str) -> Response:
        """The webhooks, newest first, without their secrets."""
        only_parameters(request, ())
        project = self.project(request, project_id)
        owning = may(self.actor(request), project, Act.OWN)
        return page_of(request, webhooks_of(project), partial(webhook_document, owning=owning))

    @describe(
        "create-webhook",
        "Create a webhook.",
        body=WebhookBody,
        answers={201: WebhookAnswer},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404,),
        example={"url": "https://ci.example.com/hooks/plumbline", "events": ["eval_run.completed", "eval_run.failed"]},
    )
    def post(self, request: Request, project_id: str) -> Response:
        """The new webhook, with its secret, which is not answered again."""
        project = self.project(request, project_id, Act.OWN)
        body = read_body(WebhookBody, json_body(request))
        actor = self.actor(request)
        row, secret = webhook_create(actor=actor, project=project, url=body.url, events=body.events, active=body.active)
        return Response(webhook_document(row, owning=True, secret=secret), status=201)


class WebhookDetail(ProjectView):
    """One of them."""

    @describe(
        "get-webhook",
        "Get a webhook.",
        answers={200: WebhookAnswer},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, project_id: str, webhook_id: str) -> Response:
        """The webhook, without its secret."""
        only_parameters(request, ())
        actor = self.actor(request)
        webhook = webhook_for(actor, project_id, webhook_id)
        return Response(webhook_document(webhook, owning=may(actor, webhook.project, Act.OWN)))

    @describe(
        "update-webhook",
        "Change a webhook.",
        body=WebhookChange,
        answers={200: WebhookAnswer},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404,),
        example={"active": False},
    )
    def put(self, request: Request, project_id: str, webhook_id: str) -> Response:
        """The webhook as it is now, with its new secret where it was rotated."""
        actor = self.actor(request)
        webhook = webhook_for(actor, project_id, webhook_id, Act.OWN)
        changes = read_body(WebhookChange, json_body(request)).model_dump(exclude_unset=True)
        rotate = changes.pop("rotate_secret", False)
        row, secret = webhook_update(actor=actor, webhook=webhook, changes=changes, rotate_secret=rotate)
        return Response(webhook_document(row, owning=True, secret=secret))

    @describe(
        "delete-webhook",
        "Delete a webhook.",
        answers={204: None},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404,),
    )
    def delete(self, request: Request, project_id: str, webhook_id: str) -> Response:
        """Nothing: the webhook is deleted, with its deliveries; what waits is not sent any more."""
        only_parameters(request, ())
        actor = self.actor(request)
        webhook_delete(actor=actor, webhook=webhook_for(actor, project_id, webhook_id, Act.OWN))
        return Response(status=204)


class Deliveries(ProjectView):
    """What was sent to one webhook."""

    @describe(
        "list-webhook-deliveries",
        "List what was sent to a webhook.",
        query=PAGE_PARAMETERS,
        answers={200: DeliveryList},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
    )
    def get(self, request: Request, project_id: str, webhook_id: str) -> Response:
        """The deliveries, newest first."""
        only_parameters(request, ())
        webhook = webhook_for(self.actor(request), project_id, webhook_id)
        return page_of(request, deliveries_of(webhook), delivery_document)


class Test(ProjectView):
    """Trying one out."""

    @describe(
        "test-webhook",
        "Send a ping to a webhook.",
        answers={200: DeliveryAnswer},
        needs=LEAST_ROLE[Act.OWN],
        refusals=(404, 409),
    )
    def post(self, request: Request, project_id: str, webhook_id: str) -> Response:
        """The delivery of a ping, sent at once and not again: its state, the status answered, or the error."""
        only_parameters(request, ())
        actor = self.actor(request)
        webhook = webhook_for(actor, project_id, webhook_id, Act.OWN)
        return Response(delivery_document(webhook_test(actor=actor, webhook=webhook)))
