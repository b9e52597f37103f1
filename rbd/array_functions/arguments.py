"""Conversion of arguments to arrays of a program's shapes, and arrays for its outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import described, sequence
from rbd.errors import ArgumentError, ShapeError
from rbd.kernels.kernel import is_state
from rbd.program.ports import Port
from rbd.scalars.arrays import Array
from rbd.scalars.entries import any_array, is_masked


def as_input(value: ArrayLike, port: Port) -> Array:
    """Return an input as a float64 array whose last axes are the port's; it need not be contiguous."""
    array = as_numbers(value, port.name)
    own = len(port.shape)
    if array.ndim < own or array.shape[array.ndim - own :] != port.shape:
        raise ShapeError(
            f"{port.name} has shape {array.shape}, needs {port.shape} or batch axes before that",
            argument=port.name,
            expected=port.shape,
            actual=array.shape,
        )
    return array if array.flags.aligned else array.copy(order="C")


def as_contiguous(array: Array) -> Array:
    """Return an array that is C-contiguous, copied if it is not."""
    return array if array.flags.c_contiguous else array.copy(order="C")


def as_numbers(value: ArrayLike, name: str) -> Array:
    """Return an input as a float64 array of any shape."""
    array: Array = any_array(value, name)
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in "iuf":
        if is_state(value):
            message = f"{name} must be an array, not {described(value)}; functions of arrays take state.q and state.v"
            raise ShapeError(message, argument=name)
        given = f"is {described(value)}" if array.ndim == 0 else f"has dtype {array.dtype}"
        raise ShapeError(f"{name} {given}, needs real numbers", argument=name)
    return array.astype(np.float64)


def leading_shape(ports: Sequence[Port], inputs: Sequence[Array]) -> tuple[int, ...]:
    """Return the common batch shape; raise ShapeError if the batch axes of the inputs cannot be broadcast."""
    leads = [array.shape[: array.ndim - len(port.shape)] for array, port in zip(inputs, ports, strict=True)]
    different = {lead for lead in leads if lead}
    if len(different) < 2:  # the usual case: nothing to broadcast
        return different.pop() if different else ()
    try:
        return np.broadcast_shapes(*different)
    except ValueError:
        shapes = ", ".join(f"{port.name} {lead}" for port, lead in zip(ports, leads, strict=True))
        raise ShapeError(f"the batch axes cannot be broadcast: {shapes}", argument=ports[0].name) from None


def as_rows(array: Array, port: Port, lead: tuple[int, ...]) -> Array:
    """Return an input as rows: one row without batch axes, else one per element of the batch; a view where possible."""
    own = array.shape[array.ndim - len(port.shape) :]
    if array.ndim == len(port.shape):
        return array
    wide = array if array.shape == lead + own else np.broadcast_to(array, lead + own)
    return wide if len(lead) == 1 else wide.reshape(math.prod(lead), *own)


def in_column_order(rows: Sequence[Array], ports: Sequence[Port]) -> bool:
    """Return whether inputs with rows are in column order, at least one of them and no other in row order."""
    several_rows = [each for each, port in zip(rows, ports, strict=True) if each.ndim > len(port.shape)]
    ordered = any(not each.flags.c_contiguous for each in several_rows)
    return ordered and all(each.strides[0] == each.itemsize for each in several_rows)


def output_arrays(
    ports: Sequence[Port],
    lead: tuple[int, ...],
    out: Array | Sequence[Array] | None,
    *,
    columns: bool = False,
) -> list[Array]:
    """Return the output arrays: new ones, in column order if asked, or those of `out`."""
    if out is None:
        return [(_empty_columns(lead, port.shape) if columns else np.empty(lead + port.shape)) for port in ports]
    arrays: tuple[Array, ...] = (out,) if isinstance(out, np.ndarray) else sequence(out, "out", "arrays")
    if len(arrays) != len(ports):
        raise ShapeError(f"out holds {len(arrays)} arrays, needs {len(ports)}", argument="out", expected=len(ports))
    for array, port in zip(arrays, ports, strict=True):
        _require_output(array, port, lead)
    _require_separate_memory(arrays, ports)
    return list(arrays)


def _require_separate_memory(arrays: Sequence[Array], ports: Sequence[Port]) -> None:
    """Raise ArgumentError where two results would be written to the same memory."""
    for (a, first), (b, second) in combinations(zip(arrays, ports, strict=True), 2):
        if np.may_share_memory(a, b):  # exact for arrays without gaps
            message = f"out for {first.name} and for {second.name} share memory; give one array per result"
            raise ArgumentError(message, argument="out", value=arrays, allowed="arrays that do not overlap")


def _empty_columns(lead: tuple[int, ...], own: tuple[int, ...]) -> Array:
    """Return a new array in column order: the batch axes vary fastest, then those of the port, the first before."""
    return _rows_last(np.empty((*reversed(own), *lead)), len(own))


def _rows_last(array: Array, count: int) -> Array:
    """Return a view with the last axes of an array first, and the first `count` behind them in reverse."""
    return array.transpose(*range(count, array.ndim), *reversed(range(count)))


def _is_writeable(array: Array, lead: int) -> bool:
    """Return whether an array can be written, C-contiguous or in column order."""
    flags, own = array.flags, array.ndim - lead
    columns = array.transpose(*reversed(range(lead, array.ndim)), *range(lead))
    return flags.behaved and (flags.c_contiguous or (own >= 0 and columns.flags.c_contiguous))


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray)


def _require_output(array: Array, port: Port, lead: tuple[int, ...]) -> None:
    """Raise ShapeError unless results of an output with these batch axes can be written to an array."""
    shape = lead + port.shape
    if is_masked(array) or not _is_array(array):
        message = f"out for {port.name} must be a float64 array of shape {shape}, not {described(array)}"
        raise ShapeError(message, argument="out", expected=shape)
    if array.dtype != np.float64 or array.shape != shape or not _is_writeable(array, len(lead)):
        message = (
            f"out for {port.name} must be a writeable float64 array of shape {shape}, C-contiguous or in column order"
        )
        raise ShapeError(message, argument="out", expected=shape, actual=array.shape)
