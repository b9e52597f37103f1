"""Compiled functions as JAX functions, with derivatives, under `jit`, `grad` and `vmap`.

Needs the extra `jax`, which is imported at the first use. JAX calls machine code through `pure_callback` with whole
batches. Derivatives are those of rbd; JAX does not trace into functions. Derivatives by positions are by the entries of
q.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, final

import attrs
import numpy as np

from rbd.arguments import require_kind
from rbd.array_functions.function import RecordedFunction
from rbd.bridges.robot_dynamics import ArrayFunction, DynamicsName, robot_dynamics
from rbd.compiled.robot import CompiledRobot
from rbd.errors import ArgumentError, ShapeError
from rbd.extras import names_extra
from rbd.program.program import Port


def jax_function(function: RecordedFunction) -> Callable[..., Any]:
    """Return a recorded function of one output as a function of JAX arrays, in the order of its inputs.

    Its derivatives are those of `RecordedFunction.derivative`, recorded at the first use; it can be differentiated
    once. Numbers have JAX's default precision: set `jax_enable_x64` for that of rbd. `jax.vmap` makes batches. Raises
    ArgumentError for a function of several outputs or one that is not recorded, MissingPackageError without JAX; the
    result raises ArgumentError and ShapeError.
    """
    require_kind(function, RecordedFunction, operation="jax_function", argument="function")
    ports, outputs = function.program.inputs, function.program.outputs
    if len(outputs) != 1:
        names = ", ".join(port.name for port in outputs)
        raise ArgumentError(
            f"{function.program.name} has the outputs {names}; JAX functions have one", argument="function"
        )

    @cache
    def derivatives() -> list[RecordedFunction]:  # costly: recorded when JAX differentiates for the first time
        return [function.derivative(outputs[0].name, port.name, space="coordinates") for port in ports]

    return _jax_function(function, lambda *arrays: tuple(each(*arrays) for each in derivatives()), ports, outputs[0])


def jax_dynamics(robot: CompiledRobot, name: DynamicsName = "forward_dynamics") -> Callable[..., Any]:
    """Return inverse dynamics of (q, v, vd) or forward dynamics of (q, v, tau) as a function of JAX arrays.

    Its derivatives are analytical. Precision and errors as in `jax_function`; ArgumentError for other names and for
    what is no compiled robot, TopologyError for mechanisms with contact points and half-spaces, whose forces are not
    part of these functions.
    """
    dynamics = robot_dynamics(robot, name, "jax_dynamics", "record the step you need and use jax_function")
    return _jax_function(dynamics.value, dynamics.derivatives, dynamics.inputs, dynamics.output)


def _jax_function(
    value: ArrayFunction, jacobians: ArrayFunction, inputs: Sequence[Port], output: Port
) -> Callable[..., Any]:
    """Return a JAX function whose values and derivatives are computed by rbd."""
    with names_extra("JAX functions"):
        jax: Any = import_module("jax")  # it may have no types
        jnp: Any = import_module("jax.numpy")
    callbacks = _Callbacks(jax, jnp, value, jacobians, inputs, output)
    inner: Any = jax.custom_jvp(callbacks.value_of)
    inner.defjvp(partial(_jvp, callbacks, inner, callbacks.differentiable_once()))

    def function(*arguments: Any) -> Any:
        arrays = tuple(jnp.asarray(x, jnp.zeros(()).dtype) for x in arguments)
        _check_shapes([array.shape for array in arrays], inputs)
        return inner(*arrays)

    return function


@final
@attrs.frozen(eq=False)
class _Callbacks:
    """A value and its derivatives, which rbd computes when JAX calls back."""

    jax: Any
    jnp: Any
    value: ArrayFunction
    jacobians: ArrayFunction
    inputs: Sequence[Port]
    output: Port

    def value_of(self, *arrays: Any) -> Any:
        """Compute the value."""
        return self._callback(self.value, self._shape_and_dtype(self.output.shape), arrays)

    def jacobians_of(self, *arrays: Any) -> Any:
        """Compute the derivative by each input."""
        shapes = tuple(self._shape_and_dtype((*self.output.shape, *port.shape)) for port in self.inputs)
        return self._callback(self.jacobians, shapes, arrays)

    def differentiable_once(self) -> Any:
        """Return the derivatives as a JAX function that refuses to be differentiated."""
        jacobian: Any = self.jax.custom_jvp(self.jacobians_of)
        jacobian.defjvp(_refuse_second_derivative)
        return jacobian

    def _shape_and_dtype(self, size: tuple[int, ...]) -> Any:
        return self.jax.ShapeDtypeStruct(size, self.jnp.zeros(()).dtype)

    def _callback(self, host: ArrayFunction, results_like: Any, arguments: tuple[Any, ...]) -> Any:
        def call(*arrays: Any) -> Any:
            results = host(*(np.asarray(array, dtype=np.float64) for array in arrays))
            return self.jax.tree.map(_as_dtype_of, results, results_like)

        return self.jax.pure_callback(call, results_like, *arguments, vmap_method="broadcast_all")


def _jvp(
    callbacks: _Callbacks, value: Any, jacobian: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """Return the value and its tangent."""
    columns = zip(jacobian(*primals), tangents, callbacks.inputs, strict=True)
    parts = [callbacks.jnp.tensordot(each, tangent, axes=len(port.shape)) for each, tangent, port in columns]
    return value(*primals), sum(parts[1:], parts[0])


def _as_dtype_of(x: Any, like: Any) -> Any:
    return np.asarray(x, dtype=like.dtype)


def _check_shapes(shapes: Sequence[tuple[int, ...]], inputs: Sequence[Port]) -> None:
    """Raise unless there is an array of the right shape for every input; tracers have shapes too."""
    if len(shapes) != len(inputs):
        names = ", ".join(port.name for port in inputs)
        raise ArgumentError(f"the function takes {names}; got {len(shapes)} arguments", argument="arguments")
    for port, shape in zip(inputs, shapes, strict=True):
        if shape != port.shape:
            message = f"{port.name} has shape {shape}, needs {port.shape}; jax.vmap makes batches"
            raise ShapeError(message, argument=port.name, expected=port.shape, actual=shape)


def _refuse_second_derivative(primals: object, tangents: object) -> tuple[object, object]:
    raise ArgumentError(
        "functions of rbd can be differentiated once in JAX; for second derivatives record the function and wrap its "
        "`.derivative` with jax_function",
        argument="function",
    )
