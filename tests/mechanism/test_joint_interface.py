"""Joints refuse types of users whose members return other kinds or lengths than algorithms take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, NotFiniteError, ShapeError
from rbd.rollout import Worlds
from rbd.testing import check_joint_type
from tests.joints.test_contract import Cam

VECTORS = (
    "zero", "normalize", "principal_value", "configuration_derivative", "velocity", "project", "flip_configuration",
    "flip_velocity", "global_coordinates", "local_coordinates", "local_coordinates_rate",
)  # fmt: skip
MATRICES = "configuration_derivative_jacobian", "velocity_jacobian"
SPATIAL = "transform", "motion_subspace", "motion_subspace_rate", "constraint_wrench_subspace"


def cam(**members: object) -> rbd.JointType:
    """Return a cam with other members."""
    kind: Any = type("Wrong", (Cam,), members)
    made: rbd.JointType = kind()
    return made


def returning(result: object) -> Callable[..., object]:
    return lambda *arguments: result


def longer(name: str) -> Callable[..., object]:
    """Return a member that returns a number more."""
    return lambda *arguments: (*getattr(Cam, name)(*arguments), 0.0)


def refused(member: str, joint_type: rbd.JointType) -> str:
    with pytest.raises(ArgumentError) as caught:
        rbd.Joint("cam", joint_type)
    assert caught.value.argument in ("joint_type", f"joint_type: Wrong.{member}")
    assert f"Wrong.{member} " in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["nq", "nv"])
@pytest.mark.parametrize("size", [-1, 7, 1.0, "1", None, True])
def test_sizes_that_are_none_are_refused(name: str, size: object) -> None:
    joint_type = cam(**{name: property(returning(size))})
    refused("zero" if (name, size) == ("nq", 7) else name, joint_type)


@pytest.mark.parametrize("name", [*VECTORS, *MATRICES])
@pytest.mark.parametrize("wrong", [None, 0.5, (), ("x",), (1j,), ((1.0,), (2.0, 3.0)), (0.0, 0.0)])
def test_vectors_of_another_length_are_refused(name: str, wrong: object) -> None:
    refused(name, cam(**{name: returning(wrong)}))


@pytest.mark.parametrize("name", SPATIAL)
@pytest.mark.parametrize("wrong", [None, np.eye(4)])
def test_spatial_values_of_another_kind_are_refused(name: str, wrong: object) -> None:
    assert "must return a " in refused(name, cam(**{name: returning(wrong)}))


def test_spatial_values_of_another_shape_are_refused() -> None:
    a, b = rbd.Frame("after"), rbd.Frame("before")
    column: Any = ((0, 0, 1), (0, 0, 0))
    flat: Any = ((1, 0), (0, 1))
    refused("motion_subspace", cam(motion_subspace=returning(rbd.GeometricJacobian.trusted(a, b, a, (column, column)))))
    refused("constraint_wrench_subspace", cam(constraint_wrench_subspace=returning(rbd.WrenchMatrix.trusted(a, ()))))
    refused("transform", cam(transform=returning(rbd.Transform.trusted(a, b, flat, (0, 0, 0)))))


@pytest.mark.parametrize("value", [np.nan, np.inf, 10**400])
def test_a_zero_configuration_that_is_not_finite_is_refused(value: float) -> None:
    refused("zero", cam(zero=returning((value,))))


def test_members_that_are_singular_at_zero_are_not_refused() -> None:
    def singular(*arguments: object) -> object:
        raise ZeroDivisionError

    for name in (*VECTORS, *MATRICES, *SPATIAL):
        assert rbd.Joint("cam", cam(**{name: singular})).nv == 1


@pytest.mark.parametrize("kind", [list, np.array])
def test_members_may_return_lists_and_arrays(kind: Callable[[Any], Any]) -> None:
    def converted(name: str) -> Callable[..., object]:
        return lambda *arguments: kind(getattr(Cam, name)(*arguments))

    def motion(joint_type: rbd.JointType) -> list[list[float]]:
        mechanism = follower(joint_type)
        mechanism.attach("follower", rbd.RigidBody("tip", inertia("tip")), rbd.Joint("tip", joint_type))
        worlds, state = Worlds(mechanism, count=1, dt=1e-2), rbd.MechanismState(mechanism, [0.3, 0.4], [1.0, 2.0])
        worlds.reset(q=state.q, v=state.v)
        worlds.step(steps=2)
        stepped = rbd.compile(mechanism).step(state.q, state.v, [0.0, 0.0], 1e-2)[0]
        local = state.local_coordinates([0.0, 0.0])
        return [x.tolist() for x in (worlds.q[0], stepped, *local, rbd.simulate(state, 0.02, dt=1e-2).q[-1])]

    assert motion(cam(**{name: converted(name) for name in VECTORS})) == motion(Cam())


def test_joint_types_that_reverse_others_are_checked_too() -> None:
    wrong = cam(normalize=longer("normalize"))
    with pytest.raises(ArgumentError, match=r"Wrong\.normalize must return numbers of shape \(1,\), not a tuple"):
        rbd.Joint("cam", wrong.flipped())


# ---------------------------------------------------------------- lengths that change


def follower(joint_type: rbd.JointType) -> rbd.Mechanism:
    mechanism = rbd.Mechanism()
    mechanism.attach("world", rbd.RigidBody("follower", inertia("follower")), rbd.Joint("cam", joint_type))
    return mechanism


def inertia(name: str) -> rbd.SpatialInertia:
    return rbd.SpatialInertia(rbd.Frame(name), mass=1.0, moment_about_com=np.diag([0.1, 0.2, 0.3]))


def longer_in_programs(self: object, q: tuple[object, ...]) -> tuple[object, ...]:
    """Return an entry more for recorded coordinates."""
    return q if all(isinstance(x, float) for x in q) else (*q, 0.0)


def test_programs_do_not_write_more_coordinates_than_there_are() -> None:
    mechanism = follower(cam(normalize=longer_in_programs))
    robot = rbd.compile(mechanism)
    for step in (lambda: robot.step([0.1], [0.2], [0.0], 1e-3), lambda: Worlds(mechanism, count=2, dt=1e-3)):
        with pytest.raises(ShapeError, match=r"Wrong\.normalize of joint 'cam' returns 2 coordinates, needs 1"):
            step()


@pytest.mark.parametrize("drawn", [(0.1, 0.2), (), (1j,), ("x",)])
def test_random_configurations_of_another_length_are_refused(drawn: object) -> None:
    state = rbd.MechanismState(follower(cam(random=returning(drawn))), [0.5], [0.0])
    with pytest.raises(ShapeError, match="q "):
        state.randomize(0)
    assert state.q.tolist() == [0.5]


def test_random_configurations_that_are_not_finite_are_refused() -> None:
    state = rbd.MechanismState(follower(cam(random=returning((np.nan,)))))
    with pytest.raises(NotFiniteError, match=r"q\[0\] is nan, of joint 'cam'"):
        state.randomize(0)


@pytest.mark.parametrize("members", [{"nq": property(returning(2))}, {"random": returning(None)}])
def test_the_check_of_joint_types_names_sizes(members: dict[str, object]) -> None:
    with pytest.raises(AssertionError, match="fails 'nq', 'nv' or 'random'"):
        check_joint_type(cam(**members))
