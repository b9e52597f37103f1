"""What the operations of a program are in C. Room: export; may import everything above it.

Functions of the C library are called through pointers: compilers compute those of constants by themselves, and write
pow(x, 2) as x * x, with other last bits.
"""

from __future__ import annotations

from collections.abc import Collection

from rbd.native.arithmetic import ARITY, LIBRARY
from rbd.scalars.opcodes import Op

EXPRESSIONS = {op: f"lib_{name}({{0}}{', {1}' if name in ARITY else ''})" for op, name in LIBRARY.items()} | {
    Op.ADD: "{0} + {1}",
    Op.SUB: "{0} - {1}",
    Op.MUL: "{0} * {1}",
    Op.DIV: "{0} / {1}",
    Op.NEG: "-{0}",
    Op.ABS: "fabs({0})",
    Op.SQRT: "sqrt({0})",
    Op.FMA: "fma({0}, {1}, {2})",
    Op.FMS: "fma({0}, {1}, -{2})",
    Op.FNMA: "fma(-{0}, {1}, {2})",
    Op.FNMS: "fma(-{0}, {1}, -{2})",
    Op.SIN: "rbd_sin({0})",
    Op.COS: "rbd_cos({0})",
    Op.LESS: "{0} < {1}",
    Op.LESS_EQUAL: "{0} <= {1}",
    Op.AND: "{0} && {1}",
    Op.OR: "{0} || {1}",
    Op.NOT: "!{0}",
    Op.SELECT: "{0} ? {1} : {2}",
}


def library_pointers(operations: Collection[int]) -> list[str]:
    """Return the declarations of pointers to the library's functions these operations need, and to sine and cosine."""
    names = ["sin", "cos", *(name for op, name in LIBRARY.items() if op in operations)]
    return [
        f"static double (*volatile lib_{name})(double{', double' if name in ARITY else ''}) = {name};" for name in names
    ]
