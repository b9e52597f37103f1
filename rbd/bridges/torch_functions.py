"""Compiled functions as PyTorch functions, with derivatives, for one state or for batches, under `torch.func`.

Needs the extra `torch`, which is imported at the first use. Tensors are on the CPU; machine code computes whole
batches. `backward` runs the derivatives of rbd; autograd does not trace into functions. Derivatives by positions are by
the entries of q: a gradient has the shape of its tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, cast

import numpy as np

from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.arguments import require_kind
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import load_or_record_spec
from rbd.bridges.pullback import pullback
from rbd.bridges.robot_dynamics import ArrayFunction, DynamicsName, robot_dynamics
from rbd.compiled.robot import CompiledRobot
from rbd.compiled.specs import step_spec
from rbd.errors import ArgumentError, ShapeError
from rbd.extras import requires_extra
from rbd.indexing.layout import layout_of
from rbd.program.ports import Port
from rbd.scalars.arrays import Array
from rbd.scalars.entries import any_array


def torch_function(function: RecordedFunction) -> Callable[..., Any]:
    """Return a recorded function as a function of tensors in the order of its inputs: a tensor, or a tuple of them.

    Inputs are tensors on the CPU of any real dtype, or what NumPy makes arrays of, with leading batch axes that
    broadcast; they are converted to float64, which results have. Gradients are those of `RecordedFunction.derivative`,
    all in one sweep, and have the dtype of their tensor. It can be differentiated once, in reverse (`backward`,
    `torch.func.grad`, `vjp`, `jacrev`), under `vmap` too: a second time raises ArgumentError. So do other devices and
    the wrong number of arguments; other dtypes raise ShapeError, both naming the argument. Raises ArgumentError for a
    function that is not recorded, MissingPackageError without PyTorch.
    """
    require_kind(function, RecordedFunction, operation="torch_function", argument="function")
    outline = function.outline
    return _tensor_function(outline.name, function, lambda: pullback(function.program), outline.inputs, outline.outputs)


def torch_dynamics(robot: CompiledRobot, name: DynamicsName = "forward_dynamics") -> Callable[..., Any]:
    """Return inverse dynamics of (q, v, vd) or forward dynamics of (q, v, tau) as a function of tensors.

    Its derivatives are analytical. Tensors and errors as in `torch_function`; ArgumentError for other names and for
    what is no compiled robot, TopologyError for mechanisms with contact points and half-spaces, whose forces are not
    part of these functions.
    """
    dynamics = robot_dynamics(robot, name, "torch_dynamics", "torch_step includes them")

    def vjp(q: Any, v: Any, x: Any, cotangent: Any) -> tuple[Any, ...]:
        return tuple((cotangent[..., None, :] @ each)[..., 0, :] for each in dynamics.derivatives(q, v, x))

    return _tensor_function(name, dynamics.value, lambda: vjp, dynamics.inputs, (dynamics.output,))


def torch_step(robot: CompiledRobot, integrator: FixedStepMethod = "munthe-kaas-rk4") -> Callable[..., Any]:
    """Return a time step, (q, v) after `dt` from (q, v, tau, dt), as a function of tensors.

    It is `robot.step` with constant torques; with contact states it maps (q, v, s, tau, dt) to (q, v, s). It is
    differentiated as recorded, by `dt` as well. Tensors and errors as in `torch_function`; ArgumentError for other
    integrators and for what is no compiled robot.
    """
    require_kind(robot, CompiledRobot, operation="torch_step", argument="robot")
    ns = layout_of(robot.mechanism).ns
    # The robot's own function of the step has the robot's parameters as further inputs.
    function = load_or_record_spec(step_spec(integrator, ns), robot.mechanism, f"step {integrator}")
    outline = function.outline

    def value(q: Any, v: Any, *rest: Any) -> Any:
        if ns:
            return robot.step(q, v, *rest[1:], s=cast("Array", rest[0]), integrator=integrator)
        return robot.step(q, v, *rest, integrator=integrator)

    return _tensor_function("step", value, lambda: pullback(function.program), outline.inputs, outline.outputs)


# --- helpers ----------------------------------------------------------------------------------------------------------


def _tensor_function(
    name: str,
    value: ArrayFunction,
    make_pullback: Callable[[], ArrayFunction],
    inputs: Sequence[Port],
    outputs: Sequence[Port],
) -> Callable[..., Any]:
    """Return a function of tensors that computes `value`; its pullback is made when a gradient is asked for."""
    with requires_extra("PyTorch functions"):
        torch: Any = import_module("torch")
    pullback_once = cache(make_pullback)
    ports = [*inputs, *outputs]
    gradient = _autograd(
        torch, f"{name}_gradient", lambda *arrays: pullback_once()(*arrays), ports, _refuse_second_derivative
    )
    computed = _autograd(torch, name, value, inputs, partial(_backward, gradient))

    def function(*arguments: Any) -> Any:
        if len(arguments) != len(inputs):
            names = ", ".join(port.name for port in inputs)
            raise ArgumentError(f"{name} takes {names}; got {len(arguments)} arguments", argument="arguments")
        results = computed.apply(*(_as_tensor(torch, x, port.name) for x, port in zip(arguments, inputs, strict=True)))
        return results[0] if len(outputs) == 1 else results

    function.__name__ = function.__qualname__ = name
    return function


def _backward(gradient: Any, ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
    """Return the gradients by the saved tensors."""
    gradients = gradient.apply(*ctx.saved_tensors, *cotangents)
    return tuple(_sum_to_shape(x, like.shape) for x, like in zip(gradients, ctx.saved_tensors, strict=True))


def _save_inputs(ctx: Any, inputs: tuple[Any, ...], output: object) -> None:
    ctx.save_for_backward(*inputs)


def _autograd(
    torch: Any, name: str, compute: ArrayFunction, ports: Sequence[Port], backward: Callable[..., Any]
) -> Any:
    """Return a subclass of `torch.autograd.Function`: from tensors of float64 to a tuple of them."""

    def forward(*tensors: Any) -> tuple[Any, ...]:
        results: object = compute(*(tensor.numpy(force=True) for tensor in tensors))
        arrays = cast("tuple[Array, ...]", results if isinstance(results, tuple) else (results,))
        return tuple(torch.from_numpy(np.asarray(x)) for x in arrays)

    def vmap(info: object, in_dims: Sequence[int | None], *tensors: Any) -> tuple[Any, tuple[int, ...]]:
        results = autograd_function.apply(*_with_vmap_axis_first(tensors, in_dims, [len(port.shape) for port in ports]))
        return results, (0,) * len(results)

    methods: dict[str, Callable[..., Any]] = {
        "forward": forward,
        "backward": backward,
        "vmap": vmap,
        "setup_context": _save_inputs,
    }
    members = {key: staticmethod(method) for key, method in methods.items()}
    autograd_function: Any = type(name, (torch.autograd.Function,), members)
    return autograd_function


def _refuse_second_derivative(ctx: object, *cotangents: object) -> tuple[object, ...]:
    raise ArgumentError(
        "functions of rbd can be differentiated once in PyTorch (create_graph=False); for second derivatives record "
        "the function and wrap its `.derivative` with torch_function",
        argument="create_graph",
        value=True,
        allowed=(False,),
    )


def _as_tensor(torch: Any, value: Any, name: str) -> Any:
    """Return an argument as a tensor of float64; raise, naming it, when it cannot be one or is not on the CPU."""
    if not isinstance(value, torch.Tensor):
        array = any_array(value, name)
        _check_dtype(array.dtype.kind in "iuf", array.dtype, name)
        return torch.from_numpy(array.astype(np.float64))
    _check_dtype(not (value.dtype.is_complex or value.dtype == torch.bool), value.dtype, name)
    if value.device.type != "cpu":
        raise ArgumentError(
            f"{name} is on the device {value.device}; rbd computes on the CPU: hand over {name}.cpu()",
            argument=name,
            value=str(value.device),
            allowed=("cpu",),
        )
    if value.layout != torch.strided:
        raise ArgumentError(f"{name} is sparse; hand over {name}.to_dense()", argument=name, allowed=("strided",))
    return value.to(torch.float64)


def _check_dtype(is_real: bool, dtype: object, name: str) -> None:
    if not is_real:
        raise ShapeError(f"{name} has dtype {dtype}, needs real numbers", argument=name)


def _sum_to_shape(x: Any, shape: Sequence[int]) -> Any:
    """Return a gradient with batch axes, summed over those along which its tensor was broadcast."""
    extra = x.ndim - len(shape)
    narrow = [k for k in range(x.ndim) if k < extra or (shape[k - extra] == 1 and x.shape[k] != 1)]
    return (x.sum(narrow, keepdim=True) if narrow else x).reshape(shape)


def _with_vmap_axis_first(tensors: Sequence[Any], in_dims: Sequence[int | None], ranks: Sequence[int]) -> list[Any]:
    """Return the tensors with the axis that `torch.vmap` adds in front of all batch axes, where rbd wants it."""
    leads = [x.ndim - rank - (at is not None) for x, at, rank in zip(tensors, in_dims, ranks, strict=True)]
    moved = [x if at is None else x.movedim(at, 0) for x, at in zip(tensors, in_dims, strict=True)]
    return [
        x if at is None else x.reshape(x.shape[0], *(1,) * (max(leads) - lead), *x.shape[1:])
        for x, at, lead in zip(moved, in_dims, leads, strict=True)
    ]
