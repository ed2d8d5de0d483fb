"""Rows as the documents that `/api/scoring` answers and the exports hold."""

from typing import Any

from foundation.times import iso
from scoring.models import Evaluation, ProfileVersion
from scoring.queries.profiles import ProfileAt, VersionListed


def profile_document(profile: ProfileAt) -> dict[str, Any]:
    """A profile in full. Its settings are those of the version at hand, as they were stored."""
    content = profile.content
    return {
        "id": profile.row.pk,
        "name": content.name,
        "description": content.description,
        "compositeMethod": content.composite_method,
        "passThreshold": content.pass_threshold,
        "scorers": [scorer.as_document() for scorer in content.scorers],
        "version": profile.version.number,
        "builtIn": profile.row.built_in,
        "createdAt": iso(profile.row.created_at),
        "updatedAt": iso(profile.version.created_at),
    }


def version_document(listed: VersionListed) -> dict[str, Any]:
    """A version in the list of them: its number, when, by whom, and what it changed."""
    version: ProfileVersion = listed.version
    return {
        "version": version.number,
        "createdAt": iso(version.created_at),
        "createdBy": version.created_by_name or None,
        "changes": [change.as_dict() for change in listed.changes],
    }


def evaluation_document(row: Evaluation) -> dict[str, Any]:
    """An evaluation in full."""
    document = {
        "id": row.public_id,
        "profileId": row.profile_id,
        "profileName": row.profile_name,
        "profileVersion": row.profile_version,
        "compositeMethod": row.composite_method,
        "passThreshold": row.pass_threshold,
        "status": row.status,
        "score": row.score,
        "passed": row.passed,
        "breakdown": row.breakdown,
        "action": row.action or None,
        "output": None if "output" in row.inputs else row.output,
        "agent": row.agent,
        "taskId": row.task_id,
        "metadata": row.metadata,
        "createdAt": iso(row.created_at),
    }
    return document | {name: value for name, value in row.inputs.items() if name != "output"}
