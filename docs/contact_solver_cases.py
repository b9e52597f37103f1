"""Cases of the comparison of solvers: quadratic programs of the steps of motions, as projections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import Box, Capsule, CollisionModel, ContactSimulator, HalfSpace, JointOptions
from rbd.contact.model.evaluation import as_tuple
from rbd.contact.stepping.options import MARGIN, ContactStepOptions
from rbd.contact.stepping.problem import step_problem
from rbd.scalars import Matrix, ScalarArray
from rbd.scalars.arrays import Array
from rbd.solvers.projections.row_groups import RowGroup

DT, MU = 2e-3, 0.6
FREE = JointOptions(stops=False)
STIFF = JointOptions(stops=False, stiffness=3000.0, damping=60.0)


class Projection(NamedTuple):
    """The point nearest to zero with U z >= c is asked for; four rows in turn are those of a contact point."""

    U: Array
    """Rows of length one."""
    c: Array
    lengths: Array
    """Of the rows before."""
    groups: tuple[RowGroup, ...]
    """The rows, before they had length one, as products of wrenches and twists; none where points are few."""

    def residual(self, z: Array, weights: Array) -> float:
        """Return the largest violation of the conditions of the minimum."""
        slack = self.U @ z - self.c
        wrong = (-slack.min(), -weights.min(), np.abs(z - self.U.T @ weights).max(), np.abs(slack * weights).max())
        return float(max(wrong))


Force = Callable[[float, Array, Array], Array]


def quadruped(speed: float) -> Iterator[Projection]:
    """Yield the problems of a trot that begins with a fall and a push."""
    mechanism = rbd.robots.quadruped()
    standing = rbd.robots.quadruped_configuration()
    swing = np.repeat([0, np.pi, np.pi, 0], 3)

    def torques(t: float, q: Array, v: Array) -> Array:
        goal = standing[7:] + 0.25 * np.sin(12 * t + swing) * np.tile([0.2, 1, -2], 4)
        return np.concatenate([np.zeros(6), 60 * (goal - q[7:]) - v[6:]])

    q, v = standing + 0.01 * np.eye(19)[6], np.zeros(18)
    v[3:5] = speed
    return problems(rbd.robots.quadruped_collision_model(mechanism), q, v, torques, 400)


def boxes(count: int, push: float, growth: float = 1.0) -> Iterator[Projection]:
    """Yield the problems of boxes that fall onto a floor and each other; each is `growth` times as heavy."""
    mechanism = rbd.Mechanism()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    below: HalfSpace | Box = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    q, rng = list[float](), np.random.default_rng(count)
    for k in range(count):
        mass = 1.5 * growth**k
        inertia = rbd.SpatialInertia(rbd.Frame(f"box{k}"), mass=mass, moment_about_com=mass * np.eye(3) / 150)
        body = rbd.RigidBody(f"box{k}", inertia)
        mechanism.attach(mechanism.root_body, body, rbd.Joint(f"joint{k}", rbd.QuaternionFloating()))
        shape = model.add(body, Box(body.default_frame, (0.3, 0.3, 0.2)))
        model.add_pair(shape, below)
        below, q = shape, [*q, 1, 0, 0, 0, 0, 0, 0.1 + 0.201 * k + 0.001]
    nv = 6 * count
    return problems(model, np.array(q), push * rng.normal(size=nv), lambda t, q, v: np.zeros(nv), 200)


def hand() -> Iterator[Projection]:
    """Yield the problems of fingers that close until they press on the palm."""
    _, model = rbd.robots.hand()
    closed = -2.5 * np.isin(np.arange(13), [2, 3, 5, 6, 8, 9])
    return problems(model, closed * 0.6, np.zeros(13), lambda t, q, v: 10 * (closed - q) - 6.3 * v, 400)


def foot() -> Iterator[Projection]:
    """Yield the problems of a flat foot made of seven capsules that is pushed about on the ground."""
    mechanism = rbd.Mechanism()
    inertia = rbd.SpatialInertia(rbd.Frame("foot"), mass=15.0, moment_about_com=np.diag([0.3, 0.3, 0.2]))
    body = rbd.RigidBody("foot", inertia)
    mechanism.attach(mechanism.root_body, body, rbd.Joint("floating", rbd.QuaternionFloating()))
    model, root = CollisionModel(mechanism), mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for k in range(-3, 4):
        frame, along_x = rbd.Frame(f"capsule{k}"), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
        place = rbd.Transform(frame, body.default_frame, rotation=along_x, translation=(0.04, 0.01 * k, -0.3))
        body.add_frame(place)
        model.add_pair(model.add(body, Capsule(frame, length=0.19 - 0.016 * k * k, radius=0.01)), ground)

    def force(t: float, q: Array, v: Array) -> Array:
        angles = np.array([7.0, 9.0, 11.0, 8.0, 10.0, 6.0]) * t
        return np.array([3.0, 3.0, 2.0, 30.0, 30.0, 20.0]) * np.sin(angles) - np.array([4, 4, 4, 10, 10, 0]) * v

    return problems(model, np.array([1, 0, 0, 0, 0, 0, 0.311]), np.zeros(6), force, 200)


def humanoid() -> Iterator[Projection]:
    """Yield the problems of a humanoid on two boxes that sways: its gains are stiff, and implicit."""
    mechanism = rbd.robots.humanoid()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for side in ("left", "right"):
        frame, body = rbd.Frame(f"{side}_box"), mechanism.body(f"{side}_foot")
        body.add_frame(rbd.Transform(frame, body.default_frame, translation=(0.04, 0, -0.06)))
        model.add_pair(model.add(body, Box(frame, (0.24, 0.1, 0.02))), ground)
    names = [joint.name for joint in mechanism.tree_joints[1:]]
    bent = np.array([0.6 * ("knee" in name) - 0.3 * ("pitch" in name and _is_of_leg(name)) for name in names])
    sway = np.array([("hip" in name) - 1.0 * ("ankle" in name) for name in names])
    state = rbd.MechanismState(mechanism, [1, 0, 0, 0, 0, 0, 1, *bent])
    height = 1.002 - model.distances(state)[0].value

    def torques(t: float, q: Array, v: Array) -> Array:
        goal = bent + 0.1 * np.sin(9 * t) * sway
        return np.concatenate([np.zeros(6), 3000 * (goal - q[7:]) - 60 * v[6:]])

    q, v = np.array([1, 0, 0, 0, 0, 0, height, *bent]), np.array([0, 0, 0, 0.3, 0.02, 0, *[0.0] * 30])
    return problems(model, q, v, torques, 400, STIFF)


def _is_of_leg(name: str) -> bool:
    return "hip" in name or "ankle" in name


def problems(
    model: CollisionModel, q: Array, v: Array, force: Force, steps: int, joints: JointOptions = FREE
) -> Iterator[Projection]:
    """Yield the problems of the steps of a motion in which something pushes."""
    mechanism = model.mechanism
    recorded, numbers = _recorded(model, joints)
    state = rbd.MechanismState(mechanism, q, v)
    now = [0.0]

    def control(t: float, at: rbd.MechanismState) -> Array:
        return force(now[0], np.array(at.q), np.array(at.v))

    simulator = ContactSimulator(mechanism, model, control, DT, friction=MU, joints=joints)
    for k in range(steps):
        now[0] = k * DT
        found = as_tuple(recorded(state.q, state.v, control(0.0, state)))
        problem = _as_projection(*(np.array(x) for x in found), numbers=numbers)
        if problem is not None:
            yield problem
        simulator.run(state, DT)


def _recorded(model: CollisionModel, joints: JointOptions) -> tuple[RecordedFunction, list[tuple[int, ...]]]:
    """Return a function of q, v and torques to the program and its groups, and the numbers of the groups' rows."""
    numbers = list[tuple[int, ...]]()

    def problem(state: rbd.ScalarState, torques: ScalarArray) -> dict[str, object]:
        dt, margin, mu = (state.lifted(x) for x in (DT, MARGIN, MU))
        options = ContactStepOptions(mu, margin, joints)
        found, _ = step_problem(model.pairs, state, tuple(torques), dt, options)
        program = found.program
        numbers[:] = [group.numbers for group in program.groups]
        parts = {f"{name}{k}": part for k, group in enumerate(program.groups) for name, part in _parts(group)}
        return {"M": program.M, "p": program.f, "J": program.J, "b": program.bounds, **parts}

    return rbd.record(problem, model.mechanism, torques=model.mechanism.nv), numbers


