"""Arrays and mechanisms that users give to worlds and rollouts: shapes, and what changes later."""

# pyright: basic
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ShapeError
from rbd.rollout import Worlds, rollout

MECHANISM = rbd.robots.double_pendulum()


def study(initial_states: Any, cases: int | None = None) -> Any:
    return rollout(MECHANISM, initial_states, None, 0.02, dt=0.01, seed=3, cases=cases, progress=False)


def test_worlds_can_be_reset_to_their_own_arrays() -> None:
    q, v = np.arange(8.0).reshape(4, 2), np.arange(8.0, 16.0).reshape(4, 2)
    worlds = Worlds(MECHANISM, count=4, dt=1e-2)
    worlds.reset(q=q, v=v)
    worlds.reset(q=worlds.v, v=worlds.q)
    np.testing.assert_array_equal(worlds.q, v)
    np.testing.assert_array_equal(worlds.v, q)
    worlds.reset([3, 2, 1, 0], q=worlds.q, v=worlds.v)
    np.testing.assert_array_equal(worlds.q, v[::-1])


@pytest.mark.parametrize("wrong", [0.5, [0.5], [[0.5]], np.zeros((3, 1)), np.zeros(3), np.zeros((3, 2, 1))], ids=str)
def test_rows_have_all_coordinates(wrong: Any) -> None:
    """One number is not taken for all coordinates."""
    worlds = Worlds(MECHANISM, count=3, dt=1e-2, parameters=["gravity", "damping"])
    for name in ("q", "v", "damping"):
        with pytest.raises(ShapeError, match=rf"{name} has shape .*, needs \(3, 2\) or \(2,\)"):
            worlds.reset(**{name: wrong})
    with pytest.raises(ShapeError, match=r"actions has shape .*, needs \(3, 2\) or \(2,\)"):
        worlds.step(wrong)
    for row in ([0.1, 0.2], [[0.1, 0.2]], np.full((3, 2), 0.1)):
        worlds.reset(q=row)
        worlds.step(row)


def test_arrays_of_a_study_may_change_afterwards() -> None:
    q = np.array([[0.1, 0.2], [0.3, 0.4]])
    found = study({"q": q})
    q[:] = 0.0
    np.testing.assert_array_equal(found.start(1)["q"], [0.3, 0.4])
    np.testing.assert_array_equal(found.replay(1).q[-1], found.q[1, -1])


def test_functions_may_draw_into_one_array() -> None:
    drawn = np.zeros(2)

    def start(rng: np.random.Generator) -> dict[str, Any]:
        drawn[:] = rng.uniform(-1, 1, 2)
        return {"q": drawn}

    found = study(start, 3)
    expected = study(lambda rng: {"q": rng.uniform(-1, 1, 2)}, 3)
    np.testing.assert_array_equal(found.q, expected.q)


def test_starts_of_different_shapes_are_named() -> None:
    lengths = iter([2, 2, 3, 2])
    with pytest.raises(ShapeError, match=r"draws q of shape \(3,\) for case 1, and \(2,\) for 0"):
        study(lambda rng: {"q": np.zeros(next(lengths))}, 3)


@pytest.mark.parametrize("wrong", [0.5, [0.5], [[0.1, 0.2]]], ids=str)
def test_each_start_needs_the_shape_of_a_case(wrong: Any) -> None:
    with pytest.raises(ShapeError, match=r"q has shape .*, needs \(2, 2\)"):
        study(lambda rng: {"q": wrong}, 2)


def test_rows_of_a_study_have_all_coordinates() -> None:
    with pytest.raises(ShapeError, match=r"q has shape \(3, 1\), needs \(3, 2\)"):
        study({"q": np.zeros((3, 1))})


def test_a_number_is_no_row_per_case() -> None:
    with pytest.raises(ShapeError, match="q of initial_states has 0 rows, needs 1, one per case"):
        study({"q": 5.0})


def test_worlds_and_studies_outlive_edits_of_their_mechanism() -> None:
    mechanism = rbd.robots.double_pendulum()
    worlds = Worlds(mechanism, count=2, dt=1e-2)
    found = rollout(mechanism, {"q": np.ones((2, 2))}, None, 0.02, dt=0.01, seed=0, progress=False)
    joint = rbd.Joint("ball", rbd.QuaternionSpherical())
    mechanism.attach(
        mechanism.bodies[-1],
        rbd.RigidBody("bob", rbd.SpatialInertia.sphere(rbd.Frame("bob"), mass=1.0, radius=0.1)),
        joint,
    )
    worlds.reset(q=np.ones((2, 2)))
    worlds.step(steps=2)
    np.testing.assert_array_equal(worlds.q, found.q[:, -1])
    np.testing.assert_array_equal(found.replay(1).q[-1], found.q[1, -1])
    assert "nq = 2" in repr(worlds)
