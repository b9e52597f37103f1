"""Reversed joints: types, bounds and the other parameters."""

from __future__ import annotations

import numpy as np
import pytest

from rbd.errors import TopologyError
from rbd.joints import (
    JointType,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    RotationVectorSpherical,
    SinCosRevolute,
    Universal,
)
from rbd.mechanism import Joint
from rbd.mechanism.edits.reverse_joint import reverse_joint
from rbd.spatial import Transform
from tests.mechanism.conftest import ALL_TYPES

INF = float("inf")


@pytest.mark.parametrize("joint_type", ALL_TYPES, ids=lambda t: type(t).__name__)
def test_the_transform_of_a_reversed_joint_is_the_inverse(joint_type: JointType, rng: np.random.Generator) -> None:
    joint = Joint("j", joint_type)
    new = reverse_joint(joint).joint
    assert (new.name, new.frame_before, new.frame_after) == ("j", joint.frame_after, joint.frame_before)
    for _ in range(5):
        q = joint_type.random(rng)
        forth = joint_type.transform(q, joint.frame_after, joint.frame_before)
        back = new.type.transform(joint_type.flip_configuration(q), new.frame_after, new.frame_before)
        assert (forth @ back).isclose(Transform.identity(joint.frame_before, joint.frame_before), atol=1e-9)


@pytest.mark.parametrize("joint_type", [Revolute((1, 2, 3)), Prismatic((0, 0, 1))])
def test_bounds_of_one_degree_of_freedom(joint_type: JointType) -> None:
    parameters = {"damping": 1.0, "friction": 2.0, "friction_velocity": 0.1, "armature": 3.0, "bound_stiffness": 4.0}
    joint = Joint(
        "j", joint_type, position_bounds=(-1, 2), velocity_bounds=(-3, 4), effort_bounds=(-5, 6), **parameters
    )
    found = reverse_joint(joint)
    # A reversed joint keeps its coordinate and changes the axis, unless the type negates q instead.
    sign = joint_type.flip_configuration((1.0,))[0]
    expected = {1.0: [((-1, 2),), ((-3, 4),), ((-5, 6),)], -1.0: [((-2, 1),), ((-4, 3),), ((-6, 5),)]}[sign]
    new = found.joint
    assert [new.position_bounds, new.velocity_bounds, new.effort_bounds] == expected
    assert found.dropped == ()
    for name, value in parameters.items():
        assert getattr(new, name) == (value,)


def test_bounds_map_as_coordinates_do() -> None:
    joint = Joint("j", Universal((1, 0, 0), (0, 1, 0)), position_bounds=[(-1, 2), (-3, 4)], damping=[1, 2])
    new = reverse_joint(joint).joint
    q = (0.5, 0.25)
    after = joint.type.flip_configuration(q)
    source = [next(j for j in range(2) if abs(x) == q[j]) for x in after]
    signs = [1 if x > 0 else -1 for x in after]
    for k, (j, sign) in enumerate(zip(source, signs, strict=True)):
        low, high = joint.position_bounds[j]
        assert new.position_bounds[k] == ((low, high) if sign > 0 else (-high, -low))
        assert new.damping[k] == joint.damping[j]


def test_cosine_bounds_are_not_negated() -> None:
    joint = Joint("j", SinCosRevolute((0, 0, 1)), position_bounds=[(-0.25, 0.5), (0.75, 1)])
    found = reverse_joint(joint)
    sine, cosine = joint.type.flip_configuration((0.6, 0.8))
    assert cosine == 0.8
    assert found.joint.position_bounds == (((-0.25, 0.5) if sine > 0 else (-0.5, 0.25)), (0.75, 1))
    assert found.dropped == ()


def test_bounds_that_mix_are_dropped_and_reported() -> None:
    found = reverse_joint(Joint("j", Planar((1, 0, 0), (0, 1, 0)), position_bounds=[(-1, 1), (-1, 1), (-0.5, 0.75)]))
    assert found.dropped == ("position_bounds",)
    assert found.joint.position_bounds == ((-INF, INF), (-INF, INF), (-0.75, 0.5))  # the angle changes sign
    unbounded = reverse_joint(Joint("j", Planar((1, 0, 0), (0, 1, 0))))
    assert unbounded.dropped == ()


def test_bounds_of_coordinates_that_change_sign_are_exchanged() -> None:
    free = (-INF, INF)
    bounds = {"velocity_bounds": [free, free, (-1, 2)], "effort_bounds": [free, free, (-3, INF)]}
    found = reverse_joint(Joint("j", Planar((1, 0, 0), (0, 1, 0)), **bounds))  # type: ignore[arg-type]  # lists of pairs
    assert found.joint.velocity_bounds == (free, free, (-2, 1))
    assert found.joint.effort_bounds == (free, free, (-INF, 3))
    assert found.dropped == ()
    vector = reverse_joint(Joint("j", RotationVectorSpherical(), position_bounds=[(-1, 2), (0, 0.5), free])).joint
    assert vector.position_bounds == ((-2, 1), (-0.5, 0), free)


def test_even_damping_of_a_ball_joint_stays() -> None:
    assert reverse_joint(Joint("j", QuaternionSpherical(), damping=0.5, armature=0.1)).joint.damping == (0.5, 0.5, 0.5)
    with pytest.raises(TopologyError, match="damping"):
        reverse_joint(Joint("j", QuaternionSpherical(), damping=[1, 2, 3]))


@pytest.mark.parametrize("name", ["damping", "friction", "armature", "bound_stiffness", "bound_damping"])
def test_what_acts_on_the_motion_is_never_lost(name: str) -> None:
    with pytest.raises(TopologyError, match=f"'free'.*{name}"):
        reverse_joint(Joint("free", QuaternionFloating(), **{name: 1.0}))


def test_symbolic_parameters_are_carried_along() -> None:
    sympy = pytest.importorskip("sympy")
    d = sympy.Symbol("d")
    assert reverse_joint(Joint("j", Revolute((0, 0, 1)), damping=d)).joint.damping == (d,)
