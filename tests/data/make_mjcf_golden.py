"""Write tests/data/mjcf.json: what MuJoCo's models of tests/mjcf/models.py do at one state each.

Run from the root, with MuJoCo installed: python -m tests.data.make_mjcf_golden
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import mujoco
import numpy as np

from tests.mjcf.models import MODELS, write_meshes

TARGET = Path(__file__).parent / "mjcf.json"


def numbers(path: Path, seed: int) -> dict[str, object]:
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
    data.qvel[:] = rng.normal(size=model.nv)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    matrix = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, matrix)
    return {
        "qpos": data.qpos.tolist(),
        "qvel": data.qvel.tolist(),
        "qpos0": model.qpos0.tolist(),
        "M": matrix.tolist(),
        "bias": data.qfrc_bias.tolist(),
        "positions": {model.body(i).name: data.xpos[i].tolist() for i in range(1, model.nbody) if model.body(i).name},
    }


def main() -> None:
    found: dict[str, object] = {"about": f"MuJoCo {mujoco.__version__}, made by tests/data/make_mjcf_golden.py"}
    with tempfile.TemporaryDirectory() as folder:
        write_meshes(Path(folder))
        for seed, (name, text) in enumerate(MODELS.items()):
            path = Path(folder) / "model.xml"
            path.write_text(text, encoding="utf-8")
            found[name] = numbers(path, seed)
    TARGET.write_text(json.dumps(found, indent=None, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
