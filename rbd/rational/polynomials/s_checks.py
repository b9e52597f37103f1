"""Checks of the argument s."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbd.errors import NotFiniteError, ShapeError
from rbd.rational.polynomials.ring import Kind, Ring
from rbd.scalars import Vector, is_float
from rbd.scalars.arrays import Array, scalars
from rbd.scalars.entries import REAL_KINDS, require_unmasked


def checked_s(ring: Ring, s: object, name: str = "s") -> Array | Vector:
    """Return s checked: an array of floats (infinite for angles and rotations, perhaps), or other scalars as a tuple.

    Raises ShapeError or NotFiniteError naming the argument.
    """
    require_unmasked(s, name)
    array = _float_array(s)
    if array is None:
        return scalars(s, ring.s_count, name)
    if array.ndim == 0 or array.shape[-1] != ring.s_count:
        message = f"{name} has shape {array.shape}, needs ({ring.s_count},), or rows of that length"
        raise ShapeError(message, argument=name, expected=(ring.s_count,), actual=array.shape)
    _check_entries(ring, array, name)
    return array


def _float_array(s: object) -> Array | None:
    """Return numbers as a new array of floats; None for other scalars, and for what is no array."""
    values: Any = s
    if isinstance(s, (tuple, list)) and not all(_fits_float_array(x) for x in values):
        return None
    if getattr(getattr(values, "dtype", None), "kind", "f") not in REAL_KINDS:  # texts, dates, records, objects
        return None
    try:
        return np.array(values, dtype=np.float64)
    except MemoryError:
        raise
    except Exception:  # an object's own `__array__` may raise anything
        return None


def _check_entries(ring: Ring, array: Array, name: str) -> None:
    """Raise NotFiniteError for entries that are no number, and for lengths that are infinite."""
    for i, block in ring.s_block.items():
        column = array[..., i]
        if np.isnan(column).any() or (block.kind is Kind.LENGTH and np.isinf(column).any()):
            allowed = "a finite number" if block.kind is Kind.LENGTH else "a number or infinity"
            raise NotFiniteError(f"{name}[{i}] must be {allowed}", argument=name, index=(i,))


def _fits_float_array(x: object) -> bool:
    return is_float(x) or isinstance(x, (list, tuple, np.ndarray))
