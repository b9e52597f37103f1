"""Many pairs: which of them may be near, and the distances of those alone (internal).

The functions that are recorded for all pairs of a model compute all of them, whether near or not. Here one function
places all shapes, bounding balls say which pairs are worth looking at, and those are computed in batches, one per pair
of kinds, by machine code that all models share. Everything is in the frame of the first moving body, so that nothing is
lost far from the root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from rbd import native
from rbd.algorithms import geometric_jacobian
from rbd.compiled import RecordedFunction
from rbd.contact.closest import closest
from rbd.contact.cores import Ball, Brick, Core, Plane, Stick, place
from rbd.contact.pairs import Pair
from rbd.contact.shapes import Box, Capsule, Shape, Sphere, bounding_radius
from rbd.mechanism import Mechanism, RigidBody
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import Array
from rbd.spatial import Frame
from rbd.spatial.half_space import HalfSpace
from rbd.state import MechanismState, ScalarState

Indices: TypeAlias = NDArray[np.intp]
Record: TypeAlias = Callable[[str, Callable[..., object]], RecordedFunction]
"""From a name and a function of a state to the same, recorded for the mechanism as it is."""

_WIDTHS: Mapping[type[Any], int] = {Ball: 4, Stick: 7, Plane: 6, Brick: 15}
_WIDEST = max(_WIDTHS.values())


@final
class Phases:
    """The pairs of a model, as arrays."""

    def __init__(
        self, mechanism: Mechanism, shapes: Sequence[tuple[Shape, RigidBody]], pairs: Sequence[Pair], record: Record
    ) -> None:
        """Take shapes with their bodies, pairs of them, and what records functions."""
        self._mechanism, self._shapes, self._record = mechanism, tuple(shapes), record
        numbers = {id(shape): k for k, (shape, _) in enumerate(shapes)}
        self._a: Indices = np.array([numbers[id(pair.a)] for pair in pairs], dtype=np.intp)
        self._b: Indices = np.array([numbers[id(pair.b)] for pair in pairs], dtype=np.intp)
        self._kinds = [_kind(shape) for shape, _ in shapes]
        self._codes: Indices = np.array([list(_WIDTHS).index(kind) for kind in self._kinds], dtype=np.intp)
        self._flags: dict[int, Array] = {}
        self._radii = np.array([bounding_radius(shape) for shape, _ in shapes], dtype=np.float64)

    def near(self, state: MechanismState, margin: float) -> Indices:
        """Return the numbers of the pairs whose bounding balls come nearer than `margin`."""
        if not self._a.size:
            return np.empty(0, dtype=np.intp)
        table, planes = self._placed(state), self._codes == list(_WIDTHS).index(Plane)
        a, b = table[self._a], table[self._b]
        gaps = np.linalg.norm(a[:, :3] - b[:, :3], axis=1) - self._radii[self._a] - self._radii[self._b]
        for solid, plane, others in ((a, b, self._a), (b, a, self._b)):
            rows = np.flatnonzero(planes[self._b if plane is b else self._a])
            offsets, normals = solid[rows, :3] - plane[rows, :3], plane[rows, 3:6]
            gaps[rows] = (offsets * normals).sum(axis=1) - self._radii[others[rows]]
        return np.flatnonzero(gaps < margin)

    def distances(self, state: MechanismState, pairs: Indices, normals: Array) -> Array:
        """Return ten numbers for each of `pairs`: the value, witnesses and normal in the root frame, as `normals`."""
        found = self._narrow(state, pairs, normals)
        tf = state.relative_transform(self.base, state.layout.root_frame)
        vectors = found[:, 1:].reshape(-1, 3, 3) @ tf.rotation.T
        vectors[:, :2] += tf.translation
        found[:, 1:] = vectors.reshape(-1, 9)
        return found

    def rows(self, state: MechanismState, pairs: Indices) -> Array:
        """Return the rows of the Jacobian for `pairs`."""
        found = self._narrow(state, pairs, np.zeros((pairs.size, 3)))
        point, normal = found[:, 1:4], found[:, 7:]
        columns = np.asarray(self._record("columns", partial(_columns, self.base))(state.q, state.v))
        rates = normal @ columns[:, 3:].T + np.cross(point, normal) @ columns[:, :3].T
        carried = self._carried()
        result: Array = rates * (carried[self._a[pairs]] - carried[self._b[pairs]])
        return result

    @property
    def base(self) -> Frame[Any]:
        """The frame everything is computed in: that of the first body that moves, if any does."""
        bodies = self._mechanism.bodies
        return bodies[1 if len(bodies) > 1 else 0].default_frame

    # --- inside -------------------------------------------------------------------------------------------------------

    def _placed(self, state: MechanismState) -> Array:
        shapes = [shape for shape, _ in self._shapes]
        return np.asarray(self._record("cores", partial(_cores, shapes, self.base))(state.q, state.v))

    def _narrow(self, state: MechanismState, pairs: Indices, normals: Array) -> Array:
        """Return distances, witnesses and normals in the base frame, one batch per pair of kinds."""
        table, found = self._placed(state), np.empty((pairs.size, 10))
        a, b = self._a[pairs], self._b[pairs]
        up = state.relative_transform(self.base, state.layout.root_frame).rotation
        codes, kinds = self._codes[a] * len(_WIDTHS) + self._codes[b], list(_WIDTHS)
        for code in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == code)
            first: Any = kinds[int(code) // len(_WIDTHS)]
            second: Any = kinds[int(code) % len(_WIDTHS)]
            sides = table[a[rows], : _WIDTHS[first]], table[b[rows], : _WIDTHS[second]]
            found[rows] = np.asarray(_kernel(first, second)(*sides, normals[rows] @ up))
        return found

    def _carried(self) -> Array:
        """Return, per shape and velocity, 1 where the shape moves with the velocity."""
        mechanism = self._mechanism
        known = self._flags.get(mechanism.structure_version)
        if known is None:
            bodies = {body.name: body for _, body in self._shapes}
            flags = {name: self._moved_by(body) for name, body in bodies.items()}
            table = [flags[body.name] for _, body in self._shapes]
            known = np.array(table, dtype=np.float64).reshape(len(table), -1)
            self._flags = {mechanism.structure_version: known}
        return known

    def _moved_by(self, body: RigidBody) -> list[bool]:
        mechanism = self._mechanism
        return [mechanism.supports(joint, body) for joint in mechanism.tree_joints for _ in range(joint.nv)]


def _kind(shape: Shape) -> type[Any]:
    if isinstance(shape, Sphere) or (isinstance(shape, Capsule) and shape.length == 0):
        return Ball
    return {Capsule: Stick, Box: Brick, HalfSpace: Plane}[type(shape)]


def _cores(shapes: Sequence[Shape], base: Frame[Any], state: ScalarState) -> object:
    """Return the numbers of all shapes, padded with zeros."""
    placed = (place(shape, state.relative_transform(shape.frame, base), state.lifted) for shape in shapes)
    rows = [_numbers(core) for core in placed]
    return tuple((*row, *(0,) * (_WIDEST - len(row))) for row in rows)


def _numbers(core: Core) -> Vector:
    if isinstance(core, Brick):
        return *core.center, *(x for axis in core.axes for x in axis), *core.half
    if isinstance(core, Stick):
        return *core.center, *core.half, core.skin
    return (*core.center, core.skin) if isinstance(core, Ball) else (*core.center, *core.normal)


def _core(kind: type[Any], x: Sequence[Scalar]) -> Core:
    """Return what `_numbers` made numbers of."""
    triples = [(x[k], x[k + 1], x[k + 2]) for k in range(0, len(x) - 2, 3)]
    if kind is Brick:
        return Brick(triples[0], (triples[1], triples[2], triples[3]), triples[4])
    if kind is Stick:
        return Stick(triples[0], triples[1], x[6])
    return Ball(triples[0], x[3]) if kind is Ball else Plane(triples[0], triples[1])


def _columns(base: Frame[Any], state: ScalarState) -> object:
    """Return, per velocity, the twist of what it moves: angular, then linear at the origin of the base frame."""
    mechanism, found = state.mechanism, list[Vector]()
    for joint in mechanism.tree_joints:
        path = mechanism.path(mechanism.predecessor(joint), mechanism.successor(joint))
        columns = geometric_jacobian(state, path, frame=base).columns
        found += [(*columns[k][0], *columns[k][1]) for k in range(state.layout.nv)[state.v_slice(joint)]]
    return tuple(found) if found else np.empty((0, 6))


@native.one_at_a_time
@cache
def _kernel(first: type[Any], second: type[Any]) -> RecordedFunction:
    """Return the distance of two kinds of shapes as machine code."""
    graph = Graph()
    a, b = (graph.input(name, (_WIDTHS[kind],)) for name, kind in (("a", first), ("b", second)))
    previous: Any = graph.input("previous", (3,))
    found = closest(_core(first, _scalars(a)), _core(second, _scalars(b)), previous)
    numbers = (found.value, *found.on_a, *found.on_b, *found.normal)
    return RecordedFunction(Program.of(graph, f"{first.__name__}_and_{second.__name__}", {"distance": numbers}))


def _scalars(values: Any) -> Sequence[Scalar]:
    return tuple(values)
