"""Joint types: how the frame after a joint may move with respect to the frame before it.

base.py            JointType, the interface, and how to write a joint type; `rbd.testing.check_joint_type` checks one
fixed.py, revolute.py, prismatic.py, screw.py, planar.py, universal.py, sincos.py   joint types, one each
spherical.py, floating.py   joint types with a chart of rotations
interface.py       checks of the joint types of users, by `Joint`
reversed.py        Reversed: any joint type with predecessor and successor exchanged
axis.py            axes, and rotation about an axis
one_axis.py        base class of joint types with one axis
charts.py          charts of rotations: quaternion, modified Rodrigues parameters, rotation vector
chart_joint.py     base class of joint types with a chart
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rbd.joints.base import JointType
from rbd.joints.reversed import Reversed

if TYPE_CHECKING:
    from rbd.joints.fixed import Fixed
    from rbd.joints.floating import MRPFloating, QuaternionFloating, RotationVectorFloating
    from rbd.joints.planar import Planar
    from rbd.joints.prismatic import Prismatic
    from rbd.joints.revolute import Revolute
    from rbd.joints.screw import Screw
    from rbd.joints.sincos import SinCosRevolute
    from rbd.joints.spherical import QuaternionSpherical, RotationVectorSpherical
    from rbd.joints.universal import Universal
else:
    _MODULES = {
        "Fixed": "fixed",
        "MRPFloating": "floating",
        "Planar": "planar",
        "Prismatic": "prismatic",
        "QuaternionFloating": "floating",
        "QuaternionSpherical": "spherical",
        "Revolute": "revolute",
        "RotationVectorFloating": "floating",
        "RotationVectorSpherical": "spherical",
        "Screw": "screw",
        "SinCosRevolute": "sincos",
        "Universal": "universal",
    }
    """Modules of joint types, imported when a type is first used."""

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module 'rbd.joints' has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"rbd.joints.{_MODULES[name]}"), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES})


__all__ = [
    "Fixed",
    "JointType",
    "MRPFloating",
    "Planar",
    "Prismatic",
    "QuaternionFloating",
    "QuaternionSpherical",
    "Reversed",
    "Revolute",
    "RotationVectorFloating",
    "RotationVectorSpherical",
    "Screw",
    "SinCosRevolute",
    "Universal",
]
