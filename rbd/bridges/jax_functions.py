"""Compiled functions as JAX functions, with derivatives, under `jit`, `grad` and `vmap`.

Needs the extra `jax`, which is imported at the first use. JAX calls machine code through `pure_callback` with whole
batches. Derivatives are those of rbd; JAX does not trace into functions. Derivatives by positions are by the entries of
q.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from rbd.bridges.robot_dynamics import ArrayFunction, DynamicsName, require_recorded, robot_dynamics
from rbd.compiled.function import RecordedFunction
from rbd.compiled.robot import CompiledRobot
from rbd.errors import ArgumentError, ShapeError
from rbd.extras import names_extra
from rbd.program.program import Port


def jax_function(function: RecordedFunction) -> Callable[..., Any]:
    """Return a recorded function of one output as a function of JAX arrays, in the order of its inputs.

    Its derivatives are those of `RecordedFunction.derivative`; it can be differentiated once. Numbers have JAX's
    default precision: set `jax_enable_x64` for that of rbd. `jax.vmap` makes batches. Raises ArgumentError for a
    function of several outputs or one that is not recorded, MissingPackageError without JAX; the result raises
    ArgumentError and ShapeError.
    """
    require_recorded(function, "jax_function")
    ports, outputs = function.program.inputs, function.program.outputs
    if len(outputs) != 1:
        names = ", ".join(port.name for port in outputs)
        raise ArgumentError(
            f"{function.program.name} has the outputs {names}; JAX functions have one", argument="function"
        )
    derivatives = [function.derivative(outputs[0].name, port.name, space="coordinates") for port in ports]
    return _wrapped(function, lambda *arrays: tuple(each(*arrays) for each in derivatives), ports, outputs[0])


def jax_dynamics(robot: CompiledRobot, name: DynamicsName = "forward_dynamics") -> Callable[..., Any]:
    """Return inverse dynamics of (q, v, vd) or forward dynamics of (q, v, tau) as a function of JAX arrays.

    Its derivatives are analytical. Precision and errors as in `jax_function`; ArgumentError for other names and for
    what is no compiled robot, TopologyError for mechanisms with contact points and half-spaces, whose forces are not
    part of these functions.
    """
    found = robot_dynamics(robot, name, "jax_dynamics", "record the step you need and use jax_function")
    return _wrapped(found.value, found.derivatives, found.inputs, found.output)


def _as_wanted(x: Any, wanted: Any) -> Any:
    return np.asarray(x, dtype=wanted.dtype)


def _wrapped(
    value: ArrayFunction, jacobians: ArrayFunction, inputs: Sequence[Port], output: Port
) -> Callable[..., Any]:
    """Return a JAX function whose values and derivatives are computed by rbd."""
    with names_extra("JAX functions"):
        jax: Any = import_module("jax")  # it may have no types
        jnp: Any = import_module("jax.numpy")

    def outside(host: ArrayFunction, wanted: Any, arguments: tuple[Any, ...]) -> Any:
        def call(*arrays: Any) -> Any:
            found = host(*(np.asarray(array, dtype=np.float64) for array in arrays))
            return jax.tree.map(_as_wanted, found, wanted)

        return jax.pure_callback(call, wanted, *arguments, vmap_method="broadcast_all")

    def like(size: tuple[int, ...]) -> Any:
        return jax.ShapeDtypeStruct(size, jnp.zeros(()).dtype)

    def values(*arrays: Any) -> Any:
        return outside(value, like(output.shape), arrays)

    def jacobians_of(*arrays: Any) -> Any:
        return outside(jacobians, tuple(like((*output.shape, *port.shape)) for port in inputs), arrays)

    inner: Any = jax.custom_jvp(values)
    jacobian: Any = jax.custom_jvp(jacobians_of)

    def pushed(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        found = jacobian(*primals)
        columns = zip(found, tangents, inputs, strict=True)
        parts = [jnp.tensordot(each, tangent, axes=len(port.shape)) for each, tangent, port in columns]
        return inner(*primals), sum(parts[1:], parts[0])

    inner.defjvp(pushed)
    jacobian.defjvp(_refuse_again)

    def function(*arguments: Any) -> Any:
        arrays = tuple(jnp.asarray(x, jnp.zeros(()).dtype) for x in arguments)
        _check_shapes([array.shape for array in arrays], inputs)
        return inner(*arrays)

    return function


def _check_shapes(given: Sequence[tuple[int, ...]], inputs: Sequence[Port]) -> None:
    """Raise unless there is an array of the right shape for every input; tracers have shapes too."""
    if len(given) != len(inputs):
        names = ", ".join(port.name for port in inputs)
        raise ArgumentError(f"the function takes {names}; got {len(given)} arguments", argument="arguments")
    for port, shape in zip(inputs, given, strict=True):
        if shape != port.shape:
            message = f"{port.name} has shape {shape}, needs {port.shape}; jax.vmap makes batches"
            raise ShapeError(message, argument=port.name, expected=port.shape, actual=shape)


def _refuse_again(primals: object, tangents: object) -> tuple[object, object]:
    raise ArgumentError(
        "functions of rbd can be differentiated once in JAX; for second derivatives record the function and wrap its "
        "`.derivative` with jax_function",
        argument="function",
    )
