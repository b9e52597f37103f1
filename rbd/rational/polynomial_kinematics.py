"""Forward kinematics around one nominal configuration q*: a scalar state that runs on polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, final

from rbd.indexing.layout import layout_of
from rbd.kernels.lifting import lifted_transform
from rbd.kinematics import passes
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.rational.coordinates.coordinate import Coordinate
from rbd.rational.coordinates.joint_coordinates import quaternion_equivalent
from rbd.rational.polynomials.polynomial_scalars import NominalValues
from rbd.rational.polynomials.ring import Ring
from rbd.rational.pose import MultilinearPose
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Scalar, Vector, lift
from rbd.spatial import Frame, Point, Transform
from rbd.spatial.linalg import Vec3, identity3

Place: TypeAlias = "RigidBody | Frame[Any] | Point[Any]"
"""A body (its default frame), a frame fixed to a body, or a point (with the axes of its frame)."""


@final
class PolynomialKinematics:
    """Transforms between neighbouring bodies as polynomials around one q*."""

    def __init__(
        self,
        mechanism: Mechanism,
        coordinates: Sequence[tuple[Coordinate, ...]],
        ring: Ring,
        nominal: NominalValues,
    ) -> None:
        """Replace coordinates by polynomials; raise ArgumentError for an invalid q*."""
        self.ring = ring
        self._mechanism = mechanism
        self._layout = layout_of(mechanism)
        q = _polynomials(coordinates, ring, nominal)
        self._state = ScalarState(_with_quaternion_joints(mechanism), q, [0] * mechanism.nv)
        self._like = q[0] if q else None

    def pose(self, place: Place, reference: Place) -> MultilinearPose:
        """Return the pose of a place in a reference, computed along the path between their bodies."""
        (i, before, frame), (j, after, base) = self._located(place), self._located(reference)
        between = after.inverse() @ self._path(i, j) @ before
        return MultilinearPose.of(self.ring, Transform.trusted(frame, base, *between.components))

    def _located(self, place: Place) -> tuple[int, Transform, Frame[Any]]:
        """Return the index of a place's body, the transform from the place to the body, and the place's frame."""
        if isinstance(place, Point):
            index, to_body, frame = self._located(place.frame)
            x, y, z = (self._lifted(c) for c in place.xyz_components)
            return index, to_body @ _moved(to_body.from_frame, (x, y, z)), Frame(f"point in {frame.name}")
        body = place if isinstance(place, RigidBody) else self._mechanism.body_of_frame(place)
        frame = body.default_frame if isinstance(place, RigidBody) else place
        index = self._layout.body_index(body)
        here = self._state.layout.bodies[index].default_frame
        fixed = lifted_transform(self._state, body.fixed_transform(frame, body.default_frame))
        return index, Transform.trusted(frame, here, *fixed.components), frame

    def _lifted(self, x: Scalar) -> Scalar:
        return x if self._like is None else lift(x, self._like)

    def _path(self, i: int, j: int) -> Transform:
        """Return the transform from body `i` to body `j`, composed from `j` on."""
        steps, layout = passes.to_parent(self._state), self._state.layout
        up, down = layout.path_to_root(j), layout.path_to_root(i)
        shared = set(up) & set(down)
        frame = layout.bodies[j].default_frame
        path = Transform.identity(frame, frame)
        for index in up:
            if index not in shared:
                path = path @ steps[index - 1].inverse()
        for index in reversed(down):
            if index not in shared:
                path = path @ steps[index - 1]
        return path


def _polynomials(coordinates: Sequence[tuple[Coordinate, ...]], ring: Ring, nominal: NominalValues) -> Vector:
    q: list[Scalar] = []
    i = 0
    for coordinate, block in zip((c for group in coordinates for c in group), ring.blocks, strict=True):
        q += coordinate.polynomials(ring, block, nominal[i : i + coordinate.nq])
        i += coordinate.nq
    return tuple(q)


def _moved(frame: Frame[Any], translation: Vec3) -> Transform:
    return Transform.trusted(Frame("point"), frame, identity3(), translation)


def _with_quaternion_joints(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism, or a copy with quaternion joints where rotations have three coordinates."""
    equivalents = {joint: quaternion_equivalent(joint.type) for joint in mechanism.tree_joints}
    if not any(equivalents.values()):
        return mechanism
    copy, copies = mechanism.copy()
    for joint, equivalent in equivalents.items():
        if equivalent is not None:
            joint_copy = copies.joint(joint)
            copy.replace_joint(joint_copy, Joint(joint_copy.name, equivalent))
    return copy
