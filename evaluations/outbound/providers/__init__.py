"""Services that run models, all behind one function: `generate`."""

from evaluations.outbound.providers.calls import generate
from evaluations.outbound.providers.declarations import Provider
from evaluations.outbound.providers.generation import Generation, GenerationRequest

__all__ = ["Generation", "GenerationRequest", "Provider", "generate"]
