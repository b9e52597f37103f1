"""Compliant contact of points: normal and friction models.

A model is a parameter of a contact point. Its formulas are in scalars, so that they can be recorded, differentiated and
compiled.

The normal force is that of Hunt and Crossley (1975). Friction is a spring and a damper between the body and an anchor
that slides at Coulomb's limit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import attrs
from typing_extensions import override

from rbd.arguments import is_finite, require_kind
from rbd.errors import ArgumentError
from rbd.scalars import Scalar, const, greater, is_float, less_equal, maximum, power, sqrt, where
from rbd.scalars.number_checks import require_above_zero, require_at_least_zero
from rbd.spatial import FreeVector


class NormalModel(ABC):
    """A normal force model; abstract.

    >>> class Linear(NormalModel):
    ...     def force(self, penetration, rate):
    ...         return maximum(1000 * penetration, 0)
    ...     def energy(self, penetration):
    ...         return 500 * maximum(penetration, 0) ** 2
    >>> Linear().force(0.01, 0.0)
    10.0
    """

    @abstractmethod
    def force(self, penetration: Scalar, rate: Scalar) -> Scalar:
        """Return the force along the outward normal, at least 0, and 0 where `penetration` is not above 0."""

    @abstractmethod
    def energy(self, penetration: Scalar) -> Scalar:
        """Return the energy stored at `penetration`, 0 where that is not above 0."""


class FrictionModel(ABC):
    """A friction model; abstract. Its state is a displacement, a vector in the plane of contact.

    >>> from rbd import Frame
    >>> class Viscous(FrictionModel):
    ...     def force(self, displacement, velocity, normal_force):
    ...         return velocity * -0.5
    ...     def rate(self, displacement, force):
    ...         return displacement * 0
    >>> ground, zero = Frame("ground"), (0, 0, 0)
    >>> Viscous().force(FreeVector(ground, zero), FreeVector(ground, (2.0, 0, 0)), 10.0)
    FreeVector in 'ground': (-1, 0, 0)
    """

    @abstractmethod
    def force(self, displacement: FreeVector, velocity: FreeVector, normal_force: Scalar) -> FreeVector:
        """Return the force on the body for its tangential velocity."""

    @abstractmethod
    def rate(self, displacement: FreeVector, force: FreeVector) -> FreeVector:
        """Return the time derivative of the displacement under the friction force."""

    def energy(self, displacement: FreeVector) -> Scalar:
        """Return the energy stored at a displacement; zero unless overridden."""
        return 0


@final
@attrs.frozen
class HuntCrossley(NormalModel):
    """Force `stiffness * z**exponent + damping * z**exponent * dz/dt` at penetration z, never pulling.

    `stiffness` in N/m**exponent, `damping` in N s/m**(exponent + 1). Raises ArgumentError for a stiffness that is not
    positive, a negative damping or an exponent below 1.

    >>> from rbd import HuntCrossley
    >>> HuntCrossley(stiffness=1000.0, damping=0.0, exponent=1).force(0.01, 0.0)
    10.0
    """

    stiffness: Scalar = 50e3
    damping: Scalar = 15e3
    exponent: float = attrs.field(default=1.5)

    def __attrs_post_init__(self) -> None:
        require_above_zero(self.stiffness, "stiffness")
        require_at_least_zero(self.damping, "damping")
        if not (is_float(self.exponent) and self.exponent >= 1 and is_finite(self.exponent)):
            allowed = "a number of 1 or more"
            message = f"exponent is {self.exponent!r}, must be {allowed}"
            raise ArgumentError(message, argument="exponent", value=self.exponent, allowed=allowed)

    @classmethod
    def hertz(cls, stiffness: float = 50e3, alpha: float = 0.2) -> HuntCrossley:
        """Return the model of two spheres: exponent 3/2, damping 3/2 alpha stiffness.

        `alpha` (s/m) is the decrease of the coefficient of restitution with the speed of impact: 1 - alpha * speed.
        """
        require_above_zero(stiffness, "stiffness")
        require_at_least_zero(alpha, "alpha")
        return cls(stiffness=stiffness, damping=alpha * stiffness * 1.5, exponent=1.5)

    @override
    def force(self, penetration: Scalar, rate: Scalar) -> Scalar:
        touching = greater(penetration, 0)
        depth = where(touching, penetration, 1)  # guarded: powers of what is not positive have no derivatives
        force = _power(depth, self.exponent) * (self.stiffness + self.damping * rate)
        return where(touching, maximum(force, 0), 0)

    @override
    def energy(self, penetration: Scalar) -> Scalar:
        touching = greater(penetration, 0)
        depth = where(touching, penetration, 1)
        return where(touching, depth * _power(depth, self.exponent) * self.stiffness / (self.exponent + 1), 0)


def _power(x: Scalar, n: float) -> Scalar:
    """Return x**n; exponents 1 and 3/2 need no library function."""
    if n == 1:
        return x
    return x * sqrt(x) if 2 * n == 3 else power(x, n)


@final
@attrs.frozen
class ViscoelasticCoulomb(FrictionModel):
    """Coulomb friction with a spring and a damper in parallel, whose anchor slides when the force exceeds the limit.

    The force is at most `coefficient` times the normal force; below that it is `-stiffness x - damping v` for a
    displacement x (m) and tangential velocity v. Sliding keeps x where the limit has it. Without normal force x relaxes
    with the time constant damping / stiffness.

    Raises ArgumentError for a negative coefficient, and for stiffness (N/m) or damping (N s/m) that is not positive.

    >>> from rbd import ViscoelasticCoulomb
    >>> rubber = ViscoelasticCoulomb(coefficient=0.8, stiffness=20e3, damping=100.0)
    """

    coefficient: Scalar
    stiffness: Scalar
    damping: Scalar

    def __attrs_post_init__(self) -> None:
        require_at_least_zero(self.coefficient, "coefficient")
        require_above_zero(self.stiffness, "stiffness")
        require_above_zero(self.damping, "damping")

    @override
    def force(self, displacement: FreeVector, velocity: FreeVector, normal_force: Scalar) -> FreeVector:
        sticking = displacement * -self.stiffness - velocity * self.damping
        limit, square = self.coefficient * normal_force, sticking.dot(sticking)
        sticks = less_equal(square, limit * limit)
        guarded = where(sticks, 1, square)
        return sticking * where(sticks, 1, limit / sqrt(guarded))

    @override
    def rate(self, displacement: FreeVector, force: FreeVector) -> FreeVector:
        return (displacement * -self.stiffness - force) / self.damping

    @override
    def energy(self, displacement: FreeVector) -> Scalar:
        return self.stiffness * displacement.dot(displacement) * const(1, 2)


@final
@attrs.frozen
class SoftContact:
    """The contact model of a point: a normal model and, unless the contact is frictionless, a friction model.

    >>> from rbd import HuntCrossley, SoftContact, ViscoelasticCoulomb
    >>> rubber = SoftContact(HuntCrossley.hertz(), ViscoelasticCoulomb(0.8, 20e3, 100.0))
    >>> rubber.ns, SoftContact(HuntCrossley.hertz()).ns
    (3, 0)
    """

    normal: NormalModel = attrs.field(factory=HuntCrossley)
    friction: FrictionModel | None = None

    def __attrs_post_init__(self) -> None:
        require_kind(self.normal, NormalModel, operation="SoftContact", argument="normal")
        if self.friction is not None:
            require_kind(self.friction, FrictionModel, operation="SoftContact", argument="friction")

    @property
    def ns(self) -> int:
        """The number of states it has against one half-space: the displacement, a vector in the root frame, or none."""
        return 0 if self.friction is None else 3
