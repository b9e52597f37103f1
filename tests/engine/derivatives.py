"""Functions of derivatives of live states, with all forms of their calls, shared by tests."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

import rbd
from rbd import MechanismState, Wrench, algorithms
from rbd.testing import random_chain

from ..algorithms.helpers import JOINT_TYPES, close, set_passive

Call = Callable[..., Any]
Wrenches = dict[rbd.RigidBody, Wrench]


def needs_vectors(run: Call) -> bool:
    """Return whether the first vector a function takes is not optional, as torques are."""
    return list(inspect.signature(run).parameters.values())[1].default is inspect.Parameter.empty


@attrs.frozen
class Function:
    """A derivative: its name, its arguments besides the state, and what else it takes."""

    run: Call
    vectors: int = 1
    numbers: tuple[float, ...] = ()
    spaces: bool = True
    wrenches: bool = False

    def arguments(self, nv: int) -> tuple[Any, ...]:
        return (*(np.linspace(-1.0, 1.5, nv) for _ in range(self.vectors)), *self.numbers)

    def forms(self, push: Wrenches) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Return more arguments and keywords of every form this may be called in."""
        found: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((), {})]
        if self.spaces:
            found += [((), {"space": "tangent"}), ((), {"space": "coordinates"})]
        if self.wrenches:
            found += [
                ((push,), {}),
                ((), {"external_wrenches": push, "space": "coordinates"}),
                ((None,), {}),
                (({},), {}),
            ]
        return found


FUNCTIONS = {
    "inverse_dynamics_derivatives": Function(rbd.inverse_dynamics_derivatives, wrenches=True),
    "forward_dynamics_derivatives": Function(rbd.forward_dynamics_derivatives, wrenches=True),
    "bias_derivatives": Function(rbd.bias_derivatives, 0, wrenches=True),
    "mass_matrix_product_derivatives": Function(rbd.mass_matrix_product_derivatives),
    "inverse_mass_product_derivatives": Function(rbd.inverse_mass_product_derivatives),
    "step_derivatives": Function(rbd.step_derivatives, numbers=(0.01,), wrenches=True),
    "regressor": Function(rbd.regressor, spaces=False),
    "gravity_derivatives": Function(algorithms.gravity_derivatives, 0, spaces=False),
}
SECOND = {"inverse_dynamics_second_derivatives": Function(rbd.inverse_dynamics_second_derivatives)}


def arrays(result: Any) -> list[Any]:
    """Return the arrays of a result."""
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, tuple):
        return [*result]
    return [getattr(result, field.name) for field in attrs.fields(type(result))]


def pushes(state: MechanismState, *, tool: bool = False) -> Wrenches:
    """Return wrenches held by the root, by the body itself and by another one; with `tool`, in a frame of the last."""
    mechanism = state.mechanism
    first, last = mechanism.bodies[1], mechanism.bodies[-1]
    frame = mechanism.frame("tool") if tool else last.default_frame
    return {
        last: Wrench(mechanism.root_frame, (0.5, -1.0, 2.0), (3.0, 0.25, -1.0)),
        first: Wrench(frame, (1.5, 1.0, -2.0), (0.5, 0.25, 1.0)),
    }


def assert_same(one: Any, two: Any) -> None:
    assert type(one) is type(two)
    for a, b in zip(arrays(one), arrays(two), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        assert np.array_equal(a, b)


def assert_near(one: Any, two: Any) -> None:
    for a, b in zip(arrays(one), arrays(two), strict=True):
        close(a, b, 1e-12, scale=1e-2)


def two_joints(kind: str) -> MechanismState:
    rng = np.random.default_rng(2)
    mechanism = random_chain([rbd.Revolute((0, 1, 0)), JOINT_TYPES[kind]], rng)
    for joint in mechanism.tree_joints:
        set_passive(joint, rng, on=True)
    state = MechanismState(mechanism)
    state.randomize(rng)
    return state
