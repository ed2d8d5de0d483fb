"""`/api/scoring`: reads bodies, asks services and queries, writes documents."""
