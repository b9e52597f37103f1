"""Joints: a joint type with a name, two frames and parameters.

The functions at the end are for the mechanism.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from typing_extensions import override

from rbd.errors import ArgumentError
from rbd.joints.base import JointType
from rbd.mechanism.books import Membership, checked_name
from rbd.mechanism.parameters import Bounds, BoundsLike, PerVelocity, bounds, per_velocity
from rbd.spatial import Frame
from rbd.spatial.frame import require_frame

if TYPE_CHECKING:
    from rbd.mechanism.books import Books
    from rbd.scalars import Vector


@final
class Joint:
    """A joint: it lets the frame after it move with respect to the frame before it, as its type says.

    Bounds are (lower, upper) pairs, one per coordinate (`position_bounds`) or per velocity (the others); for a joint
    with one degree of freedom a bare pair will do. `None` means unbounded. For coordinates that are no angle or length
    (quaternions, the sine and cosine of `SinCosRevolute`) position bounds hold for each coordinate as it is.

    The other parameters are numbers, or one number per velocity: viscous `damping`, Coulomb `friction` smoothed below
    `friction_velocity`, rotor inertia `armature`, and `bound_stiffness` and `bound_damping`, the spring and damper that
    act beyond the position bounds. All parameters can be set later; mechanism and states notice.

    Raises ArgumentError, ShapeError or NotFiniteError, naming the argument.

    >>> from rbd import Joint, Revolute
    >>> shoulder = Joint("shoulder", Revolute((0, 0, 1)), position_bounds=(-2.0, 2.0), damping=0.1)
    >>> shoulder.position_bounds, shoulder.damping, shoulder.nv
    (((-2.0, 2.0),), (0.1,), 1)
    """

    __slots__ = (
        "__weakref__",
        "_armature",
        "_bound_damping",
        "_bound_stiffness",
        "_damping",
        "_effort_bounds",
        "_frame_after",
        "_frame_before",
        "_friction",
        "_friction_velocity",
        "_membership",
        "_name",
        "_position_bounds",
        "_type",
        "_velocity_bounds",
    )

    def __init__(
        self,
        name: str,
        joint_type: JointType,
        *,
        position_bounds: BoundsLike = None,
        velocity_bounds: BoundsLike = None,
        effort_bounds: BoundsLike = None,
        damping: PerVelocity = 0.0,
        friction: PerVelocity = 0.0,
        friction_velocity: PerVelocity = 1e-3,
        armature: PerVelocity = 0.0,
        bound_stiffness: PerVelocity = 0.0,
        bound_damping: PerVelocity = 0.0,
        frame_before: Frame | None = None,
        frame_after: Frame | None = None,
    ) -> None:
        """Make a joint that is attached nowhere yet; its frames are new unless given."""
        self._membership = Membership()
        self._name = checked_name(name, "joint")
        self._type = _checked_type(joint_type)
        self._frame_before = _frame(frame_before, "frame_before", f"before_{name}")
        self._frame_after = _frame(frame_after, "frame_after", f"after_{name}")
        if self._frame_before == self._frame_after:
            raise ArgumentError(
                "frame_before and frame_after must be two frames", argument="frame_after", value=frame_after
            )
        self._position_bounds = bounds(position_bounds, self.nq, "position_bounds")
        self._velocity_bounds = bounds(velocity_bounds, self.nv, "velocity_bounds")
        self._effort_bounds = bounds(effort_bounds, self.nv, "effort_bounds")
        self._damping = per_velocity(damping, self.nv, "damping")
        self._friction = per_velocity(friction, self.nv, "friction")
        self._friction_velocity = per_velocity(friction_velocity, self.nv, "friction_velocity", positive=True)
        self._armature = per_velocity(armature, self.nv, "armature")
        self._bound_stiffness = per_velocity(bound_stiffness, self.nv, "bound_stiffness")
        self._bound_damping = per_velocity(bound_damping, self.nv, "bound_damping")

    # ---------------------------------------------------------------- what it is

    @property
    def name(self) -> str:
        """Return the name."""
        return self._name

    @property
    def type(self) -> JointType:
        """Return the joint type."""
        return self._type

    @property
    def frame_before(self) -> Frame:
        """Return the frame before the joint, fixed to its predecessor."""
        return self._frame_before

    @property
    def frame_after(self) -> Frame:
        """Return the frame after the joint, fixed to its successor."""
        return self._frame_after

    @property
    def nq(self) -> int:
        """Return the number of coordinates."""
        return self._type.nq

    @property
    def nv(self) -> int:
        """Return the number of velocities."""
        return self._type.nv

    @override
    def __repr__(self) -> str:
        return f"Joint({self._name!r}, {self._type!r})"

    # ---------------------------------------------------------------- parameters

    @property
    def position_bounds(self) -> Bounds:
        """Return (lower, upper) per coordinate."""
        return self._position_bounds

    @position_bounds.setter
    def position_bounds(self, value: BoundsLike) -> None:
        self._position_bounds = bounds(value, self.nq, "position_bounds")
        self._note()

    @property
    def velocity_bounds(self) -> Bounds:
        """Return (lower, upper) per velocity."""
        return self._velocity_bounds

    @velocity_bounds.setter
    def velocity_bounds(self, value: BoundsLike) -> None:
        self._velocity_bounds = bounds(value, self.nv, "velocity_bounds")
        self._note()

    @property
    def effort_bounds(self) -> Bounds:
        """Return (lower, upper) per velocity, of the torque or force the joint's actuator can bring."""
        return self._effort_bounds

    @effort_bounds.setter
    def effort_bounds(self, value: BoundsLike) -> None:
        self._effort_bounds = bounds(value, self.nv, "effort_bounds")
        self._note()

    @property
    def damping(self) -> Vector:
        """Return the viscous damping per velocity."""
        return self._damping

    @damping.setter
    def damping(self, value: PerVelocity) -> None:
        self._damping = per_velocity(value, self.nv, "damping")
        self._note()

    @property
    def friction(self) -> Vector:
        """Return the Coulomb friction per velocity."""
        return self._friction

    @friction.setter
    def friction(self, value: PerVelocity) -> None:
        self._friction = per_velocity(value, self.nv, "friction")
        self._note()

    @property
    def friction_velocity(self) -> Vector:
        """Return, per velocity, the speed below which friction fades."""
        return self._friction_velocity

    @friction_velocity.setter
    def friction_velocity(self, value: PerVelocity) -> None:
        self._friction_velocity = per_velocity(value, self.nv, "friction_velocity", positive=True)
        self._note()

    @property
    def armature(self) -> Vector:
        """Return the inertia of the geared rotor, as seen at the joint, per velocity."""
        return self._armature

    @armature.setter
    def armature(self, value: PerVelocity) -> None:
        self._armature = per_velocity(value, self.nv, "armature")
        self._note()

    @property
    def bound_stiffness(self) -> Vector:
        """Return the stiffness of the spring beyond the position bounds, per velocity."""
        return self._bound_stiffness

    @bound_stiffness.setter
    def bound_stiffness(self, value: PerVelocity) -> None:
        self._bound_stiffness = per_velocity(value, self.nv, "bound_stiffness")
        self._note()

    @property
    def bound_damping(self) -> Vector:
        """Return the damping beyond the position bounds, per velocity."""
        return self._bound_damping

    @bound_damping.setter
    def bound_damping(self, value: PerVelocity) -> None:
        self._bound_damping = per_velocity(value, self.nv, "bound_damping")
        self._note()

    def _note(self) -> None:
        if self._membership.books is not None:
            self._membership.books.parameter_version += 1

    # ---------------------------------------------------------------- pickling and copying

    @override
    def __getstate__(self) -> dict[str, object]:
        """Leave the books out: a joint pickled or copied alone is loose, a mechanism enters its joints again."""
        return {name: getattr(self, name) for name in self.__slots__ if name not in ("__weakref__", "_membership")}

    def __setstate__(self, state: dict[str, object]) -> None:
        self._membership = Membership()
        for name, value in state.items():
            setattr(self, name, value)


