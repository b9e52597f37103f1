"""The articulated inertia: what a body with moving parts beyond it feels like to push."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import rbd
from rbd import Joint, Mechanism, MechanismState, QuaternionFloating, RigidBody, Wrench

from .helpers import JOINT_TYPES, Case, case, cases, close, examples


def parts(inertia: rbd.SpatialInertia) -> tuple:
    return inertia.moment_components, inertia.first_moment_components, inertia.mass


def cut_free(a_case: Case, body: RigidBody) -> MechanismState:
    """Return a body and its subtree, floating where the body is, in the same configuration."""
    part, frames = a_case.mechanism.submechanism(body)
    free = Mechanism(gravity=(0, 0, 0))
    joint = Joint("free", QuaternionFloating())
    base = RigidBody("base", rbd.SpatialInertia.trusted(rbd.Frame("base"), *parts(body.inertia)))
    free.attach(free.root_body, base, joint)
    copies = free.attach_mechanism(base, part)
    state = MechanismState(free)
    state.set_configuration(
        joint,
        rbd.Transform.trusted(joint.frame_after, joint.frame_before, *a_case.state.transform_to_root(body).components),
    )
    for original, middle in frames.joints.items():
        state.set_configuration(copies.joint(middle), a_case.state.configuration(original))
    return state


@examples(1)
@given(cases(passive=True))
def test_articulated_inertia_is_the_inverse_mobility_of_the_free_subtree(a_case: Case) -> None:
    """Its inverse is the base's block of the inverse mass matrix of the body cut free with all that hangs on it."""
    for body in a_case.mechanism.bodies[1:]:
        state = cut_free(a_case, body)
        inertia = rbd.articulated_inertia(a_case.state, body)
        assert inertia.frame is a_case.mechanism.root_frame
        H = a_case.state.transform_to_root(body).inverse()
        in_body = inertia.transformed(H).matrix
        block = rbd.inverse_mass_matrix(state)[:6, :6]
        close(block @ in_body, np.eye(6), 1e-10)
        close(inertia.matrix, inertia.matrix.T, 1e-13)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_pushing_a_floating_base(kind: str) -> None:
    """At rest and weightless, wrench = articulated inertia times acceleration."""
    rng = np.random.default_rng(199)
    mechanism = rbd.testing.random_floating_tree([JOINT_TYPES[kind]] * 2, rng)
    mechanism.gravity = (0, 0, 0)
    state = MechanismState(mechanism)
    state.randomize(rng)
    state.set_velocity(np.zeros(mechanism.nv))
    base = mechanism.bodies[1]
    push = Wrench(mechanism.root_frame, *rng.standard_normal((2, 3)))
    result = rbd.dynamics(rbd.DynamicsResult(mechanism), state, None, {base: push})
    felt = rbd.articulated_inertia(state, base).matrix @ result.acceleration(base).vector
    close(felt, push.vector, 1e-11, scale=1)


def test_a_leaf_is_its_own_inertia() -> None:
    a_case = case("chain", seed=211)
    body = a_case.mechanism.bodies[-1]
    expected = a_case.state.transform(body.inertia, a_case.mechanism.root_frame).matrix
    close(rbd.articulated_inertia(a_case.state, body).matrix, expected, 1e-13)
