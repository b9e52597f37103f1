"""Evaluation of polynomials by Horner's scheme: on scalars, on arrays, and recorded as native programs."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np

from rbd.compiled import RecordedFunction
from rbd.errors import NotFiniteError, ShapeError, SingularError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.program.status import range_error
from rbd.rational.polynomials.ring import FIELD, Kind, Packed, Ring
from rbd.scalars import Vector, is_float, lift, sqrt
from rbd.scalars.arrays import Array, scalars
from rbd.scalars.entries import REAL_KINDS

Values: TypeAlias = Mapping[int, Any]
"""The value of each variable, by its number."""
ArraySubstitution: TypeAlias = Callable[[Ring, Array], Mapping[int, Array]]
"""Returns the values of all variables for an array of s."""
ScalarSubstitution: TypeAlias = Callable[[Ring, Sequence[Any]], Values]
"""Returns the values of all variables for scalars s."""


def horner(terms: Packed, values: Values) -> Any:
    """Return the value of a polynomial, the variable with the highest number outermost."""
    if terms.keys() <= {0}:
        return terms.get(0, 0)
    g, parts = _split(terms)
    result: Any = 0
    x = values[g]
    previous = max(parts)
    for exponent in sorted(parts, reverse=True):
        result = _times_power(result, x, previous - exponent) + horner(parts[exponent], values)
        previous = exponent
    return _times_power(result, x, previous)


def _split(terms: Packed) -> tuple[int, dict[int, Packed]]:
    """Return the variable with the highest number, and the coefficients of its powers, polynomials in the others."""
    g = (max(terms).bit_length() - 1) // FIELD
    shift = FIELD * g
    parts: dict[int, Packed] = {}
    mask = (1 << shift) - 1
    for key, c in terms.items():
        parts.setdefault(key >> shift, {})[key & mask] = c
    return g, parts


def _value_and_partials(terms: Packed, values: Values, weight: Any, partials: dict[int, Any]) -> Any:
    """Return the value; add to `partials` the derivatives with respect to the variables, times `weight`."""
    if terms.keys() <= {0}:
        return terms.get(0, 0)
    g, parts = _split(terms)
    result: Any = 0
    for exponent, part in parts.items():
        power = _times_power(1, values[g], exponent)
        inner = _value_and_partials(part, values, weight * power, partials)
        result = result + inner * power
        if exponent:
            derivative = _times_power(exponent * inner, values[g], exponent - 1)
            partials[g] = partials.get(g, 0) + weight * derivative
    return result


def _times_power(y: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        y = y * x
    return y


def circle_values(ring: Ring, s: Sequence[Any], *, half: bool = False) -> dict[int, Any]:
    """Return the values of all variables at s; with `half`, cosine and sine of *half* the angles.

    Rotations, and half angles, need scalars with square roots.
    """
    found: dict[int, Any] = {}
    for block in ring.blocks:
        own = [s[i] for i in block.indices]
        found |= dict(zip(block.s, own, strict=True))
        if block.kind is Kind.ANGLE and not half:
            twice = 2 / (1 + own[0] * own[0])
            found |= dict(zip(block.circle, (twice - 1, twice * own[0]), strict=True))
        elif block.circle:
            w = 1 / sqrt(1 + sum(x * x for x in own))
            found |= dict(zip(block.circle, (w, *(w * x for x in own)), strict=True))
    return found


def array_values(ring: Ring, s: Array, *, half: bool = False) -> dict[int, Array]:
    """Return the values of all variables at every row of s, as `circle_values`; angles may have infinite s."""
    found: dict[int, Array] = {}
    for block in ring.blocks:
        own = s[..., block.indices]
        found |= dict(zip(block.s, np.moveaxis(own, -1, 0), strict=True))
        if block.circle:
            values = _half(own)
            if block.kind is Kind.ANGLE and not half:
                u, v = values
                values = [(u - v) * (u + v), 2 * u * v]
            found |= dict(zip(block.circle, values, strict=True))
    return found


half_circle_values = partial(circle_values, half=True)
half_values = partial(array_values, half=True)


def _half(s: Array) -> list[Array]:
    """Return (1, s) divided by its length; entries may be infinite."""
    size = np.maximum(1.0, np.abs(s).max(axis=-1))
    scale = np.where(np.isinf(size), 1.0, size)
    infinite = np.isinf(size)[..., np.newaxis]
    v = np.where(infinite, np.where(np.isinf(s), np.sign(s), 0.0), s) / scale[..., np.newaxis]
    u = 1.0 / size
    length = np.sqrt(u * u + (v * v).sum(axis=-1))
    return [u / length, *(np.moveaxis(v, -1, 0) / length)]


def entries(ring: Ring, s: object, name: str = "s") -> Array | Vector:
    """Return s checked: an array of floats (infinite for angles and rotations, perhaps), or other scalars as a tuple.

    Raises ShapeError or NotFiniteError naming the argument.
    """
    given: Any = s
    if isinstance(s, (tuple, list)) and not all(_fits_float_array(x) for x in given):
        return scalars(given, ring.s_count, name)
    if getattr(getattr(given, "dtype", None), "kind", "f") not in REAL_KINDS:  # texts, dates, records, objects
        return scalars(given, ring.s_count, name)
    try:
        array: Array = np.array(given, dtype=np.float64)
    except MemoryError:
        raise
    except Exception:  # an object's own `__array__` may raise anything
        return scalars(given, ring.s_count, name)
    if array.ndim == 0 or array.shape[-1] != ring.s_count:
        message = f"{name} has shape {array.shape}, needs ({ring.s_count},), or rows of that length"
        raise ShapeError(message, argument=name, expected=(ring.s_count,), actual=array.shape)
    for i, block in ring.s_block.items():
        column = array[..., i]
        if np.isnan(column).any() or (block.kind is Kind.LENGTH and np.isinf(column).any()):
            allowed = "a finite number" if block.kind is Kind.LENGTH else "a number or infinity"
            raise NotFiniteError(f"{name}[{i}] must be {allowed}", argument=name, index=(i,))
    return array


@contextmanager
def pole_errors() -> Generator[None]:
    """Raise SingularError where s is a pole: 1 + s² = 0, for complex s, for example."""
    try:
        yield
    except ZeroDivisionError as error:
        raise SingularError("s is a pole: one plus the sum of squares is zero", what="1 + s²") from error


def _fits_float_array(x: object) -> bool:
    return is_float(x) or isinstance(x, (list, tuple, np.ndarray))


def value(ring: Ring, terms: Packed, s: object, at: ArraySubstitution = array_values) -> Any:
    """Return the value at s: a scalar, or an array where s has leading axes."""
    found = entries(ring, s)
    if isinstance(found, tuple):
        with pole_errors():
            return horner(_lifted(terms, found), circle_values(ring, found))
    with np.errstate(over="ignore", invalid="ignore"):
        result = shaped(horner(terms, without_array_scalars(at(ring, found))), found.shape[:-1])
    return _in_range(result, found, "the value of the polynomial")


def _in_range(result: Any, s: Array, what: str) -> Any:
    """Return a result; raise NotFiniteError if it is not finite, and s is."""
    if not np.isfinite(result).all() and np.isfinite(s).all():
        raise range_error(what)
    return result


def ratio_in_s(ring: Ring, top: Packed, bottom: Packed, s: Array | Vector) -> Any:
    """Return a quotient of polynomials without circle variables, for checked s: rotations need no square roots.

    The denominator has no zeros at floats.
    """
    with pole_errors(), np.errstate(over="ignore", invalid="ignore"):
        result = _value_in_s(ring, top, s) / _value_in_s(ring, bottom, s)
    return result if isinstance(s, tuple) else _in_range(result, s, "the value of the rational function")


def _value_in_s(ring: Ring, terms: Packed, s: Array | Vector) -> Any:
    """Return the value of a polynomial without circle variables, for checked s."""
    if isinstance(s, tuple):
        return horner(_lifted(terms, s), {g: s[i] for i, g in _s_variables(ring)})
    return shaped(horner(terms, without_array_scalars({g: s[..., i] for i, g in _s_variables(ring)})), s.shape[:-1])


def _s_variables(ring: Ring) -> list[tuple[int, int]]:
    return [pair for block in ring.blocks for pair in zip(block.indices, block.s, strict=True)]


def ratio(ring: Ring, top: Packed, bottom: Packed, s: Array, at: ArraySubstitution) -> Any:
    """Return the value of a quotient at an array of floats: infinite or NaN at poles."""
    values = without_array_scalars(at(ring, s))
    above, below = (np.asarray(horner(terms, values), dtype=np.float64) for terms in (top, bottom))
    with np.errstate(divide="ignore", invalid="ignore"):
        return shaped(above / below, s.shape[:-1])


def _lifted(terms: Packed, like: Vector) -> Packed:
    return {key: lift(c, like) for key, c in terms.items()}


def derivatives(ring: Ring, polynomials: Sequence[Packed], s: object) -> list[list[Any]]:
    """Return the derivatives of polynomials at one s: a list per polynomial, with an entry for every entry of s.

    Those with respect to infinite entries are zero.
    """
    found = entries(ring, s)
    values: Values
    if isinstance(found, tuple):
        values, polynomials = circle_values(ring, found), [_lifted(terms, found) for terms in polynomials]
    else:
        values = without_array_scalars(array_values(ring, found))
    by_s = _variable_derivatives(ring, values)
    result: list[list[Any]] = []
    for terms in polynomials:
        partials: dict[int, Any] = {}
        _value_and_partials(terms, values, 1, partials)
        result.append([sum((partials[g] * x for g, x in by.items() if g in partials), 0) for by in by_s])
    return result


def _variable_derivatives(ring: Ring, values: Values) -> list[dict[int, Any]]:
    """Return, for every entry of s, the derivatives of the variables that depend on it; finite at infinite s."""
    found: list[dict[int, Any]] = []
    for block in ring.blocks:
        circle = [values[g] for g in block.circle]
        for position, g in enumerate(block.s):
            found.append(
                {g: 1} | dict(zip(block.circle, _circle_derivatives(block.kind, circle, position), strict=True))
            )
    return found


def _circle_derivatives(kind: Kind, circle: Sequence[Any], position: int) -> list[Any]:
    """Return the derivatives of cosine and sine, or of a unit quaternion, with respect to one s of their block."""
    if kind is Kind.ANGLE:
        cos, sin = circle
        return [-(1 + cos) * sin, (1 + cos) * cos]
    return [circle[0] * ((1 if k == position + 1 else 0) - x * circle[position + 1]) for k, x in enumerate(circle)]


def without_array_scalars(values: Mapping[int, Array]) -> Values:
    """Return arrays without axes as floats, which are faster."""
    return {g: float(x) if x.ndim == 0 else x for g, x in values.items()}


def shaped(result: Any, shape: tuple[int, ...]) -> Any:
    """Return a result broadcast to the leading axes; constants may be fractions."""
    return np.broadcast_to(np.asarray(result, dtype=np.float64), shape).copy() if shape else float(result)


def recorded(
    ring: Ring, name: str, outputs: Mapping[str, Any], at: ScalarSubstitution = circle_values
) -> RecordedFunction:
    """Return a native function of s: `outputs` are packed polynomials in nested tuples, by name."""
    graph = Graph()
    s: Vector = graph.input("s", (ring.s_count,))
    return _function(graph, name, outputs, at(ring, s))


def recorded_ratio(ring: Ring, name: str, top: Packed, bottom: Packed, at: ScalarSubstitution) -> RecordedFunction:
    """Return a quotient as a native function of s."""
    graph = Graph()
    values = at(ring, graph.input("s", (ring.s_count,)))
    return RecordedFunction(Program.of(graph, name, {"result": horner(top, values) / horner(bottom, values)}))


def recorded_in_variables(ring: Ring, name: str, outputs: Mapping[str, Any]) -> RecordedFunction:
    """Return a native function of all variables, which are finite at infinite s too."""
    graph = Graph()
    variables: Vector = graph.input("variables", (len(ring.names),))
    return _function(graph, name, outputs, dict(enumerate(variables)))


def _function(graph: Graph, name: str, outputs: Mapping[str, Any], values: Values) -> RecordedFunction:
    def nested(x: Any) -> Any:
        return horner(cast("Packed", x), values) if isinstance(x, dict) else tuple(nested(y) for y in x)

    return RecordedFunction(Program.of(graph, name, {key: nested(x) for key, x in outputs.items()}))
