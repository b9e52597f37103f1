"""Dynamics of a compiled robot as a differentiable function of arrays, for all frameworks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, final

import attrs

from rbd.algorithms.trees import require_no_contacts
from rbd.arguments import require_choice, require_kind
from rbd.compiled.robot import CompiledRobot
from rbd.indexing.layout import layout_of
from rbd.program.ports import Port

ArrayFunction: TypeAlias = Callable[..., Any]
"""From arrays, with leading batch axes, to an array or a tuple of arrays."""
DynamicsName = Literal["inverse_dynamics", "forward_dynamics"]


@final
@attrs.frozen(eq=False)
class DifferentiableFunction:
    """A function of arrays with one output: its value, its derivatives by all inputs, and its ports."""

    value: ArrayFunction
    derivatives: ArrayFunction
    """By the entries of each input."""
    inputs: tuple[Port, ...]
    output: Port


def robot_dynamics(robot: CompiledRobot, name: DynamicsName, operation: str, advice: str) -> DifferentiableFunction:
    """Return inverse or forward dynamics of a robot, a function of q, v, and vd or tau.

    Raises ArgumentError for what is no robot and for other names, TopologyError, with `advice`, for mechanisms with
    contact points and half-spaces, whose forces are not part of these functions.
    """
    require_kind(robot, CompiledRobot, operation=operation, argument="robot")
    require_choice(name, ("inverse_dynamics", "forward_dynamics"), "name", "function")
    require_no_contacts(layout_of(robot.mechanism), operation, advice)
    derivatives: ArrayFunction = getattr(robot, f"{name}_derivatives")
    nq, nv = (robot.mechanism.nq,), (robot.mechanism.nv,)
    last = "vd" if name == "inverse_dynamics" else "tau"
    return DifferentiableFunction(
        getattr(robot, name),
        lambda *arrays: derivatives(*arrays, space="coordinates"),
        (Port("q", nq), Port("v", nv), Port(last, nv)),
        Port("result", nv),
    )
