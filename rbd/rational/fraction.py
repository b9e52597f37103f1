"""Rational functions of s: a polynomial over powers of one plus squares.

Room: rational; may import compiled and above.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex, final

import attrs
from typing_extensions import override

from rbd.errors import ArgumentError
from rbd.rational import evaluation, printing
from rbd.rational.arithmetic import Content
from rbd.rational.polynomial import Polynomial
from rbd.rational.ring import FIELD, Block, Packed, Ring, unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rbd.compiled import RecordedFunction
    from rbd.scalars import Scalar


@final
@attrs.frozen(eq=False, repr=False, slots=False)
class RationalFunction:
    """A polynomial in s over a product of (1 + s²) to some powers; made by `RationalForwardKinematics.rational`.

    >>> import rbd
    >>> from rbd.rational import RationalForwardKinematics
    >>> kinematics = RationalForwardKinematics(rbd.robots.double_pendulum())
    >>> sin = kinematics.variables([0, 0])["sin[1]"]
    >>> kinematics.rational(sin * sin)
    4*s[1]**2 / (1 + s[1]**2)**2
    """

    numerator: Polynomial
    powers: Mapping[int, int]
    """By number of the block in the ring, the power of its 1 + s²; blocks that are not there have power zero."""

    @property
    def ring(self) -> Ring:
        """The variables it is in."""
        return self.numerator.ring

    @functools.cached_property
    def denominator(self) -> Polynomial:
        """The denominator multiplied out."""
        result = Polynomial.constant(self.ring, 1)
        for number, power in self.powers.items():
            result = result * sum_of_squares(self.ring, self.ring.blocks[number]) ** power
        return result

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables that occur."""
        return self.numerator.variables

    def __call__(self, s: ArrayLike | Iterable[Scalar]) -> Any:
        """Return the value at s, of any scalars; finite where entries of angles or rotations are infinite.

        An array of floats may have leading axes; the result has them too. Raises ShapeError or NotFiniteError.
        """
        found = evaluation.entries(self.ring, s)
        if isinstance(found, tuple) or self.projective is None:
            with evaluation.poles_named():
                return self.numerator(s) / self.denominator(s)
        return evaluation.value(self.ring, self.projective, found, evaluation.half_values)

    @functools.cached_property
    def projective(self) -> Packed | None:
        """The function in cosines and sines of half the angles, with no denominator; None if it has no such form."""
        terms = self.numerator.content.terms
        for number, power in self.powers.items():
            block = self.ring.blocks[number]
            terms = {_homogeneous(key, block, 2 * power): c for key, c in terms.items()}
        return None if any(key < 0 for key in terms) else terms

    def compile(self) -> RecordedFunction:
        """Return it as a native function of s; `.derivative`, `.to_c` and batches come with it."""
        if self.projective is None:
            raise ArgumentError(
                "a function that is infinite where s is has no native form", argument="self", value=str(self)
            )
        return evaluation.recorded(self.ring, "rational", {"result": self.projective}, evaluation.half_circle_values)

    def derivative(self, index: SupportsIndex) -> RationalFunction:
        """Return the derivative with respect to s[index]; raise ArgumentError when there is no such variable."""
        inner = self.numerator.derivative(index)
        block = self.ring.block_at(index)
        power = self.powers.get(block.number, 0)
        if not power:
            return RationalFunction(inner, self.powers)
        # Unlike a variable taken for itself, this s stands over the denominator: its powers are bounded.
        g = block.s[operator.index(index) - block.first]
        s = Polynomial(self.ring, Content({unit(g): self.ring.coefficient(1)}, block.bit, 1, True, 1.0))
        top = inner * sum_of_squares(self.ring, block) - 2 * power * (self.numerator * s)
        return RationalFunction(top, {**self.powers, block.number: power + 1})

    def to_sympy(self) -> Any:
        """Return a SymPy expression in symbols `s_0`, `s_1` ..., the denominator not multiplied out."""
        result = self.numerator.to_sympy()
        for number, power in self.powers.items():
            result /= sum_of_squares(self.ring, self.ring.blocks[number]).to_sympy() ** power
        return result

    def _bases(self, show: Any) -> dict[str, int]:
        blocks = self.ring.blocks
        return {show(sum_of_squares(self.ring, blocks[number])): power for number, power in self.powers.items()}

    @override
    def __str__(self) -> str:
        if not self.powers:
            return str(self.numerator)
        top = str(self.numerator)
        top = f"({top})" if len(self.numerator.terms) > 1 else top
        below = printing.denominator_text(self._bases(str))
        return f"{top} / ({below})" if len(self.powers) > 1 else f"{top} / {below}"

    @override
    def __repr__(self) -> str:
        return (
            str(self)
            if len(self.numerator.terms) <= printing.LONGEST
            else f"<{len(self.numerator.terms)} terms over {printing.denominator_text(self._bases(str))}>"
        )

    def latex(self) -> str:
        """Return it as LaTeX; notebooks show it."""
        if not self.powers:
            return printing.latex(self.numerator)
        below = printing.denominator_latex(self._bases(printing.latex))
        return f"\\frac{{{printing.latex(self.numerator)}}}{{{below}}}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def sum_of_squares(ring: Ring, block: Block) -> Polynomial:
    """Return one plus the squares of a block's s."""
    terms: Packed = {0: ring.coefficient(1)} | {2 * unit(g): ring.coefficient(1) for g in block.s}
    return Polynomial(ring, Content(terms, block.bit, 2, False, 1.0))


def _homogeneous(key: int, block: Block, degree: int) -> int:
    """Return a monomial with s replaced by sines of half angles, cosines filling up the degree; -1 if it is higher."""
    if key < 0:
        return key
    for g, sine in zip(block.s, block.circle[1:], strict=True):
        exponent = (key >> (FIELD * g)) & (unit(1) - 1)
        key += exponent * (unit(sine) - unit(g))
        degree -= exponent
    return -1 if degree < 0 else key + degree * unit(block.circle[0])
