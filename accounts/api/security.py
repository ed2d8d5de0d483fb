"""How the OpenAPI document describes who may call."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """A login token or an API key as a bearer. Importing this module registers it."""

    target_class = "accounts.authentication.ActorAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """The security scheme object."""
        return {"type": "http", "scheme": "bearer", "description": "A login token (at_…) or an API key (sk_…)."}
