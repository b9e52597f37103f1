"""Write hand.json: the contact exercise's hand and its loop, computed with Pinocchio, coal and quadprog.

    python tests/data/make_hand_golden.py

Needs the group `peers`. The robot is typed in here from the exercise's table and shares no line with
`rbd.robots.hand`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pinocchio as pin
import quadprog

CM = 0.01
JOINTS = [  # name, parent, placement in cm, mass
    ("wrist", "universe", (0, 0, 0), 3),
    ("palm", "wrist", (5, 0, 0), 2),
    ("finger11", "palm", (2, 2.5, 0), 0.5),
    ("finger12", "finger11", (4, 0, 0), 0.5),
    ("finger13", "finger12", (2, 0, 0), 0.3),
    ("finger21", "palm", (2, 0, 0), 0.5),
    ("finger22", "finger21", (4, 0, 0), 0.5),
    ("finger23", "finger22", (3, 0, 0), 0.3),
    ("finger31", "palm", (2, -2.5, 0), 0.5),
    ("finger32", "finger31", (4, 0, 0), 0.5),
    ("finger33", "finger32", (2, 0, 0), 0.3),
    ("thumb1", "wrist", (1, -4, 0), 0.5),
    ("thumb2", "thumb1", (3, -1.8, 0), 0.4),
]
# The watched shapes: joint, placement, radius, length (cm).
EDGE = ("wrist", (3, 0, 0), ("x", np.pi / 2), 1, 5)
TIPS = [
    ("finger13", (2, 0, 0), None, 1, 0),
    ("finger23", (1, 0, 0), None, 1, 0),
    ("finger33", (2, 0, 0), None, 1, 0),
    ("thumb2", (-0.7, 0.8, -0.5), ("x", np.pi / 3), 1, 2),
]
DT, THRESHOLD, KP = 1e-3, 1e-3, 10.0


def build() -> Any:
    """Return Pinocchio's model of the hand."""
    model = pin.Model()
    for name, parent, at, mass in JOINTS:
        turn = np.eye(3)
        kind: Any = pin.JointModelRY()
        if name == "thumb2":
            turn, kind = pin.utils.rotate("z", np.pi / 3) @ pin.utils.rotate("x", np.pi), pin.JointModelRZ()
        placement = pin.SE3(turn, CM * np.array(at, dtype=float))
        joint = model.addJoint(model.getJointId(parent), kind, placement, name)
        model.appendBodyToJoint(joint, pin.Inertia(mass, np.zeros(3), mass**2 * np.eye(3)), pin.SE3.Identity())
    return model


class Hand:
    """The hand with its four pairs."""

    def __init__(self) -> None:
        self.model = build()
        self.data = self.model.createData()
        self.shapes = [self._shape(row) for row in (EDGE, *TIPS)]
        self.request, self.result = coal.DistanceRequest(), coal.DistanceResult()
        self.request.enable_signed_distance = True

    def _shape(self, row: Any) -> Any:
        name, at, turn, radius, length = row
        rotation = np.eye(3) if turn is None else pin.utils.rotate(*turn)
        geometry = coal.Capsule(CM * radius, CM * length) if length else coal.Sphere(CM * radius)
        return self.model.getJointId(name), pin.SE3(rotation, CM * np.array(at, dtype=float)), geometry

    def distances(self) -> tuple[list[float], list[Any]]:
        """Return distances and, per pair, witnesses and normal; after forward kinematics."""
        joint_a, place_a, shape_a = self.shapes[0]
        pose_a = self.data.oMi[joint_a] * place_a
        there_a = coal.Transform3s(pose_a.rotation, pose_a.translation)
        values, places = [], []
        for joint_b, place_b, shape_b in self.shapes[1:]:
            pose_b = self.data.oMi[joint_b] * place_b
            there_b = coal.Transform3s(pose_b.rotation, pose_b.translation)
            self.result.clear()
            value = coal.distance(shape_a, there_a, shape_b, there_b, self.request, self.result)
            values.append(value)
            views = (self.result.getNearestPoint1(), self.result.getNearestPoint2(), self.result.normal)
            places.append([np.array(view) for view in views])
        return values, places

    def rows(self, active: list[int], places: list[Any]) -> Any:
        """Return the rows of the pairs `active`, after the joints' Jacobians."""
        rows = []
        for k in active:
            on_a, on_b, normal = places[k]  # coal's normal points from the first shape to the second
            parts = []
            for joint, point in ((self.shapes[0][0], on_a), (self.shapes[k + 1][0], on_b)):
                full = pin.getJointJacobian(self.model, self.data, joint, pin.ReferenceFrame.WORLD)
                parts.append(full[:3] - np.cross(point, full[3:], axisb=0, axisc=0))
            rows.append(normal @ (parts[1] - parts[0]))
        return np.array(rows)

    def step(self, t: float, q: Any, v: Any, before: list[int]) -> tuple[Any, Any, list[int], list[float]]:
        """Return q and v a step later, and what touched."""
        model, data = self.model, self.data
        torques = -KP * (q - wanted(t)) - 2 * np.sqrt(KP) * v
        mass = pin.crba(model, data, q)
        pin.computeJointJacobians(model, data, q)
        values, places = self.distances()
        active = [k for k, value in enumerate(values) if value < THRESHOLD]
        if active:
            rows = self.rows(active, places)
            if any(k not in before for k in active):
                v = v - np.linalg.pinv(rows) @ (rows @ v)
        right = torques - pin.nle(model, data, q, v)
        if active:
            vd = quadprog.solve_qp(mass, right, rows.T.copy(), -np.array(values)[active])[0]
        else:
            vd = np.linalg.solve(mass, right)
        v = v + DT * vd
        return pin.integrate(model, q, DT * v), v, active, values


def wanted(t: float) -> Any:
    """Return the joint positions the fingers move to."""
    q = np.zeros(13)
    q[2:4], q[5:7], q[8:10] = (1.5 * np.cos(t / slower) - 1 for slower in (1.0, 1.5, 2.5))
    return q


def loop(steps: int) -> dict[str, Any]:
    """Run the exercise's loop."""
    hand, q, v, active = Hand(), np.zeros(13), np.zeros(13), list[int]()
    events, seconds, smallest = [], [q.tolist()], np.inf
    for k in range(steps):
        before = active
        q, v, active, values = hand.step(k * DT, q, v, before)
        smallest = min(smallest, *values)
        met = [pair for pair in active if pair not in before]
        if met:
            events.append({"step": k, "pairs": met})
        if (k + 1) % 1000 == 0:
            seconds.append(q.tolist())
    return {"events": events, "q": seconds, "smallest_distance": smallest}


def states(count: int) -> list[dict[str, Any]]:
    """Return distances and rows of all pairs at random configurations."""
    hand, rng, found = Hand(), np.random.default_rng(3), []
    for _ in range(count):
        q = rng.uniform(-0.6, 0.6, 13)
        pin.computeJointJacobians(hand.model, hand.data, q)
        values, places = hand.distances()
        rows = hand.rows([0, 1, 2, 3], places)
        found.append({"q": q.tolist(), "distances": values, "rows": rows.tolist()})
    return found


def main() -> None:
    """Write the file beside this script."""
    versions = {"pin": pin.__version__, "coal": coal.__version__, "numpy": np.__version__}
    content = {"made with": versions, "loop": loop(10_000), "states": states(20)}
    path = Path(__file__).with_name("hand.json")
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(content["loop"]["events"]), content["loop"]["smallest_distance"])


if __name__ == "__main__":
    main()
