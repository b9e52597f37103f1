"""Scalars: the number types of algorithms, and generic functions of them.

Numbers and their functions:

    protocol.py            Scalar, Vector, Matrix, Condition: the types of signatures
    functions.py           sin, less, positive ... for every family; conditions.py: where, both, either
    constants.py           const(1, 2): exact with exact numbers, a float with floats
    structural_zeros.py    zeros by the structure of a problem, which cost nothing
    linear_algebra.py      vectors and matrices as tuples
    norms.py               norms and directions without overflow

Families:

    family.py              the interface of a family; registry.py: the family of a value
    families/              floats, complex numbers, fractions, SymPy, mpmath, intervals
    dual.py, jets.py       derivatives along directions; value, first and second time derivative
    elementary.py          derivatives of the elementary functions and of powers
    sparse_tangents.py     sparse derivatives of dual numbers
    counting.py            floats that count operations; opaque.py: values that cannot be asked
    operator_methods.py    operators and functions of NumPy; binary_operators.py: operators by two methods
    libm.py, sincos.py     functions of the C library; sine and cosine with the same bits everywhere
    native_functions.py    functions that machine code computes once the compiler is loaded

Arguments:
    arrays.py              conversion of arrays and lists to tuples of scalars and back
    entries.py             shapes, dtypes and entries of arrays
    number_checks.py       checks of numbers

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
from rbd.scalars.conditions import both, either, greater, greater_equal, invert, less, less_equal, where
from rbd.scalars.constants import const
from rbd.scalars.family import ScalarFamily
from rbd.scalars.functions import (
    absolute,
    acos,
    asin,
    atan2,
    cos,
    divide,
    exp,
    is_float,
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
)
from rbd.scalars.protocol import Condition, Matrix, Scalar, Vector
from rbd.scalars.registry import register_scalar

__all__ = [
    "Array",
    "Condition",
    "Matrix",
    "Scalar",
    "ScalarArray",
    "ScalarFamily",
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
