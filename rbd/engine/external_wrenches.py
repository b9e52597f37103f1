"""External wrenches as arguments of machine code: their numbers, for given bodies and frames.

All calls with wrenches on the same bodies in the same frames have one fast path. Only default frames of bodies,
including the root frame, have fast paths: in these, kernels take wrenches without a transform.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import numpy as np

from rbd.indexing.layout import Layout
from rbd.mechanism import RigidBody
from rbd.scalars.arrays import Array
from rbd.spatial import Wrench

ExternalByBody: TypeAlias = Mapping[RigidBody, Wrench[Any]] | Mapping[str, Wrench[Any]]


WrenchKey: TypeAlias = tuple[object, ...]
"""Bodies or their names, each followed by the identity of the frame of its wrench.

The frame of a fast path belongs to a body, and lives as long as the layout of the path.
"""


def wrench_key_and_components(external: object) -> tuple[WrenchKey, Array | None] | None:
    """Return bodies and frames of wrenches, and their numbers (None unless all are floats); None for other values."""
    if type(external) is not dict:
        return None
    key: list[object] = []
    numbers: list[object] = []
    for body, wrench in cast("ExternalByBody", external).items():
        if type(wrench) is not Wrench:
            return None
        key += (body, id(wrench.frame))
        numbers += wrench.angular_components
        numbers += wrench.linear_components
    return tuple(key), np.array(numbers) if set(map(type, numbers)) == {float} else None


def are_in_default_frames(layout: Layout, external: ExternalByBody) -> bool:
    """Return whether all wrenches are expressed in default frames of bodies."""
    frames = {id(body.default_frame) for body in layout.bodies}
    return all(id(wrench.frame) in frames for wrench in external.values())
