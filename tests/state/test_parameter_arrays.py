"""Parameters of scalar states, which replace those of the mechanism."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError
from rbd.scalar_states.parameter_arrays import PARAMETER_NAMES, ParameterValues, parameter_shape, parameter_value
from rbd.spatial import Transform
from rbd.testing import random_tree

TYPES = [
    rbd.Revolute((0, 0, 1)),
    rbd.Prismatic((1, 2, 3)),
    rbd.QuaternionSpherical(),
    rbd.Fixed(),
    rbd.Planar((1, 0, 0), (0, 1, 0)),
]


def _nested(array: np.ndarray) -> object:
    return tuple(_nested(row) for row in array) if array.ndim > 1 else tuple(array.tolist())


def _changed(mechanism: rbd.Mechanism, name: str, rng: np.random.Generator) -> None:
    """Give `mechanism` other values of one parameter."""
    if name == "gravity":
        mechanism.gravity = rng.standard_normal(3)
        return
    for joint, body in zip(mechanism.tree_joints, mechanism.bodies[1:], strict=True):
        if name == "inertia":
            body.set_inertia(body.inertia + body.inertia)
        elif name == "placement":
            owner, known = mechanism.predecessor(joint), mechanism.placement(joint)
            turned = rbd.Twist(known.to_frame, known.to_frame, known.to_frame, rng.standard_normal(3), [0, 0, 0]).exp()
            moved = Transform(known.from_frame, known.to_frame, turned.rotation, rng.standard_normal(3))
            owner.move_frame(moved)
        elif joint.nv:
            setattr(joint, name, 1.0 if "bound" in name or name == "friction_velocity" else rng.uniform(0.1, 1.0))


@pytest.mark.parametrize("name", PARAMETER_NAMES)
def test_parameters_replace_those_of_the_mechanism(name: str) -> None:
    rng = np.random.default_rng(3)
    mechanism = random_tree(TYPES, rng)
    joint = mechanism.joint(next(j.name for j in mechanism.tree_joints if isinstance(j.type, rbd.Revolute)))
    joint.position_bounds, joint.bound_stiffness, joint.friction = (5.0, 6.0), 2.0, 0.5
    other, _ = mechanism.copy()
    _changed(other, name, rng)
    values = np.array(parameter_value(other, name), dtype=float)
    assert values.shape == parameter_shape(mechanism, name)
    there = rbd.MechanismState(other)
    there.randomize(rng)
    q, v = there.q.tolist(), there.v.tolist()
    here = rbd.ScalarState(mechanism, q, v, parameters=ParameterValues({name: _nested(values)}))
    vd = rng.standard_normal(mechanism.nv)
    for quantity in (
        lambda state: rbd.inverse_dynamics(state, vd),
        rbd.mass_matrix,
        lambda state: rbd.forward_dynamics(state, vd),
        rbd.gravitational_potential_energy,
        rbd.passive_torques,
    ):
        np.testing.assert_allclose(quantity(here), quantity(there), rtol=1e-9, atol=1e-10)
    plain = rbd.ScalarState(mechanism, q, v)
    assert np.abs(np.asarray(rbd.inverse_dynamics(plain, vd)) - rbd.inverse_dynamics(there, vd)).max() > 1e-6


def test_unknown_parameters_raise() -> None:
    with pytest.raises(ArgumentError, match="colour"):
        parameter_shape(rbd.robots.double_pendulum(), "colour")
