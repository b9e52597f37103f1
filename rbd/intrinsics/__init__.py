"""The restricted language of intrinsics: operations with control flow at run time, such as solves with pivots.

language.py            the words it may use: Floats, Ints, Rows, fma, sqrt, divide, select, some, columns
workspace.py           arrays with names, declared once with their shapes: the one parameter of an intrinsic
parser.py              from Python source to the syntax tree: functions and statements
expressions.py         expressions and calls; scope.py: names, workspaces and matrices
tree.py                the syntax tree, which is translated to machine code and C
traversal.py           parts of syntax trees
dependence_analysis.py which loops over columns are independent, which functions branch on floats
evaluation_order.py    expressions whose order of evaluation C leaves open
inlinability.py        which functions batches can inline
intrinsic.py           `Intrinsic`: the function with its workspace, its labels, its count of operations
specialisation.py      loops unrolled for the sizes and tables of one call
comparable.py          the same function on scalars other than floats
piecewise_constant.py  derivatives of results such as indices and flags: zero
"""

from rbd.intrinsics.intrinsic import INTRINSICS, Intrinsic, IntrinsicCall, Lengths, must_be_positive
from rbd.intrinsics.workspace import Workspace

__all__ = ["INTRINSICS", "Intrinsic", "IntrinsicCall", "Lengths", "Workspace", "must_be_positive"]
