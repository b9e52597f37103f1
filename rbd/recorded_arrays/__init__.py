"""NumPy on recorded values: arrays of them, and the functions of NumPy that run on them.

recorded_array.py    RecordedArray, and NumPy's protocol of arrays and scalars
elementwise.py       universal functions
functions.py         where, clip, interp, norm ...
creation.py          zeros(..., like=x), eye(..., like=x), array(..., like=x)
linear_algebra.py    solve, inv, pinv, det, cholesky
refusals.py          replacements of functions that do not run on recorded values
"""

from rbd.recorded_arrays.recorded_array import NumpyProtocol, RecordedArray

__all__ = ["NumpyProtocol", "RecordedArray"]
