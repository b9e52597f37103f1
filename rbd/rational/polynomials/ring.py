"""Polynomial ring of one mechanism: its variables, and monomials packed into integers.

A `Block` holds the variables of one coordinate of a joint: s, and the circle variables, which are functions of s:
cosine and sine of an angle, or the four numbers of a unit quaternion. The squares of the circle variables of a block
sum to one; polynomials are reduced by that: the first of them never occurs squared.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import Any, SupportsIndex, TypeAlias, cast, final

import attrs

from rbd.arguments import described
from rbd.errors import ArgumentError, NotFiniteError, ScalarError, quoted
from rbd.scalars import Scalar, is_float, to_float
from rbd.spatial import Frame

EXPONENT_BITS = 6
"""Bits that hold the exponent of one variable."""

MAX_EXPONENT = (1 << EXPONENT_BITS) - 1
"""The largest exponent of one variable."""

ROUNDING = 2.0**-53
"""The relative error of one operation in floats."""

INPUT_ERROR = 2.0**-51
"""Relative error of the numbers of a mechanism, such as the zeros and ones of its rotations."""

Coefficient: TypeAlias = float | Fraction
Monomial: TypeAlias = tuple[tuple[str, int], ...]
"""Names of variables with their exponents: `(("cos[0]", 1), ("s[2]", 2))`; the empty tuple for the constant term."""
Terms: TypeAlias = dict[int, Any]
"""Coefficients by key, the packed monomial: `EXPONENT_BITS` bits per variable, so that keys of products are sums.

The coefficients are `Coefficient`, all of one type; type checkers do not accept arithmetic on the union.
"""

_S_BITS = 1024
"""The first bit of the variables s in a support; from block 1024 on bits coincide, which only loosens bounds."""


class Kind(Enum):
    """Kind of a coordinate: an angle, a length, or a rotation about any axis."""

    ANGLE = "angle"
    LENGTH = "length"
    ROTATION = "rotation"


_SIZES = {Kind.ANGLE: (2, 1), Kind.LENGTH: (0, 1), Kind.ROTATION: (4, 3)}
_NAMES = {Kind.ANGLE: ("cos", "sin"), Kind.LENGTH: (), Kind.ROTATION: ("qw", "qx", "qy", "qz")}
_LATEX = {Kind.ANGLE: ("c", r"\sigma"), Kind.LENGTH: (), Kind.ROTATION: ("w", "x", "y", "z")}


@final
@attrs.frozen(eq=False)
class Block:
    """The numbers of the variables of one coordinate: `circle`, those on the unit circle or sphere, and `s`."""

    kind: Kind
    number: int
    first: int
    circle: tuple[int, ...]
    s: tuple[int, ...]

    @property
    def bit(self) -> int:
        """The bit of this block in the support of a polynomial."""
        return 1 << self.number

    @property
    def s_bit(self) -> int:
        """The bit in the support for the variables s themselves."""
        return 1 << (self.number + _S_BITS)

    @property
    def indices(self) -> range:
        """The indices of its variables in the vector s."""
        return range(self.first, self.first + len(self.s))


@final
@attrs.frozen
class Origin:
    """Origin of the variables: the mechanism's root frame, the kinds of its coordinates, and the entries of q*."""

    frame: Frame[Any]
    kinds: tuple[Kind, ...]
    nominal: tuple[object, ...]


