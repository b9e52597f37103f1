"""Builtins of recorded kernels, bound to the buffers of a live state: they return arrays, or values."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from rbd.engine.live_buffers import OWNER, LiveBuffers
from rbd.pytrees.flattening import FlatteningError
from rbd.recorder.recorded_kernel import RecordedKernel
from rbd.scalars.arrays import Array

Builtin = Callable[..., Any]
Copies = Sequence[tuple[Array, Array]]


def bound_builtin(
    buffers: LiveBuffers,
    recorded: RecordedKernel,
    arguments: Sequence[Array | None],
    outputs: tuple[Array, ...] | None = None,
    copies: Copies = (),
    counter: array[int] | None = None,
) -> Builtin | None:
    """Return a builtin of a compiled kernel, or None; its arguments are those `arguments` that are None.

    It returns new arrays, or writes to `outputs`, copies after success, and counts. It returns NotImplemented in
    other threads than the owner, after edits, and in interpreted execution.
    """
    compiled = recorded.machine_code
    if compiled is None:
        return None
    ports = compiled.outline.outputs
    if not ports or (outputs is None and not all(math.prod(port.shape) for port in ports)):
        return None  # a matrix without rows was recorded as (): only the algorithm has its number of columns
    from rbd.native.builtins.builtin import Binding, make_builtin
    from rbd.native.builtins.context import Word

    counted = None if counter is None else Word(counter, 0)
    inputs = recorded.inputs(buffers.q, buffers.v, arguments)
    binding = Binding(buffers.word(OWNER), buffers.guards(), inputs, outputs, copies, counted)
    with suppress(MemoryError):
        return make_builtin(compiled, None, binding)
    return None


def bound_value_builtin(
    buffers: LiveBuffers,
    recorded: RecordedKernel,
    arguments: Sequence[Array],
    of_array: Callable[[Array], Any] | None = None,
) -> Builtin | None:
    """Return a builtin of the value that a compiled kernel computes for bound arguments, or None.

    The kernel has one output. The value is the result as it is, or what `of_array` makes of it: a value that holds it.
    """
    compiled = recorded.machine_code
    if compiled is None or not recorded.has_one_output:
        return None
    from rbd.engine.value_plans import PlanBuilder
    from rbd.native.builtins.value_builtin import PassBuffer

    builder = PlanBuilder()
    buffer = PassBuffer(compiled, recorded.inputs(buffers.q, buffers.v, arguments), needs_v=True)
    builder.buffers.append(buffer)
    (output,) = buffer.outputs
    if of_array is not None:
        builder.make_value_of_array(of_array(output), output)
        return builder.builtin(buffers)
    try:
        builder.make_result(recorded.form.template, output)
    except FlatteningError:
        return None
    return builder.builtin(buffers)