def _parts(group: RowGroup) -> list[tuple[str, Matrix]]:
    return [("n", group.wrenches), ("s", group.tangents[0]), ("t", group.tangents[1]), ("map", group.twist_map)]


def _as_projection(
    M: Array, p: Array, J: Array, b: Array, *parts: Array, numbers: Sequence[tuple[int, ...]]
) -> Projection | None:
    """Return a step as projection with rows of length one; None if nothing pushes."""
    L = np.linalg.cholesky(M)
    free, white = np.linalg.solve(L, p), np.linalg.solve(L, J.T).T
    lengths = np.linalg.norm(white, axis=1)
    kept = lengths > 1e-14 * lengths.max(initial=0)
    if not kept.any():
        return None
    U = white[kept] / lengths[kept, None]
    c = b[kept] / lengths[kept] - U @ free
    if c.max() <= 0:
        return None
    groups = [_group(L, kept, own, *parts[4 * k : 4 * k + 4]) for k, own in enumerate(numbers)]
    kept_groups = tuple(group for group in groups if group.numbers)
    return Projection(U, c / max(c.max(), 1e-6 * float(np.linalg.norm(free))), lengths[kept], kept_groups)


def _group(L: Array, kept: Array, numbers: Sequence[int], n: Array, s: Array, t: Array, T: Array) -> RowGroup:
    """Return a group, its twist in the coordinates of the projection, without points that are far."""
    near, places = kept[list(numbers[::4])], np.cumsum(kept) - 1
    own = tuple(int(places[j]) for j in numbers if kept[j])
    white = np.linalg.solve(L, T.T).T
    return RowGroup(own, _nested(n[near]), _nested(white), (_nested(s[near]), _nested(t[near])))


def _nested(rows: Array) -> Matrix:
    return tuple(map(tuple, rows.tolist()))
