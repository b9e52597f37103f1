"""A page with a quadruped that the reader can push, computed by recorded functions in WebAssembly.

    python docs/push.py FOLDER   writes push.html and quadruped.js

The documentation is built with it; `python docs/make_images.py` takes its picture.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np

import rbd
from rbd.compiled import RecordedFunction
from rbd.export import WasmModule, write_wasm
from rbd.scalars import Array

PAGE = Path(__file__).with_suffix(".html")
STANCE = rbd.robots.quadruped_configuration(0.3)
LEGS = ("front_left", "front_right", "rear_left", "rear_right")
CORNERS = [(x, y, z) for x in (-0.19, 0.19) for y in (-0.05, 0.05) for z in (-0.05, 0.05)]
"""Of the trunk, in its frame."""


def quadruped() -> rbd.Mechanism:
    """Return the quadruped with compliant feet, and corners of the trunk, on the ground."""
    robot = rbd.robots.quadruped()
    for joint in robot.tree_joints[1:]:
        joint.armature = 0.02  # kg m², of the motors
    rubber = rbd.SoftContact(rbd.HuntCrossley(100e3, 200e3), rbd.ViscoelasticCoulomb(0.8, 10e3, 100.0))
    for leg in LEGS:
        robot.body(f"{leg}_shank").add_contact_point(rbd.Point(robot.frame(f"{leg}_foot"), (0, 0, -0.02)), rubber)
    for corner in CORNERS:
        robot.body("trunk").add_contact_point(rbd.Point(robot.frame("trunk"), corner), rubber)
    ground = rbd.Point(robot.root_frame, (0, 0, 0)), rbd.FreeVector(robot.root_frame, (0, 0, 1))
    robot.add_half_space(rbd.contact.HalfSpace(*ground))
    return robot


def hold(state: rbd.MechanismState, push: Array) -> Array:
    """Return torques that hold the stance, and those of a force `push` on the trunk."""
    torques = np.zeros(18, like=state.q)
    torques[6:] = np.clip(150.0 * (STANCE[7:] - state.q[7:]) - 5.0 * state.v[6:], -60.0, 60.0)
    middle = rbd.Point(state.mechanism.frame("trunk"), (0, 0, 0))
    return torques + rbd.point_jacobian(state, "trunk", middle).matrix.T @ push


def outline(state: rbd.MechanismState) -> dict[str, object]:
    """Return the points that the page draws: corners of the trunk, and the joints and the foot of every leg."""
    mechanism, trunk = state.mechanism, state.mechanism.frame("trunk")
    corners = [state.transform(rbd.Point(trunk, corner), mechanism.root_frame).components for corner in CORNERS]
    frames = [[*(mechanism.body(f"{leg}_{part}").default_frame for part in ("hip", "thigh", "shank"))] for leg in LEGS]
    places = [[*row, mechanism.frame(f"{leg}_foot")] for leg, row in zip(LEGS, frames, strict=True)]
    legs = [[state.transform_to_root(frame).translation for frame in row] for row in places]
    return {"trunk": corners, "legs": legs}


def functions() -> dict[str, RecordedFunction]:
    """Return the functions of the page."""
    robot = quadruped()
    step = rbd.compile(robot).function("step", integrator="semi-implicit-euler")
    return {"step": step, "hold": rbd.record(hold, robot, push=3), "outline": rbd.record(outline, robot)}


def write(folder: Path) -> WasmModule:
    """Write the page and its module."""
    written = write_wasm(functions(), folder, prefix="quadruped")
    shutil.copy(PAGE, folder / "push.html")
    return written


def main() -> None:
    """Write the page to the folder of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    written = write(parser.parse_args().folder)
    print(f"{written.script}: {written.script.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
