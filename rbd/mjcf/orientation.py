"""The orientation of an element, in whichever of the five forms it is given."""

from __future__ import annotations

from rbd.errors import MjcfValueError
from rbd.files.pose import IDENTITY, ZERO, Matrix3, Pose
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
    return Pose(read_rotation(element), element.triple("pos"))


def read_rotation(element: MjcfElement) -> Matrix3:
    """Return the orientation; the other forms count more than `quat`, as they are read after it."""
    forms_of_element = [form for form in ORIENTATION if form in element.node.attributes]
    if len(forms_of_element) > 1:
        message = f"has both {forms_of_element[0]} and {forms_of_element[1]}; an orientation is given once"
        raise element.reading.error(MjcfValueError, element.node, message, attribute=forms_of_element[1])
    forms = [form for form in (*forms_of_element, *reversed(ORIENTATION)) if element.has(form)]
    if not forms:
        return IDENTITY
    form = next((form for form in forms if form != "quat"), "quat")
    rotation = _rotation(element, form)
    if rotation is None:
        node = element.source(form) or element.node
        raise element.reading.error(MjcfValueError, node, f"{form} gives no direction: it is too short", attribute=form)
    return rotation


def _rotation(element: MjcfElement, form: str) -> Matrix3 | None:
    settings = element.reading.settings
    if form == "quat":
        return rotation_of_quaternion(element.vector("quat", (1.0, 0.0, 0.0, 0.0)))
    if form == "axisangle":
        *axis, angle = element.vector("axisangle", (0.0, 0.0, 0.0, 0.0))
        direction = unit(axis)
        return None if direction is None else rotation_of_axis_angle(direction, angle * settings.angle)
    if form == "xyaxes":
        return rotation_of_axes(element.vector("xyaxes", (0.0,) * 6))
    if form == "zaxis":
        return rotation_of_z_axis(element.vector("zaxis", ZERO))
    angles = element.vector("euler", ZERO)
    return rotation_of_euler([angle * settings.angle for angle in angles], settings.euler)
