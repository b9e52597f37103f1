"""Status codes with which programs end, and their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rbd.errors import NotFiniteError, RbdError, WorkspaceError
from rbd.intrinsics.intrinsic import must_be_positive

if TYPE_CHECKING:
    from rbd.program.outline import Outline
    from rbd.program.program import Program

SUCCESS: Final = 0
"""Status: all outputs were written."""

BAD_INPUT: Final = 1
"""Status: an input is not finite."""

BAD_OUTPUT: Final = 2
"""Status: an output is not finite."""

NO_MEMORY: Final = 3
"""Status: there was no memory for the workspace."""

FIRST_CHECK: Final = 16
"""Status: this number plus a label's index, when that POSITIVE's operand is not positive."""


def status_error(program: Program | Outline, status: int, entry: int | None = None) -> RbdError:
    """Return the error of a status code; `entry` is the first input scalar that is not finite, if known."""
    if status >= FIRST_CHECK:
        label = status - FIRST_CHECK
        call = next((call for call in program.calls if call.has_label(label)), None)
        return (must_be_positive if call is None else call.intrinsic.error)(program.labels[label])
    if status == BAD_OUTPUT:
        return range_error(program.name)
    if status == NO_MEMORY:
        return WorkspaceError(f"there is no memory for the workspace of {program.name}", argument=program.name)
    if status != BAD_INPUT:
        return RbdError(f"{program.name} ended with the unknown status {status}", status=status)
    for port in program.inputs:
        if entry is not None and 0 <= entry < port.size:
            index = tuple(map(int, np.unravel_index(entry, port.shape)))
            name = f"{port.name}{list(index) if index else ''}"
            return NotFiniteError(f"{name} is not finite", argument=port.name, index=index)
        entry = None if entry is None else entry - port.size
    return NotFiniteError("an input is not finite", argument="an input", index=())


def range_error(name: str) -> NotFiniteError:
    """Return the error of a result, or an intermediate value, beyond the range of floats."""
    return NotFiniteError(f"{name} left the range of float64", argument=name)
