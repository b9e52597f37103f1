"""Rigorous bounds of elementary functions, for mpmath's raw numbers.

mpmath's interval functions round results of limited accuracy outwards, and some functions are missing. Here a value is
computed with `_GUARD_BITS` additional bits, widened by more than its possible error, and then rounded outwards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any, Final, TypeAlias, final

Raw: TypeAlias = Any
Bounds: TypeAlias = tuple[Raw, Raw]

_GUARD_BITS: Final = 32
_SLACK: Final = 16
_LARGEST_ANGLE_BITS: Final = 4096


@final
class Enclosures:
    """Functions of bounds, which return bounds; the last argument is the precision of the result in bits."""

    def __init__(self, libmp: Any) -> None:
        self._libmp = libmp
        self._whole_line: Bounds = (libmp.fninf, libmp.finf)
        self._unit: Bounds = (libmp.fnone, libmp.fone)

    def _round_outward(self, value: Raw, precision: int, side: str) -> Raw:
        """Widen a value accurate to `_SLACK` bits more than `precision`, and round it down ("f") or up ("c")."""
        libmp = self._libmp
        if not value[1]:
            return value  # zero and the infinities are exact
        margin = libmp.mpf_shift(libmp.mpf_abs(value), -(precision + _SLACK))
        widen = libmp.mpf_sub if side == "f" else libmp.mpf_add
        return widen(value, margin, precision, side)

    def _increasing(self, function: Callable[..., Raw], x: Bounds, precision: int) -> Bounds:
        low, high = (function(end, precision + _GUARD_BITS, "n") for end in x)
        return self._round_outward(low, precision, "f"), self._round_outward(high, precision, "c")

    def _extremes(self, values: list[Raw]) -> Bounds:
        key = cmp_to_key(self._libmp.mpf_cmp)
        return min(values, key=key), max(values, key=key)

    def _clipped(self, x: Bounds, least: Raw, greatest: Raw) -> Bounds | None:
        """Return the part of x inside [least, greatest], or None."""
        libmp = self._libmp
        if libmp.mpf_lt(x[1], least) or libmp.mpf_gt(x[0], greatest):
            return None
        low = least if libmp.mpf_lt(x[0], least) else x[0]
        return low, greatest if libmp.mpf_gt(x[1], greatest) else x[1]

    def _within(self, bounds: Bounds, least: Raw, greatest: Raw) -> Bounds:
        return self._clipped(bounds, least, greatest) or bounds

    def exp(self, x: Bounds, precision: int) -> Bounds:
        """Bound the exponential."""
        low, high = self._increasing(self._libmp.mpf_exp, x, precision)
        zero, one = self._libmp.fzero, self._libmp.fone
        return one if x[0] == zero else low, one if x[1] == zero else high

    def tanh(self, x: Bounds, precision: int) -> Bounds:
        """Bound the hyperbolic tangent."""
        return self._within(self._increasing(self._libmp.mpf_tanh, x, precision), *self._unit)

    def log(self, x: Bounds, precision: int) -> Bounds:
        """Bound the logarithm of the positive part."""
        inside = self._clipped(x, self._libmp.fzero, self._libmp.finf)
        if inside is None or inside[1] == self._libmp.fzero:
            return self._whole_line
        return self._increasing(self._libmp.mpf_log, inside, precision)

    def sqrt(self, x: Bounds, precision: int) -> Bounds:
        """Bound the square root of the nonnegative part; mpmath's root is correctly rounded."""
        inside = self._clipped(x, self._libmp.fzero, self._libmp.finf)
        if inside is None:
            return self._whole_line
        root = self._libmp.mpf_sqrt
        return root(inside[0], precision, "f"), root(inside[1], precision, "c")

    def asin(self, x: Bounds, precision: int) -> Bounds:
        """Bound the arc sine of the part inside [-1, 1]."""
        inside = self._clipped(x, *self._unit)
        return self._whole_line if inside is None else self._increasing(self._libmp.mpf_asin, inside, precision)

    def acos(self, x: Bounds, precision: int) -> Bounds:
        """Bound the arc cosine of the part inside [-1, 1]."""
        inside = self._clipped(x, *self._unit)
        if inside is None:
            return self._whole_line
        low, high = (self._libmp.mpf_acos(end, precision + _GUARD_BITS, "n") for end in (inside[1], inside[0]))
        return self._round_outward(low, precision, "f"), self._round_outward(high, precision, "c")

    def sin(self, x: Bounds, precision: int) -> Bounds:
        """Bound the sine: by its values at the ends, and by 1 and -1 where x may contain an extremum."""
        return self._sinusoid(self._libmp.mpf_sin, x, precision, 1)

    def cos(self, x: Bounds, precision: int) -> Bounds:
        """Bound the cosine."""
        return self._sinusoid(self._libmp.mpf_cos, x, precision, 0)

    def _sinusoid(self, function: Callable[..., Raw], x: Bounds, precision: int, maximum_at: int) -> Bounds:
        libmp = self._libmp
        turns = self._quarter_turns(x, precision)
        if turns is None:
            return self._unit
        values = [function(end, precision + _GUARD_BITS, "n") for end in x]
        low, high = self._extremes(values)
        low = libmp.fnone if _contains_residue(turns, maximum_at + 2, 4) else self._round_outward(low, precision, "f")
        high = libmp.fone if _contains_residue(turns, maximum_at, 4) else self._round_outward(high, precision, "c")
        return self._within((low, high), *self._unit)

    def tan(self, x: Bounds, precision: int) -> Bounds:
        """Bound the tangent: by the whole line where x may contain a pole."""
        turns = self._quarter_turns(x, precision)
        if turns is None or _contains_residue(turns, 1, 2):
            return self._whole_line
        return self._increasing(self._libmp.mpf_tan, x, precision)

    def _quarter_turns(self, x: Bounds, precision: int) -> tuple[int, int] | None:
        """Return the first and last multiple of a quarter turn that x may contain; None if x is too large."""
        libmp = self._libmp
        if any(not end[1] and end != libmp.fzero for end in x):
            return None
        bits = max(end[2] + end[3] for end in x)
        if bits > _LARGEST_ANGLE_BITS:
            return None
        working = precision + max(bits, 0) + max(end[3] for end in x)  # a float differs from every quarter turn
        quarter = tuple(libmp.mpf_shift(end, -1) for end in (libmp.mpf_pi(working, "f"), libmp.mpf_pi(working, "c")))
        low, _ = libmp.mpi_div((x[0], x[0]), quarter, working)
        _, high = libmp.mpi_div((x[1], x[1]), quarter, working)
        return int(libmp.to_int(low, "c")), int(libmp.to_int(high, "f"))

    def atan2(self, y: Bounds, x: Bounds, precision: int) -> Bounds:
        """Bound the angles of points of a box: [-pi, pi] if it intersects the cut along the negative x axis."""
        libmp = self._libmp
        zero = libmp.fzero
        left, below, above = libmp.mpf_lt(x[0], zero), libmp.mpf_lt(y[0], zero), libmp.mpf_gt(y[1], zero)
        meets_axis = libmp.mpf_le(y[0], zero) and libmp.mpf_ge(y[1], zero)
        if left and below and meets_axis:
            return self._angle_interval(-2, 2, precision)
        holds_origin = meets_axis and libmp.mpf_le(x[0], zero) and libmp.mpf_ge(x[1], zero)
        if holds_origin or not self._is_bounded(y) or not self._is_bounded(x):
            widest = 2 if left else 1
            on_cut = left and not below
            return self._angle_interval(-widest if below else 0, widest if above else 2 if on_cut else 0, precision)
        # Over a box without origin and cut, the extreme angles are at corners.
        corners = [libmp.mpf_atan2(v, u, precision + _GUARD_BITS, "n") for v in y for u in x]
        low, high = self._extremes(corners)
        return self._round_outward(low, precision, "f"), self._round_outward(high, precision, "c")

    def _angle_interval(self, first: int, last: int, precision: int) -> Bounds:
        """Return bounds given in quarter turns, the lower one nonpositive and the upper one nonnegative."""
        quarter = self._libmp.mpf_shift(self._libmp.mpf_pi(precision, "c"), -1)
        return self._libmp.mpf_mul_int(quarter, first, precision, "f"), self._libmp.mpf_mul_int(
            quarter, last, precision, "c"
        )

    def _is_bounded(self, x: Bounds) -> bool:
        return self._libmp.fninf not in x and self._libmp.finf not in x

    def power(self, x: Bounds, n: Bounds, precision: int) -> Bounds:
        """Bound x to the power n: for all x if n is an integer, otherwise for its positive part."""
        libmp = self._libmp
        if n == (libmp.fhalf, libmp.fhalf):
            return self.sqrt(x, precision)
        if n[0] == n[1] and self._is_bounded(n) and n[0][2] >= 0:
            bounds: Bounds = libmp.mpi_pow_int(x, int(libmp.to_int(n[0])), precision)
            return bounds
        working = precision + _GUARD_BITS
        return self.exp(libmp.mpi_mul(self.log(x, working), n, working), precision)


def _contains_residue(turns: tuple[int, int], remainder: int, period: int) -> bool:
    """Return whether an integer between the two has this remainder."""
    first, last = turns
    return first + (remainder - first) % period <= last
