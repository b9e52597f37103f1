"""Second derivatives of inverse dynamics against complex steps of the first ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from rbd.errors import ArgumentError, ShapeError, TopologyError
from rbd.testing import random_chain

from ..helpers import JOINT_TYPES, STEP, Numbers, close, rate, set_passive

KINDS = [
    ("revolute z", "prismatic oblique", "universal oblique"),
    ("rotation vector floating", "revolute oblique"),
    ("spherical", "planar"),
    ("sin-cos", "screw y"),
    ("floating", "prismatic x"),
    ("rotation vector spherical", "MRP floating"),
    ("universal", "fixed", "screw oblique"),
]


def made(kinds: tuple[str, ...]) -> tuple[MechanismState, Numbers]:
    rng = np.random.default_rng(4)
    mechanism = random_chain([JOINT_TYPES[kind] for kind in kinds], rng)
    for joint in mechanism.tree_joints:
        set_passive(joint, rng, on=True)
    state = MechanismState(mechanism)
    state.randomize(rng)
    return state, rng.standard_normal(mechanism.nv)


@pytest.mark.parametrize("kinds", KINDS)
def test_along_velocities(kinds: tuple[str, ...]) -> None:
    state, vd = made(kinds)
    still, units = np.zeros_like(vd), np.eye(len(vd))

    def first(which: int) -> Any:
        return lambda s: rbd.inverse_dynamics_derivatives(s, vd)[which]

    found = rbd.inverse_dynamics_second_derivatives(state, vd)
    for entry, which, moves in (
        (found.by_q_and_q, 0, True),
        (found.by_q_and_v, 0, False),
        (found.by_v_and_v, 1, False),
        (found.by_q_and_vd.transpose(0, 2, 1), 2, True),
    ):
        columns = [rate(state, first(which), *((still, unit) if moves else (unit, still))) for unit in units]
        close(entry, np.stack(columns, axis=-1), 1e-11, scale=1e-2)
    close(found.by_v_and_v, found.by_v_and_v.transpose(0, 2, 1), 1e-11, scale=1e-2)


@pytest.mark.parametrize("kinds", KINDS)
def test_by_coordinates_they_are_symmetric(kinds: tuple[str, ...]) -> None:
    state, vd = made(kinds)
    found = rbd.inverse_dynamics_second_derivatives(state, vd, space="coordinates")
    close(found.by_q_and_q, found.by_q_and_q.transpose(0, 2, 1), 1e-11, scale=1e-2)
    columns = []
    for unit in np.eye(state.mechanism.nq):
        moved = state.with_scalars(state.q + 1j * STEP * unit, state.v + 0j)
        columns.append(np.imag(rbd.inverse_dynamics_derivatives(moved, vd, space="coordinates")[0]) / STEP)
    close(found.by_q_and_q, np.stack(columns, axis=-1), 1e-11, scale=1e-2)


def test_what_is_refused() -> None:
    state = MechanismState(rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="space"):
        rbd.inverse_dynamics_second_derivatives(state, [0.0, 0.0], space="world")  # type: ignore[arg-type]  # the error
    with pytest.raises(ShapeError):
        rbd.inverse_dynamics_second_derivatives(state, [0.0])
    four_bar = MechanismState(rbd.robots.four_bar())
    with pytest.raises(TopologyError):
        rbd.inverse_dynamics_second_derivatives(four_bar, np.zeros(four_bar.mechanism.nv))