def _frame(given: Frame | None, argument: str, name: str) -> Frame:
    return Frame(name) if given is None else require_frame(given, argument)


def _checked_type(joint_type: object) -> JointType:
    if isinstance(joint_type, JointType):
        return joint_type
    advice = ": it needs its arguments" if isinstance(joint_type, type) else ""
    raise ArgumentError(
        f"joint_type must be a JointType such as Revolute((0, 0, 1)), not {joint_type!r}{advice}",
        argument="joint_type",
        value=joint_type,
        allowed="JointType",
    )


# -------------------------------------------------------------------- for the mechanism only


def _membership(joint: Joint) -> Membership:
    return joint._membership  # pyright: ignore[reportPrivateUsage]  # the one way in


def books_of(joint: Joint) -> Books | None:
    """Return the books of the mechanism the joint is attached in."""
    return _membership(joint).books


def enter(joint: Joint, books: Books) -> None:
    """Enter the joint in the books of a mechanism."""
    _membership(joint).books = books
    books.joints[joint.name] = joint


def leave(joint: Joint) -> None:
    """Strike the joint from the books."""
    books = books_of(joint)
    if books is not None:
        del books.joints[joint.name]
    _membership(joint).books = None


def remade(
    joint: Joint, *, name: str | None = None, joint_type: JointType | None = None, before: Frame, after: Frame
) -> Joint:
    """Return a loose joint with the same parameters but other frames, and perhaps another name and type."""
    new = Joint(name or joint.name, joint_type or joint.type, frame_before=before, frame_after=after)
    for slot, value in joint.__getstate__().items():
        if slot not in ("_name", "_type", "_frame_before", "_frame_after"):
            setattr(new, slot, value)
    return new
