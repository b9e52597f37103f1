"""Compiled functions as JAX functions, with derivatives, under `jit`, `grad` and `vmap`.

Needs the extra `jax`, which is imported at the first use. JAX calls machine code through `pure_callback` with whole
batches. Derivatives are those of rbd; JAX does not trace into functions. Derivatives by positions are by the entries of
q.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, final

import attrs
import numpy as np

from rbd.arguments import require_kind
from rbd.array_functions.function import RecordedFunction
from rbd.bridges.robot_dynamics import ArrayFunction, DifferentiableFunction, DynamicsName, robot_dynamics
from rbd.compiled.robot import CompiledRobot
from rbd.errors import ArgumentError, ShapeError
from rbd.extras import requires_extra
from rbd.program.ports import Port


def jax_function(function: RecordedFunction) -> Callable[..., Any]:
    """Return a recorded function of one output as a function of JAX arrays, in the order of its inputs.

    Its derivatives are those of `RecordedFunction.derivative`, recorded at the first use; it can be differentiated
    once. Numbers have JAX's default precision: set `jax_enable_x64` for that of rbd. `jax.vmap` makes batches. Raises
    ArgumentError for a function of several outputs or one that is not recorded, MissingPackageError without JAX; the
    result raises ArgumentError and ShapeError.
    """
    require_kind(function, RecordedFunction, operation="jax_function", argument="function")
    outline = function.outline
    ports, outputs = outline.inputs, outline.outputs
    if len(outputs) != 1:
        names = ", ".join(port.name for port in outputs)
        raise ArgumentError(f"{outline.name} has the outputs {names}; JAX functions have one", argument="function")

    @cache
    def derivatives() -> list[RecordedFunction]:  # costly: recorded when JAX differentiates for the first time
        return [function.derivative(outputs[0].name, port.name, space="coordinates") for port in ports]

    def jacobians(*arrays: Any) -> tuple[Any, ...]:
        return tuple(each(*arrays) for each in derivatives())

    return _jax_function(DifferentiableFunction(function, jacobians, ports, outputs[0]))


def jax_dynamics(robot: CompiledRobot, name: DynamicsName = "forward_dynamics") -> Callable[..., Any]:
    """Return inverse dynamics of (q, v, vd) or forward dynamics of (q, v, tau) as a function of JAX arrays.

    Its derivatives are analytical. Precision and errors as in `jax_function`; ArgumentError for other names and for
    what is no compiled robot, TopologyError for mechanisms with contact points and half-spaces, whose forces are not
    part of these functions.
    """
    return _jax_function(robot_dynamics(robot, name, "jax_dynamics", "record the step you need and use jax_function"))


def _jax_function(differentiable: DifferentiableFunction) -> Callable[..., Any]:
    """Return a JAX function whose values and derivatives are computed by rbd."""
    with requires_extra("JAX functions"):
        jax: Any = import_module("jax")  # it may have no types
        jnp: Any = import_module("jax.numpy")
    with_jvp = _Callbacks(jax, jnp, differentiable).with_jvp()

    def function(*arguments: Any) -> Any:
        arrays = tuple(jnp.asarray(x, jnp.zeros(()).dtype) for x in arguments)
        _check_shapes([array.shape for array in arrays], differentiable.inputs)
        return with_jvp(*arrays)

    return function


@final
@attrs.frozen(eq=False)
class _Callbacks:
    """Callbacks by which JAX has rbd compute a function and its derivatives."""

    jax: Any
    jnp: Any
    function: DifferentiableFunction

    def with_jvp(self) -> Any:
        """Return the function with its Jacobian-vector product, which cannot be differentiated."""
        value: Any = self.jax.custom_jvp(self._value)
        jacobians: Any = self.jax.custom_jvp(self._jacobians)
        jacobians.defjvp(_refuse_second_derivative)

        def jvp(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
            parts = zip(jacobians(*primals), tangents, self.function.inputs, strict=True)
            products = [self.jnp.tensordot(each, tangent, axes=len(port.shape)) for each, tangent, port in parts]
            return value(*primals), sum(products[1:], products[0])

        value.defjvp(jvp)
        return value

    def _value(self, *arrays: Any) -> Any:
        return self._callback(self.function.value, self._shape_and_dtype(self.function.output.shape), arrays)

    def _jacobians(self, *arrays: Any) -> Any:
        shape, inputs = self.function.output.shape, self.function.inputs
        results_like = tuple(self._shape_and_dtype((*shape, *port.shape)) for port in inputs)
        return self._callback(self.function.derivatives, results_like, arrays)

    def _shape_and_dtype(self, size: tuple[int, ...]) -> Any:
        return self.jax.ShapeDtypeStruct(size, self.jnp.zeros(()).dtype)

    def _callback(self, compute: ArrayFunction, results_like: Any, arguments: tuple[Any, ...]) -> Any:
        def call(*arrays: Any) -> Any:
            results = compute(*(np.asarray(array, dtype=np.float64) for array in arrays))
            return self.jax.tree.map(_as_dtype_of, results, results_like)

        return self.jax.pure_callback(call, results_like, *arguments, vmap_method="broadcast_all")


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
