"""Coordinates of joints moved by sliders: one number each, with a range.

A joint whose coordinates are as many as its velocities has a slider per coordinate; a floating joint has six, for its
rotation vector and position. Others, such as quaternions, have a slider per local coordinate about zero.
"""

from __future__ import annotations

import math
from typing import Any, Final, final

import attrs
import numpy as np

from rbd.mechanism import Joint
from rbd.scalars import to_float_array
from rbd.scalars.arrays import Array
from rbd.spatial import Transform, Twist
from rbd.state import MechanismState

_STEPS: Final = 500


@final
@attrs.frozen(eq=False)
class SliderCoordinate:
    """One of the numbers that place a joint, with the range of its slider; `index` counts them."""

    joint: Joint
    index: int
    label: str
    low: float
    high: float

    @property
    def step(self) -> float:
        """The step of the slider."""
        return (self.high - self.low) / _STEPS

    def value(self, state: MechanismState) -> float:
        """Return its value."""
        return float(_values(self.joint, state)[self.index])

    def set(self, state: MechanismState, value: float) -> None:
        """Set it; the other coordinates of the joint stay as they are."""
        values = _values(self.joint, state)
        values[self.index] = value
        state.set_configuration(self.joint, _configuration(self.joint, tuple(values)))


def slider_coordinates(state: MechanismState, reach: float) -> list[SliderCoordinate]:
    """Return the coordinates of all tree joints; unbounded lengths range over ±`reach`, angles over ±π.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.quadruped())
    >>> [coordinate.label for coordinate in slider_coordinates(state, 1.0)][4:8]
    ['floating_base y', 'floating_base z', 'front_left_hip_roll', 'front_left_hip_pitch']
    """
    return [each for joint in state.mechanism.tree_joints for each in _of_joint(state, joint, reach)]


def _of_joint(state: MechanismState, joint: Joint, reach: float) -> list[SliderCoordinate]:
    plain, names = _has_plain_coordinates(joint), _names(joint)
    angular = np.abs(np.asarray(state.motion_subspace(joint).angular, dtype=np.float64)).max(axis=0, initial=0.0)
    sliders: list[SliderCoordinate] = []
    for k, name in enumerate(names):
        bounds = joint.position_bounds[k] if plain else (-math.inf, math.inf)
        low, high = _range(bounds, math.pi if angular[k] > 0 else reach)
        sliders.append(SliderCoordinate(joint, k, joint.name if len(names) == 1 else f"{joint.name} {name}", low, high))
    return sliders


def _has_plain_coordinates(joint: Joint) -> bool:
    return joint.nq == joint.nv


def _names(joint: Joint) -> tuple[str, ...]:
    if _has_plain_coordinates(joint):
        return joint.type.position_names
    return ("turn x", "turn y", "turn z", "x", "y", "z") if joint.nv == 6 else joint.type.velocity_names


def _range(bounds: tuple[Any, Any], default: float) -> tuple[float, float]:
    low, high = float(bounds[0]), float(bounds[1])
    low, high = (low if math.isfinite(low) else min(-default, high - default)), high
    return low, high if math.isfinite(high) else max(default, low + default)


def _values(joint: Joint, state: MechanismState) -> list[float]:
    """Return the values that the sliders of a joint move."""
    q = tuple(state.configuration(joint).tolist())
    if _has_plain_coordinates(joint):
        return list(q)
    if joint.nv == 6:
        pose = state.joint_transform(joint)
        return [*pose.log().angular.tolist(), *pose.translation.tolist()]
    return list(to_float_array(joint.type.local_coordinates(joint.type.zero(), q)).tolist())


def _configuration(joint: Joint, values: tuple[float, ...]) -> Array | Transform:
    """Return the configuration of a joint with these values."""
    if not _has_plain_coordinates(joint) and joint.nv == 6:
        after, before = joint.frame_after, joint.frame_before
        turn = Twist(after, before, before, values[:3], (0, 0, 0)).exp()
        return Transform(after, before, turn.rotation, values[3:])
    q = values if _has_plain_coordinates(joint) else joint.type.global_coordinates(joint.type.zero(), values)
    return np.array(q, dtype=np.float64)
