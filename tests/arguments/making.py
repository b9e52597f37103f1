"""Probes: valid calls of functions, methods and attributes, whose arguments are replaced one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

import rbd
import rbd.testing
from rbd import FreeVector, MechanismState, Point, Transform, Twist, Wrench

World: TypeAlias = SimpleNamespace
Good: TypeAlias = dict[str, Any]
Probe: TypeAlias = Callable[[World], tuple[Callable[..., object], Good]]


def world() -> World:
    """Return a robot and what its functions are called with; nothing is shared with other worlds."""
    m = rbd.robots.double_pendulum()
    tip = m.bodies[-1]
    frame, other = rbd.Frame("A"), rbd.Frame("B")
    return World(
        m=m,
        state=MechanismState(m, [0.1, 0.2], [0.3, 0.4]),
        tip=tip,
        joint=m.tree_joints[0],
        path=m.path("world", tip),
        point=Point(tip.default_frame, (1, 2, 3)),
        push={tip: Wrench(tip.default_frame, (1, 2, 3), (4, 5, 6))},
        a=frame,
        b=other,
        tf=Transform(frame, other),
        twist=Twist(frame, other, frame, (1, 2, 3), (4, 5, 6)),
        wrench=Wrench(frame, (1, 2, 3), (4, 5, 6)),
        vector=FreeVector(frame, (1, 2, 3)),
        inertia=rbd.SpatialInertia(frame, mass=1.0, com=(0, 0, 1), moment=2 * np.eye(3)),
        jacobian=rbd.GeometricJacobian(frame, other, frame, np.ones((3, 2)), np.ones((3, 2))),
        robot=rbd.compile(m),
    )


def calls(owner: Callable[[World], Any], table: dict[str, Callable[[World], Good]], prefix: str) -> dict[str, Probe]:
    def probe(name: str, good: Callable[[World], Good], w: World) -> tuple[Callable[..., object], Good]:
        return getattr(owner(w), name), good(w)

    return {f"{prefix}{name}": partial(probe, name, good) for name, good in table.items()}


def functions(module: Any, table: dict[str, Callable[[World], Good]], prefix: str = "rbd.") -> dict[str, Probe]:
    return calls(lambda _: module, table, prefix)


def setters(owner: Callable[[World], Any], names: Iterable[str], prefix: str) -> dict[str, Probe]:
    def probe(name: str, w: World) -> tuple[Callable[..., object], Good]:
        target = owner(w)
        return lambda value: setattr(target, name, value), {"value": getattr(target, name)}

    return {f"{prefix}{name} = ": partial(probe, name) for name in names}


def tau(w: World) -> Good:
    return {"state": w.state, "torques": [1.0, 2.0], "external_wrenches": w.push}


def vd(w: World) -> Good:
    return {"state": w.state, "vd": [1.0, 2.0]}


def state_out(*shape: int) -> Callable[[World], Good]:
    return lambda w: {"state": w.state, "out": np.empty(shape)}
