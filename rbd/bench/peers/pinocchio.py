"""Pinocchio, called from Python, and its thread pool.

Pinocchio has linear parts first, quaternions (x, y, z, w), and the position before the orientation.
"""

from __future__ import annotations

import functools
from importlib import import_module
from typing import Any, final

import numpy as np

from rbd.bench.contender import Contender, Peer, Quantity, calls, repeated
from rbd.bench.samples import Samples
from rbd.bench.tree import Tree, TreeLink
from rbd.scalars.arrays import Array


def pinocchio_peer(tree: Tree, samples: Samples) -> Peer:
    """Return Pinocchio with a robot loaded."""
    return Pinocchio(tree, samples)


@final
class Pinocchio:
    """Pinocchio with one robot loaded."""

    name = "Pinocchio"

    def __init__(self, tree: Tree, samples: Samples) -> None:
        """Load a robot."""
        self._pin: Any = import_module("pinocchio")  # no type annotations
        self._tree = tree
        self.model = model_of(self._pin, tree)
        self._data = self.model.createData()
        self._q = [i for link in tree.links for i in _positions(link)]
        self._v = [i for link in tree.links for i in link.velocities_linear_first()]
        self.samples = self._converted(samples)

    def _converted(self, samples: Samples) -> Samples:
        """Return states in Pinocchio's order."""
        v, vd, tau = (np.ascontiguousarray(x[:, self._v]) for x in (samples.v, samples.vd, samples.tau))
        return Samples(np.ascontiguousarray(samples.q[:, self._q]), v, vd, tau)

    def single(self, quantity: Quantity) -> Contender:
        """Call Pinocchio for one state at a time."""
        return self._contender(quantity, self.samples)

    def batch(self, quantity: Quantity, count: int) -> Contender:
        """Call Pinocchio for one state after the other."""
        return self._contender(quantity, self.samples.repeated(count))

    def _contender(self, quantity: Quantity, samples: Samples) -> Contender:
        arguments = [(self.model, self._data, *each) for each in samples.rows(quantity)]
        run = calls(self._function(quantity), arguments)
        return Contender(self.name, run, len(arguments), lambda k: self._value(quantity, arguments[k]))

    def solution(self) -> Contender:
        """Compute the mass matrix and the accelerations."""
        pin = self._pin
        arguments = [(self.model, self._data, *each) for each in self.samples.rows(Quantity.FORWARD)]

        def solve(model: object, data: object, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
            return pin.crba(model, data, q), pin.aba(model, data, q, v, tau)

        def value(k: int) -> Array:
            matrix, vd = solve(*arguments[k])
            return np.concatenate([self._matrix(matrix).reshape(-1), self.vector(vd)])

        return Contender(self.name, calls(solve, arguments), len(arguments), value)

    def parallel(self, quantity: Quantity, count: int, threads: int) -> Contender | None:
        """Compute many states with Pinocchio's threads; None for quantities without such a function."""
        names = {Quantity.INVERSE: "rneaInParallel", Quantity.FORWARD: "abaInParallel"}
        function = getattr(self._pin, names.get(quantity, ""), None)
        if function is None:
            return None
        inputs = [np.asfortranarray(x.T) for x in self.samples.repeated(count).arguments(quantity)]
        out = np.zeros((self.model.nv, count), order="F")
        pool = self._pin.ModelPool(self.model, threads)
        run = functools.partial(function, threads, pool, *inputs, out)
        return Contender(f"{self.name}, its threads", repeated(run), count, lambda k: self.vector(out[:, k]))

    def _function(self, quantity: Quantity) -> Any:
        pin = self._pin
        return {
            Quantity.POSES: pin.forwardKinematics,
            Quantity.INVERSE: pin.rnea,
            Quantity.MASS: pin.crba,
            Quantity.FORWARD: pin.aba,
            Quantity.INVERSE_DERIVATIVES: pin.computeRNEADerivatives,
            Quantity.FORWARD_DERIVATIVES: pin.computeABADerivatives,
        }[quantity]

    def _value(self, quantity: Quantity, arguments: tuple[Any, ...]) -> Array:
        result = self._function(quantity)(*arguments)
        if quantity is Quantity.POSES:
            out = np.tile(np.eye(4), (len(self._tree.links) + 1, 1, 1))
            for index, link in enumerate(self._tree.links, start=1):
                out[link.body] = self._data.oMi[index].homogeneous
            return out
        if quantity.is_derivative:
            by_position, by_velocity, last = (np.array(each) for each in result)
            parts = self._permuted(by_position), self._permuted(by_velocity), self._matrix(last)
            return np.concatenate([part.reshape(-1) for part in parts])
        return self._matrix(result) if quantity is Quantity.MASS else self.vector(result)

    def columns(self, theirs: Array) -> Array:
        """Return a matrix with a column per velocity in our order."""
        ordered = np.empty(theirs.shape)
        ordered[:, self._v] = theirs
        return ordered

    def vector(self, theirs: Array) -> Array:
        """Return velocities or torques in our order."""
        ordered = np.empty(len(self._v))
        ordered[self._v] = theirs
        return ordered

    def _matrix(self, upper: Array) -> Array:
        return self._permuted(np.triu(upper) + np.triu(upper, 1).T)

    def _permuted(self, theirs: Array) -> Array:
        ordered = np.empty(theirs.shape)
        ordered[np.ix_(self._v, self._v)] = theirs
        return ordered


def _positions(link: TreeLink) -> list[int]:
    """Return the indices in rbd's q of the coordinates in Pinocchio's order."""
    w, x, y, z, *place = link.q if link.kind == "floating" else (0, 0, 0, 0)
    return [*place, x, y, z, w] if link.kind == "floating" else list(link.q)


def model_of(pin: Any, tree: Tree) -> Any:
    """Build the model joint by joint."""
    model = pin.Model()
    model.gravity = pin.Motion(np.concatenate([tree.gravity, np.zeros(3)]))
    for link in tree.links:
        place = pin.SE3(link.rotation, link.translation)
        index = model.addJoint(link.parent + 1, _joint(pin, link), place, link.name)
        inertia = pin.Inertia(link.mass, link.center, link.moment)
        model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
    return model


def _joint(pin: Any, link: TreeLink) -> Any:
    """Return the joint with the type that Pinocchio's URDF reader chooses: special types for axes x, y and z."""
    if link.kind == "floating":
        return pin.JointModelFreeFlyer()
    letter = "R" if link.kind == "revolute" else "P"
    for name, axis in zip("XYZ", np.eye(3), strict=True):
        if np.array_equal(link.axis, axis):
            return getattr(pin, f"JointModel{letter}{name}")()
    kind = "Revolute" if link.kind == "revolute" else "Prismatic"
    return getattr(pin, f"JointModel{kind}Unaligned")(link.axis)
