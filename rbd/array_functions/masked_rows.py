"""Rows of batches that have a masked entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from rbd.array_functions.parameter_checks import first_row
from rbd.array_functions.row_status import error_in_row
from rbd.errors import NotFiniteError, RbdError
from rbd.program.ports import Port


def masked_entry_error(error: NotFiniteError, arrays: Sequence[ArrayLike], ports: Sequence[Port]) -> RbdError:
    """Return the error of a masked entry of an input with the row of the batch instead of the entry's batch axes.

    `arrays` are all inputs, or the first ones.
    """
    k = next(k for k, port in enumerate(ports) if port.name == error.argument)
    name, own, index = ports[k].name, len(ports[k].shape), cast("tuple[int, ...]", error.index)
    count = len(index) - own
    try:
        leads = [np.shape(x)[: np.ndim(x) - len(port.shape)] for x, port in zip(arrays, ports, strict=False)]
        lead = np.broadcast_shapes(*leads)
    except MemoryError:
        raise
    except Exception:  # another input is no array, or has other batch axes
        return error
    if not lead or 0 in lead or count < 0:
        return error
    marked = np.zeros(leads[k], np.bool_)
    marked[index[:count]] = True
    subscript = f"[{', '.join(map(str, index[count:]))}]" if own else ""
    masked = NotFiniteError(f"{name}{subscript} is masked", argument=name, index=index[count:])
    return error_in_row(masked, first_row(marked, lead))
