"""Builtins that replace methods of compiled robots: signatures and guards."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING

from rbd import native
from rbd.mechanism import Mechanism
from rbd.mechanism.members import versions_of

if TYPE_CHECKING:
    from rbd.native.builtins.context import Guards


def builtin_documentation(method: Callable[..., object]) -> str:
    r"""Return the docstring of a builtin for a method: its signature, which `inspect` parses, then the text.

    >>> class Adder:
    ...     def add(self, x, *, to=1):
    ...         "Return the sum."
    >>> builtin_documentation(Adder().add)
    'add($self, x, *, to=1)\n--\n\nReturn the sum.'
    """
    parameters = inspect.signature(method).parameters.values()
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_literal(parameter)) for parameter in parameters
    ]
    inside = str(inspect.Signature(plain))[1:].replace("=Ellipsis", "=...")
    return f"{method.__name__}($self, {inside}\n--\n\n{inspect.getdoc(method) or ''}"


def _literal(parameter: inspect.Parameter) -> object:
    """Return a default value as source that `inspect` can parse: an ellipsis for values that are not literals."""
    plain = (bool, int, float, str, type(None))
    default: object = parameter.default
    return default if default is inspect.Parameter.empty or isinstance(default, plain) else ...


def version_guards(mechanism: Mechanism, versions: tuple[int, int]) -> Guards:
    """Return guards that run a builtin only at these versions of the mechanism; none without machine code."""
    if not native.available():
        return ()
    from rbd.native.builtins.context import Word

    return tuple((Word(versions_of(mechanism), k), version) for k, version in enumerate(versions))
