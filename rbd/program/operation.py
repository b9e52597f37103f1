"""Properties of an operation: a row of the table in `rbd.program.opcodes`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias, final

import attrs

from rbd import scalars as f
from rbd.scalars import libm

Pushforward: TypeAlias = Callable[[Any], Any]
"""Linear map from the tangent of an operand to its contribution to the tangent of the result."""

Factors: TypeAlias = Callable[[Any, Any], tuple[Any]] | Callable[[Any, Any, Any], tuple[Any, Any]]
"""Maps operands and the result to the factor of each operand's tangent."""


def _no_function(*operands: object) -> Any:
    raise AssertionError("calls and picks are not functions of numbers")


@final
@attrs.frozen(eq=False)
class ProgramOperation:
    """All properties of one operation."""

    number: int
    operand_types: str = ""
    """The type of each operand: x for a number, c for a condition."""
    result_type: Literal["x", "c"] = "x"
    """The type of the result."""
    evaluate_float: Callable[..., Any] = _no_function
    """The result for floats, bitwise equal to machine code."""
    evaluate: Callable[..., Any] = _no_function
    """The result for scalars of any family."""
    local_derivatives: Callable[..., Iterable[Pushforward | None]] | None = None
    """Maps operands and the result to the local derivative for each operand; None for conditions."""
    listing: str = ""
    """Format of the result in a listing."""
    counted: tuple[str, ...] = ()
    """Names under which the operation is counted."""
    llvm_ir: tuple[str, ...] = ()
    """LLVM instructions; the value of each is a further operand of the next, the last value is the result."""
    c: str = ""
    """Format of the expression in C."""
    bound_rule: Callable[..., float] | None = None
    """Maps bounds of the magnitudes of operands to a bound for the result, if there is one."""
    constant_bound: float = math.inf
    """A bound of the magnitude of the result for all finite operands."""
    signs: tuple[int, int] | None = None
    """The signs of both terms of a sum; of product and addend of a fused multiply-add."""
    library: str = ""
    """Its function of the C library."""
    llvm_intrinsic: str = ""
    """Its LLVM intrinsic."""
    method: str = ""
    """The method of scalar families that records this operation, unless `RecordedFamily` defines it."""
    parity: Literal[-1, 0, 1] = 0
    """1 for even functions, -1 for odd functions, else 0."""
    language_word: str = ""
    """Its operator or function in the restricted language of `rbd.intrinsics`."""


# --- derivatives ------------------------------------------------------------------------------------------------------


def _times(factor: Any) -> Pushforward:
    if type(factor) is int and abs(factor) == 1:
        return (lambda x: x) if factor == 1 else (lambda x: -x)
    return lambda x: factor * x


def factors(derivative: Factors) -> Callable[..., Iterable[Pushforward]]:
    """Return local derivatives that multiply by the factors of `derivative`."""

    def local_derivatives(*values: Any) -> Iterable[Pushforward]:
        return map(_times, derivative(*values))

    return local_derivatives


def select_derivatives(c: Any, a: Any, b: Any, result: Any) -> Iterable[Pushforward | None]:
    """Return the local derivatives of SELECT, which must not multiply the branch that is not selected."""
    return None, lambda x: f.where(c, x, 0), lambda x: f.where(c, 0, x)


# --- kinds of rows ----------------------------------------------------------------------------------------------------


def infix(
    number: int,
    sign: str,
    evaluate_float: Callable[..., Any],
    evaluate: Callable[..., Any],
    llvm_ir: str,
    counted: str,
    c: str = "",
) -> ProgramOperation:
    """Return the row of an infix operator; `c` is its sign in C if it differs."""
    return ProgramOperation(
        number,
        operand_types="xx",
        evaluate_float=evaluate_float,
        evaluate=evaluate,
        listing=f"{{}} {sign} {{}}",
        counted=(counted,),
        llvm_ir=(f"{llvm_ir} {{0}}, {{1}}",),
        c=f"{{0}} {c or sign} {{1}}",
    )


def arithmetic(
    row: ProgramOperation,
    derivative: Factors,
    language_word: str,
    bound_rule: Callable[..., float] | None = None,
    signs: tuple[int, int] | None = None,
) -> ProgramOperation:
    """Return the row of an operation on numbers, with the factors of its derivative."""
    return attrs.evolve(
        row,
        local_derivatives=factors(derivative),
        bound_rule=bound_rule,
        signs=signs,
        language_word=language_word,
    )


