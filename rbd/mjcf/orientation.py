"""The pose of an element: `pos` and an orientation in one of five forms, or `fromto`."""

from __future__ import annotations

import math

from rbd.files.pose import IDENTITY, ZERO, FloatMat3, Pose
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.rotations import (
    rotation_of_axes,
    rotation_of_axis_angle,
    rotation_of_euler,
    rotation_of_quaternion,
    rotation_of_z_axis,
    unit,
)
from rbd.mjcf.schema import ORIENTATION


def read_pose(element: MjcfElement) -> Pose:
    """Return the pose that `pos` and the orientation give."""
    return Pose(read_rotation(element), element.vector3("pos"))


def read_fromto(element: MjcfElement) -> tuple[Pose, float]:
    """Return the pose half way between the points of `fromto`, its z axis along them, and half their distance."""
    a, b, c, x, y, z = element.vector("fromto", (0.0,) * 6)
    along = (a - x, b - y, c - z)
    rotation = rotation_of_z_axis(along)
    if rotation is None:
        raise element.error("fromto", "fromto: the points are one")
    return Pose(rotation, ((a + x) / 2, (b + y) / 2, (c + z) / 2)), math.hypot(*along) / 2


def read_rotation(element: MjcfElement) -> FloatMat3:
    """Return the orientation; the other forms count more than `quat`, as they are read after it."""
    forms_of_element = [form for form in ORIENTATION if form in element.node.attributes]
    if len(forms_of_element) > 1:
        message = f"has both {forms_of_element[0]} and {forms_of_element[1]}; an orientation is given once"
        raise element.error(forms_of_element[1], message)
    forms = [form for form in (*forms_of_element, *reversed(ORIENTATION)) if element.has(form)]
    if not forms:
        return IDENTITY
    form = next((form for form in forms if form != "quat"), "quat")
    rotation = _rotation(element, form)
    if rotation is None:
        raise element.error(form, f"{form} gives no direction: it is too short")
    return rotation


def _rotation(element: MjcfElement, form: str) -> FloatMat3 | None:
    settings = element.reading.settings
    if form == "quat":
        return rotation_of_quaternion(element.vector("quat", (1.0, 0.0, 0.0, 0.0)))
    if form == "axisangle":
        *axis, angle = element.vector("axisangle", (0.0, 0.0, 0.0, 0.0))
        direction = unit(axis)
        return None if direction is None else rotation_of_axis_angle(direction, angle * settings.angle_unit)
    if form == "xyaxes":
        return rotation_of_axes(element.vector("xyaxes", (0.0,) * 6))
    if form == "zaxis":
        return rotation_of_z_axis(element.vector("zaxis", ZERO))
    angles = element.vector("euler", ZERO)
    return rotation_of_euler([angle * settings.angle_unit for angle in angles], settings.euler_sequence)
