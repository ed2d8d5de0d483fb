"""JSON Schema: any draft, checked when saved, nothing fetched, every bound stated.

What a keyword means is the `jsonschema` package's; the keywords that run patterns, compare
numbers or write messages are ours, so that patterns are JavaScript's and bounded, numbers exact,
and sentences in JSON's words.
"""

from scoring.kit.json_schema.compiling import CompiledSchema, Violation, compiled
from scoring.kit.json_schema.faults import SchemaFault

__all__ = ["CompiledSchema", "SchemaFault", "Violation", "compiled"]
