"""rbd's functions as functions of JAX: with derivatives, under `jit`, `grad` and `vmap`.

Room: export. Needs the extra `jax`, which is imported when asked for. JAX calls rbd's machine code through
`pure_callback`, with whole batches at once; derivatives are rbd's own, so that `grad` and `jacobian` never look inside.
Positions are differentiated by the entries of q, as everything in JAX is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np

from rbd.compiled.function import RecordedFunction
from rbd.compiled.robot import CompiledRobot
from rbd.errors import ArgumentError

Host: TypeAlias = Callable[..., Any]
"""From arrays, with leading batch axes, to an array or a tuple of arrays."""


def jax_function(function: RecordedFunction) -> Callable[..., Any]:
    """Return a recorded function of one output as a function of JAX arrays, in the order of its inputs.

    Its derivatives are those of `RecordedFunction.derivative`; it can be differentiated once. Numbers have JAX's
    default precision: set `jax_enable_x64` for that of rbd. Raises ArgumentError for a function of several outputs,
    ModuleNotFoundError without JAX.
    """
    ports, outputs = function.program.inputs, function.program.outputs
    if len(outputs) != 1:
        names = ", ".join(port.name for port in outputs)
        raise ArgumentError(
            f"{function.program.name} has the outputs {names}; JAX functions have one", argument="function"
        )
    slopes = [function.derivative(outputs[0].name, port.name, space="coordinates") for port in ports]
    return _wrapped(
        function,
        lambda *arrays: tuple(slope(*arrays) for slope in slopes),
        outputs[0].shape,
        [port.shape for port in ports],
    )


def jax_dynamics(
    robot: CompiledRobot, name: Literal["inverse_dynamics", "forward_dynamics"] = "forward_dynamics"
) -> Callable[..., Any]:
    """Return inverse dynamics of (q, v, vd) or forward dynamics of (q, v, tau) as a function of JAX arrays.

    Its derivatives are those derived by hand. Precision and errors as in `jax_function`; ArgumentError for other names.
    """
    allowed = ("inverse_dynamics", "forward_dynamics")
    if name not in allowed:
        raise ArgumentError(f"{name!r} is none of {allowed}", argument="name", value=name, allowed=allowed)
    method, derivatives = getattr(robot, name), getattr(robot, f"{name}_derivatives")
    nq, nv = robot.mechanism.nq, robot.mechanism.nv
    return _wrapped(method, lambda *arrays: derivatives(*arrays, space="coordinates"), (nv,), [(nq,), (nv,), (nv,)])


def _as_wanted(x: Any, wanted: Any) -> Any:
    return np.asarray(x, dtype=wanted.dtype)


def _wrapped(
    value: Host, slopes: Host, shape: tuple[int, ...], shapes: Sequence[tuple[int, ...]]
) -> Callable[..., Any]:
    """Return a JAX function whose values and derivatives are computed by rbd."""
    jax: Any = import_module("jax")  # it may have no types, or not be there
    jnp: Any = import_module("jax.numpy")

    def outside(host: Host, wanted: Any, arguments: tuple[Any, ...]) -> Any:
        def call(*arrays: Any) -> Any:
            found = host(*(np.asarray(array, dtype=np.float64) for array in arrays))
            return jax.tree.map(_as_wanted, found, wanted)

        return jax.pure_callback(call, wanted, *arguments, vmap_method="broadcast_all")

    def like(size: tuple[int, ...]) -> Any:
        return jax.ShapeDtypeStruct(size, jnp.zeros(()).dtype)

    def plain(*arguments: Any) -> Any:
        return outside(value, like(shape), tuple(jnp.asarray(x, jnp.zeros(()).dtype) for x in arguments))

    function: Any = jax.custom_jvp(plain)

    def pushed(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        found = outside(slopes, tuple(like((*shape, *size)) for size in shapes), primals)
        parts = [jnp.tensordot(each, t, axes=len(size)) for each, t, size in zip(found, tangents, shapes, strict=True)]
        return function(*primals), sum(parts[1:], parts[0])

    function.defjvp(pushed)
    result: Callable[..., Any] = function
    return result
