"""rbd's functions as functions of JAX: with derivatives, under `jit`, `grad` and `vmap`.

Needs the extra `jax`, which is imported when asked for. JAX calls rbd's machine code through `pure_callback`, with
whole batches at once; derivatives are rbd's own, so that `grad` and `jacobian` never look inside. Positions are
differentiated by the entries of q, as everything in JAX is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, TypeAlias

import numpy as np

from rbd.algorithms.trees import require_no_contacts
from rbd.compiled.function import RecordedFunction
from rbd.compiled.robot import CompiledRobot
from rbd.errors import ArgumentError, ShapeError
from rbd.state.layout import layout_of

Host: TypeAlias = Callable[..., Any]
"""From arrays, with leading batch axes, to an array or a tuple of arrays."""


def jax_function(function: RecordedFunction) -> Callable[..., Any]:
    """Return a recorded function of one output as a function of JAX arrays, in the order of its inputs.

    Its derivatives are those of `RecordedFunction.derivative`; it can be differentiated once. Numbers have JAX's
    default precision: set `jax_enable_x64` for that of rbd. Batches are made by `jax.vmap`. Raises ArgumentError for a
    function of several outputs, ModuleNotFoundError without JAX; the result raises ArgumentError and ShapeError.
    """
    ports, outputs = function.program.inputs, function.program.outputs
    if len(outputs) != 1:
        names = ", ".join(port.name for port in outputs)
        raise ArgumentError(
            f"{function.program.name} has the outputs {names}; JAX functions have one", argument="function"
        )
    derivatives = [function.derivative(outputs[0].name, port.name, space="coordinates") for port in ports]
    return _wrapped(
        function,
        lambda *arrays: tuple(each(*arrays) for each in derivatives),
        outputs[0].shape,
        {port.name: port.shape for port in ports},
    )


def jax_dynamics(
    robot: CompiledRobot, name: Literal["inverse_dynamics", "forward_dynamics"] = "forward_dynamics"
) -> Callable[..., Any]:
    """Return inverse dynamics of (q, v, vd) or forward dynamics of (q, v, tau) as a function of JAX arrays.

    Its derivatives are those derived by hand. Precision and errors as in `jax_function`; ArgumentError for other names,
    TopologyError for mechanisms with contact points and half-spaces, whose forces are not part of these functions.
    """
    allowed = ("inverse_dynamics", "forward_dynamics")
    if name not in allowed:
        raise ArgumentError(f"{name!r} is none of {allowed}", argument="name", value=name, allowed=allowed)
    require_no_contacts(layout_of(robot.mechanism), "jax_dynamics", "record the step you need and use jax_function")
    method, derivatives = getattr(robot, name), getattr(robot, f"{name}_derivatives")
    nq, nv = robot.mechanism.nq, robot.mechanism.nv
    shapes = {"q": (nq,), "v": (nv,), "vd" if name == "inverse_dynamics" else "tau": (nv,)}
    return _wrapped(method, lambda *arrays: derivatives(*arrays, space="coordinates"), (nv,), shapes)


def _as_wanted(x: Any, wanted: Any) -> Any:
    return np.asarray(x, dtype=wanted.dtype)


def _wrapped(
    value: Host, jacobians: Host, shape: tuple[int, ...], inputs: Mapping[str, tuple[int, ...]]
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

    shapes = tuple(inputs.values())

    def values(*arrays: Any) -> Any:
        return outside(value, like(shape), arrays)

    def jacobians_of(*arrays: Any) -> Any:
        return outside(jacobians, tuple(like((*shape, *size)) for size in shapes), arrays)

    inner: Any = jax.custom_jvp(values)
    jacobian: Any = jax.custom_jvp(jacobians_of)

    def pushed(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        found = jacobian(*primals)
        parts = [jnp.tensordot(each, t, axes=len(size)) for each, t, size in zip(found, tangents, shapes, strict=True)]
        return inner(*primals), sum(parts[1:], parts[0])

    inner.defjvp(pushed)
    jacobian.defjvp(_refuse_again)

    def function(*arguments: Any) -> Any:
        arrays = tuple(jnp.asarray(x, jnp.zeros(()).dtype) for x in arguments)
        _check_shapes([array.shape for array in arrays], inputs)
        return inner(*arrays)

    return function


def _check_shapes(given: Sequence[tuple[int, ...]], inputs: Mapping[str, tuple[int, ...]]) -> None:
    """Raise unless there is an array of the right shape for every input; tracers have shapes too."""
    if len(given) != len(inputs):
        raise ArgumentError(f"the function takes {', '.join(inputs)}; got {len(given)} arguments", argument="arguments")
    for (name, wanted), shape in zip(inputs.items(), given, strict=True):
        if shape != wanted:
            raise ShapeError(
                f"{name} has shape {shape}, needs {wanted}; jax.vmap makes batches",
                argument=name,
                expected=wanted,
                actual=shape,
            )


def _refuse_again(primals: object, tangents: object) -> tuple[object, object]:
    raise ArgumentError(
        "functions of rbd can be differentiated once in JAX; for second derivatives record the function and wrap its "
        "`.derivative` with jax_function",
        argument="function",
    )
