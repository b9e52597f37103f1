"""Narrow phase: distances and Jacobian rows of selected pairs.

The functions recorded for all pairs of a model compute every pair. Here one recorded function places all shapes, and
the selected pairs are computed in batches, one per pair of kinds, by machine code that all models share. Everything is
in the default frame of one body, so that nothing is lost far from the root.
"""

from __future__ import annotations

from functools import partial
from typing import Any, final

import numpy as np

from rbd import native
from rbd.algorithms import geometric_jacobian
from rbd.array_functions.function import RecordedFunction
from rbd.contact.geometry.shape_distance import nearest_points
from rbd.contact.geometry.shape_rows import RowKind, shape_of_row
from rbd.contact.model.shape_table import Indices, ShapeTable
from rbd.mechanism import RigidBody
from rbd.native.runtime.function_caches import function_cache
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import Array
from rbd.spatial import Frame
from rbd.state import MechanismState


@final
class NarrowPhase:
    """Distances and Jacobian rows of selected pairs."""

    def __init__(self, shapes: ShapeTable) -> None:
        """Take the shapes and pairs."""
        self._shapes = shapes
        self._masks: dict[int, Array] = {}

    def distances(self, state: MechanismState, pairs: Indices, normals: Array) -> Array:
        """Return ten numbers for each of `pairs`: phi, witnesses and normal in the root frame, as `normals`."""
        if not pairs.size:
            return np.empty((0, 10))
        rows = self._narrow_phase(state, pairs, normals)
        tf = state.relative_transform(self._shapes.frame, state.layout.root_frame)
        vectors = rows[:, 1:].reshape(-1, 3, 3) @ tf.rotation.T
        vectors[:, :2] += tf.translation
        rows[:, 1:] = vectors.reshape(-1, 9)
        return rows

    def jacobian(self, state: MechanismState, pairs: Indices) -> Array:
        """Return the rows of the contact Jacobian for `pairs`."""
        if not pairs.size:
            return np.empty((0, state.layout.nv))
        rows = self._narrow_phase(state, pairs, np.zeros((pairs.size, 3)))
        point, normal = rows[:, 1:4], rows[:, 7:]
        columns = np.asarray(self._shapes.record("columns", partial(_columns, self._shapes.frame))(state.q, state.v))
        rates = normal @ columns[:, 3:].T + np.cross(point, normal) @ columns[:, :3].T
        mask = self._support_mask()
        result: Array = rates * (mask[self._shapes.a[pairs]] - mask[self._shapes.b[pairs]])
        return result

    def _narrow_phase(self, state: MechanismState, pairs: Indices, normals: Array) -> Array:
        """Return phi, witnesses and normals in the common frame, in one batch per pair of kinds."""
        (_, table), results = self._shapes.placed(state), np.empty((pairs.size, 10))
        a, b = self._shapes.a[pairs], self._shapes.b[pairs]
        R_WB = state.relative_transform(self._shapes.frame, state.layout.root_frame).rotation
        kinds = self._shapes.row_kinds
        codes = self._shapes.kinds[a] * len(kinds) + self._shapes.kinds[b]
        for code in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == code)
            first, second = (kinds[k] for k in divmod(int(code), len(kinds)))
            sides = table[a[rows], : first.width], table[b[rows], : second.width]
            results[rows] = np.asarray(_distance_function(first, second)(*sides, normals[rows] @ R_WB))
        return results

    def _support_mask(self) -> Array:
        """Return, per shape and velocity coordinate, 1 where the shape moves with it."""
        mechanism = self._shapes.mechanism
        mask = self._masks.get(mechanism.structure_version)
        if mask is None:
            flags = {body.name: self._supporting_velocities(body) for _, body in self._shapes.shapes}
            table = [flags[body.name] for _, body in self._shapes.shapes]
            mask = np.array(table, dtype=np.float64).reshape(len(table), -1)
            self._masks = {mechanism.structure_version: mask}
        return mask

    def _supporting_velocities(self, body: RigidBody) -> list[bool]:
        mechanism = self._shapes.mechanism
        return [mechanism.supports(joint, body) for joint in mechanism.tree_joints for _ in range(joint.nv)]


def _columns(frame: Frame[Any], state: ScalarState) -> object:
    """Return, per velocity coordinate, its column of the geometric Jacobian in a frame, angular part first."""
    mechanism, rows = state.mechanism, list[Vector]()
    for joint in mechanism.tree_joints:
        path = mechanism.path(mechanism.predecessor(joint), mechanism.successor(joint))
        columns = geometric_jacobian(state, path, frame=frame).columns
        rows += [(*columns[k][0], *columns[k][1]) for k in range(state.layout.nv)[state.v_slice(joint)]]
    return tuple(rows) if rows else np.empty((0, 6))


@native.one_at_a_time
@function_cache()
def _distance_function(first: RowKind, second: RowKind) -> RecordedFunction:
    """Return the distance of two kinds of shapes as machine code."""
    with recording() as graph:
        a, b = (graph.input(name, (kind.width,)) for name, kind in (("a", first), ("b", second)))
        previous: Any = graph.input("previous", (3,))
        shapes = shape_of_row(first, _scalars(a)), shape_of_row(second, _scalars(b))
        separation = nearest_points(*shapes, previous)
        row = (separation.phi, *separation.p_a, *separation.p_b, *separation.n)
        name = "_and_".join(kind.shape_kind.placed.__name__ for kind in (first, second))
        return RecordedFunction(Program.of(graph, name, {"distance": row}))


def _scalars(values: Any) -> tuple[Scalar, ...]:
    return tuple(values)
