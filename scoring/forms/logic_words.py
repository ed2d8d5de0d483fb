"""PURE: what the names and the operators of JsonLogic mean, for people who write a rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

VARIABLE_WORDS: Final[Mapping[str, str]] = {
    "input": "what the agent was asked",
    "output": "the text it answered",
    "object": "its answer as JSON",
    "expected": "the ground truth of the case",
    "item.key": "the id of the case",
    "item.metadata": "what was recorded beside it, with the server's counts",
}
"""Where the data of a rule begins."""


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator with a rule that uses it, and what that rule gives."""

    name: str
    example: str
    meaning: str


@dataclass(frozen=True, slots=True)
class OperatorGroup:
    """Operators that are for the same thing."""

    name: str
    operators: tuple[Operator, ...]


OPERATOR_GROUPS: Final = (
    OperatorGroup(
        "Data",
        (
            Operator("var", '{"var": ["object.total", 0]}', "the value at a path, else the second argument"),
            Operator("missing", '{"missing": ["object.id"]}', "the paths at which nothing stands"),
            Operator(
                "missing_some",
                '{"missing_some": [1, ["object.id", "object.key"]]}',
                "an empty list when so many of the paths are there, else those that are not",
            ),
        ),
    ),
    OperatorGroup(
        "Comparison",
        (
            Operator("==", '{"==": [{"var": "object.total"}, 12]}', "equal, texts that are numbers as numbers"),
            Operator("===", '{"===": [{"var": "object.total"}, 12]}', "equal and of the same type"),
            Operator("!=", '{"!=": [{"var": "object.total"}, 12]}', "not equal"),
            Operator("!==", '{"!==": [{"var": "object.total"}, 12]}', "not equal, or of another type"),
            Operator("<", '{"<": [1, {"var": "object.total"}, 9]}', "less; with three, between without the ends"),
            Operator("<=", '{"<=": [1, {"var": "object.total"}, 9]}', "at most; with three, between with the ends"),
            Operator(">", '{">": [{"var": "object.total"}, 9]}', "more"),
            Operator(">=", '{">=": [{"var": "object.total"}, 9]}', "at least"),
        ),
    ),
    OperatorGroup(
        "Condition",
        (
            Operator("if", '{"if": [{"var": "object.ok"}, "yes", "no"]}', "the second where the first is true"),
            Operator("?:", '{"?:": [{"var": "object.ok"}, "yes", "no"]}', "the older spelling of if"),
            Operator("and", '{"and": [{"var": "object.ok"}, {"var": "object.id"}]}', "the first that is not true"),
            Operator("or", '{"or": [{"var": "object.ok"}, {"var": "object.id"}]}', "the first that is true"),
            Operator("!", '{"!": [{"var": "object.error"}]}', "not"),
            Operator("!!", '{"!!": [{"var": "object.items"}]}', "whether it is true; an empty list is not"),
        ),
    ),
    OperatorGroup(
        "Numbers",
        (
            Operator("+", '{"+": [{"var": "object.net"}, {"var": "object.tax"}]}', "the sum"),
            Operator("-", '{"-": [{"var": "object.gross"}, {"var": "object.tax"}]}', "the difference"),
            Operator("*", '{"*": [{"var": "object.price"}, 2]}', "the product"),
            Operator("/", '{"/": [{"var": "object.right"}, {"var": "object.all"}]}', "the quotient; by 0, an error"),
            Operator("%", '{"%": [{"var": "object.total"}, 2]}', "the remainder"),
            Operator("min", '{"min": [{"var": "object.a"}, {"var": "object.b"}]}', "the smallest"),
            Operator("max", '{"max": [{"var": "object.a"}, {"var": "object.b"}]}', "the largest"),
        ),
    ),
    OperatorGroup(
        "Lists",
        (
            Operator("in", '{"in": ["a", {"var": "object.tags"}]}', "whether a list or a text holds it"),
            Operator("all", '{"all": [{"var": "object.items"}, {">": [{"var": "price"}, 0]}]}', "every item meets it"),
            Operator("some", '{"some": [{"var": "object.items"}, {">": [{"var": "price"}, 0]}]}', "an item meets it"),
            Operator("none", '{"none": [{"var": "object.items"}, {">": [{"var": "price"}, 9]}]}', "no item meets it"),
            Operator("filter", '{"filter": [{"var": "object.items"}, {"var": "open"}]}', "the items that meet it"),
            Operator("map", '{"map": [{"var": "object.items"}, {"var": "price"}]}', "what it gives for each item"),
            Operator(
                "reduce",
                '{"reduce": [{"var": "object.items"}, {"+": [{"var": "current.price"}, {"var": "accumulator"}]}, 0]}',
                "one value out of all items",
            ),
            Operator("merge", '{"merge": [{"var": "object.a"}, {"var": "object.b"}]}', "one list out of several"),
        ),
    ),
    OperatorGroup(
        "Text",
        (
            Operator(
                "cat", '{"cat": [{"var": "object.first"}, " ", {"var": "object.last"}]}', "one text out of several"
            ),
            Operator(
                "substr", '{"substr": [{"var": "output"}, 0, 20]}', "characters from a place; below 0, from the end"
            ),
            Operator("log", '{"log": {"var": "object.total"}}', "its argument as it is"),
        ),
    ),
)
"""Every operator, in the order in which one learns them."""
