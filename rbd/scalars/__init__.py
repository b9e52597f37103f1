"""The numbers an algorithm may run on; knows nothing of robots.

    protocol.py     Scalar, Vector, Matrix, Condition: the types of signatures
    functions.py    sin, where, less, positive ... for every family
    constants.py    const(1, 2): exact beside exact numbers, a float beside floats
    arrays.py       what users hand in (arrays, lists) to tuples of scalars and back
    operations.py   how a foreign scalar family joins
    lengths.py      lengths and directions of numbers whose squares overflow
    counting.py     a float that counts the operations done with it

Frames do not occur here. SymPy and mpmath are imported only when an operand of theirs turns up.
"""

from rbd.scalars.arrays import (
    Array,
    ScalarArray,
    check_out,
    float_array,
    matrix_scalars,
    pack,
    scalars,
    to_float_array,
)
from rbd.scalars.constants import const
from rbd.scalars.functions import (
    absolute,
    acos,
    asin,
    atan2,
    both,
    cos,
    divide,
    either,
    exp,
    greater,
    greater_equal,
    invert,
    is_float,
    less,
    less_equal,
    lift,
    log,
    maximum,
    minimum,
    positive,
    power,
    sin,
    sqrt,
    tan,
    tanh,
    to_float,
    where,
)
from rbd.scalars.operations import Operations
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector
from rbd.scalars.registry import register_scalar

__all__ = [
    "Array",
    "Condition",
    "Matrix",
    "Operations",
    "Scalar",
    "ScalarArray",
    "Vector",
    "absolute",
    "acos",
    "asin",
    "atan2",
    "both",
    "check_out",
    "const",
    "cos",
    "divide",
    "either",
    "exp",
    "float_array",
    "greater",
    "greater_equal",
    "invert",
    "is_float",
    "less",
    "less_equal",
    "lift",
    "log",
    "matrix_scalars",
    "maximum",
    "minimum",
    "pack",
    "positive",
    "power",
    "register_scalar",
    "scalars",
    "sin",
    "sqrt",
    "tan",
    "tanh",
    "to_float",
    "to_float_array",
    "where",
]
