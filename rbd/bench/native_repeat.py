"""Native loop over states, to time kernels without Python."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence

import numpy as np

from rbd.errors import SolverError
from rbd.scalars.arrays import Array

Repeat = Callable[[int], None]

# Calls `kernel(in, out)`, or `kernel(in, out, integers, numbers, 0)` for CasADi, for every state, `times` times.
_LOOP = """
define i64 @loop(i64 %times, i64 %states, ptr %kernel, ptr %in, i64 %stride, ptr %out{parameters}) {{
start:
  br label %round
round:
  %t = phi i64 [ 0, %start ], [ %t1, %next ]
  %s0 = phi i64 [ 0, %start ], [ %s1, %next ]
  br label %state
state:
  %k = phi i64 [ 0, %round ], [ %k1, %state ]
  %s = phi i64 [ %s0, %round ], [ %s1, %state ]
  %offset = mul i64 %k, %stride
  %row = getelementptr ptr, ptr %in, i64 %offset
  {call}
  %s1 = or i64 %s, %status
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %states
  br i1 %more, label %state, label %next
next:
  %t1 = add i64 %t, 1
  %again = icmp ult i64 %t1, %times
  br i1 %again, label %round, label %end
end:
  ret i64 %s1
}}
"""
_RBD = "%status = call i64 %kernel(ptr %row, ptr %out)"
_CASADI = """%short = call i32 %kernel(ptr %row, ptr %out, ptr %integers, ptr %numbers, i32 0)
  %status = sext i32 %short to i64"""


@functools.cache
def _entry(*, casadi: bool) -> tuple[Callable[..., int], object]:
    """Return the loop, and the object that owns its code."""
    from rbd.native.runtime.jit import Library, assemble

    extra, call = (", ptr %integers, ptr %numbers", _CASADI) if casadi else ("", _RBD)
    library = Library(assemble(_LOOP.format(parameters=extra, call=call)), ("loop",))
    pointers = [ctypes.c_void_p] * (2 if casadi else 0)
    signature = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    return ctypes.CFUNCTYPE(ctypes.c_int64, *signature, *pointers)(library.address("loop")), library


def native_repeat(
    kernel: int, rows: Sequence[tuple[Array, ...]], outputs: Sequence[Array], work: tuple[Array, Array] | None = None
) -> Repeat:
    """Return a function that runs the kernel at an address for every row of inputs, into the same outputs.

    `work` is CasADi's work memory: integers and numbers. Raises SolverError if the kernel fails.
    """
    entry, library = _entry(casadi=work is not None)
    into = np.array([[array.ctypes.data for array in row] for row in rows], dtype=np.uintp)
    out = np.array([array.ctypes.data for array in outputs], dtype=np.uintp)
    extra = () if work is None else tuple(array.ctypes.data for array in work)

    # `_kept` holds the memory whose addresses the function has.
    def run(times: int, _kept: object = (library, rows, outputs, work)) -> None:
        count, stride = into.shape
        status = entry(times, count, kernel, into.ctypes.data, stride, out.ctypes.data, *extra)
        if status:
            raise SolverError(f"the kernel failed with status {status}", status=status)

    return run
