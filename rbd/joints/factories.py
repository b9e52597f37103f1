"""Joint types given by themselves or by functions that make them, such as the classes of types without axes."""

from __future__ import annotations

from rbd.arguments import described
from rbd.errors import ArgumentError
from rbd.joints.base import JointType


def made_joint_type(given: object, argument: str) -> JointType:
    """Return a joint type given by itself, or by a function without arguments that returns it.

    Raises ArgumentError, naming `argument`, for everything else.

    >>> from rbd import Fixed
    >>> made_joint_type(Fixed, "joint_type")
    Fixed()
    """
    try:
        made: object = given if isinstance(given, JointType) or not callable(given) else given()
    except TypeError as error:
        name = getattr(given, "__name__", described(given))
        message = f"{argument}: {name} cannot be called without arguments ({error}); give a joint type, such as "
        raise ArgumentError(f"{message}rbd.Revolute((0, 0, 1))", argument=argument, value=given) from error
    if not isinstance(made, JointType):
        message = f"{argument}: {described(given)} is not a joint type and does not return one"
        raise ArgumentError(message, argument=argument, value=given)
    return made
