"""Errors of the status words with which programs end."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.errors import NotFiniteError, RbdError, WorkspaceError
from rbd.intrinsics.intrinsic import IntrinsicCall, must_be_positive


def check_error(labels: Sequence[str], calls: Sequence[IntrinsicCall], number: int) -> RbdError:
    """Return the error of label `number` of a program, which belongs to a check or to a call."""
    call = next((call for call in calls if call.has_label(number)), None)
    return must_be_positive(labels[number]) if call is None else call.intrinsic.error(labels[number])


def out_of_memory_error(name: str) -> WorkspaceError:
    """Return the error of a program without memory for its workspace."""
    return WorkspaceError(f"there is no memory for the workspace of {name}", argument=name)


def range_error(name: str) -> NotFiniteError:
    """Return the error of a result, or an intermediate value, beyond the range of floats."""
    return NotFiniteError(f"{name} left the range of float64", argument=name)
