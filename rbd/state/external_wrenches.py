"""External wrenches on their way into machine code: numbers, once it is known which bodies and frames they are for.

A call with wrenches has the fast path of all calls with wrenches on the same bodies in the same frames. Only default
frames of bodies, the root frame among them, are served: in those a kernel takes a wrench as it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import numpy as np

from rbd.mechanism import RigidBody
from rbd.scalars.arrays import Array
from rbd.spatial import Wrench
from rbd.state.layout import Layout

External: TypeAlias = Mapping[RigidBody, Wrench[Any]]


Places: TypeAlias = tuple[object, ...]
"""Bodies, each followed by the identity of the frame in which the wrench on it is given.

A frame for which there is a fast path is some body's, and lives as long as the structure the path is for.
"""


def places_and_numbers(external: object) -> tuple[Places, Array | None] | None:
    """Return where wrenches act, and their numbers (None if some are no floats); None for what may be no wrenches."""
    if type(external) is not dict:
        return None
    places: list[object] = []
    numbers: list[object] = []
    for body, wrench in cast("External", external).items():
        if type(wrench) is not Wrench:
            return None
        places += (body, id(wrench.frame))
        numbers += wrench.angular_components
        numbers += wrench.linear_components
    return tuple(places), np.array(numbers) if set(map(type, numbers)) == {float} else None


def are_in_default_frames(layout: Layout, external: External) -> bool:
    """Return whether all wrenches are given in default frames of bodies."""
    frames = {id(body.default_frame) for body in layout.bodies}
    return all(id(wrench.frame) in frames for wrench in external.values())
