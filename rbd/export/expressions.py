"""What the operations of a program are in C. Room: export; may import everything above it."""

from __future__ import annotations

from rbd.scalars.opcodes import Op

EXPRESSIONS = {
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
    Op.TAN: "tan({0})",
    Op.ASIN: "asin({0})",
    Op.ACOS: "acos({0})",
    Op.ATAN2: "atan2({0}, {1})",
    Op.EXP: "exp({0})",
    Op.LOG: "log({0})",
    Op.POWER: "pow({0}, {1})",
    Op.TANH: "tanh({0})",
    Op.LESS: "{0} < {1}",
    Op.LESS_EQUAL: "{0} <= {1}",
    Op.AND: "{0} && {1}",
    Op.OR: "{0} || {1}",
    Op.NOT: "!{0}",
    Op.SELECT: "{0} ? {1} : {2}",
}
