"""Trees against the golden numbers of Pinocchio: twelve real robots, twenty states each, 1e-10 relative."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from rbd import Mechanism, load_urdf

from .golden import QUANTITIES, ROBOTS, Comparison, Numbers, description, from_description, golden, tolerance

STATES = 20

# Two of the files have doubtful parts, which are read as they are.
pytestmark = pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning")


def urdf_folder() -> Path | None:
    """Return the robots of the installed example-robot-data, when there are any."""
    pinocchio = pytest.importorskip("pinocchio", reason="needs the dependency group `peers`")
    folder = Path(pinocchio.__file__).parents[4] / "share/example-robot-data/robots"
    return folder if folder.is_dir() else None


def from_urdf(robot: str, snap: bool = False) -> Mechanism:
    folder = urdf_folder()
    if folder is None:
        pytest.skip("needs example-robot-data, of the dependency group `peers`")
    data = description(robot)
    mechanism = load_urdf(folder / data["file"], floating=data["floating"], snap=snap)
    for coupling in mechanism.couplings:  # the numbers are those of independent joints
        mechanism.uncouple(coupling)
    for joint in mechanism.tree_joints:
        joint.damping = joint.friction = joint.armature = 0.0
    return mechanism


MAKERS = {"description": from_description, "urdf": from_urdf, "snapped urdf": lambda robot: from_urdf(robot, snap=True)}


@cache
def ours(robot: str, source: str) -> dict[str, Numbers]:
    comparison = Comparison(robot, MAKERS[source](robot))
    rows = [comparison.quantities(k) for k in range(STATES)]
    return {name: np.array([row[name] for row in rows if name in row]) for name in QUANTITIES}


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_files_agree_with_themselves(robot: str) -> None:
    data = golden(robot)
    nv = data["v"].shape[1]
    for k in range(STATES):
        M = np.zeros((nv, nv))
        M[np.tril_indices(nv)] = data["mass_matrix_lower"][k]
        M += np.tril(M, -1).T
        np.testing.assert_allclose(data["v"][k] @ M @ data["v"][k] / 2, data["kinetic_energy"][k], rtol=1e-12)
        np.testing.assert_allclose(M @ data["vd"][k] + data["bias"][k], data["inverse_dynamics"][k], rtol=0, atol=1e-10)
        np.testing.assert_allclose(data["jacobian"][k] @ data["v"][k], data["twist"][k], rtol=0, atol=1e-11)


def compare(robot: str, source: str, quantity: str, relative: float = 1e-10) -> None:
    actual, expected = ours(robot, source)[quantity], golden(robot)[quantity]
    assert actual.shape == expected.shape
    excess = np.abs(actual - expected) / np.maximum(tolerance(quantity, expected, relative), np.finfo(float).tiny)
    worst = np.unravel_index(np.argmax(excess), excess.shape)
    assert excess.max() <= 1, f"{quantity}{worst}: {actual[worst]} is not {expected[worst]}"


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("robot", ROBOTS)
def test_robot_built_from_its_description(robot: str, quantity: str) -> None:
    compare(robot, "description", quantity)


@pytest.mark.peers
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("robot", ROBOTS)
def test_robot_read_from_its_urdf(robot: str, quantity: str) -> None:
    """Angles as the file has them: π/2 in eight digits stays what it is."""
    compare(robot, "urdf", quantity)


@pytest.mark.peers
@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("robot", ROBOTS)
def test_snapping_right_angles_changes_nothing_that_matters(robot: str, quantity: str) -> None:
    compare(robot, "snapped urdf", quantity, 1e-6)


def test_at_least_eight_robots_and_three_of_them_float() -> None:
    assert len(ROBOTS) >= 8
    assert sum(description(robot)["floating"] for robot in ROBOTS) >= 3
