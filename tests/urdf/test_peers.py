"""Robots of the example-robot-data collection, read by us and by Pinocchio."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.mechanism import Mechanism
from rbd.urdf import UrdfReport, load_urdf

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning")]
pin = pytest.importorskip("pinocchio", reason="comparisons need the dependency group `peers`")
ROBOTS = Path(pin.__file__).parents[4] / "share/example-robot-data/robots"
EMPTY = {"ur3.urdf"}  # a template that was expanded to nothing
PATHS = [path for path in sorted(ROBOTS.rglob("*.urdf")) if path.name not in EMPTY]


def test_the_collection_is_there() -> None:
    assert len(PATHS) >= 60


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
def test_same_joints_masses_and_placements(path: Path, floating: bool) -> None:
    report = UrdfReport()
    free = floating and '<link name="world"' not in path.read_text()  # the world itself cannot float
    mechanism = load_urdf(path, floating=free, snap=False, report=report)
    model = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if free else []))
    ours = {joint.name for joint in mechanism.tree_joints if not joint.name.endswith("_to_world")}
    theirs = set(model.names[1:]) - {"root_joint"}
    followers = {mimic.joint for mimic in report.mimics}
    assert ours - followers == theirs - followers
    mass = sum(inertia.mass for inertia in model.inertias[1:])
    assert mechanism.mass == pytest.approx(mass, rel=1e-12)
    for name in ours & theirs:
        compare(mechanism, model, name, report)


def compare(mechanism: Mechanism, model: pin.Model, name: str, report: UrdfReport) -> None:
    """Compare one joint: where it sits, its bounds, and the inertia of the body behind it."""
    index = model.getJointId(name)
    joint, pose = mechanism.joint(name), model.jointPlacements[index]
    np.testing.assert_allclose(mechanism.placement(joint).matrix, pose.homogeneous, rtol=0, atol=1e-12)
    unbounded = any(f"joint '{name}'" in w.element and "are missing" in w.message for w in report.warnings)
    if joint.nv == model.nqs[index] == 1 and not unbounded:  # they take bounds that are left out for 0
        assert joint.position_bounds == ((model.lowerPositionLimit[model.idx_qs[index]],
                                          model.upperPositionLimit[model.idx_qs[index]]),)  # fmt: skip
    inertia, theirs = mechanism.successor(joint).inertia, model.inertias[index].matrix()
    assert inertia is not None
    swap = np.eye(6)[[3, 4, 5, 0, 1, 2]]  # their linear part comes first
    np.testing.assert_allclose(inertia.matrix, swap @ theirs @ swap.T, rtol=0, atol=1e-9 * max(1.0, abs(theirs).max()))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_same_kinematics_mass_matrix_and_bias(path: Path) -> None:
    mechanism = load_urdf(path, snap=False)
    model = pin.buildModelFromUrdf(str(path))
    data, state = model.createData(), rbd.MechanismState(mechanism)
    state.randomize(np.random.default_rng(5))
    names = list(model.names[1:])
    rows = [k for name in names for k in range(*state.v_slice(name).indices(mechanism.nv))]
    q = np.concatenate([np.zeros(0), *(their_configuration(model, state, name) for name in names)])
    pin.forwardKinematics(model, data, q, state.v[rows])
    for name in names:
        pose = state.transform_to_root(mechanism.joint(name).frame_after)
        np.testing.assert_allclose(
            pose.matrix, data.oMi[model.getJointId(name)].homogeneous, rtol=0, atol=1e-10 * reach(pose)
        )
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    close(rbd.mass_matrix(state)[np.ix_(rows, rows)], M)
    close(rbd.dynamics_bias(state)[rows], pin.nonLinearEffects(model, data, q, state.v[rows]))


def reach(pose: rbd.Transform) -> float:
    """Return the distance from the origin, at least one metre."""
    return max(1.0, float(np.linalg.norm(pose.translation)))


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Compare to 1e-10 of the largest entry."""
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * max(1.0, float(abs(theirs).max(initial=0))))


def their_configuration(model: pin.Model, state: rbd.MechanismState, name: str) -> np.ndarray:
    """Return the configuration of a joint with one velocity: an angle without bounds is its cosine and sine there."""
    index, (x,) = model.getJointId(name), state.configuration(name)
    return np.array([np.cos(x), np.sin(x)] if model.nqs[index] == 2 else [x])
