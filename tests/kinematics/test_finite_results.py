"""Finite input gives finite output or NotFiniteError: framed values, at coordinates near the end of the range."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import attrs
import numpy as np
import pytest

import rbd
from rbd.errors import RbdError
from rbd.spatial.values import SpatialValue, parts_of


def _robot(kind: type[rbd.JointType]) -> rbd.Mechanism:
    mechanism, previous = rbd.Mechanism("world"), "world"
    for name, joint_type in (("a", kind()), ("b", rbd.Prismatic((0, 0, 1))), ("c", rbd.Revolute((0, 1, 1)))):
        body = rbd.RigidBody(name)
        body.set_inertia(rbd.SpatialInertia(body.default_frame, mass=1.0, com=(0, 0, 0.3), moment=np.eye(3) / 2))
        mechanism.attach(previous, body, rbd.Joint(f"to {name}", joint_type))
        previous = name
    return mechanism


def _coordinates(kind: type[rbd.JointType], size: float) -> list[float]:
    if kind is rbd.QuaternionFloating:
        return [0.5, 0.5, 0.5, 0.5, size, -size, size, size, 0.3]
    return [size, 2 * size, -size, 0.1, 0.2, 0.3, 0.1, 0.3]


def _numbers(value: object) -> Iterator[Any]:
    """Yield the floats in arrays, framed values, records and collections."""
    if isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif isinstance(value, dict):
        yield from (x for part in value.values() for x in _numbers(part))
    elif isinstance(value, (tuple, list)):
        yield from (x for part in value for x in _numbers(part))
    elif isinstance(value, SpatialValue):
        yield from _numbers(parts_of(value))
    elif attrs.has(type(value)):
        yield from (x for field in attrs.fields(type(value)) for x in _numbers(getattr(value, field.name)))
    elif isinstance(value, (float, complex)):
        yield value


def _queries(mechanism: rbd.Mechanism) -> dict[str, Callable[[Any], object]]:
    """Return every query and algorithm with framed results, of the last body where there is a choice."""
    last, first, root = mechanism.bodies[-1], mechanism.bodies[1], mechanism.root_frame
    frame, path = last.default_frame, mechanism.path("world", last)
    big, ones = (1e308, 1e308, 1e308), np.ones(mechanism.nv)
    values = (
        rbd.Point(frame, big),
        rbd.FreeVector(frame, big),
        rbd.Wrench(frame, big, big),
        rbd.Twist(frame, root, frame, big, big),
        rbd.SpatialInertia(frame, mass=1e300, com=(1, 0, 0), moment_about_com=np.eye(3)),
    )
    return {
        **{name: getattr(rbd, name) for name in ("momentum", "center_of_mass", "momentum_matrix")},
        **{name: getattr(rbd, name) for name in ("centroidal_momentum_matrix", "momentum_rate_bias")},
        "transform_to_root": lambda s: s.transform_to_root(last),
        "relative_transform": lambda s: s.relative_transform(last, first),
        "joint_transforms": lambda s: [s.joint_transform(joint) for joint in mechanism.tree_joints],
        "twist": lambda s: s.twist(last),
        "relative_twist": lambda s: s.relative_twist(first, last),
        "bias_acceleration": lambda s: s.bias_acceleration(last),
        "composite_inertia": lambda s: s.composite_inertia(last),
        "motion_subspace": lambda s: s.motion_subspace(mechanism.tree_joints[0]),
        "constraint_wrench_subspace": lambda s: s.constraint_wrench_subspace(mechanism.tree_joints[-1]),
        **{f"transform of a {type(x).__name__}": lambda s, x=x: s.transform(x, root) for x in values},
        "articulated_inertia": lambda s: rbd.articulated_inertia(s, last),
        "articulated_mobility": lambda s: rbd.articulated_mobility(s, last).components,
        "articulated_bodies": rbd.articulated_bodies,
        "geometric_jacobian": lambda s: rbd.geometric_jacobian(s, path),
        "geometric_jacobian_rate": lambda s: rbd.algorithms.geometric_jacobian_rate(s, path),
        "point_jacobian": lambda s: rbd.point_jacobian(s, path, rbd.Point(frame, big)),
        "point_jacobian_rate": lambda s: rbd.algorithms.point_jacobian_rate(s, path, rbd.Point(frame, big)),
        "spatial_accelerations": lambda s: rbd.spatial_accelerations(s, ones),
        "relative_acceleration": lambda s: rbd.relative_acceleration(s, ones, last, first),
        "accelerations of a result": lambda s: [rbd.dynamics(s).acceleration(body) for body in mechanism.bodies],
        "proper accelerations": lambda s: [rbd.dynamics(s).proper_acceleration(body) for body in mechanism.bodies],
        "joint wrenches": lambda s: [rbd.dynamics(s).joint_wrench(joint) for joint in mechanism.tree_joints],
        "configuration_derivative": lambda s: s.configuration_derivative(),
    }


QUERIES: Final = tuple(_queries(_robot(rbd.QuaternionFloating)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("execution", ["live", "interpreted", "scalar", "complex"])
@pytest.mark.parametrize("query", QUERIES)
def test_framed_results_are_finite_or_refused(query: str, execution: str) -> None:
    for kind in (rbd.QuaternionFloating, rbd.RotationVectorFloating, rbd.MRPFloating):
        mechanism = _robot(kind)
        call = _queries(mechanism)[query]
        for size, speed in ((1e200, 1.0), (1e155, 1.0), (1.0, 1e200), (1e155, 1e155), (8e307, 8e307)):
            state: Any = rbd.MechanismState(mechanism, _coordinates(kind, size), np.full(mechanism.nv, speed))
            found = _outcome(call, state, execution)
            assert np.isfinite(list(_numbers(found))).all(), (query, kind, size, speed, found)


def _outcome(call: Callable[[Any], object], state: rbd.MechanismState, execution: str) -> object:
    """Return the result of a query, or nothing if an error of rbd refuses it."""
    try:
        if execution == "interpreted":
            with rbd.interpreted():
                return call(state)
        if execution == "complex":
            return call(state.with_scalars([complex(x, 1e-30) for x in state.q]))
        return call(state.with_scalars() if execution == "scalar" else state)
    except RbdError:
        return ()


def test_an_error_names_the_result() -> None:
    mechanism = _robot(rbd.RotationVectorFloating)
    state = rbd.MechanismState(mechanism, _coordinates(rbd.RotationVectorFloating, 1e155))
    with rbd.interpreted(), pytest.raises(rbd.errors.NotFiniteError, match="composite inertia left the range"):
        state.composite_inertia("c")
