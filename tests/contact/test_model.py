"""Collision models: the hand, Jacobian and bias against finite differences, errors, other scalars."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from fractions import Fraction

import numpy as np
import pytest

import rbd
from rbd.contact import Box, Capsule, CollisionModel, HalfSpace, Sphere, contact_step
from rbd.contact.model.contact_kinematics import distance_jet
from rbd.errors import ArgumentError, FrameMismatchError, ShapeError, StaleStateError
from rbd.scalars.arrays import Array
from rbd.testing import random_tree
from tests.mechanism.interrupts import raise_at

KINDS = [rbd.Revolute([0, 0, 1]), rbd.Prismatic([1, 1, 0]), rbd.QuaternionSpherical(), rbd.QuaternionFloating()]


def random_model(seed: int, bodies: int = 4) -> tuple[rbd.Mechanism, CollisionModel]:
    """Return a random tree with a shape on every body, and all pairs."""
    rng = np.random.default_rng(seed)
    mechanism = random_tree([KINDS[i % len(KINDS)] for i in range(bodies)], rng)
    model = CollisionModel(mechanism)
    world = mechanism.root_body
    ground = model.add(
        world,
        HalfSpace(
            rbd.Point(world.default_frame, rng.normal(size=3)), rbd.FreeVector(world.default_frame, rng.normal(size=3))
        ),
    )
    shapes: list[Capsule | Sphere | Box] = []
    for i, body in enumerate(mechanism.bodies[1:]):
        frame = body.add_frame(
            rbd.Transform(rbd.Frame(f"shape{i}"), body.default_frame, translation=rng.normal(size=3) / 4)
        )
        made = (Capsule(frame, 0.5, 0.1), Sphere(frame, 0.2), Box(frame, (0.3, 0.2, 0.4)))[i % 3]
        shapes.append(model.add(body, made))
    for i, a in enumerate(shapes):
        model.add_pair(a, ground)
        for b in shapes[:i]:
            model.add_pair(a, b)
    return mechanism, model


def _values(model: CollisionModel, q: Array) -> Array:
    return np.array([d.value for d in model.distances(rbd.MechanismState(model.mechanism, q))], dtype=float)


# --- the hand ---------------------------------------------------------------------------------------------------------


def test_distances_of_the_hand_at_rest() -> None:
    mechanism, model = rbd.robots.hand()
    found = [d.value for d in model.distances(rbd.MechanismState(mechanism))]
    np.testing.assert_allclose(found, [0.10, 0.10, 0.10, 0.019183100353335314], rtol=0, atol=2e-17)


def test_jacobian_of_fingers_vanishes_where_all_links_are_in_line() -> None:
    mechanism, model = rbd.robots.hand()
    rows = model.jacobian(rbd.MechanismState(mechanism))
    np.testing.assert_allclose(rows[:3], 0, rtol=0, atol=1e-15)
    assert abs(rows[3]).max() > 0.001


# --- rows and second-order terms --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_jacobian_is_the_derivative_of_distances(seed: int) -> None:
    mechanism, model = random_model(seed)
    rng = np.random.default_rng(100 + seed)
    state = rbd.MechanismState(mechanism)
    state.randomize(rng)
    rows, here, h = model.jacobian(state), state.q.copy(), 1e-5
    for k in range(mechanism.nv):
        step = np.zeros(mechanism.nv)
        step[k] = h
        ends = []
        for phi in (step, -step):
            state.global_coordinates(here, phi)
            ends.append(_values(model, state.q.copy()))
        np.testing.assert_allclose(rows[:, k], (ends[0] - ends[1]) / (2 * h), rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_first_derivative_of_the_jet_is_the_jacobian_times_the_velocity(seed: int) -> None:
    mechanism, model = random_model(seed)
    state = rbd.MechanismState(mechanism)
    state.randomize(seed)
    wanted = model.jacobian(state) @ state.v
    scalar = state.with_scalars()
    found = [float(distance_jet(scalar, pair).first) for pair in model.pairs]
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_second_derivatives_of_distances_along_a_simulated_motion(seed: int) -> None:
    """d'' = J vd + b, against second differences of d over a motion that dynamics makes."""
    mechanism, model = random_model(seed)
    state = rbd.MechanismState(mechanism)
    state.randomize(seed)
    robot = rbd.compile(mechanism)
    torques = np.zeros(mechanism.nv)
    vd = rbd.forward_dynamics(state, torques)
    wanted = model.jacobian(state) @ vd + model.bias(state)
    h = 2e-4
    values = [_values(model, robot.step(state.q, state.v, torques, t)[0]) for t in (-2 * h, -h, 0.0, h, 2 * h)]
    found = (-values[0] + 16 * values[1] - 30 * values[2] + 16 * values[3] - values[4]) / (12 * h * h)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-6 * (1 + abs(wanted).max()))


def test_jacobian_is_zero_for_joints_not_between_the_bodies() -> None:
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism, np.linspace(0.1, 0.7, 13))
    rows = model.jacobian(state)
    assert not rows[:, 0].any()  # the wrist carries both shapes of every pair
    assert not rows[0, 5:].any()
    assert not rows[3, 1:11].any()


@pytest.mark.parametrize("seed", range(3))
def test_swapping_the_shapes_of_pairs_changes_neither_jacobian_nor_bias(seed: int) -> None:
    mechanism, model = random_model(seed)
    swapped = CollisionModel(mechanism)
    for shape in model.shapes:
        swapped.add(model.body(shape), shape)
    for pair in model.pairs:
        swapped.add_pair(pair.b, pair.a)
    state = rbd.MechanismState(mechanism)
    state.randomize(seed)
    for one, other in zip(model.distances(state), swapped.distances(state), strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-13)
        assert one.normal.isclose(-other.normal, atol=1e-10)
        assert one.witness_a.isclose(other.witness_b, atol=1e-10)
    np.testing.assert_allclose(swapped.jacobian(state), model.jacobian(state), rtol=0, atol=1e-11)
    np.testing.assert_allclose(swapped.bias(state), model.bias(state), rtol=0, atol=1e-9)


def test_distances_do_not_depend_on_where_the_robot_stands() -> None:
    near, far = (rbd.Mechanism(), rbd.Mechanism())
    results = []
    for mechanism, shift in ((near, 0.0), (far, 1e6)):
        body = rbd.RigidBody("base", rbd.SpatialInertia(rbd.Frame("base"), mass=1, moment_about_com=np.eye(3)))
        joint = rbd.Joint("base", rbd.Fixed())
        pose = rbd.Transform(joint.frame_before, mechanism.root_frame, translation=[shift, 0, 0])
        mechanism.attach(mechanism.root_body, body, joint, joint_pose=pose)
        link = rbd.RigidBody("link", rbd.SpatialInertia(rbd.Frame("link"), mass=1, moment_about_com=np.eye(3)))
        hinge = rbd.Joint("hinge", rbd.Revolute([0, 1, 0]))
        at = rbd.Transform(hinge.frame_before, body.default_frame, translation=[0.7, 0, 0])
        mechanism.attach(body, link, hinge, joint_pose=at)
        model = CollisionModel(mechanism)
        a = model.add(body, Capsule(body.default_frame, 0.3, 0.1))
        b = model.add(link, Capsule(link.default_frame, 0.2, 0.1))
        model.add_pair(b, a)
        state = rbd.MechanismState(mechanism, [0.3], [2.0])
        results.append((model.distances(state)[0].value, model.jacobian(state), model.bias(state)))
    for here, there in zip(*results, strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-13, atol=1e-13)


# --- the same on other scalars and in batches -------------------------------------------------------------------------


def test_scalar_states_give_the_same_results() -> None:
    mechanism, model = random_model(5)
    state = rbd.MechanismState(mechanism)
    state.randomize(5)
    for live, scalar in zip(model.distances(state), model.distances(state.with_scalars()), strict=True):
        assert live.value == pytest.approx(scalar.value, abs=1e-13)
        assert live.witness_a.isclose(scalar.witness_a)
        assert live.normal.isclose(scalar.normal)
    scalar_state = state.with_scalars()
    np.testing.assert_allclose(
        model.jacobian(state), np.array(model.jacobian(scalar_state), dtype=float), rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(model.bias(state), np.array(model.bias(scalar_state), dtype=float), rtol=0, atol=1e-11)


def test_jacobian_agrees_with_complex_step_derivatives() -> None:
    mechanism, model = rbd.robots.hand()
    q = np.linspace(-0.4, 0.5, 13)
    rows = model.jacobian(rbd.MechanismState(mechanism, q))
    for k in range(13):
        z = q.astype(complex)
        z[k] += 1e-30j
        values = [d.value for d in model.distances(rbd.MechanismState(mechanism, q).with_scalars(z))]
        np.testing.assert_allclose([complex(x).imag / 1e-30 for x in values], rows[:, k], rtol=0, atol=1e-14)


def test_exact_configurations_give_exact_distances_of_balls_and_planes() -> None:
    mechanism = rbd.Mechanism()
    body = rbd.RigidBody("slider", rbd.SpatialInertia(rbd.Frame("slider"), mass=1, moment_about_com=np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbd.Joint("rail", rbd.Prismatic([0, 0, 1])))
    model = CollisionModel(mechanism)
    world = mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(world, (0, 0, 0)), rbd.FreeVector(world, (0, 0, 1))))
    model.add_pair(model.add(body, Sphere(body.default_frame, 0.25)), floor)
    state = rbd.MechanismState(mechanism).with_scalars([Fraction(1, 3)], [Fraction(0)])
    assert model.distances(state)[0].value == Fraction(1, 12)


def test_recorded_functions_take_batches() -> None:
    mechanism, model = rbd.robots.hand()
    q = np.random.default_rng(0).uniform(-0.5, 0.5, (7, 13))
    batch = model.recorded("jacobian")(q, np.zeros(13))
    for row, one in zip(np.asarray(batch), q, strict=True):
        assert (row == model.jacobian(rbd.MechanismState(mechanism, one))).all()


def test_previous_normals_are_kept_where_axes_meet() -> None:
    mechanism, model = _crossing()
    apart = model.distances(rbd.MechanismState(mechanism, [-1e-3]))
    np.testing.assert_allclose(apart[0].normal.xyz, [0, 0, -1], rtol=0, atol=1e-15)
    meeting = model.distances(rbd.MechanismState(mechanism, [0.0]), previous=apart)
    np.testing.assert_allclose(meeting[0].normal.xyz, [0, 0, -1], rtol=0, atol=1e-15)
    fresh = model.distances(rbd.MechanismState(mechanism, [0.0]))
    assert abs(fresh[0].normal.xyz[2]) == pytest.approx(1, abs=1e-15)


def _crossing() -> tuple[rbd.Mechanism, CollisionModel]:
    """Two crossed rods, one of which moves through the other."""
    mechanism = rbd.Mechanism()
    body = rbd.RigidBody("rod", rbd.SpatialInertia(rbd.Frame("rod"), mass=1, moment_about_com=np.eye(3)))
    mechanism.attach(mechanism.root_body, body, rbd.Joint("rail", rbd.Prismatic([0, 0, 1])))
    x_axis, y_axis = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    along_x = body.add_frame(rbd.Transform(rbd.Frame("along x"), body.default_frame, x_axis))
    along_y = mechanism.root_body.add_frame(rbd.Transform(rbd.Frame("along y"), mechanism.root_frame, y_axis))
    model = CollisionModel(mechanism)
    model.add_pair(model.add(body, Capsule(along_x, 1.0, 0.1)), model.add("world", Capsule(along_y, 1.0, 0.1)))
    return mechanism, model


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_errors_of_collision_models() -> None:
    mechanism, model = rbd.robots.hand()
    first, palm = model.shapes[1], model.shapes[5]
    with pytest.raises(FrameMismatchError, match="not fixed to body 'palm'"):
        model.add("palm", Sphere(rbd.Frame("nowhere"), 0.1))
    with pytest.raises(ArgumentError, match="added before"):
        model.add("wrist", first)
    with pytest.raises(ArgumentError, match="both shapes are fixed to body 'wrist'"):
        model.add_pair(first, model.shapes[2])
    with pytest.raises(ArgumentError, match="no shape of this model"):
        model.add_pair(palm, Sphere(mechanism.root_frame, 0.1))
    with pytest.raises(rbd.errors.UnknownNameError):
        model.add("nobody", first)
    other = rbd.MechanismState(rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="another mechanism"):
        model.distances(other)
    with pytest.raises(ArgumentError, match="previous holds 0 distances"):
        model.distances(rbd.MechanismState(mechanism), previous=[])
    with pytest.raises(ShapeError):
        model.jacobian(rbd.MechanismState(mechanism), out=np.zeros((4, 12)))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda f: Capsule(f, -1.0, 0.1), "length is -1"),
        (lambda f: Sphere(f, float("nan")), "radius is nan"),
        (lambda f: Box(f, (1, 0, 1)), "size is 0, must be positive"),
    ],
)
def test_errors_of_shapes(make: object, words: str) -> None:
    assert callable(make)
    with pytest.raises(rbd.errors.RbdError, match=words):
        make(rbd.Frame("f"))


def test_collision_models_follow_edits_of_the_mechanism() -> None:
    mechanism, model = rbd.robots.hand()
    state = rbd.MechanismState(mechanism)
    model.distances(state)
    mechanism.remove_subtree(mechanism.body("thumb1"))
    with pytest.raises(StaleStateError):
        model.distances(state)


def test_interrupted_models_find_the_bodies_of_their_shapes_later() -> None:
    line, interrupted = 0, True
    while interrupted:
        line += 1
        types = [rbd.Revolute((0, 0, 1)), rbd.Fixed(), rbd.Revolute((0, 0, 1))]
        mechanism = rbd.testing.random_chain(types, np.random.default_rng(1))
        model = CollisionModel(mechanism)
        shapes = [model.add(body, Sphere(body.default_frame, 0.1)) for body in mechanism.bodies[2:]]
        model.add_pair(*shapes)
        mechanism.remove_fixed_joints()
        interrupted = raise_at(line, KeyboardInterrupt, lambda model=model: model.pairs)
        (pair,) = model.pairs
        assert (pair.body_a, pair.body_b) == (mechanism.body("body1"), mechanism.body("body3"))
    assert line > 10


def test_collision_models_follow_the_removal_of_fixed_joints() -> None:
    mechanism = rbd.Mechanism()
    arm, tool = (
        rbd.RigidBody(name, rbd.SpatialInertia(rbd.Frame(name), mass=1.0, moment_about_com=np.eye(3) / 10))
        for name in ("arm", "tool")
    )
    mechanism.attach("world", arm, rbd.Joint("shoulder", rbd.Revolute([0, 1, 0])))
    mount = rbd.Joint("mount", rbd.Fixed())
    ahead = rbd.Transform(mount.frame_before, arm.default_frame, translation=[0.5, 0, 0])
    mechanism.attach(arm, tool, mount, joint_pose=ahead)
    model, root = CollisionModel(mechanism), mechanism.root_frame
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, -0.25)), rbd.FreeVector(root, (0, 0, 1))))
    tip = model.add(tool, Sphere(tool.default_frame, 0.1))
    model.add_pair(tip, floor, friction=0.4)
    state = rbd.MechanismState(mechanism, [0.3], [0.2])

    def values(state: rbd.MechanismState) -> list[object]:
        near = model.distances(state, pairs=[0])[0].value, model.distances(state)[0].value
        after = contact_step(state, model, None, 1e-3)
        return [*near, *model.jacobian(state)[0], *model.jacobian(state, pairs=[0])[0], *model.bias(state), *after.v]

    before = values(state)
    mechanism.remove_fixed_joints()
    twin = copy(model)
    np.testing.assert_allclose(values(rbd.MechanismState(mechanism, [0.3], [0.2])), before, rtol=0, atol=1e-12)
    for each in (model, twin):
        assert each.body(tip) is each.pairs[0].body_a is arm
        assert each.pairs[0].friction == 0.4
    model.add_pair(model.add(arm, Sphere(arm.default_frame, 0.2)), floor)
    with pytest.raises(ArgumentError, match="both shapes are fixed to body 'arm'"):
        model.add_pair(tip, model.shapes[-1])


@pytest.mark.parametrize("copied", [copy, deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_have_the_shapes_and_take_pairs_of_their_own(copied: Callable[[CollisionModel], CollisionModel]) -> None:
    _, model = random_model(3)
    before = _values(model, q := rbd.MechanismState(model.mechanism).q)
    twin = copied(model)
    assert _values(twin, q).tobytes() == before.tobytes()
    assert [twin.body(shape).name for shape in twin.shapes] == [model.body(shape).name for shape in model.shapes]
    twin.add_pair(twin.shapes[1], twin.shapes[2], friction=0.3)
    assert len(_values(twin, q)) == len(before) + 1
    assert len(model.pairs) == len(before)
    assert _values(model, q).tobytes() == before.tobytes()
    with pytest.raises(ArgumentError, match="added before"):
        twin.add(twin.body(twin.shapes[1]), twin.shapes[1])
