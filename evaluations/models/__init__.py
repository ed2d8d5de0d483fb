"""Tables of the evaluations, a module for each family of nouns."""

from evaluations.models.agents import Agent, AgentVersion, AiProvider
from evaluations.models.datasets import Dataset, DatasetItem, ItemRevision
from evaluations.models.evals import Eval
from evaluations.models.requests import IdempotentRequest
from evaluations.models.runs import OPEN_RESULT, OPEN_RUN, Result, Run
from evaluations.models.tools import ProjectSecret, Tool
from evaluations.models.webhooks import Webhook, WebhookDelivery

__all__ = [
    "OPEN_RESULT",
    "OPEN_RUN",
    "Agent",
    "AgentVersion",
    "AiProvider",
    "Dataset",
    "DatasetItem",
    "Eval",
    "IdempotentRequest",
    "ItemRevision",
    "ProjectSecret",
    "Result",
    "Run",
    "Tool",
    "Webhook",
    "WebhookDelivery",
]
