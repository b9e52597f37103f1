"""Rigorous bounds of polynomials and rational functions over a box of s, by Bernstein control values.

A polynomial is affine in the monomials of each block, so that its values over a box are convex combinations of its
values at combinations of control points (see `polynomials/bernstein.py`). Those are computed in floats, and the result
is widened by a bound on all rounding errors.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, SupportsIndex, TypeAlias, TypeVar, cast, final

import attrs
import numpy as np

from rbd.arguments import whole_number
from rbd.errors import ArgumentError, ShapeError
from rbd.program.status import range_error
from rbd.rational.polynomials.bernstein import BlockMonomials, controls
from rbd.rational.polynomials.half_angle import require_even
from rbd.rational.polynomials.polynomial import Polynomial
from rbd.rational.polynomials.rational_function import RationalFunction
from rbd.rational.polynomials.ring import MAX_EXPONENT, ROUNDING, Block, Ring, exponents, unit
from rbd.rational.polynomials.s_checks import checked_s
from rbd.rational.pose import AlgebraicPose
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_MAX_COMBINATIONS: Final = 2**24
"""The largest number of combinations of control points."""

_MARGIN: Final = 4.0
"""Factor on rounding errors: values that other formulas compute in floats stay inside too."""

Expression: TypeAlias = "Polynomial | RationalFunction"


V = TypeVar("V", float, Array)


class Bounds(NamedTuple, Generic[V]):
    """Lower and upper bound: floats, or for poses 3×4 arrays, (rotation | position).

    >>> import rbd
    >>> from rbd.rational import RationalForwardKinematics
    >>> kinematics = RationalForwardKinematics(rbd.robots.double_pendulum())
    >>> bounds = kinematics.bounds(kinematics.variables([0, 0])["sin[0]"], [0, 0], [0.5, 0])
    >>> bool(bounds.low <= 0.0 and 0.8 <= bounds.high < 1.1)
    True
    """

    low: V
    high: V


@final
@attrs.frozen(eq=False)
class VariableBox:
    """A box of s, with a cache of its control values."""

    ring: Ring
    low: list[float]
    high: list[float]
    pieces: int
    cached_controls: dict[object, Array] = attrs.field(factory=dict[object, Array])

    def controls(self, block: Block, keys: tuple[int, ...], power: int) -> Array:
        """Return the control values of a block's packed monomials over (1 + s²) to `power`."""
        table = self.cached_controls.get((block.number, keys, power))
        if table is None:
            monomials = tuple((exponents(key, block.circle), exponents(key, block.s)) for key in keys)
            sides = [[ends[i] for i in block.indices] for ends in (self.low, self.high)]
            table = controls(BlockMonomials(block, monomials, power), sides[0], sides[1], self.pieces)
            self.cached_controls[block.number, keys, power] = table
        return table

    def largest(self, block: Block) -> float:
        """Return the largest absolute value of the block's s, at least one."""
        return max(1.0, *(abs(ends[i]) for i in block.indices for ends in (self.low, self.high)))


def bounds_over(
    expression: Expression | AlgebraicPose[Polynomial] | AlgebraicPose[RationalFunction],
    low: ArrayLike,
    high: ArrayLike,
    pieces: SupportsIndex,
) -> Bounds[Any]:
    """Return the bounds of an expression, or of the entries of a pose, for s in a box."""
    box = _box(expression.ring, low, high, pieces)
    if isinstance(expression, AlgebraicPose):
        rows = [[_checked_bounds(entry, box) for entry in row] for row in expression.entries]
        return Bounds(np.array([[a for a, _ in row] for row in rows]), np.array([[b for _, b in row] for row in rows]))
    return Bounds(*_checked_bounds(expression, box))


def _box(ring: Ring, low: ArrayLike, high: ArrayLike, pieces: SupportsIndex) -> VariableBox:
    a, b = _corner(ring, low, "s_low"), _corner(ring, high, "s_high")
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x > y:
            message = f"s_low[{i}] = {x} is above s_high[{i}] = {y}"
            raise ArgumentError(message, argument="s_low", value=x, allowed=f"at most {y}")
    return VariableBox(ring, a, b, whole_number(pieces, "pieces", 1))


def _corner(ring: Ring, values: ArrayLike, name: str) -> list[float]:
    corner = checked_s(ring, values, name)
    if isinstance(corner, tuple) or corner.ndim != 1:
        shape = (len(corner),) if isinstance(corner, tuple) else corner.shape
        message = f"{name} must be {ring.s_count} floats"
        raise ShapeError(message, argument=name, expected=(ring.s_count,), actual=shape)
    return cast("list[float]", corner.tolist())


