"""Loop of the contact exercise with Pinocchio, coal and quadprog, called from Python.

Bodies and joints of the hand have the same names and order as in rbd.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, final

import numpy as np

from rbd.bench.contacts import DAMPING, DT, START, STIFFNESS, THRESHOLD, HandCase, capsule_pairs, desired_positions
from rbd.bench.contender import Contender, repeated
from rbd.bench.peers.pinocchio import model_of
from rbd.bench.tree import tree_of
from rbd.contact import CollisionModel
from rbd.scalars.arrays import Array


def contact_peers(case: HandCase) -> tuple[Contender, Contender]:
    """Return the contenders of distances with Jacobian rows, and of the loop."""
    return _distances(case), _simulation(case)


@final
class _Engines:
    """Pinocchio with the hand, and coal with the pairs of a collision model."""

    def __init__(self, case: HandCase, model: CollisionModel) -> None:
        self._pin: Any = import_module("pinocchio")  # no type annotations
        self._coal: Any = import_module("coal")
        self._quadprog: Any = import_module("quadprog")
        tree = tree_of(case.mechanism)
        assert tree is not None
        self.model = model_of(self._pin, tree)
        self.data = self.model.createData()
        self._pairs = [tuple(self._shape(*capsule) for capsule in pair) for pair in capsule_pairs(model)]
        self._request, self._result = self._coal.DistanceRequest(), self._coal.DistanceResult()
        self._request.enable_signed_distance = True

    def _shape(self, name: str, rotation: Array, translation: Array, radius: float, length: float) -> Any:
        geometry = self._coal.Capsule(radius, length) if length else self._coal.Sphere(radius)
        return self.model.getJointId(name), self._pin.SE3(rotation, translation), geometry

    def place(self, q: Array) -> None:
        """Compute poses and joint Jacobians."""
        self._pin.computeJointJacobians(self.model, self.data, q)

    def distance(self, pair: int) -> tuple[float, Array, Array, Array]:
        """Return the distance of a pair, its witnesses, and the normal from the first shape to the second."""
        placed: list[Any] = []
        for joint, place, shape in self._pairs[pair]:
            pose = self.data.oMi[joint] * place
            placed += [shape, self._coal.Transform3s(pose.rotation, pose.translation)]
        self._result.clear()
        value = self._coal.distance(*placed, self._request, self._result)
        views = (self._result.getNearestPoint1(), self._result.getNearestPoint2(), self._result.normal)
        on_a, on_b, normal = (np.array(view) for view in views)
        return value, on_a, on_b, normal

    def row(self, pair: int, on_a: Array, on_b: Array, normal: Array) -> Array:
        """Return the Jacobian row of the distance."""
        (joint_a, *_), (joint_b, *_) = self._pairs[pair]
        frame = self._pin.ReferenceFrame.WORLD
        a, b = (self._pin.getJointJacobian(self.model, self.data, joint, frame) for joint in (joint_a, joint_b))
        turning = np.cross(on_b, normal) @ b[3:] - np.cross(on_a, normal) @ a[3:]
        return np.asarray(normal @ (b[:3] - a[:3]) + turning, dtype=np.float64)

    def step(self, t: float, q: Array, v: Array, before: list[int]) -> tuple[Array, Array, list[int]]:
        """Return q and v one step later, and the pairs in contact."""
        pin, model, data = self._pin, self.model, self.data
        torques = -STIFFNESS * (q - desired_positions(t)) - DAMPING * v
        mass = pin.crba(model, data, q)
        self.place(q)
        distances = [self.distance(k) for k in range(len(self._pairs))]
        active = [k for k, each in enumerate(distances) if each[0] < THRESHOLD]
        if active:
            rows = np.array([self.row(k, *distances[k][1:]) for k in active])
            if any(k not in before for k in active):
                v = v - np.linalg.pinv(rows) @ (rows @ v)
            bounds = -np.array([distances[k][0] for k in active])
            vd = self._quadprog.solve_qp(mass, torques - pin.nle(model, data, q, v), rows.T.copy(), bounds)[0]
        else:
            vd = pin.aba(model, data, q, v, torques)
        v = v + DT * vd
        return pin.integrate(model, q, DT * v), v, active


def _distances(case: HandCase) -> Contender:
    engines, pairs = _Engines(case, case.capsules), len(case.capsules.pairs)

    def once() -> None:
        for q in case.q:
            engines.place(q)
            for k in range(pairs):
                _, *rest = engines.distance(k)
                engines.row(k, *rest)

    def value(k: int) -> Array:
        engines.place(case.q[k // pairs])
        distance, *rest = engines.distance(k % pairs)
        return np.array([distance, *engines.row(k % pairs, *rest)])

    return Contender("Pinocchio and coal", repeated(once), pairs * len(case.q), value)


def _simulation(case: HandCase) -> Contender:
    engines = _Engines(case, case.tips)

    def once() -> list[Array]:
        q, v = case.initial_state
        active, path = list[int](), list[Array]()
        for k in range(case.steps):
            q, v, active = engines.step(START + k * DT, q, v, active)
            path.append(q)
        return path

    return Contender("Pinocchio, coal and quadprog", repeated(once), case.steps, lambda k: once()[k])
