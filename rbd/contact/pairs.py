"""A pair of shapes whose distance is watched.

Room: contact; may import compiled and above.
"""

from __future__ import annotations

from typing import Any, final

import attrs

from rbd.contact.shapes import Shape
from rbd.mechanism import RigidBody
from rbd.spatial import Frame


@final
@attrs.frozen(eq=False)
class Pair:
    """Two shapes with the bodies that carry them."""

    a: Shape
    b: Shape
    body_a: RigidBody
    body_b: RigidBody

    @property
    def base(self) -> Frame[Any]:
        """The frame the pair is computed in: the second body's."""
        return self.body_b.default_frame
