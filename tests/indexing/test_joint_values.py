"""Arrays of q or v by joint, and tables of them."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import ShapeError, UnknownNameError
from rbd.indexing.joint_values import JointValues, joint_table
from rbd.indexing.layout import layout_of
from rbd.testing import random_tree


def test_arrays_by_joint() -> None:
    mechanism = rbd.robots.humanoid()
    state = rbd.MechanismState(mechanism)
    state.randomize(1)
    base = mechanism.joint("floating_base")
    assert state.by_joint(state.q)[base].shape == (7,)
    assert state.by_joint(state.v)["floating_base"].shape == (6,)
    result = rbd.dynamics(state)
    np.testing.assert_array_equal(result.by_joint(result.vd)[base], result.vd[:6])
    tau = np.zeros((3, mechanism.nv))
    state.by_joint(tau)["floating_base"] = 2.0
    np.testing.assert_array_equal(tau[:, :6], 2.0)
    assert not tau[:, 6:].any()
    assert list(state.by_joint(tau)) == list(mechanism.tree_joints)
    assert "floating_base: [2. 2. 2. 2. 2. 2.]" in repr(state.by_joint(tau[0]))
    with pytest.raises(ShapeError, match="values has shape"):
        state.by_joint([1.0, 2.0])
    with pytest.raises(UnknownNameError, match="did you mean 'floating_base'"):
        state.by_joint(tau)["floating_bse"]


@pytest.mark.parametrize(
    "value", [[1.0], [[1.0]], [1.0, 2.0], [[1.0, 2.0, 3.0]], np.ones((3, 1)), ["a", "b", "c"], "a"]
)
def test_values_that_do_not_fit_are_refused_and_change_nothing(value: object) -> None:
    mechanism = random_tree([rbd.QuaternionSpherical(), rbd.Revolute((0, 0, 1))], np.random.default_rng(2))
    name = mechanism.tree_joints[0].name
    for tau in (np.zeros(mechanism.nv), np.zeros((3, mechanism.nv))):
        by_joint = JointValues(layout_of(mechanism), tau)
        with pytest.raises(ShapeError, match=r"value cannot be written to entries of shape"):
            by_joint[name] = value  # type: ignore[assignment]  # the error
        assert not tau.any()


def test_a_row_is_written_to_all_rows() -> None:
    mechanism = rbd.robots.humanoid()
    tau = np.zeros((2, mechanism.nv))
    JointValues(layout_of(mechanism), tau)["floating_base"] = range(6)
    np.testing.assert_array_equal(tau[:, :6], [range(6), range(6)])


def test_tables_have_a_line_per_joint() -> None:
    mechanism = rbd.robots.quadruped()
    q = np.arange(mechanism.nq, dtype=float).tolist()
    first, *lines = joint_table("Thing", layout_of(mechanism), {"q": q}, ", measured").splitlines()
    assert f"nq = {mechanism.nq}, nv = {mechanism.nv}" in first
    assert first.startswith("Thing")
    assert first.endswith(", measured")
    names = [joint.name for joint in mechanism.tree_joints if joint.nv]
    assert [line.split()[0] for line in lines] == names
    assert lines[-1].endswith(f"q = [{mechanism.nq - 1}]")
