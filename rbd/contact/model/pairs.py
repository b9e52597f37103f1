"""A pair of shapes whose distance is computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import attrs
from typing_extensions import TypeVar, override

from rbd.contact.geometry.shapes import Shape
from rbd.contact.model.compliance import Compliance
from rbd.mechanism import RigidBody
from rbd.scalars import Scalar
from rbd.spatial import Frame

N_co = TypeVar("N_co", bound=Scalar, default=float, covariant=True)
"""The kind of scalar in a result: float for live states, a scalar state's own."""


@final
@attrs.frozen(eq=False, repr=False)
class Pair:
    """Two shapes and the bodies that they are fixed to.

    >>> import rbd
    >>> _, model = rbd.robots.hand()
    >>> pair = model.pairs[0]
    >>> pair, model.body(pair.b) is pair.body_b
    (<pair: Capsule on 'wrist', Capsule on 'finger13'>, True)
    """

    a: Shape
    b: Shape
    body_a: RigidBody
    body_b: RigidBody
    friction: float | None = None
    """Coulomb's coefficient in time steps; None: that of the step."""
    restitution: float = 0.0
    """Share of the approach speed with which points separate after they met in a time step."""
    compliance: Compliance | None = None
    """Spring and damper of the pair in time steps; None: it is hard."""
    torsional_friction: float = 0.0
    """Largest torque about the normal per normal force in time steps (m)."""
    rolling_friction: float = 0.0
    """Largest torque against rolling per normal force in time steps (m)."""
    round_cone: bool = False
    """Whether friction cones in time steps are round, not polyhedral: that of the model."""

    @property
    def base(self) -> Frame[Any]:
        """The frame the pair is computed in: the default frame of the second body."""
        return self.body_b.default_frame

    @override
    def __repr__(self) -> str:
        a, b = (f"{type(s).__name__} on {body.name!r}" for s, body in ((self.a, self.body_a), (self.b, self.body_b)))
        return f"<pair: {a}, {b}>"


def have_friction(pairs: Iterable[Pair]) -> bool:
    """Return whether one of these pairs has a coefficient of friction of its own that is not zero."""
    return any(pair.friction for pair in pairs)
