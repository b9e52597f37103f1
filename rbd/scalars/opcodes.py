"""The closed set of operations a program is made of, and its status words. May import: nothing of rbd.

Numbers are part of the disk cache's keys: an operation keeps its number for ever, new ones come last.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Op(IntEnum):
    """What one instruction does. Arithmetic is IEEE 754 double, round to nearest.

    >>> Op.FMA.name, operand_count(Op.FMA)
    ('FMA', 3)
    """

    ADD = 1
    SUB = 2
    MUL = 3
    DIV = 4
    NEG = 5
    ABS = 6
    SQRT = 7
    # One rounding each: a b + c, a b - c, c - a b, -(a b) - c.
    FMA = 10
    FMS = 11
    FNMA = 12
    FNMS = 13
    # Sine and cosine by `scalars.sincos` up to its limit, the other functions (and angles beyond) by the C library.
    SIN = 20
    COS = 21
    TAN = 22
    ASIN = 23
    ACOS = 24
    ATAN2 = 25
    EXP = 26
    LOG = 27
    POWER = 28
    TANH = 29
    # Conditions: their results are truth values, which only AND, OR, NOT and SELECT's first operand take.
    LESS = 40
    LESS_EQUAL = 41
    AND = 42
    OR = 43
    NOT = 44
    # SELECT(condition, a, b); POSITIVE(x, label): x, and a status word when x is not > 0.
    SELECT = 50
    POSITIVE = 51
    # CALL(call, operands ...): an intrinsic, `calls[call]` of the program, with any number of operands; its result is
    # no number. PICK(result of a CALL, k): its k-th output.
    CALL = 52
    PICK = 53


CONDITIONS: Final = frozenset({Op.LESS, Op.LESS_EQUAL, Op.AND, Op.OR, Op.NOT})
"""The operations whose result is a truth value."""

FUSED: Final = frozenset({Op.FMA, Op.FMS, Op.FNMA, Op.FNMS})
"""The operations that multiply and add with one rounding."""

_ONE: Final = frozenset(
    {
        Op.NEG,
        Op.ABS,
        Op.SQRT,
        Op.SIN,
        Op.COS,
        Op.TAN,
        Op.ASIN,
        Op.ACOS,
        Op.EXP,
        Op.LOG,
        Op.TANH,
        Op.NOT,
        Op.POSITIVE,
        Op.PICK,
    }
)
_THREE: Final = FUSED | {Op.SELECT}

CLEAN: Final = 0
"""Status: all is well."""

BAD_INPUT: Final = 1
"""Status: an input is not finite."""

BAD_OUTPUT: Final = 2
"""Status: an output is not finite."""

NO_MEMORY: Final = 3
"""Status: there was no memory for the workspace."""

FIRST_CHECK: Final = 16
"""Status: this number plus a label's index, when that POSITIVE's operand is not positive."""


def operand_count(op: Op) -> int:
    """Return how many operands an operation has (a CALL has any number); labels and the like are none."""
    return 1 if op in _ONE else 3 if op in _THREE else 2


def operands_of(instruction: tuple[int, ...]) -> tuple[int, ...]:
    """Return the operands of an instruction, without labels, calls and the like.

    >>> operands_of((Op.ADD, 3, 4)), operands_of((Op.POSITIVE, 3, 0)), operands_of((Op.CALL, 0, 5, 6, 7))
    ((3, 4), (3,), (5, 6, 7))
    """
    op = instruction[0]
    if op in (Op.POSITIVE, Op.PICK):
        return instruction[1:2]
    return instruction[2:] if op == Op.CALL else instruction[1:]