def plus_or_minus(
    number: int, sign: str, evaluate: Callable[..., Any], llvm_ir: str, counted: str, factor: Literal[1, -1]
) -> ProgramOperation:
    """Return the row of a + b or a - b; `factor` is that of b."""
    row = infix(number, sign, evaluate, evaluate, llvm_ir, counted)
    return arithmetic(row, lambda a, b, y: (1, factor), sign, operator.add, (1, factor))


def condition(row: ProgramOperation, operand_types: Literal["xx", "cc"]) -> ProgramOperation:
    """Return the row of an operation whose result is a truth value."""
    return attrs.evolve(row, operand_types=operand_types, result_type="c")


def library_function(
    number: int,
    name: str,
    evaluate: Callable[..., Any],
    evaluate_float: Callable[..., float],
    derivative: Factors,
    library: str = "",
    operand_types: str = "x",
    parity: Literal[-1, 0, 1] = 0,
) -> ProgramOperation:
    """Return the row of a function of the C library; `library` is its name there if it differs."""
    library = library or name
    arguments = [f"{{{k}}}" for k in range(len(operand_types))]
    return ProgramOperation(
        number,
        operand_types=operand_types,
        evaluate_float=evaluate_float,
        evaluate=evaluate,
        local_derivatives=factors(derivative),
        listing=f"{name}({', '.join('{}' for _ in operand_types)})",
        counted=(name,),
        c=f"lib_{library}({', '.join(arguments)})",
        library=library,
        method=name,
        parity=parity,
    )


def with_c_code(row: ProgramOperation, c: str, constant_bound: float) -> ProgramOperation:
    """Return the row of a library function that has code of rbd in C, and a bound."""
    return attrs.evolve(row, c=c, constant_bound=constant_bound)


def llvm_call(function: str, *operands: int) -> str:
    """Return the call of an LLVM intrinsic."""
    return f"call {{double}} @llvm.{function}.{{suffix}}({', '.join(f'{{double}} {{{k}}}' for k in operands)})"


_SIGNED: Final[dict[int, Callable[[Any], Any]]] = {1: operator.pos, -1: operator.neg}


def _sum_of_product(a: float, b: float, c: float) -> float:
    return a * b + c


@final
@attrs.frozen
class _SignedProduct:
    """The value of +-(a b) +- c, and its derivatives."""

    product: Literal[1, -1]
    addend: Literal[1, -1]

    def evaluator(self) -> Callable[[float, float, float], float]:
        """Return the function of floats, with one rounding."""
        if self.product == self.addend == 1:
            return libm.fma
        negates_product, negates_addend, fma = self.product < 0, self.addend < 0, libm.fma
        return lambda a, b, c: fma(-a if negates_product else a, b, -c if negates_addend else c)

    def evaluate(self, a: Any, b: Any, c: Any) -> Any:
        """Return the product and the sum of other scalars."""
        signed = _SIGNED[self.product](a * b)
        return signed + c if self.addend > 0 else signed - c

    def local_derivatives(self, a: Any, b: Any, c: Any, result: Any) -> Iterator[Pushforward]:
        """Yield the maps of tangents."""
        yield _times(self.product * b)
        yield _times(self.product * a)
        yield _times(self.addend)

    def llvm_ir(self) -> tuple[str, ...]:
        """Return the instructions: a change of sign is one of its own."""
        negated = [k for k, sign in ((0, self.product), (2, self.addend)) if sign < 0]
        taken = [3 + negated.index(k) if k in negated else k for k in range(3)]
        return (*(f"fneg {{double}} {{{k}}}" for k in negated), llvm_call("fma", *taken))


def fused(
    number: int, product: Literal[1, -1], addend: Literal[1, -1], listing: str, language_word: str = ""
) -> ProgramOperation:
    """Return the row of +-(a b) +- c: one rounding for floats, a product and a sum for other scalars."""
    signed = _SignedProduct(product, addend)
    return ProgramOperation(
        number,
        operand_types="xxx",
        evaluate_float=signed.evaluator(),
        evaluate=signed.evaluate,
        local_derivatives=signed.local_derivatives,
        listing=listing,
        counted=("multiply", "add" if product == addend == 1 else "subtract"),
        llvm_ir=signed.llvm_ir(),
        c=f"fma({'-' if product < 0 else ''}{{0}}, {{1}}, {'-' if addend < 0 else ''}{{2}})",
        bound_rule=_sum_of_product,
        signs=(product, addend),
        llvm_intrinsic="fma",
        language_word=language_word,
    )
