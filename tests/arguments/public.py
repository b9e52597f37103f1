"""Everything public that is called with arguments, and the names of its parameters."""

from __future__ import annotations

import importlib
import inspect
import json
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, final

import attrs

import rbd

API: Final[Any] = json.loads((Path(__file__).parents[1] / "data" / "public_api.json").read_text(encoding="utf-8"))


@final
@attrs.frozen
class PublicCallable:
    """A function or class as module.name, or a method as Class.name, with the names of its parameters."""

    name: str
    parameters: tuple[str, ...]


def public_callables() -> Iterator[PublicCallable]:
    """Yield everything public that is called with arguments."""
    at_top = [*API["rbd"], *API["unlisted"]]
    modules: dict[str, list[str]] = {"rbd": at_top, **API["modules"]}
    for module, names in modules.items():
        for name in names:
            shown = f"rbd.{name}" if name in at_top else f"{module}.{name}"
            yield from _callable(shown, getattr(importlib.import_module(module), name))
    for owner, members in API["members"].items():
        kind, short = operator.attrgetter(owner)(rbd), owner.rpartition(".")[2]
        for name in members:
            member = getattr(kind, name, None)
            bound = int(not isinstance(inspect.getattr_static(kind, name, None), classmethod | staticmethod))
            yield from _callable(f"{short}.{name}", member, bound)


def _callable(name: str, target: object, bound: int = 0) -> Iterator[PublicCallable]:
    """Yield a function with arguments after the first `bound`, or a class, but for abstract ones and exceptions."""
    if inspect.isclass(target):
        takes = not inspect.isabstract(target) and not issubclass(target, BaseException)
    else:
        takes = inspect.isroutine(target)
    parameters = tuple(inspect.signature(target).parameters)[bound:] if takes else ()  # type: ignore[arg-type]  # so far
    if parameters:
        yield PublicCallable(name, parameters)
