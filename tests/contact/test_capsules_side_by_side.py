"""Capsules that lie along each other touch at both ends of their overlap, and rest there."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.contact import Capsule, CollisionModel, Compliance, ContactSimulator, Sphere, contact_step
from rbd.contact.geometry.contact_points import contact_points
from rbd.contact.geometry.placed_shapes import PlacedShape
from rbd.contact.geometry.shape_distance import nearest_points
from rbd.contact.geometry.shape_kinds import place
from rbd.scalars.arrays import Array
from tests.contact.samples import numbers, pose, rotation

ALONG_X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
HALF, RADIUS = 0.5, 0.1
BESIDE = 0.11
"""Distance of the lower logs from the middle."""
HEIGHT = float(np.sqrt(4 * RADIUS**2 - BESIDE**2))


def about_z(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def placed(half: tuple[float, float], turn: Array, at: Array, whole: Array) -> tuple[PlacedShape, PlacedShape]:
    """Return a capsule along z at the origin and another one, all turned as a whole."""
    a, b = (Capsule(rbd.Frame(name), 2 * length, RADIUS) for name, length in zip("ab", half, strict=True))
    return place(a, pose(a, whole, np.zeros(3))), place(b, pose(b, whole @ turn, whole @ at))


@pytest.mark.parametrize("opposite", [False, True])
def test_parallel_capsules_touch_at_both_ends_of_their_overlap(opposite: bool) -> None:
    rng, turn = np.random.default_rng(3), np.diag([1.0, -1.0, -1.0]) if opposite else np.eye(3)
    for _ in range(40):
        half, whole = tuple(rng.uniform(0.1, 1.0, 2)), rotation(rng)
        at = np.array([0.15, 0.2, rng.uniform(-0.9, 0.9) * (half[0] + half[1])])
        found = [numbers(point) for point in contact_points(*placed((half[0], half[1]), turn, at, whole))]
        ends = sorted(float((whole.T @ on_a)[2]) for _, on_a, _, _ in found)
        overlap = max(-half[0], at[2] - half[1]), min(half[0], at[2] + half[1])
        np.testing.assert_allclose(ends, overlap, rtol=0, atol=1e-12)
        for phi, on_a, on_b, n in found:
            assert phi == pytest.approx(0.25 - 2 * RADIUS, abs=1e-13)
            np.testing.assert_allclose(on_a - on_b, phi * n, rtol=0, atol=1e-13)


def distance_from_segment(point: Array, middle: Array, half: Array) -> float:
    s = np.clip((point - middle) @ half / (half @ half), -1, 1)
    return float(np.linalg.norm(point - middle - s * half))


def test_others_touch_at_the_nearest_point_and_an_end() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        half, at, turn = rng.uniform(0.1, 1.0, 2), rng.normal(size=3), rotation(rng)
        capsules = placed((half[0], half[1]), turn, at, np.eye(3))
        first, second = contact_points(*capsules)
        assert first == nearest_points(*capsules)
        one, other = np.array([0, 0, half[0]]), turn @ [0, 0, half[1]]
        of_ends = [distance_from_segment(side * one, at, other) for side in (-1, 1)]
        of_ends += [distance_from_segment(at + side * other, np.zeros(3), one) for side in (-1, 1)]
        last = first if second.phi == 1e9 else second  # one point: the nearest is an end
        assert min(abs(float(last.phi) + 2 * RADIUS - distance) for distance in of_ends) < 1e-12
        assert float(second.phi) >= float(first.phi) - 1e-12
        assert last is first or np.linalg.norm(np.subtract(second.p_a, first.p_a)) > 1e-7


@pytest.mark.parametrize("angle", [0.0, 1e-4, 0.3, 1.0])
def test_ends_that_meet_touch_at_one_point(angle: float) -> None:
    """Two equal points would double a compliance."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    reach = np.array([0.0, 0.0, 0.5]) + turn @ [0.0, 0.0, 0.4 + 1.9 * RADIUS]
    first, second = (numbers(point) for point in contact_points(*placed((0.5, 0.4), turn, reach, np.eye(3))))
    assert first[0] < 0
    assert second[0] == 1e9


def test_compliance_of_ends_that_meet_is_that_of_spheres() -> None:
    speeds = [pressed(kind).v[0] for kind in ("capsules", "spheres")]
    assert speeds[0] == pytest.approx(speeds[1], rel=1e-9)


def pressed(kind: str) -> rbd.contact.ContactStep:
    """Return a step of a capsule or sphere that is pressed on the end of another one by 1 cm."""
    mechanism = rbd.Mechanism()
    inertia = rbd.SpatialInertia(rbd.Frame("rod"), mass=1.0, moment_about_com=np.eye(3))
    model, body, root = CollisionModel(mechanism), rbd.RigidBody("rod", inertia), mechanism.root_body
    mechanism.attach("world", body, rbd.Joint("up", rbd.Prismatic([0, 0, 1])))
    lower, upper = rbd.Frame("lower"), rbd.Frame("upper")
    distance = 0.5 if kind == "capsules" else 0.0
    root.add_frame(rbd.Transform(lower, root.default_frame, translation=(0, 0, -distance)))
    body.add_frame(rbd.Transform(upper, body.default_frame, translation=(0, 0, distance)))
    shapes = [Capsule(at, 1.0, RADIUS) if distance else Sphere(at, RADIUS) for at in (upper, lower)]
    model.add_pair(model.add(body, shapes[0]), model.add(root, shapes[1]), compliance=Compliance(1e3))
    state = rbd.MechanismState(mechanism, [2 * RADIUS - 0.01])
    return contact_step(state, model, None, 1e-3, friction=0.0)


def log_on_logs(yaw: float, shift: float) -> tuple[rbd.MechanismState, CollisionModel]:
    """Return a capsule above the groove of two fixed ones, turned by an angle and shifted along it."""
    mechanism = rbd.Mechanism()
    model, moments = CollisionModel(mechanism), np.diag([0.005, 0.09, 0.09])
    body = rbd.RigidBody("log", rbd.SpatialInertia(rbd.Frame("log"), mass=1.0, moment_about_com=moments))
    mechanism.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating()))
    frame, root = rbd.Frame("axis"), mechanism.root_body
    body.add_frame(rbd.Transform(frame, body.default_frame, rotation=ALONG_X))
    log = model.add(body, Capsule(frame, 2 * HALF, RADIUS))
    for y in (-BESIDE, BESIDE):
        below = rbd.Frame(f"below {y}")
        root.add_frame(rbd.Transform(below, root.default_frame, rotation=ALONG_X, translation=(0, y, 0)))
        model.add_pair(log, model.add(root, Capsule(below, 2 * HALF, RADIUS)))
    return rbd.MechanismState(mechanism, [np.cos(yaw / 2), 0, 0, np.sin(yaw / 2), shift, 0, HEIGHT]), model


@pytest.mark.parametrize(("yaw", "shift"), [(0.0, 0.3), (1e-5, 0.0), (1e-3, 0.3)])
def test_a_log_rests_in_the_groove_of_two_others(yaw: float, shift: float) -> None:
    state, model = log_on_logs(yaw, shift)
    after = ContactSimulator(state.mechanism, model, None, 2e-3, friction=0.5).run(state, 0.5)
    assert np.abs(after.v[-1]).max() < 1e-9
    assert np.abs(after.distances[-1]).max() < 1e-9
    assert state.q[6] == pytest.approx(HEIGHT, abs=1e-9)
    assert state.q[4] == pytest.approx(shift, abs=1e-4)
