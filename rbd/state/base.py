"""What every algorithm may read: coordinates, parameters and remembered passes of a mechanism's state.

Room: state; may import mechanism and above. `StateView` is the read-only interface that live states (float64 buffers)
and scalar states (recorded, complex, symbolic, interval, exact numbers) share, so that an algorithm is written once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from numpy.typing import NDArray

from rbd.errors import StaleStateError
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import scalars
from rbd.spatial import FreeVector, Point, SpatialInertia, Transform
from rbd.state.layout import Layout, Link, layout_of
from rbd.state.store.body import Body

if TYPE_CHECKING:
    from array import array

    from rbd.scalars.arrays import Array
    from rbd.state.store.doors import Door
    from rbd.state.store.kernels import Entry

T = TypeVar("T")
Depends = Literal["parameters", "q", "qv"]
"""What a pass depends on; parameters are always included."""


class StateView(ABC):
    """A mechanism with coordinates, as algorithms read it."""

    doors: Mapping[object, Callable[..., Any]] = MappingProxyType({})
    """Short ways to results of kernels, by kernel or by form of a call; only live states have some."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Read `mechanism` as it is now."""
        self._mechanism = mechanism
        self._layout = layout_of(mechanism)
        self._memory: dict[object, tuple[tuple[int, ...], object]] = {}

    def __getstate__(self) -> dict[str, object]:
        """Leave out what is remembered: a copy finds it out again."""
        return {**self.__dict__, "_memory": {}}

    def __setstate__(self, content: dict[str, object]) -> None:
        """Take the content; share the layout with the other states of the mechanism, unless it was edited."""
        for name, value in content.items():
            setattr(self, name, value)
        shared = layout_of(self._mechanism)
        if shared.version == self._layout.version:
            self._layout = shared

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism this is a state of."""
        return self._mechanism

    @property
    def layout(self) -> Layout:
        """The index ranges of bodies and joints; raises when this state may not be used any more."""
        self.require_current()
        return self._layout

    @property
    def links(self) -> tuple[Link, ...]:
        """Tree joints with the bodies they carry, parents first; raises when this state may not be used any more."""
        return self.layout.links

    @property
    def regroups(self) -> bool:
        """Whether passes move inertial parameters to where torques feel the same but cost less; see `regroup.py`."""
        return False

    # --- what the two kinds of state answer differently --------------------------------------------

    @abstractmethod
    def configuration_scalars(self) -> Vector:
        """Return q as scalars."""

    @abstractmethod
    def velocity_scalars(self) -> Vector:
        """Return v as scalars."""

    @abstractmethod
    def lifted(self, value: Scalar) -> Scalar:
        """Return a parameter in this state's family of scalars."""

    @abstractmethod
    def stamp(self, depends: Depends) -> tuple[int, ...]:
        """Return numbers that change whenever something a pass depends on does."""

    def vector(self, values: Sequence[Scalar] | NDArray[Any], length: int, name: str) -> Vector:
        """Return an argument as scalars of this state's family, so that exact results stay exact.

        Raises ShapeError, NotFiniteError or ScalarError naming the argument.
        """
        return tuple(map(self.lifted, scalars(values, length, name)))

    def require_current(self) -> None:
        """Raise StaleStateError when the mechanism's structure was edited since this state was made."""
        made, now = self._layout.version, self._mechanism.structure_version
        if made != now:
            raise StaleStateError(
                f"the mechanism was edited (structure version {now}) after this state was made (version {made}); "
                "make a new MechanismState",
                made_with=made,
                now=now,
            )

    def remembered(self, compute: Callable[[StateView], T], depends: Depends) -> T:
        """Return `compute(self)`, computed at most once while what it depends on stays the same."""
        self.require_current()
        stamp = self.stamp(depends)
        known = self._memory.get(compute)
        if known is not None and known[0] == stamp:
            return cast(T, known[1])
        value = compute(self)
        self._memory[compute] = (stamp, value)
        return value

    def evaluate(self, body: Body, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return what a kernel gives for this state: here, by running its readable source."""
        return body.function(self, *args, **named)

    def open_door(self, body: Body, form: object = None, takes: int = 0, *, whole: bool = False) -> bool:
        """Make a short way to a kernel that has just been run; return whether there is one.

        It is found by the kernel if that takes nothing but vectors, or by the `form` of a call with `takes` arrays. It
        gives arrays, or with `whole` what the kernel gives.
        """
        return False

    def compiled(self, body: Body) -> Entry | None:
        """Return the machine code of a kernel that has just been run; only live states have some."""
        return None

    def door(
        self,
        entry: Entry,
        outputs: tuple[Array, ...],
        moved: tuple[tuple[Array, Array], ...],
        further: tuple[tuple[Array, Array], ...],
        counter: array[int],
    ) -> Door | None:
        """Return a short way to a kernel that writes into arrays; only live states have some."""
        return None

    # --- coordinates of one joint ------------------------------------------------------------------

    def joint_q(self, link: Link) -> Vector:
        """Return the configuration of the joint of `link` as scalars."""
        return self.configuration_scalars()[link.q]

    def joint_v(self, link: Link) -> Vector:
        """Return the velocity of the joint of `link` as scalars."""
        return self.velocity_scalars()[link.v]

    def q_slice(self, joint: Joint) -> slice:
        """Return the range of q that belongs to tree joint `joint`."""
        return self.layout.link(joint).q

    def v_slice(self, joint: Joint) -> slice:
        """Return the range of v that belongs to tree joint `joint`."""
        return self.layout.link(joint).v

    # --- parameters: algorithms read them here and nowhere else ------------------------------------

    def inertia(self, body: RigidBody) -> SpatialInertia:
        """Return the inertia of `body`, in its default frame; zero for the root. Raises UnknownNameError."""
        return self.remembered(inertias, "parameters")[self.layout.body_index(body)]

    def own_inertia(self, body: RigidBody) -> SpatialInertia:
        """Return the inertia of `body` as given, in its default frame; zero for the root. `inertia` remembers it."""
        inertia = body.inertia
        return self.lifted_inertia(SpatialInertia.zero(body.default_frame) if inertia is None else inertia)

    def placement(self, joint: Joint) -> Transform:
        """Return the placement of `joint`: from its frame_before to the default frame of its predecessor."""
        self.require_current()
        return self.lifted_transform(self._mechanism.placement(joint))

    def successor_placement(self, joint: Joint) -> Transform:
        """Return where `joint` ends: from its frame_after to the default frame of its successor."""
        self.require_current()
        return self.lifted_transform(self._mechanism.successor_placement(joint))

    @property
    def gravity(self) -> FreeVector:
        """The acceleration of free fall, in the root frame."""
        self.require_current()
        x, y, z = self._mechanism.gravity.xyz_components
        return FreeVector.trusted(self._layout.root_frame, (self.lifted(x), self.lifted(y), self.lifted(z)))

    def joint_parameter(self, joint: Joint, name: JointParameter) -> Vector:
        """Return a parameter of `joint`, one number per velocity."""
        return tuple(self.lifted(value) for value in getattr(joint, name))

    def position_bounds(self, joint: Joint) -> tuple[tuple[Scalar, Scalar], ...]:
        """Return (lower, upper) per coordinate of `joint`; infinities stay floats, they are structure."""
        return joint.position_bounds

    def lifted_point(self, point: Point) -> Point:
        """Return `point` with components in this state's family of scalars."""
        x, y, z = point.xyz_components
        return Point.trusted(point.frame, (self.lifted(x), self.lifted(y), self.lifted(z)))

    def lifted_inertia(self, inertia: SpatialInertia) -> SpatialInertia:
        """Return `inertia` with components in this state's family of scalars."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = (tuple(map(self.lifted, row)) for row in inertia.moment_components)
        x, y, z = map(self.lifted, inertia.cross_part_components)
        moment = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        return SpatialInertia.trusted(inertia.frame, moment, (x, y, z), self.lifted(inertia.mass))

    def lifted_transform(self, tf: Transform) -> Transform:
        """Return `tf` with components in this state's family of scalars."""
        a, b, c = ((self.lifted(row[0]), self.lifted(row[1]), self.lifted(row[2])) for row in tf.rotation_components)
        x, y, z = tf.translation_components
        translation = (self.lifted(x), self.lifted(y), self.lifted(z))
        return Transform.trusted(tf.from_frame, tf.to_frame, (a, b, c), translation)


JointParameter = Literal["damping", "friction", "friction_velocity", "armature", "bound_stiffness", "bound_damping"]


def cached(depends: Depends) -> Callable[[Callable[[StateView], T]], Callable[[StateView], T]]:
    """Make a function of a state a *pass*: computed whole, for all bodies at once, and remembered."""

    def decorate(compute: Callable[[StateView], T]) -> Callable[[StateView], T]:
        def look_up(state: StateView) -> T:
            return state.remembered(compute, depends)

        look_up.__doc__ = compute.__doc__
        look_up.__name__ = compute.__name__
        return look_up

    return decorate


def inertias(state: StateView) -> tuple[SpatialInertia, ...]:
    """Return the inertia of every body in its default frame; the root's is zero."""
    return tuple(state.own_inertia(body) for body in state.layout.bodies)
