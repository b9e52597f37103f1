"""What a builtin needs to stand in for a method of a compiled robot."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING

from rbd import native
from rbd.mechanism import Mechanism
from rbd.mechanism.body import books_of

if TYPE_CHECKING:
    from rbd.native.entry import Guard


def described(method: Callable[..., object]) -> str:
    r"""Return the documentation of a method as builtins have it: its signature, which `inspect` reads, then the text.

    >>> class Adder:
    ...     def add(self, x, *, to=1):
    ...         "Return the sum."
    >>> described(Adder().add)
    'add($self, x, *, to=1)\n--\n\nReturn the sum.'
    """
    parameters = inspect.signature(method).parameters.values()
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_literal(parameter)) for parameter in parameters
    ]
    inside = str(inspect.Signature(plain))[1:].replace("=Ellipsis", "=...")
    return f"{method.__name__}($self, {inside}\n--\n\n{inspect.getdoc(method) or ''}"


def _literal(parameter: inspect.Parameter) -> object:
    """Return a default that `inspect` can read as text: the ellipsis for what is no literal."""
    plain = (bool, int, float, str, type(None))
    default: object = parameter.default
    return default if default is inspect.Parameter.empty or isinstance(default, plain) else ...


def version_guard(mechanism: Mechanism, versions: tuple[int, int]) -> Guard | None:
    """Return what lets a builtin run only while the mechanism is at these versions; None without machine code."""
    books = books_of(mechanism.root_body)
    if books is None or not native.available():
        return None
    from rbd.native.entry import Guard

    return Guard(books.versions, versions)
