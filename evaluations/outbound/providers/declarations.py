"""What is known of a provider: its wire format, its address, its key, and what the caller adds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evaluations.outbound.locations import url_fault
from evaluations.outbound.tools import header_faults, timeout_faults
from foundation.errors import FieldError

Kind = Literal["ollama", "openai", "openai_compatible", "anthropic"]
LONGEST_TIMEOUT_S = 600.0
DEFAULT_TIMEOUT_S = 60.0
# Ollama loads a model before its first answer, which takes as long as a disk is slow.
OLLAMA_TIMEOUT_S = 120.0
_DEFAULT_URLS: Mapping[str, str] = {
    "ollama": "http://localhost:11434",
    "openai": "https://api.openai.com",
    "anthropic": "https://api.anthropic.com",
}
_CONFIG = ("headers", "parameters", "stream", "timeout_s")
# What the request itself decides.
_RESERVED = ("messages", "model", "stream", "system")
_VERSION = re.compile(r"/v[0-9][A-Za-z0-9]*(?=/|$)")


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider. `config` is the caller's: all of it optional.

    `headers` are sent along; `parameters` become members of the request's body, where null takes
    one of ours out; `stream` false asks for the answer in one piece, which has no token times;
    `timeout_s` counts everything, from 1 to 600.
    """

    kind: Kind
    default_model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def timeout_s(self) -> float:
        """The seconds that a call may take."""
        default = OLLAMA_TIMEOUT_S if self.kind == "ollama" else DEFAULT_TIMEOUT_S
        return float(self.config.get("timeout_s") or default)

    @property
    def streams(self) -> bool:
        """Whether answers are asked for token by token."""
        return self.config.get("stream") is not False

    def url(self, path: str) -> str:
        """The address of `path`, under the version that the base URL names, else under `/v1`."""
        base = (self.base_url or _DEFAULT_URLS.get(self.kind, "")).rstrip("/")
        return f"{base}{path}" if _VERSION.search(base) else f"{base}/v1{path}"

    def faults(self) -> list[FieldError]:
        """What is wrong with the address and the config, each at its path."""
        found = []
        if self.base_url:
            fault = url_fault(self.base_url)
            if not fault and ("?" in self.base_url or "#" in self.base_url):
                fault = "The base address has no query and no fragment."
            found += [FieldError("base_url", "url", fault)] if fault else []
        elif self.kind not in _DEFAULT_URLS:
            found.append(FieldError("base_url", "required", "Give the address of the service."))
        return found + _config_faults(self.config)


def _config_faults(config: Any) -> list[FieldError]:
    if not isinstance(config, Mapping):
        return [FieldError("config", "type", "Must be an object.")]
    found = [
        FieldError(f"config.{name}", "unknown_field", f"There is only {', '.join(_CONFIG)}.")
        for name in config
        if name not in _CONFIG
    ]
    found += header_faults(config.get("headers", {}), "config.headers")
    if config.get("timeout_s") is not None:
        found += timeout_faults(config["timeout_s"], "config.timeout_s", LONGEST_TIMEOUT_S)
    if not isinstance(config.get("stream", True), bool):
        found.append(FieldError("config.stream", "type", "Must be true or false."))
    parameters = config.get("parameters", {})
    if not isinstance(parameters, dict):
        return [*found, FieldError("config.parameters", "type", "Must be an object.")]
    return found + [
        FieldError(f"config.parameters.{name}", "reserved", "Is set by the request itself.")
        for name in _RESERVED
        if name in parameters
    ]
