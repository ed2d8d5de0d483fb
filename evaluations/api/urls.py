"""The addresses under /api/v1/ about projects and what they hold."""

from django.urls import path

from evaluations.api import (
    agent_versions,
    agents,
    comparisons,
    datasets,
    evals,
    item_files,
    items,
    projects,
    providers,
    runs,
    secrets,
    tools,
    webhooks,
)

urlpatterns = [
    path("projects", projects.Projects.as_view(), name="api-projects"),
    path("projects/<str:project_id>", projects.ProjectDetail.as_view(), name="api-project"),
    path("projects/<str:project_id>/members", projects.Members.as_view(), name="api-project-members"),
    path(
        "projects/<str:project_id>/members/<str:user_id>",
        projects.MemberDetail.as_view(),
        name="api-project-member",
    ),
    path("projects/<str:project_id>/secrets", secrets.Secrets.as_view(), name="api-project-secrets"),
    path(
        "projects/<str:project_id>/secrets/<str:secret_name>",
        secrets.SecretDetail.as_view(),
        name="api-project-secret",
    ),
    path("projects/<str:project_id>/webhooks", webhooks.Webhooks.as_view(), name="api-webhooks"),
    path("projects/<str:project_id>/webhooks/<str:webhook_id>", webhooks.WebhookDetail.as_view(), name="api-webhook"),
    path(
        "projects/<str:project_id>/webhooks/<str:webhook_id>/deliveries",
        webhooks.Deliveries.as_view(),
        name="api-webhook-deliveries",
    ),
    path("projects/<str:project_id>/webhooks/<str:webhook_id>/test", webhooks.Test.as_view(), name="api-webhook-test"),
    path("ai-providers", providers.Providers.as_view(), name="api-ai-providers"),
    path("ai-providers/<str:ai_provider_id>", providers.ProviderDetail.as_view(), name="api-ai-provider"),
    path("agents", agents.Agents.as_view(), name="api-agents"),
    path("agents/<str:agent_id>", agents.AgentDetail.as_view(), name="api-agent"),
    path("agents/<str:agent_id>/generate", agents.Generate.as_view(), name="api-agent-generate"),
    path("agents/<str:agent_id>/versions", agent_versions.Versions.as_view(), name="api-agent-versions"),
    path(
        "agents/<str:agent_id>/versions/<int:number>", agent_versions.VersionDetail.as_view(), name="api-agent-version"
    ),
    path(
        "agents/<str:agent_id>/versions/<int:number>/restore",
        agent_versions.Restore.as_view(),
        name="api-agent-version-restore",
    ),
    path("tools", tools.Tools.as_view(), name="api-tools"),
    path("tools/<str:tool_id>", tools.ToolDetail.as_view(), name="api-tool"),
    path("tools/<str:tool_id>/call", tools.Call.as_view(), name="api-tool-call"),
    path("evals", evals.Evals.as_view(), name="api-evals"),
    path("evals/<str:eval_id>", evals.EvalDetail.as_view(), name="api-eval"),
    path("evals/<str:eval_id>/compare", comparisons.Compare.as_view(), name="api-eval-compare"),
    path("evals/<str:eval_id>/runs", runs.Runs.as_view(), name="api-eval-runs"),
    path("evals/<str:eval_id>/runs/<str:eval_run_id>", runs.RunDetail.as_view(), name="api-eval-run"),
    path("evals/<str:eval_id>/runs/<str:eval_run_id>/cancel", runs.Cancel.as_view(), name="api-eval-run-cancel"),
    path(
        "evals/<str:eval_id>/runs/<str:eval_run_id>/retry-errored",
        runs.RetryErrored.as_view(),
        name="api-eval-run-retry",
    ),
    path("evals/<str:eval_id>/runs/<str:eval_run_id>/export", comparisons.Export.as_view(), name="api-eval-run-export"),
    path("evals/<str:eval_id>/runs/<str:eval_run_id>/results", runs.Results.as_view(), name="api-eval-results"),
    path(
        "evals/<str:eval_id>/runs/<str:eval_run_id>/results/<str:result_id>",
        runs.ResultDetail.as_view(),
        name="api-eval-result",
    ),
    path("datasets", datasets.Datasets.as_view(), name="api-datasets"),
    path("datasets/<str:dataset_id>", datasets.DatasetDetail.as_view(), name="api-dataset"),
    path("datasets/<str:dataset_id>/kinds", datasets.DatasetKinds.as_view(), name="api-dataset-kinds"),
    path("datasets/<str:dataset_id>/items", items.Items.as_view(), name="api-items"),
    path("datasets/<str:dataset_id>/items/import", item_files.ItemImport.as_view(), name="api-items-import"),
    path("datasets/<str:dataset_id>/items/export", item_files.ItemExport.as_view(), name="api-items-export"),
    path("datasets/<str:dataset_id>/items/<str:item_id>", items.ItemDetail.as_view(), name="api-item"),
    path(
        "datasets/<str:dataset_id>/items/<str:item_id>/revisions",
        items.ItemRevisions.as_view(),
        name="api-item-revisions",
    ),
]
