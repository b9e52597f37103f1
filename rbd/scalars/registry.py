"""Registry of scalar families: the family of a value's type.

This module does not import SymPy or mpmath. Their families are registered when the first operand occurs, which is
recognised by the module names of its class and base classes.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any, Final, TypeVar, cast

import numpy as np

from rbd.arguments import require_kind
from rbd.errors import ScalarError, quoted
from rbd.scalars.family import ScalarFamily
from rbd.scalars.protocol import Condition, Scalar

T = TypeVar("T")

_LAZY_FAMILIES: Final = {
    "sympy": ("rbd.scalars.families.symbolic",),
    "mpmath": ("rbd.scalars.families.arbitrary", "rbd.scalars.families.interval"),
}
# Annotated for `isinstance`: narrowing to NumPy's generic classes would leave their parameters unknown.
TRUTHS: Final[tuple[type[object], ...]] = (bool, np.bool_)
NUMPY_NUMBERS: Final[tuple[type[object], ...]] = (np.generic,)
ARRAYS: Final[tuple[type[object], ...]] = (np.ndarray,)
_scalars: dict[type, ScalarFamily[Scalar]] = {}
_registered: set[type] = set()
"""Registered types of both tables; the other types were found by their bases."""
_conditions: dict[type, ScalarFamily[Scalar]] = {}


def register_scalar(kind: type[T], family: ScalarFamily[T], *, condition: type | None = None) -> None:
    """Register a scalar family for type `kind` and its subclasses; `condition` is the type of undecided comparisons.

    For the interface of families see `rbd.scalars.family`. Registering a type again replaces its family. Raises
    ArgumentError unless the types are classes and `family` is an object of a subclass of ScalarFamily.

    >>> from rbd.scalars import ScalarFamily, less, register_scalar
    >>> class Level:
    ...     def __init__(self, value: float) -> None:
    ...         self.value = value
    >>> class LevelFamily(ScalarFamily[Level]):
    ...     name = "levels"
    ...     def lift(self, x, like): return x if isinstance(x, Level) else Level(float(x))
    ...     def to_float(self, x): return x.value
    ...     def less(self, a, b): return a.value < b.value
    ...     def less_equal(self, a, b): return a.value <= b.value
    >>> register_scalar(Level, LevelFamily())
    >>> less(Level(1.0), 2.0)
    True
    """
    require_kind(kind, type, operation="register_scalar", argument="kind")
    require_kind(family, ScalarFamily, operation="register_scalar", argument="family")
    if condition is not None:
        require_kind(condition, type, operation="register_scalar", argument="condition")
    register_family(kind, family, condition=condition)


def register_family(kind: type, family: ScalarFamily[Any], *, condition: type | None = None) -> None:
    """Register a family as `register_scalar` does, for types that type checkers do not know (NumPy's, SymPy's)."""
    _register(_scalars, kind, family)
    if condition is not None:
        _register(_conditions, condition, family)


def _register(table: dict[type, ScalarFamily[Any]], kind: type, family: ScalarFamily[Any]) -> None:
    # Subclasses found earlier may have the family of another base: look them up again; registered ones keep theirs.
    for known in [known for known in table if known not in _registered and issubclass(known, kind)]:
        del table[known]
    table[kind] = family
    _registered.add(kind)


def family_of(x: object) -> ScalarFamily[Scalar]:
    """Return the family of `x`; raise ScalarError if it has none."""
    family = _scalars.get(type(x))
    return family if family is not None else _resolve(type(x), _scalars, x)


def family_of_condition(c: object) -> ScalarFamily[Scalar]:
    """Return the family of an undecided condition."""
    family = _conditions.get(type(c))
    return family if family is not None else _resolve(type(c), _conditions, c)


def coerce_pair(a: Scalar, b: Scalar) -> tuple[ScalarFamily[Scalar], Scalar, Scalar]:
    """Return the family that computes an operation on `a` and `b`, and both converted to it."""
    of_a, of_b = family_of(a), family_of(b)
    if of_a is of_b:
        return of_a, a, b
    if of_a.priority >= of_b.priority:
        return of_a, a, of_a.lift(python_number(b), a)
    return of_b, of_b.lift(python_number(a), b), b


def python_number(x: Scalar) -> Scalar:
    """Return NumPy's numbers as Python's (`longdouble` rounded), and other values unchanged."""
    if not issubclass(type(x), NUMPY_NUMBERS):
        return x
    value: Any = cast("Any", x).item()
    return float(value) if issubclass(type(value), NUMPY_NUMBERS) else cast("Scalar", value)


def dominant_family(values: Iterable[Any]) -> tuple[ScalarFamily[Scalar], Scalar] | None:
    """Return the family of highest priority among nested values, with a member of it; None if there is no value."""
    best: tuple[ScalarFamily[Scalar], Scalar] | None = None
    for value in values:
        if issubclass(type(value), ARRAYS):
            candidate = dominant_family(value.flat)
        elif isinstance(value, (tuple, list)):
            candidate = dominant_family(cast("Iterable[Any]", value))
        else:
            candidate = family_of(value), value
        if candidate is not None and (best is None or candidate[0].priority > best[0].priority):
            best = candidate
    return best


def as_bool(c: Condition) -> bool | None:
    """Return the truth of a condition that is a plain bool, else None."""
    return bool(c) if issubclass(type(c), TRUTHS) else None


def _resolve(kind: type, table: dict[type, ScalarFamily[Scalar]], x: object) -> ScalarFamily[Scalar]:
    if table is _scalars and issubclass(kind, TRUTHS):
        raise ScalarError(f"{x} is a truth value, not a scalar", scalar=x)
    family = _inherited(kind, table)
    if family is None and _register_lazy_families(kind):
        family = _inherited(kind, table)
    if family is None:
        word = "scalar" if table is _scalars else "condition"
        raise ScalarError(
            f"{quoted(x)} of type {kind.__module__}.{kind.__qualname__} is no {word} known to rbd;"
            " a scalar family joins with rbd.scalars.register_scalar",
            scalar=x,
        )
    table[kind] = family
    return family


def _inherited(kind: type, table: dict[type, ScalarFamily[Scalar]]) -> ScalarFamily[Scalar] | None:
    return next((table[base] for base in kind.__mro__ if base in table), None)


def _register_lazy_families(kind: type) -> bool:
    packages = {base.__module__.partition(".")[0] for base in kind.__mro__}
    modules = [module for package in packages for module in _LAZY_FAMILIES.get(package, ())]
    for module in modules:
        importlib.import_module(module).register()
    return bool(modules)