def _checked_bounds(expression: Expression, box: VariableBox) -> tuple[float, float]:
    """Return a lower and an upper bound; raise NotFiniteError when they are beyond the range of floats."""
    bounds = math.nan, math.nan
    with suppress(OverflowError), np.errstate(over="ignore", invalid="ignore"):
        bounds = _unchecked_bounds(expression, box)
    if not all(map(math.isfinite, bounds)):
        raise range_error("bounds")
    return bounds


def _unchecked_bounds(expression: Expression, box: VariableBox) -> tuple[float, float]:
    """Return a lower and an upper bound; raise OverflowError or return values that are not finite if there is none."""
    p, powers = _numerator_and_powers(expression)
    terms = p.expansion.terms
    require_even(p.ring, terms)
    blocks = _occurring_blocks(p.ring, terms, powers)
    _check_size(math.prod(box.pieces ** len(block.s) for block in blocks), p)
    columns = [_columns(p.ring, block, terms) for block in blocks]
    tables = [
        box.controls(block, tuple(c.keys), powers.get(block.number, 0))
        for block, c in zip(blocks, columns, strict=True)
    ]
    _check_size(math.prod(max(table.shape) for table in tables), p)
    values, sizes = _values_at_combinations(p, columns, tables)
    slack = _rounding_bound(p, box, columns, float(sizes.max()))
    return math.nextafter(float(values.min()) - slack, -math.inf), math.nextafter(float(values.max()) + slack, math.inf)


def _numerator_and_powers(expression: Expression) -> tuple[Polynomial, Mapping[int, int]]:
    """Return the numerator, and the powers of 1 + s² in the denominator; raise ArgumentError for other denominators."""
    if isinstance(expression, Polynomial):
        return expression, {}
    if expression.divisor is not None:
        message = "pose has a divisor; there are bounds only of polynomials over powers of 1 + s²"
        raise ArgumentError(message, argument="pose", value=expression, allowed="expressions without a divisor")
    return expression.numerator, expression.powers


class _Columns(NamedTuple):
    """The monomials of a block, and the index of that of each term."""

    keys: list[int]
    of_term: list[int]


def _occurring_blocks(ring: Ring, terms: Mapping[int, object], powers: Mapping[int, int]) -> list[Block]:
    used = functools.reduce(lambda a, b: a | b, terms, 0)
    return [block for block in ring.blocks if used & _mask(block) or powers.get(block.number)]


def _mask(block: Block) -> int:
    return sum(MAX_EXPONENT * unit(g) for g in (*block.circle, *block.s))


def _columns(ring: Ring, block: Block, terms: Mapping[int, object]) -> _Columns:
    mask = _mask(block)
    parts = [key & mask for key in terms]
    index = {key: i for i, key in enumerate(dict.fromkeys(parts))}
    return _Columns(list(index), [index[key] for key in parts])


def _check_size(size: int, p: Polynomial) -> None:
    if size > _MAX_COMBINATIONS:
        raise ArgumentError(
            f"{', '.join(p.variables[:4])} ... : {size} combinations are too many: use fewer pieces, narrow bounds or "
            "a pose expressed in a body halfway along the path",
            argument="pose",
            value=size,
            allowed=_MAX_COMBINATIONS,
        )


def _values_at_combinations(p: Polynomial, columns: Sequence[_Columns], tables: Sequence[Array]) -> tuple[Array, Array]:
    """Return the values at all combinations of control points, and the same for absolute values."""
    values = np.zeros([len(c.keys) for c in columns])
    coefficients = [float(c) for c in p.expansion.terms.values()]
    np.add.at(
        values,
        tuple(np.array(c.of_term, dtype=np.intp) for c in columns),
        sum(coefficients) if not columns else coefficients,
    )
    sizes = np.abs(values)
    for table in tables:  # moves its axis to the end
        values = (table @ values.reshape(table.shape[1], -1)).T
        sizes = (np.abs(table) @ sizes.reshape(table.shape[1], -1)).T
    return values, sizes


def _rounding_bound(p: Polynomial, box: VariableBox, columns: Sequence[_Columns], size: float) -> float:
    """Return the bound on rounding errors and dropped terms."""
    expansion = p.expansion
    steps = sum(len(c.keys) + 2 for c in columns) + 2
    scale = 1.0
    for block in p.ring.blocks:
        if expansion.support & block.s_bit:  # no denominator bounds its powers
            scale *= box.largest(block) ** (expansion.degree * len(block.s))
    coefficient_error = expansion.error * len(expansion.terms) + expansion.dropped_sum
    return _MARGIN * steps * ROUNDING * size * 1.01 + (coefficient_error * scale * 1.01 if coefficient_error else 0.0)
