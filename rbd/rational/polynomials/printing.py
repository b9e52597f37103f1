"""Polynomials as text, LaTeX and SymPy expressions; SymPy is imported when needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from rbd.extras import requires_extra
from rbd.rational.polynomials.ring import Coefficient, Monomial, Ring, Terms

if TYPE_CHECKING:
    from rbd.rational.polynomials.polynomial import Polynomial

LONGEST = 60
"""The number of terms that LaTeX shows."""


def rank(ring: Ring, monomial: Monomial) -> tuple[int, list[tuple[int, int]]]:
    """Return the sort key of a monomial: total degree, then the variables in their order."""
    numbers = [(ring.names.index(name), -exponent) for name, exponent in monomial]
    return sum(exponent for _, exponent in monomial), numbers


def text(p: Polynomial, longest: int | None = None) -> str:
    """Return a polynomial as a Python expression, cut after `longest` characters."""
    parts = [_signed(_text_term(monomial, c), first=k == 0) for k, (monomial, c) in enumerate(p.terms.items())]
    return _cut("".join(parts) or "0", longest, len(parts))


def _cut(full: str, longest: int | None, count: int) -> str:
    if longest is None or len(full) <= longest:
        return full
    end = full.rfind(" ", 0, longest)
    return f"{full[: max(end, 0)]} ... ({count} terms)"


def _text_term(monomial: Monomial, c: Coefficient) -> str:
    factors = [name if exponent == 1 else f"{name}**{exponent}" for name, exponent in monomial]
    return _with_coefficient(c, number_text, factors, "*")


def _with_coefficient(c: Coefficient, show: Callable[[Coefficient], str], factors: list[str], times: str) -> str:
    if factors and abs(c) == 1:
        return ("-" if c < 0 else "") + times.join(factors)
    return times.join([show(c), *factors])


def _signed(term: str, *, first: bool) -> str:
    if first:
        return term
    return f" - {term[1:]}" if term.startswith("-") else f" + {term}"


def number_text(c: Coefficient) -> str:
    """Return the shortest text of a coefficient: whole numbers without a point."""
    if isinstance(c, Fraction):
        return str(c)
    return str(int(c)) if float(c).is_integer() and abs(float(c)) < 10**15 else repr(c)


def _number_latex(c: Coefficient) -> str:
    if isinstance(c, Fraction) and c.denominator != 1:
        return f"{'-' if c < 0 else ''}\\tfrac{{{abs(c.numerator)}}}{{{c.denominator}}}"
    whole = float(c).is_integer() and abs(float(c)) < 10**15
    digits, _, exponent = (str(int(c)) if whole else f"{float(c):.6g}").partition("e")
    return f"{digits} \\cdot 10^{{{int(exponent)}}}" if exponent else digits


def latex(p: Polynomial) -> str:
    """Return a polynomial as LaTeX, a long one cut after the first terms."""
    names = dict(zip(p.ring.names, p.ring.latex, strict=True))
    parts: list[str] = []
    for k, (monomial, c) in enumerate(list(p.terms.items())[:LONGEST]):
        factors = [names[name] if exponent == 1 else f"{names[name]}^{{{exponent}}}" for name, exponent in monomial]
        parts.append(_signed(_with_coefficient(c, _number_latex, factors, " "), first=k == 0))
    if len(p.terms) > LONGEST:
        parts.append(f" + \\cdots \\text{{ ({len(p.terms) - LONGEST} more)}}")
    return "".join(parts) or "0"


def sympy(ring: Ring, terms: Terms) -> Any:
    """Return a polynomial as a SymPy expression in real symbols: `s_0` for `s[0]`."""
    library = sympy_module()
    symbols = [library.Symbol(name.replace("[", "_").rstrip("]"), real=True) for name in ring.names]
    summands = [
        library.Mul(_sympy_number(library, c), *(symbols[g] ** exponent for g, exponent in ring.powers_of(key)))
        for key, c in terms.items()
    ]
    return library.Add(*summands)


def _sympy_number(library: Any, c: Coefficient) -> Any:
    """Return a coefficient: whole numbers and fractions exactly, other floats as Floats."""
    if isinstance(c, Fraction):
        return library.Rational(c.numerator, c.denominator)
    return library.Integer(int(c)) if float(c).is_integer() else library.Float(c)


def sympy_module() -> Any:
    """Return SymPy."""
    with requires_extra("expressions"):
        import sympy as library  # pyright: ignore[reportMissingTypeStubs]  # partly typed, without a marker

    return cast("Any", library)


def denominator_text(powers: Mapping[str, int]) -> str:
    """Return the text of a product of powers; each base is given by its text."""
    factors = [f"({base})" if power == 1 else f"({base})**{power}" for base, power in powers.items()]
    return "*".join(factors)


def denominator_latex(powers: Mapping[str, int]) -> str:
    """Return the LaTeX of a product of powers."""
    if list(powers.values()) == [1]:
        return next(iter(powers))
    return "".join(f"({base})" if power == 1 else f"({base})^{{{power}}}" for base, power in powers.items())
