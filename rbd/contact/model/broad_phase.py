"""Broad phase: which pairs may be near, and the distances and Jacobian rows of those alone.

The functions recorded for all pairs of a model compute every pair. Here one recorded function places all shapes,
bounding spheres select pairs, and those are computed in batches, one per pair of kinds, by machine code that all models
share. Everything is in the default frame of the first moving body, so that nothing is lost far from the root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeAlias, cast, final

import numpy as np
from numpy.typing import NDArray

from rbd import native
from rbd.algorithms import geometric_jacobian
from rbd.compiled import RecordedFunction
from rbd.contact.geometry.placed_shapes import (
    PlacedBox,
    PlacedCapsule,
    PlacedHalfSpace,
    PlacedShape,
    PlacedSphere,
    place,
)
from rbd.contact.geometry.shape_distance import nearest_points
from rbd.contact.geometry.shapes import Box, Capsule, Shape, Sphere, bounding_radius
from rbd.contact.model.pairs import Pair
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
"""Records a function of a state, for the mechanism as it is, under a name."""

_Numbered: TypeAlias = PlacedSphere | PlacedCapsule | PlacedHalfSpace | PlacedBox
"""All but height fields, whose models have no broad phase."""
_WIDTHS: Mapping[type[Any], int] = {PlacedSphere: 4, PlacedCapsule: 7, PlacedHalfSpace: 6, PlacedBox: 15}
"""How many numbers a placed shape has."""
_WIDEST = max(_WIDTHS.values())
_KINDS: list[Any] = list(_WIDTHS)


@final
class BroadPhase:
    """The shapes and pairs of a model as arrays."""

    def __init__(
        self, mechanism: Mechanism, shapes: Sequence[tuple[Shape, RigidBody]], pairs: Sequence[Pair], record: Record
    ) -> None:
        """Take shapes with their bodies, pairs of them, and what records functions."""
        self._mechanism, self._shapes, self._record = mechanism, tuple(shapes), record
        numbers = {id(shape): k for k, (shape, _) in enumerate(shapes)}
        self._a: Indices = np.array([numbers[id(pair.a)] for pair in pairs], dtype=np.intp)
        self._b: Indices = np.array([numbers[id(pair.b)] for pair in pairs], dtype=np.intp)
        self._kinds: Indices = np.array([_KINDS.index(_kind(shape)) for shape, _ in shapes], dtype=np.intp)
        self._carried: dict[int, Array] = {}
        self._radii = np.array([bounding_radius(shape) for shape, _ in shapes], dtype=np.float64)

    def near(self, state: MechanismState, margin: float) -> Indices:
        """Return the numbers of the pairs whose bounding spheres are nearer than `margin`."""
        if not self._a.size:
            return np.empty(0, dtype=np.intp)
        table, planes = self._placed(state), self._kinds == _KINDS.index(PlacedHalfSpace)
        a, b = table[self._a], table[self._b]
        gaps = np.linalg.norm(a[:, :3] - b[:, :3], axis=1) - self._radii[self._a] - self._radii[self._b]
        for solid, plane, solids, others in ((a, b, self._a, self._b), (b, a, self._b, self._a)):
            rows = np.flatnonzero(planes[others])
            offsets, normals = solid[rows, :3] - plane[rows, :3], plane[rows, 3:6]
            gaps[rows] = (offsets * normals).sum(axis=1) - self._radii[solids[rows]]
        return np.flatnonzero(gaps < margin)

    def distances(self, state: MechanismState, pairs: Indices, normals: Array) -> Array:
        """Return ten numbers for each of `pairs`: phi, witnesses and normal in the root frame, as `normals`."""
        found = self._narrow_phase(state, pairs, normals)
        tf = state.relative_transform(self.base, state.layout.root_frame)
        vectors = found[:, 1:].reshape(-1, 3, 3) @ tf.rotation.T
        vectors[:, :2] += tf.translation
        found[:, 1:] = vectors.reshape(-1, 9)
        return found

    def jacobian(self, state: MechanismState, pairs: Indices) -> Array:
        """Return the rows of the contact Jacobian for `pairs`."""
        found = self._narrow_phase(state, pairs, np.zeros((pairs.size, 3)))
        point, normal = found[:, 1:4], found[:, 7:]
        columns = np.asarray(self._record("columns", partial(_columns, self.base))(state.q, state.v))
        rates = normal @ columns[:, 3:].T + np.cross(point, normal) @ columns[:, :3].T
        carried = self._carried_by_velocities()
        result: Array = rates * (carried[self._a[pairs]] - carried[self._b[pairs]])
        return result

    @property
    def base(self) -> Frame[Any]:
        """The frame everything is computed in: that of the first moving body, or of the root if there is none."""
        bodies = self._mechanism.bodies
        return bodies[1 if len(bodies) > 1 else 0].default_frame

    def _placed(self, state: MechanismState) -> Array:
        shapes = [shape for shape, _ in self._shapes]
        return np.asarray(self._record("shapes", partial(_placed_shapes, shapes, self.base))(state.q, state.v))

    def _narrow_phase(self, state: MechanismState, pairs: Indices, normals: Array) -> Array:
        """Return phi, witnesses and normals in the base frame, in one batch per pair of kinds."""
        table, found = self._placed(state), np.empty((pairs.size, 10))
        a, b = self._a[pairs], self._b[pairs]
        up = state.relative_transform(self.base, state.layout.root_frame).rotation
        codes = self._kinds[a] * len(_KINDS) + self._kinds[b]
        for code in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == code)
            first, second = _KINDS[int(code) // len(_KINDS)], _KINDS[int(code) % len(_KINDS)]
            sides = table[a[rows], : _WIDTHS[first]], table[b[rows], : _WIDTHS[second]]
            found[rows] = np.asarray(_distance_function(first, second)(*sides, normals[rows] @ up))
        return found

    def _carried_by_velocities(self) -> Array:
        """Return, per shape and velocity coordinate, 1 where the shape moves with it."""
        mechanism = self._mechanism
        known = self._carried.get(mechanism.structure_version)
        if known is None:
            flags = {body.name: self._moved_by(body) for _, body in self._shapes}
            table = [flags[body.name] for _, body in self._shapes]
            known = np.array(table, dtype=np.float64).reshape(len(table), -1)
            self._carried = {mechanism.structure_version: known}
        return known

    def _moved_by(self, body: RigidBody) -> list[bool]:
        mechanism = self._mechanism
        return [mechanism.supports(joint, body) for joint in mechanism.tree_joints for _ in range(joint.nv)]


def _kind(shape: Shape) -> type[Any]:
    if isinstance(shape, Sphere) or (isinstance(shape, Capsule) and shape.length == 0):
        return PlacedSphere
    kinds: dict[type[Any], type[Any]] = {Capsule: PlacedCapsule, Box: PlacedBox, HalfSpace: PlacedHalfSpace}
    return kinds[type(shape)]


def _placed_shapes(shapes: Sequence[Shape], base: Frame[Any], state: ScalarState) -> object:
    """Return the numbers of all shapes, padded with zeros."""
    placed = (place(shape, state.relative_transform(shape.frame, base), state.lifted) for shape in shapes)
    rows = [_numbers(cast("_Numbered", shape)) for shape in placed]
    return tuple((*row, *(0,) * (_WIDEST - len(row))) for row in rows)


def _numbers(shape: _Numbered) -> Vector:
    if isinstance(shape, PlacedBox):
        return *shape.center, *(x for axis in shape.axes for x in axis), *shape.half
    if isinstance(shape, PlacedCapsule):
        return *shape.center, *shape.half, shape.radius
    return (*shape.center, shape.radius) if isinstance(shape, PlacedSphere) else (*shape.point, *shape.normal)


def _from_numbers(kind: type[Any], x: Vector) -> PlacedShape:
    """Return the shape with these numbers: the inverse of `_numbers`."""
    triples = [(x[k], x[k + 1], x[k + 2]) for k in range(0, len(x) - 2, 3)]
    if kind is PlacedBox:
        return PlacedBox(triples[0], (triples[1], triples[2], triples[3]), triples[4])
    if kind is PlacedCapsule:
        return PlacedCapsule(triples[0], triples[1], x[6])
    return PlacedSphere(triples[0], x[3]) if kind is PlacedSphere else PlacedHalfSpace(triples[0], triples[1])


def _columns(base: Frame[Any], state: ScalarState) -> object:
    """Return, per velocity coordinate, its column of the geometric Jacobian in the base frame, angular part first."""
    mechanism, found = state.mechanism, list[Vector]()
    for joint in mechanism.tree_joints:
        path = mechanism.path(mechanism.predecessor(joint), mechanism.successor(joint))
        columns = geometric_jacobian(state, path, frame=base).columns
        found += [(*columns[k][0], *columns[k][1]) for k in range(state.layout.nv)[state.v_slice(joint)]]
    return tuple(found) if found else np.empty((0, 6))


@native.one_at_a_time
@cache
def _distance_function(first: type[Any], second: type[Any]) -> RecordedFunction:
    """Return the distance of two kinds of shapes as machine code."""
    graph = Graph()
    a, b = (graph.input(name, (_WIDTHS[kind],)) for name, kind in (("a", first), ("b", second)))
    previous: Any = graph.input("previous", (3,))
    found = nearest_points(_from_numbers(first, _scalars(a)), _from_numbers(second, _scalars(b)), previous)
    numbers = (found.phi, *found.p_a, *found.p_b, *found.n)
    return RecordedFunction(Program.of(graph, f"{first.__name__}_and_{second.__name__}", {"distance": numbers}))


def _scalars(values: Any) -> tuple[Scalar, ...]:
    return tuple(values)
