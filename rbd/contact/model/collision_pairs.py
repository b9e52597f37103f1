"""Shapes fixed to the bodies of a mechanism, and the pairs of them whose distance is computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import combinations
from typing import Final, TypeVar

import attrs

from rbd.arguments import boolean, described, require_kind, with_article
from rbd.contact.arguments import friction_coefficient
from rbd.contact.geometry.convex_hulls import ConvexHull
from rbd.contact.geometry.height_fields import HeightField
from rbd.contact.geometry.round_solids import Cylinder, Ellipsoid
from rbd.contact.geometry.shape_distance import has_distance
from rbd.contact.geometry.shapes import Box, Capsule, Shape, Sphere, is_ground
from rbd.contact.model.compliance import Compliance
from rbd.contact.model.pairs import Pair
from rbd.errors import ArgumentError, FrameMismatchError
from rbd.mechanism import Mechanism, RigidBody
from rbd.scalars.number_checks import at_least_zero
from rbd.spatial.half_space import HalfSpace

S = TypeVar("S", bound=Shape)
_SHAPES: Final = (Capsule, Sphere, Box, ConvexHull, Cylinder, Ellipsoid, HalfSpace, HeightField)


class CollisionPairs(ABC):
    """The shapes and pairs of a collision model; abstract: the model clears its caches when they change."""

    def __init__(self, mechanism: Mechanism, *, round_cones: bool = False) -> None:
        """Start without shapes."""
        self._mechanism, self._round_cones = mechanism, round_cones
        self._shapes: dict[int, tuple[Shape, RigidBody]] = {}
        self._pairs: list[Pair] = []
        self._structure_version = mechanism.structure_version

    def __setstate__(self, state: dict[str, object]) -> None:
        """Take the attributes of a deep copy or pickle, whose shapes are others than those of the original."""
        for name, value in state.items():
            setattr(self, name, value)
        self._shapes = {id(shape): (shape, body) for shape, body in self._shapes.values()}

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism to whose bodies the shapes are fixed."""
        return self._mechanism

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes in the order they were added."""
        return tuple(shape for shape, _ in self._shapes.values())

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs in the order they were added."""
        self._find_bodies()
        return tuple(self._pairs)

    @property
    def has_round_cones(self) -> bool:
        """Whether friction cones in time steps are round, not polyhedral."""
        return self._round_cones

    def body(self, shape: Shape) -> RigidBody:
        """Return the body that `shape` is fixed to; raise ArgumentError for a shape that was not added."""
        return self._body_of(shape, "shape")

    def add(self, body: RigidBody | str, shape: S) -> S:
        """Fix `shape` to `body`, one of whose frames is the shape's; return the shape.

        Raises FrameMismatchError for a frame of another body, UnknownNameError, ArgumentError for a shape added before.
        """
        require_kind(shape, *_SHAPES, operation="add", argument="shape")
        owner = self._mechanism.body(body)
        if not owner.has_frame(shape.frame):
            raise FrameMismatchError(
                f"add: the shape is in frame '{shape.frame.name}', which is not fixed to body '{owner.name}'; "
                f"add the frame to the body first: body.add_frame(...)",
                operation="add",
                argument="shape",
            )
        if id(shape) in self._shapes:
            message = "add: this shape was added before; make a new one for another body"
            raise ArgumentError(message, argument="shape", value=shape)
        self._changed()  # first: interrupted in between, results are computed again
        self._shapes[id(shape)] = (shape, owner)
        return shape

    def add_pair(
        self,
        a: Shape,
        b: Shape,
        *,
        friction: float | None = None,
        restitution: float = 0.0,
        compliance: Compliance | None = None,
        torsional_friction: float = 0.0,
        rolling_friction: float = 0.0,
    ) -> None:
        """Add the pair of two shapes of different bodies; its laws are those of time steps.

        `friction` is the pair's own coefficient (None: that of the step). With a `restitution`, points that meet
        separate with this share of their approach speed. A pair is hard unless it has a `compliance`. In steps with
        friction, of the step or of a pair, each contact point bears a torque about the normal of at most
        `torsional_friction` times its normal force, and one against rolling of at most `rolling_friction` times that
        (both in metres). Raises ArgumentError for shapes that were not added, of one body, or without a known distance,
        a negative coefficient, a friction above 100, a restitution above 1, and a compliant pair with a restitution.
        """
        mu = None if friction is None else friction_coefficient(friction)
        bounce = _restitution(restitution, compliance)
        torsional = at_least_zero(torsional_friction, "torsional_friction")
        rolling = at_least_zero(rolling_friction, "rolling_friction")
        if self._round_cones and (torsional or rolling):
            message = "friction cones of this model are round, which has no torsional or rolling friction"
            raise ArgumentError(message, argument="torsional_friction" if torsional else "rolling_friction")
        self._require_apart(a, b)
        bodies = self._body_of(a, "a"), self._body_of(b, "b")
        self._changed()
        self._pairs.append(Pair(a, b, *bodies, mu, bounce, compliance, torsional, rolling, self._round_cones))

    def _require_apart(self, a: Shape, b: Shape) -> None:
        """Raise ArgumentError unless these are shapes of different bodies, with a known distance."""
        body_a, body_b = self._body_of(a, "a"), self._body_of(b, "b")
        if body_a is body_b:
            raise ArgumentError(
                f"add_pair: both shapes are fixed to body '{body_a.name}', their distance never changes",
                argument="b",
                value=b,
            )
        if not has_distance(a, b):
            kinds = " and ".join(with_article(type(each).__name__) for each in (a, b))
            message = f"add_pair: the distance of {kinds} is not known; {_remedy(a, b)}"
            raise ArgumentError(message, argument="b", value=b)

    def add_all_pairs(self, *, neighbours: bool = False) -> None:
        """Add all pairs of shapes of different bodies that were not added yet.

        Bodies connected by a joint usually overlap there: their pairs are left out unless `neighbours` is true. So are
        pairs whose distance is not known: two of ground, and a cylinder or ellipsoid whose `hull_points` are None and
        any but a sphere or a half-space.

        >>> import rbd
        >>> _, model = rbd.robots.hand()
        >>> model.add_all_pairs()
        >>> len(model.pairs)
        106
        """
        self._find_bodies()
        neighbours, joints = boolean(neighbours, "neighbours"), self._mechanism.joints
        connected = {
            frozenset((self._mechanism.predecessor(j).name, self._mechanism.successor(j).name)) for j in joints
        }
        present = {frozenset((id(pair.a), id(pair.b))) for pair in self._pairs}
        pairs: list[Pair] = []
        for (a, body_a), (b, body_b) in combinations(self._shapes.values(), 2):
            apart = neighbours or frozenset((body_a.name, body_b.name)) not in connected
            new = frozenset((id(a), id(b))) not in present
            if body_a is not body_b and apart and new and has_distance(a, b):
                pairs.append(Pair(a, b, body_a, body_b, round_cone=self._round_cones))
        self._changed()
        self._pairs += pairs

    @abstractmethod
    def _changed(self) -> None:
        """Clear the results for the present shapes and pairs."""

    def _find_bodies(self) -> None:
        """Find the bodies that the frames of the shapes are fixed to, if the mechanism's structure has changed."""
        version = self._mechanism.structure_version
        if version != self._structure_version:
            self._shapes = {key: (shape, self._current_body(shape, was)) for key, (shape, was) in self._shapes.items()}
            bodies = {key: body for key, (_, body) in self._shapes.items()}
            self._pairs = [attrs.evolve(x, body_a=bodies[id(x.a)], body_b=bodies[id(x.b)]) for x in self._pairs]
            self._changed()
            self._structure_version = version  # last: interrupted before, it finds them again

    def _current_body(self, shape: Shape, before: RigidBody) -> RigidBody:
        """Return the body of a shape; the one before, if the mechanism has no such body any more."""
        try:
            return self._mechanism.body_of_frame(shape.frame)
        except FrameMismatchError:
            return before

    def _body_of(self, shape: Shape, argument: str) -> RigidBody:
        self._find_bodies()
        entry = self._shapes.get(id(shape))
        if entry is None:
            shown = described(shape)
            message = f"{argument} is {shown}, which is no shape of this model; add it first: model.add(body, shape)"
            raise ArgumentError(message, argument=argument, value=shape, allowed="a shape that was added")
        return entry[1]


def _remedy(a: Shape, b: Shape) -> str:
    if is_ground(a) and is_ground(b):
        return "one of them must be a solid"
    return "give cylinders and ellipsoids hull_points, or take capsules or hulls instead"


def _restitution(restitution: float, compliance: Compliance | None) -> float:
    """Return a coefficient from 0 to 1; raise ArgumentError for others, and for one of a compliant pair."""
    bounce = at_least_zero(restitution, "restitution")
    if bounce > 1:
        message = f"restitution is {bounce:g}, must be a number from 0 to 1"
        raise ArgumentError(message, argument="restitution", value=restitution, allowed="0 to 1")
    if compliance is not None:
        require_kind(compliance, Compliance, operation="add_pair", argument="compliance")
        if bounce:
            message = f"restitution is {bounce:g}, but the pair is compliant: its spring lets it rebound; leave one out"
            raise ArgumentError(message, argument="restitution", value=restitution, allowed=0.0)
    return bounce
