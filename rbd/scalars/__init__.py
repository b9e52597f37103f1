"""Scalars: the number types of algorithms, and generic functions of them.

    protocol.py     Scalar, Vector, Matrix, Condition: the types of signatures
    functions.py    sin, where, less, positive ... for every family
    constants.py    const(1, 2): exact with exact numbers, a float with floats
    elementary.py   derivatives of the elementary functions
    arrays.py       conversion of arguments (arrays, lists) to tuples of scalars and back
    operations.py   the interface of scalar families
    lengths.py      norms and directions without overflow
    counting.py     floats that count operations

Scalars have no frames. SymPy and mpmath are not imported by this package.
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
