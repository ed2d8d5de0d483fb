"""Reads of webhooks and what was sent to them."""

from django.db.models import QuerySet

from accounts.actors import Actor
from accounts.models import Project
from evaluations.models import Webhook, WebhookDelivery
from evaluations.permissions import Act
from evaluations.queries.things import thing_for


def webhook_for(actor: Actor | None, project_id: str, webhook_id: str, act: Act = Act.READ) -> Webhook:
    """The webhook of that project, with the project. Raises NotFound or Forbidden."""
    return thing_for(actor, Webhook.objects.filter(project__public_id=project_id), webhook_id, act)


def webhooks_of(project: Project) -> QuerySet[Webhook]:
    """The project's webhooks, newest first, each with its project."""
    return Webhook.objects.filter(project=project).select_related("project")


def deliveries_of(webhook: Webhook) -> QuerySet[WebhookDelivery]:
    """What was and is to be sent there, newest first."""
    return webhook.deliveries.all()
