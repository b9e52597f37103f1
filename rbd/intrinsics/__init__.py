"""The restricted language of intrinsics: operations whose course is decided at run time, such as solves with pivots.

    language.py            the words it may use: Floats, Ints, Rows, fma, sqrt, divide
    workspace.py           arrays with names, declared once with their shapes: the one parameter of an intrinsic
    checking.py, tree.py   what is allowed, and the function as data for the translators to machine code and to C
    columns.py             which loops mix no columns, and which functions take the same course always
    intrinsic.py           `Intrinsic`: the function with its workspace, its labels, its count of operations
    comparable.py          the same function on scalars other than floats

`rbd.solvers` is written in it.
"""

from rbd.intrinsics.intrinsic import TABLE, Call, Intrinsic, Lengths, must_be_positive
from rbd.intrinsics.workspace import Workspace

__all__ = ["TABLE", "Call", "Intrinsic", "Lengths", "Workspace", "must_be_positive"]
