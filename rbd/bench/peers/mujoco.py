"""MuJoCo, called from Python, with contacts and constraints disabled.

Free joints of MuJoCo have the position first, and the linear velocity of the origin expressed in the world.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias, final
from xml.sax.saxutils import quoteattr

import numpy as np

from rbd.bench.contender import Contender, Peer, Quantity, calls
from rbd.bench.samples import Samples
from rbd.bench.tree import Tree, TreeLink
from rbd.scalars.arrays import Array
from rbd.spatial.quaternion import quaternion_to_rotation

Function: TypeAlias = Callable[..., Any]


def mujoco_peer(tree: Tree, samples: Samples) -> Peer | None:
    """Return MuJoCo with a robot loaded; None if a joint other than the first one floats."""
    for index, link in enumerate(tree.links):
        placed = np.array_equal(link.rotation, np.eye(3)) and not link.translation.any()
        if link.kind == "floating" and not (index == 0 and placed):
            return None
    return _MuJoCo(tree, samples)


@final
class _MuJoCo:
    name = "MuJoCo"

    def __init__(self, tree: Tree, samples: Samples) -> None:
        self._mujoco: Any = import_module("mujoco")  # incomplete type annotations
        self._tree = tree
        self._model = self._mujoco.MjModel.from_xml_string(text(tree))
        self._data = self._mujoco.MjData(self._model)
        self._q = [i for link in tree.links for i in _positions(link)]
        self._v = [i for link in tree.links for i in link.velocities_linear_first()]
        self._floats = tree.links[0].kind == "floating"
        self._first = tree.links[0].q[0]
        self._rbd_samples = samples
        self._matrix = np.zeros((len(self._v), len(self._v)))
        motions = [self._motion(k) for k in range(len(samples.q))]
        v, vd, tau = (np.array(column) for column in zip(*motions, strict=True))
        self._samples = Samples(samples.q[:, self._q].copy(), v, vd, tau)

    def _turn(self, k: int) -> Array:
        """Return the rotation of the first three velocities of state k to the world."""
        if not self._floats:
            return np.eye(3)
        w, x, y, z = (float(value) for value in self._rbd_samples.q[k, self._first : self._first + 4])
        return np.array(quaternion_to_rotation((w, x, y, z)), dtype=np.float64)

    def _motion(self, k: int) -> tuple[Array, Array, Array]:
        """Return v, vd and tau of state k in MuJoCo's coordinates."""
        v, vd, tau = (x[k, self._v].copy() for x in (self._rbd_samples.v, self._rbd_samples.vd, self._rbd_samples.tau))
        if self._floats:
            turn = self._turn(k)
            vd[:3] = turn @ (vd[:3] + np.cross(v[3:6], v[:3]))
            v[:3], tau[:3] = turn @ v[:3], turn @ tau[:3]
        return v, vd, tau

    def single(self, quantity: Quantity) -> Contender | None:
        if quantity.is_derivative:  # MuJoCo has only finite differences
            return None
        rows = self._samples.rows(quantity)
        function = self._function(quantity)
        return Contender(self.name, calls(function, rows), len(rows), lambda k: self._value(quantity, k, rows[k]))

    def solution(self) -> Contender:
        rows, forward, matrix = self._samples.rows(Quantity.FORWARD), self._function(Quantity.FORWARD), self._full

        def solve(q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
            vd = forward(q, v, tau)
            return matrix(), vd

        def value(k: int) -> Array:
            matrix_of_mujoco, vd = solve(*rows[k])
            return np.concatenate([self._in_rbd_order(k, matrix_of_mujoco).reshape(-1), self._acceleration(k, vd)])

        return Contender(self.name, calls(solve, rows), len(rows), value)

    def batch(self, quantity: Quantity, count: int) -> Contender | None:
        return None

    def parallel(self, quantity: Quantity, count: int, threads: int) -> Contender | None:
        return None

    def _full(self) -> Array:
        self._mujoco.mj_fullM(self._model, self._data, self._matrix)
        return self._matrix

    def _function(self, quantity: Quantity) -> Function:
        mujoco, model, data = self._mujoco, self._model, self._data
        match quantity:
            case Quantity.POSES:
                return _poses(mujoco, model, data)
            case Quantity.MASS:
                return _mass(mujoco, model, data, self._full)
            case Quantity.INVERSE:
                return _dynamics(mujoco.mj_inverse, model, data, data.qacc, data.qfrc_inverse)
            case _:
                return _dynamics(mujoco.mj_forward, model, data, data.qfrc_applied, data.qacc)

    # --- conversion to rbd's conventions -----------------------------------------------------------------------------

    def _value(self, quantity: Quantity, k: int, arguments: tuple[Array, ...]) -> Array:
        result = self._function(quantity)(*arguments)
        if quantity is Quantity.POSES:
            return self._poses()
        if quantity is Quantity.FORWARD:
            return self._acceleration(k, result)
        return self._in_rbd_order(k, result)

    def _poses(self) -> Array:
        out = np.tile(np.eye(4), (len(self._tree.links) + 1, 1, 1))
        for index, link in enumerate(self._tree.links, start=1):
            out[link.body, :3, :3] = self._data.xmat[index].reshape(3, 3)
            out[link.body, :3, 3] = self._data.xpos[index]
        return out

    def _acceleration(self, k: int, theirs: Array) -> Array:
        """Return vd, with the derivative of the linear velocity in the rotating body frame."""
        vd, ordered = theirs.copy(), np.empty(len(self._v))
        if self._floats:
            v = self._rbd_samples.v[k, self._v]
            vd[:3] = self._turn(k).T @ vd[:3] - np.cross(v[3:6], v[:3])
        ordered[self._v] = vd
        return ordered

    def _in_rbd_order(self, k: int, theirs: Array) -> Array:
        """Return torques or the mass matrix with the first three entries rotated to the body frame, in rbd's order."""
        turn = np.eye(len(self._v))
        if self._floats:
            turn[:3, :3] = self._turn(k)
        ordered = np.empty_like(theirs)
        if theirs.ndim == 1:
            ordered[self._v] = turn.T @ theirs
        else:
            ordered[np.ix_(self._v, self._v)] = turn.T @ theirs @ turn
        return ordered


def _poses(mujoco: Any, model: Any, data: Any) -> Function:
    """Return the function of q that computes the poses of all bodies."""
    position = data.qpos

    def poses(q: Array) -> None:
        position[:] = q
        mujoco.mj_kinematics(model, data)

    return poses


def _mass(mujoco: Any, model: Any, data: Any, full: Callable[[], Array]) -> Function:
    """Return the mass matrix as a function of q."""
    position = data.qpos

    def mass(q: Array) -> Array:
        position[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        return full()

    return mass


def _dynamics(run: Callable[[Any, Any], object], model: Any, data: Any, third: Array, result: Array) -> Function:
    """Return a function of q, v and x that writes x to `third`, calls `run`, and returns a copy of `result`."""
    position, velocity = data.qpos, data.qvel

    def dynamics(q: Array, v: Array, x: Array) -> Array:
        position[:], velocity[:], third[:] = q, v, x
        run(model, data)
        return result.copy()

    return dynamics


def _positions(link: TreeLink) -> list[int]:
    return [*link.q[4:], *link.q[:4]] if link.kind == "floating" else list(link.q)


def text(tree: Tree) -> str:
    """Return the robot as MuJoCo's XML."""
    head = (
        '<mujoco><compiler angle="radian" autolimits="false"/>'
        f'<option gravity="{_numbers_text(tree.gravity)}">'
        '<flag contact="disable" constraint="disable"/></option><worldbody>'
    )
    return (
        head + "".join(_body(tree, k) for k, link in enumerate(tree.links) if link.parent < 0) + "</worldbody></mujoco>"
    )


def _body(tree: Tree, k: int) -> str:
    link, moment = tree.links[k], tree.links[k].moment
    kind = {"floating": "free", "revolute": "hinge", "prismatic": "slide"}[link.kind]
    axis = "" if link.kind == "floating" else f' axis="{_numbers_text(link.axis)}"'
    entries = [moment[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    frame = f'pos="{_numbers_text(link.translation)}" xyaxes="{_numbers_text(link.rotation.T[:2].reshape(-1))}"'
    inertia = f'pos="{_numbers_text(link.center)}" mass="{link.mass!r}" fullinertia="{_numbers_text(entries)}"'
    inner = "".join(_body(tree, i) for i, other in enumerate(tree.links) if other.parent == k)
    joint = f'<joint name={quoteattr(link.name)} type="{kind}"{axis}/>'
    return f"<body {frame}>{joint}<inertial {inertia}/>{inner}</body>"


def _numbers_text(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)
