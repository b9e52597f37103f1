"""The coordinates of every joint type: displacements, angles, rotations."""

from __future__ import annotations

from rbd.errors import ArgumentError, quoted
from rbd.joints import (
    Fixed,
    JointType,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Reversed,
    Revolute,
    RotationVectorFloating,
    RotationVectorSpherical,
    SinCosRevolute,
    Universal,
)
from rbd.mechanism import Joint
from rbd.rational.coordinates.coordinate import AngleCoordinate, Coordinate, LengthCoordinate, SinCosCoordinate
from rbd.rational.coordinates.rotation import QuaternionCoordinate, ThreeParameterCoordinate
from rbd.spatial.quaternion import mrp_to_quaternion, quaternion_exp, quaternion_log, quaternion_to_mrp

_LENGTH, _ANGLE, _QUATERNION = LengthCoordinate(), AngleCoordinate(), QuaternionCoordinate()
_VECTOR = ThreeParameterCoordinate(quaternion_exp, quaternion_log)
_MRP = ThreeParameterCoordinate(mrp_to_quaternion, quaternion_to_mrp)
_COORDINATES: dict[type[JointType], tuple[Coordinate, ...]] = {
    Fixed: (),
    Revolute: (_ANGLE,),
    SinCosRevolute: (SinCosCoordinate(),),
    Prismatic: (_LENGTH,),
    Planar: (_LENGTH, _LENGTH, _ANGLE),
    Universal: (_ANGLE, _ANGLE),
    QuaternionSpherical: (_QUATERNION,),
    QuaternionFloating: (_QUATERNION, _LENGTH, _LENGTH, _LENGTH),
    RotationVectorSpherical: (_VECTOR,),
    RotationVectorFloating: (_VECTOR, _LENGTH, _LENGTH, _LENGTH),
    MRPFloating: (_MRP, _LENGTH, _LENGTH, _LENGTH),
}
_QUATERNION_EQUIVALENTS: dict[type[JointType], JointType] = {
    RotationVectorSpherical: QuaternionSpherical(),
    RotationVectorFloating: QuaternionFloating(),
    MRPFloating: QuaternionFloating(),
}

SUPPORTED = ", ".join(sorted(kind.__name__ for kind in _COORDINATES))
"""The names of the joint types whose poses are rational."""


def joint_coordinates(joint: Joint) -> tuple[Coordinate, ...]:
    """Return the coordinates of a joint; raise ArgumentError naming it when its transform is no rational function."""
    joint_type = joint.type
    while isinstance(joint_type, Reversed):
        joint_type = joint_type.original
    coordinates = _COORDINATES.get(type(joint_type))
    if coordinates is None:
        kind = type(joint.type).__name__
        raise ArgumentError(
            f"mechanism: the transform of joint {quoted(joint.name)} ({kind}) is no rational function",
            argument="mechanism",
            joint=joint.name,
            value=joint.type,
            allowed=SUPPORTED,
        )
    return coordinates


def quaternion_equivalent(joint_type: JointType) -> JointType | None:
    """Return the joint type with the same motion and a quaternion for its rotation; None if there is no need."""
    if isinstance(joint_type, Reversed):
        inner = quaternion_equivalent(joint_type.original)
        return None if inner is None else Reversed(inner)
    return _QUATERNION_EQUIVALENTS.get(type(joint_type))
