"""A pair of shapes whose distance is watched."""

from __future__ import annotations

from typing import Any, final

import attrs
from typing_extensions import TypeVar

from rbd.contact.shapes import Shape
from rbd.mechanism import RigidBody
from rbd.scalars import Scalar
from rbd.spatial import Frame

N_co = TypeVar("N_co", bound=Scalar, default=float, covariant=True)
"""Numbers of a result: floats for live states, a scalar state's own."""


@final
@attrs.frozen(eq=False)
class Pair:
    """Two shapes with the bodies that carry them.

    >>> import rbd
    >>> _, model = rbd.robots.hand()
    >>> pair = model.pairs[0]
    >>> pair.body_a.name, pair.body_b.name, model.body(pair.b) is pair.body_b
    ('wrist', 'finger13', True)
    """

    a: Shape
    b: Shape
    body_a: RigidBody
    body_b: RigidBody

    @property
    def base(self) -> Frame[Any]:
        """The frame the pair is computed in: the second body's."""
        return self.body_b.default_frame
