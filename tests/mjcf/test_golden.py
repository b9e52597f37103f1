"""Every feature of the format: M, bias and positions of our own models equal those that MuJoCo gave."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.mjcf import MjcfReport, MjcfWarning, from_mujoco, load_mjcf, to_mujoco
from tests.mjcf.comparison import at_velocity
from tests.mjcf.models import MODELS, write_meshes

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "mjcf.json").read_text(encoding="utf-8"))
NEEDS_SCIPY = {"mesh, convex", "mesh, its hull"}


def loaded(name: str, folder: Path) -> tuple[rbd.Mechanism, MjcfReport]:
    if name in NEEDS_SCIPY:
        pytest.importorskip("scipy")
    write_meshes(folder)
    path = folder / "model.xml"
    path.write_text(MODELS[name], encoding="utf-8")
    report = MjcfReport()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MjcfWarning)
        return load_mjcf(path, report=report), report


def test_there_are_numbers_for_every_model() -> None:
    assert set(GOLDEN) == {"about", *MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_moves_as_in_mujoco(name: str, tmp_path: Path) -> None:
    mechanism, report = loaded(name, tmp_path)
    golden = GOLDEN[name]
    qpos, qvel = np.array(golden["qpos"]), np.array(golden["qvel"])
    state = rbd.MechanismState(mechanism, *from_mujoco(mechanism, qpos, qvel))
    matrix, bias = at_velocity(state, qpos, qvel)
    scale = max(1e-3, *np.abs(golden["M"]).ravel(), 0.0)
    # MuJoCo turns inertias into their principal axes up to products of 1e-12
    np.testing.assert_allclose(matrix, np.reshape(golden["M"], matrix.shape), rtol=0, atol=1e-10 * scale)
    np.testing.assert_allclose(bias, golden["bias"], rtol=0, atol=1e-10 * max(scale, *np.abs(golden["bias"]), 0.0))
    for body, position in golden["positions"].items():
        place = state.transform_to_root(mechanism.frame(body)).translation
        np.testing.assert_allclose(place, position, rtol=0, atol=1e-13)
    start, _ = to_mujoco(mechanism, *report.keyframes["qpos0"])
    np.testing.assert_allclose(start, golden["qpos0"], rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", [name for name in MODELS if name.startswith(("joint", "tree"))])
def test_coordinates_go_to_mujoco_and_back(name: str, tmp_path: Path) -> None:
    mechanism, _ = loaded(name, tmp_path)
    qpos, qvel = np.array(GOLDEN[name]["qpos"]), np.array(GOLDEN[name]["qvel"])
    back = to_mujoco(mechanism, *from_mujoco(mechanism, qpos, qvel))
    np.testing.assert_allclose(back[0], qpos, rtol=0, atol=1e-15)
    np.testing.assert_allclose(back[1], qvel, rtol=0, atol=1e-14)
