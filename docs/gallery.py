"""Make the viewer's pictures of the gallery in the current folder; needs Chromium and the group `peers`.

Robots of other people are read from the package `example-robot-data`, those whose licences allow pictures.
"""

from __future__ import annotations

import base64
import sys
import time
import warnings
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rbd
from rbd.viz import Viewer, contact_forces
from tests.viz.chromium import DrivenPage, eventually

SIZE = 900, 600
LIT = "shapes", "loops", "contacts", "forces", "ground", "shadows"


def main() -> None:
    """Make all of them."""
    humanoid()
    quadruped()
    linkage()
    panda()
    anymal()


def humanoid() -> None:
    """A pose of the humanoid, and the page that shows it."""
    robot = rbd.robots.humanoid()
    state = rbd.MechanismState(robot)
    state.set_configuration("floating_base", [1.0, 0, 0, 0, 0, 0, 0.92])
    pose = {"hip_pitch": -0.5, "knee": 0.9, "ankle_pitch": -0.4, "shoulder_pitch": -0.5, "elbow": -1.1}
    for joint, angle in pose.items():
        for side in ("left", "right"):
            state.set_configuration(f"{side}_{joint}", angle)
    state.set_configuration("left_shoulder_roll", 0.5)
    with Viewer(robot, port=0, layers=(*LIT, "frames")) as viewer:
        viewer.show(state).screenshot("gallery-humanoid.png", size=SIZE, timeout=300)
        page(viewer, "gallery-page.png")


def page(viewer: Viewer, name: str) -> None:
    """Take a picture of the whole page, without viser's note that a processor draws it."""
    notes = "[...document.querySelectorAll('.mantine-Notification-closeButton')]"
    with closing(DrivenPage(viewer.url, (1200, 940))) as opened:
        assert eventually(lambda: opened.value(f"document.body.innerText.includes('waist_yaw') && {notes}.length"))
        opened.value(f"{notes}.forEach(button => button.click())")
        time.sleep(5.0)  # it fades, and the scene is drawn
        Path(name).write_bytes(base64.b64decode(opened.call("Page.captureScreenshot")["data"]))


def quadruped() -> None:
    """The quadruped on its feet, as boxes and as a stick figure."""
    robot = rbd.robots.quadruped()
    model = rbd.robots.quadruped_collision_model(robot)
    state = rbd.MechanismState(robot, rbd.robots.quadruped_configuration())
    forces = contact_forces(model.distances(state), rbd.contact.solve_contact(state, model, None).multipliers)
    with Viewer(robot, port=0, layers=LIT) as viewer:
        viewer.show(state, forces=forces).screenshot("gallery-quadruped.png", size=SIZE, timeout=300)
        viewer.layer("shapes", False).layer("shadows", False).layer("skeleton").layer("frames").layer("names")
        viewer.show(state).screenshot("gallery-skeleton.png", size=SIZE, timeout=300)


def linkage() -> None:
    """An open loop."""
    robot = rbd.robots.four_bar()
    with Viewer(robot, port=0, layers=LIT) as viewer:
        state = rbd.MechanismState(robot, [0.3, 0.5, 0.2])
        viewer.show(state).screenshot("gallery-loop.png", size=(600, 400), timeout=300)


def models() -> Path:
    """Return the folder of example-robot-data."""
    places = [Path(place) / "cmeel.prefix" / "share" / "example-robot-data" for place in sys.path]
    return next(place for place in places if place.is_dir())


def load(path: str, **settings: Any) -> tuple[rbd.Mechanism, rbd.urdf.UrdfReport]:
    """Read a robot of example-robot-data."""
    report = rbd.urdf.UrdfReport()
    with warnings.catch_warnings(action="ignore"):
        robot = rbd.load_urdf(
            models() / "robots" / path, packages={"example-robot-data": models()}, report=report, **settings
        )
    return robot, report


def panda() -> None:
    """A Panda, of Franka Emika (Apache License 2.0)."""
    robot, report = load("panda_description/urdf/panda.urdf")
    state = rbd.MechanismState(robot, [0.3, -0.4, 0.0, -2.1, 0.0, 1.8, 0.8, 0.03, 0.03])
    with Viewer(robot, report, port=0, layers=LIT) as viewer:
        assert not viewer.missing, viewer.missing
        viewer.show(state).screenshot("gallery-panda.png", size=SIZE, timeout=300)


def anymal() -> None:
    """An ANYmal C, of ANYbotics (BSD licence)."""
    robot, report = load("anymal_c_simple_description/urdf/anymal.urdf", floating=True)
    state = rbd.MechanismState(robot)
    q = np.array(state.q)
    q[6] = 0.55
    state.set_configuration(q)
    for leg, bend in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
        state.set_configuration(f"{leg}_HFE", 0.6 * bend)
        state.set_configuration(f"{leg}_KFE", -1.1 * bend)
    with Viewer(robot, report, port=0, layers=LIT) as viewer:
        assert not viewer.missing, viewer.missing
        viewer.show(state).screenshot("gallery-anymal.png", size=SIZE, timeout=300)


if __name__ == "__main__":
    main()
