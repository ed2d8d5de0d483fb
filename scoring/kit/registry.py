"""Which scorers exist. Declaring a class is all it takes to be here."""

import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scoring.kit.spelling import snake_case

if TYPE_CHECKING:
    from scoring.kit.scorer import Scorer


class Registry:
    """The scorer classes by type, in order of type name. Both spellings of a type are understood."""

    def __init__(self) -> None:
        self._by_type: dict[str, type[Scorer]] = {}
        self._by_snake: dict[str, str] = {}

    def add(self, scorer: "type[Scorer]") -> None:
        """Take in a class; raises ValueError when another class has its type in either spelling."""
        name = scorer.type_name() or ""
        held = self._by_type.get(name) or self._by_type.get(self._by_snake.get(snake_case(name), ""))
        if held is not None and (held.__module__, held.__qualname__) != (scorer.__module__, scorer.__qualname__):
            raise ValueError(f"{scorer.__qualname__} and {held.__qualname__} are both of type {name}.")
        self._by_type[name] = scorer
        self._by_snake[snake_case(name)] = name

    def discover(self, package: str) -> None:
        """Import every module of `package`, so that what it declares is here."""
        path = importlib.import_module(package).__path__
        for module in pkgutil.iter_modules(path):
            importlib.import_module(f"{package}.{module.name}")

    def find(self, type_name: str) -> "type[Scorer] | None":
        """The class of a type in either spelling (RegexMatch, regex_match), or None."""
        return self._by_type.get(type_name) or self._by_type.get(self._by_snake.get(type_name, ""))

    def __iter__(self) -> "Iterator[type[Scorer]]":
        return iter([self._by_type[name] for name in sorted(self._by_type, key=str.casefold)])

    def __len__(self) -> int:
        return len(self._by_type)

    @contextmanager
    def forgetting_additions(self) -> Iterator[None]:
        """For tests: what is declared inside is gone again afterwards."""
        by_type, by_snake = dict(self._by_type), dict(self._by_snake)
        try:
            yield
        finally:
            self._by_type, self._by_snake = by_type, by_snake


registry = Registry()
