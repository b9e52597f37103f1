"""Parameters of a mechanism as arrays: a scalar state reads them instead of the mechanism's, as inputs of recordings.

Algorithms do not use this module: they read parameters through the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, cast, final, get_args

import attrs

from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.mechanism import Mechanism
from rbd.mechanism.joint import PerVelocityParameter
from rbd.scalars import Matrix, Vector
from rbd.scalars.arrays import Array, to_float_array
from rbd.spatial import Frame, SpatialInertia, Transform
from rbd.spatial.linalg import Vec3, symmetric

ParameterName: TypeAlias = Literal["inertia", "gravity", "placement", PerVelocityParameter]
PARAMETER_NAMES: tuple[ParameterName, ...] = get_args(ParameterName)
NestedScalars: TypeAlias = "Vector | Matrix | tuple[Matrix, ...]"


def parameter_shape(mechanism: Mechanism, name: object) -> tuple[int, ...]:
    """Return the shape of the array that holds a parameter; raise ArgumentError for a name that is none.

    `inertia` has a row per body but the root, in the order of `mechanism.bodies`: the moment about the origin of the
    body's frame (xx, xy, xz, yy, yz, zz), mass times centre of mass, mass. `placement` has three rows of four per tree
    joint: rotation and translation from frame_before to the predecessor's frame. The others have a number per velocity.
    """
    layout = layout_of(mechanism)
    if not isinstance(name, str) or name not in PARAMETER_NAMES:
        message = f"{name!r} is not a parameter; parameters: {', '.join(PARAMETER_NAMES)}"
        raise ArgumentError(message, argument="parameters", value=name, allowed=PARAMETER_NAMES)
    shapes: dict[str, tuple[int, ...]] = {
        "inertia": (len(layout.nodes), 10),
        "gravity": (3,),
        "placement": (len(layout.nodes), 3, 4),
    }
    return shapes.get(name, (layout.nv,))


def parameter_value(mechanism: Mechanism, name: ParameterName) -> Sequence[object]:
    """Return the current value of a parameter, as nested scalars of the shape `parameter_shape`."""
    nodes = layout_of(mechanism).nodes
    if name == "gravity":
        return mechanism.gravity.xyz_components
    if name == "inertia":
        return tuple(_inertia_of(node.body.inertia, node.body.default_frame).components for node in nodes)
    if name == "placement":
        return tuple(_rows(mechanism.placement(node.joint)) for node in nodes)
    return tuple(value for node in nodes for value in cast("Vector", getattr(node.joint, name)))


def parameter_array(mechanism: Mechanism, name: ParameterName) -> Array:
    """Return the current value of a parameter as a fresh array of the shape `parameter_shape`, also if it is empty."""
    return to_float_array(parameter_value(mechanism, name)).reshape(parameter_shape(mechanism, name))


def _inertia_of(inertia: SpatialInertia | None, frame: Frame) -> SpatialInertia:
    return SpatialInertia.zero(frame) if inertia is None else inertia


def _rows(tf: Transform) -> Matrix:
    return tuple((*row, x) for row, x in zip(tf.rotation_components, tf.translation_components, strict=True))


@final
@attrs.frozen(eq=False)
class ParameterValues:
    """Values of parameters, by name, which a scalar state reads instead of the mechanism's."""

    values: Mapping[str, NestedScalars]

    def has(self, name: str) -> bool:
        """Return whether the parameter has a value."""
        return name in self.values

    def inertia(self, index: int, frame: Frame) -> SpatialInertia:
        """Return the inertia of the body of node `index`, in its frame."""
        row = cast("Vector", self.values["inertia"][index - 1])
        xx, xy, xz, yy, yz, zz, x, y, z, mass = row
        return SpatialInertia.trusted(frame, symmetric(xx, xy, xz, yy, yz, zz), (x, y, z), mass)

    def gravity(self) -> Vec3:
        """Return the acceleration of free fall, in the root frame."""
        x, y, z = cast("Vector", self.values["gravity"])
        return x, y, z

    def placement(self, index: int, frames: Transform) -> Transform:
        """Return the placement of the joint of node `index`, between the frames of another placement of that joint."""
        a, b, c = cast("Matrix", self.values["placement"][index - 1])
        rotation = ((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2]))
        return Transform.trusted(frames.from_frame, frames.to_frame, rotation, (a[3], b[3], c[3]))

    def per_velocity(self, v_slice: slice, name: str) -> Vector:
        """Return a parameter of the joint that has these velocities, one number per velocity."""
        return tuple(cast("Vector", self.values[name])[v_slice])
