"""POST /api/scoring/evaluate with the SOP's profile and its regex, from 1 and from 8 clients."""

import argparse
import json

from bench.figures import line, milliseconds
from bench.servers import clients, databases, site

# What the product that the SOP describes did on a busy machine with two cores.
REFERENCE = {1: 11.6, 8: 13.9}
PROFILE = {
    "name": "Task Summary Quality",
    "compositeMethod": "weightedAvg",
    "scorers": [
        {
            "id": "has-action-items",
            "type": "KeywordContains",
            "weight": 0.4,
            "keywords": ["completed", "implemented", "fixed", "added"],
        },
        {"id": "length-check", "type": "NumericRange", "weight": 0.3, "valuePath": "length", "min": 50, "max": 500},
        {
            "id": "no-apologies",
            "type": "RegexMatch",
            "weight": 0.3,
            "pattern": "I apologize|I\\'m sorry|unfortunately|I cannot",
            "flags": "i",
            "scoreOnMatch": 0,
            "scoreOnMiss": 1,
        },
    ],
}
ANSWER = {
    "output": "Implemented the OAuth login feature using Passport.js. Added Google and GitHub providers. Tests pass.",
    "action": "task-completion",
    "agent": "TARS",
    "taskId": "task_20260321_abc",
}


def measure(arguments: argparse.Namespace) -> None:
    """Requests a second, p50 and p95, and how far ahead of the product the SOP describes."""
    requests = 400 if arguments.quick else 3200
    for database in databases(arguments.database):
        with site(database) as place:
            place.serve()
            profile = json.loads(place.post("/api/scoring/profiles", PROFILE)[1])["id"]
            body = {"profileId": profile, **ANSWER}
            clients(place, 8, 160, body, "/api/scoring/evaluate")
            for count in (1, 8):
                seconds, times, failed = clients(place, count, requests, body, "/api/scoring/evaluate")
                rate = len(times) / seconds
                line(
                    f"{database}, {count} client{'s' if count > 1 else ''}",
                    f"{rate:.0f} requests/s",
                    *milliseconds(times),
                    f"{failed} of {len(times)} failed",
                    f"{rate / REFERENCE[count]:.1f} x reference",
                )