@final
class Ring:
    """Polynomial ring: the variables of a mechanism around one nominal configuration q*, floats or fractions."""

    def __init__(self, origin: Origin, *, exact: bool) -> None:
        """Assign numbers to the variables."""
        self.exact = exact
        self.origin = origin
        kinds = origin.kinds
        self.names: list[str] = []
        self.latex: list[str] = []
        circles = [self._named(kind, first) for kind, first in zip(kinds, _first_indices(kinds), strict=True)]
        self.s_count = sum(_SIZES[kind][1] for kind in kinds)
        base = len(self.names)
        self.names += [f"s[{i}]" for i in range(self.s_count)]
        self.latex += [f"s_{{{i}}}" for i in range(self.s_count)]
        self.blocks = tuple(
            Block(kind, number, first, circle, tuple(range(base + first, base + first + _SIZES[kind][1])))
            for number, (kind, first, circle) in enumerate(zip(kinds, _first_indices(kinds), circles, strict=True))
        )
        self.block_of = {g: block for block in self.blocks for g in (*block.circle, *block.s)}
        self.s_block = {i: block for block in self.blocks for i in block.indices}

    def _named(self, kind: Kind, first: int) -> tuple[int, ...]:
        start = len(self.names)
        self.names += [f"{name}[{first}]" for name in _NAMES[kind]]
        self.latex += [f"{name}_{{{first}}}" for name in _LATEX[kind]]
        return tuple(range(start, len(self.names)))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the constructor's arguments."""
        return _unpickled, (self.origin, self.exact)

    def coefficient(self, x: Scalar) -> Coefficient:
        """Return a number as a coefficient: a Fraction in exact rings, else a float.

        Raises ScalarError for anything but real numbers.
        """
        if not is_float(x) and not isinstance(x, Fraction):
            raise ScalarError(f"coefficients must be real numbers, not {quoted(x)}", scalar=x, function="coefficient")
        if not self.exact:
            return _finite(to_float(x))
        try:
            return x if type(x) is Fraction else Fraction(cast("float", x))
        except (ValueError, OverflowError):
            raise ScalarError(f"{x} cannot be a fraction", scalar=x, function="coefficient") from None

    def number(self, name: str, argument: str) -> int:
        """Return the number of a variable; raise ArgumentError naming the argument when there is no such variable."""
        if isinstance(cast("object", name), str) and name in self.names:
            return self.names.index(name)
        allowed = ", ".join(self.names)
        message = f"{quoted(name)} is no variable of this polynomial; there are {allowed}"
        raise ArgumentError(message, argument=argument, value=name, allowed=allowed)

    def key_of(self, monomial: str | Mapping[str, int] | Iterable[str]) -> int | None:
        """Return the key of a monomial; None if an exponent is above the largest one.

        Raises ArgumentError naming the monomial.
        """
        try:
            powers = Counter([monomial] if isinstance(monomial, str) else monomial)
        except TypeError:
            message = f"a monomial must be a name, names, or exponents by name, not {described(monomial)}"
            allowed = 'such as ["cos[0]", "sin[1]"]'
            raise ArgumentError(message, argument="monomial", value=monomial, allowed=allowed) from None
        key = 0
        for name, exponent in powers.items():
            g = self.number(name, "monomial")
            if not isinstance(cast("object", exponent), int) or exponent < 0:
                message = f"the exponent of {name} must be 0, 1, 2, ..., not {quoted(exponent)}"
                raise ArgumentError(message, argument="monomial", value=exponent, allowed="0, 1, 2, ...")
            if exponent > MAX_EXPONENT:
                return None
            key += exponent * unit(g)
        return key

    def block_at(self, index: SupportsIndex) -> Block:
        """Return the block of an entry of s; raise ArgumentError when there is no such entry."""
        try:
            return self.s_block[operator.index(index)]
        except MemoryError:
            raise
        except Exception:  # an object's own `__index__` may raise anything
            allowed = f"0 to {self.s_count - 1}"
            message = f"index is {described(index)}, must be {allowed}"
            raise ArgumentError(message, argument="index", value=index, allowed=allowed) from None

    def powers_of(self, key: int) -> list[tuple[int, int]]:
        """Return (variable, exponent) for every variable that occurs in a packed monomial."""
        powers: list[tuple[int, int]] = []
        g = 0
        while key:
            if exponent := key & MAX_EXPONENT:
                powers.append((g, exponent))
            key >>= EXPONENT_BITS
            g += 1
        return powers

    def is_same(self, other: Ring) -> bool:
        """Tell whether polynomials of both may be combined."""
        return self is other or (self.exact == other.exact and self.origin == other.origin)

    def require_same(self, other: Ring) -> None:
        """Raise ArgumentError unless polynomials of both may be combined."""
        if not self.is_same(other):
            raise ArgumentError(
                "polynomials of different mechanisms, of different q_star, or exact and in floats cannot be combined",
                argument="other",
                value=other,
                allowed="polynomials made with the same q_star",
            )


def _finite(x: float) -> float:
    if math.isfinite(x):
        return x
    raise NotFiniteError(f"coefficients must be finite, not {x}", argument="other", index=())


def unit(g: int) -> int:
    """Return the packed monomial of one variable."""
    return 1 << (EXPONENT_BITS * g)


def exponents(key: int, variables: Iterable[int]) -> tuple[int, ...]:
    """Return the exponents of some variables in a packed monomial."""
    return tuple((key >> (EXPONENT_BITS * g)) & MAX_EXPONENT for g in variables)


@functools.lru_cache(maxsize=64)
def _unpickled(origin: Origin, exact: bool) -> Ring:
    return Ring(origin, exact=exact)


def _first_indices(kinds: Sequence[Kind]) -> list[int]:
    """Return the first entry of s of each block."""
    return [0, *itertools.accumulate(_SIZES[kind][1] for kind in kinds)][: len(kinds)]
