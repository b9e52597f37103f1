"""Joints: a joint type with a name, two frames and parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeAlias, TypeVar, final, get_args, overload

import attrs
from typing_extensions import override

from rbd.errors import ArgumentError
from rbd.joints.base import JointType, LibraryJointType, coordinate_type
from rbd.mechanism.members import data_of
from rbd.mechanism.names import require_name
from rbd.mechanism.parameters import Bounds, BoundsLike, PerVelocity, bounds, per_velocity
from rbd.spatial import Frame
from rbd.spatial.frame import require_frame

if TYPE_CHECKING:
    from typing import Self

    from rbd.mechanism.registry import MemberRegistry
    from rbd.scalars import Vector

PerVelocityParameter: TypeAlias = Literal[
    "damping", "friction", "friction_velocity", "armature", "bound_stiffness", "bound_damping"
]
"""Parameters of a joint with one number per velocity."""
PER_VELOCITY_PARAMETERS: Final[tuple[PerVelocityParameter, ...]] = get_args(PerVelocityParameter)
JOINT_PARAMETERS: Final = ("position_bounds", "velocity_bounds", "effort_bounds", *PER_VELOCITY_PARAMETERS)
"""Parameters of a joint: properties of `Joint`, arguments of its constructor and fields of its data."""
USUAL_FRICTION_VELOCITY: Final = 1e-3
"""The speed below which friction is smoothed, unless another is given; files have none."""
_Input = TypeVar("_Input")
_Value = TypeVar("_Value")


@final
@attrs.define(eq=False)
class JointData:
    """Name, type, frames and parameters of a joint; `registry` is that of the mechanism it is attached in."""

    name: str
    type: JointType
    frame_before: Frame
    frame_after: Frame
    position_bounds: Bounds = ()
    velocity_bounds: Bounds = ()
    effort_bounds: Bounds = ()
    damping: Vector = ()
    friction: Vector = ()
    friction_velocity: Vector = ()
    armature: Vector = ()
    bound_stiffness: Vector = ()
    bound_damping: Vector = ()
    registry: MemberRegistry | None = None


@final
class ParameterDescriptor(Generic[_Input, _Value]):
    """Descriptor of a joint parameter: setting it validates the value and increments the parameter version."""

    def __init__(self, check: Callable[[JointType, _Input, str], _Value], doc: str) -> None:
        """Set the function that validates values, and the docstring."""
        self._check, self.__doc__ = check, doc

    def __set_name__(self, owner: type[Joint], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, joint: None, owner: type[Joint]) -> Self: ...
    @overload
    def __get__(self, joint: Joint, owner: type[Joint]) -> _Value: ...
    def __get__(self, joint: Joint | None, owner: type[Joint]) -> Self | _Value:
        if joint is None:
            return self
        value: _Value = getattr(data_of(joint), self._name)
        return value

    def __set__(self, joint: Joint, value: _Input) -> None:
        data = data_of(joint)
        checked = self._check(data.type, value, self._name)
        if data.registry is not None:
            data.registry.parameters_changed()  # first: interrupted in between, states compute again what they knew
        setattr(data, self._name, checked)


_Bounds: TypeAlias = ParameterDescriptor[BoundsLike, Bounds]
_PerVelocity: TypeAlias = "ParameterDescriptor[PerVelocity, Vector]"


def _position_bounds(joint_type: JointType, value: BoundsLike, name: str) -> Bounds:
    return bounds(value, joint_type.nq, name)


def _velocity_bounds(joint_type: JointType, value: BoundsLike, name: str) -> Bounds:
    return bounds(value, joint_type.nv, name)


def _nonnegative(joint_type: JointType, value: PerVelocity, name: str) -> Vector:
    return per_velocity(value, joint_type.nv, name)


def _positive(joint_type: JointType, value: PerVelocity, name: str) -> Vector:
    return per_velocity(value, joint_type.nv, name, positive=True)


@final
class Joint:
    """A joint: how the frame after it may move with respect to the frame before it.

    Bounds are (lower, upper) pairs, one per coordinate (`position_bounds`) or per velocity (the others); for a joint
    with one degree of freedom a bare pair is accepted. `None` means unbounded. For coordinates that are no angle or
    length (quaternions, the sine and cosine of `SinCosRevolute`) position bounds hold for each coordinate.

    The other parameters are numbers, or one number per velocity: viscous `damping`, Coulomb `friction` smoothed below
    `friction_velocity`, rotor inertia `armature`, and `bound_stiffness` and `bound_damping`, the spring and damper that
    act beyond the position bounds. All parameters can be set later; states of the mechanism use the new values.

    Raises ArgumentError, ShapeError or NotFiniteError, naming the argument.

    >>> from rbd import Joint, Revolute
    >>> shoulder = Joint("shoulder", Revolute((0, 0, 1)), position_bounds=(-2.0, 2.0), damping=0.1)
    >>> shoulder.position_bounds, shoulder.damping, shoulder.nv
    (((-2.0, 2.0),), (0.1,), 1)
    """

    __slots__ = ("__weakref__", "_data")

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
        friction_velocity: PerVelocity = USUAL_FRICTION_VELOCITY,
        armature: PerVelocity = 0.0,
        bound_stiffness: PerVelocity = 0.0,
        bound_damping: PerVelocity = 0.0,
        frame_before: Frame | None = None,
        frame_after: Frame | None = None,
    ) -> None:
        """Make a joint that is attached nowhere yet; its frames are new unless given."""
        checked_type = _checked_type(joint_type)
        before = _frame(frame_before, "frame_before", f"before_{require_name(name, 'joint')}")
        after = _frame(frame_after, "frame_after", f"after_{name}")
        if before == after:
            raise ArgumentError(
                "frame_before and frame_after must be two frames", argument="frame_after", value=frame_after
            )
        self._data = JointData(name, checked_type, before, after)
        self.position_bounds = position_bounds
        self.velocity_bounds = velocity_bounds
        self.effort_bounds = effort_bounds
        self.damping = damping
        self.friction = friction
        self.friction_velocity = friction_velocity
        self.armature = armature
        self.bound_stiffness = bound_stiffness
        self.bound_damping = bound_damping

    # ---------------------------------------------------------------- what it is

    @property
    def name(self) -> str:
        """Return the name."""
        return self._data.name

    @property
    def type(self) -> JointType:
        """Return the joint type."""
        return self._data.type

    @property
    def frame_before(self) -> Frame:
        """Return the frame before the joint, fixed to its predecessor."""
        return self._data.frame_before

    @property
    def frame_after(self) -> Frame:
        """Return the frame after the joint, fixed to its successor."""
        return self._data.frame_after

    @property
    def nq(self) -> int:
        """Return the number of coordinates."""
        return self._data.type.nq

    @property
    def nv(self) -> int:
        """Return the number of velocities."""
        return self._data.type.nv

    @property
    def is_floating(self) -> bool:
        """Return whether the joint imposes no constraint: six velocities, as those of a free body."""
        return self.nv == 6

    @override
    def __repr__(self) -> str:
        return f"Joint({self._data.name!r}, {self._data.type!r})"

    # ---------------------------------------------------------------- parameters

    position_bounds: _Bounds = ParameterDescriptor(_position_bounds, "The bounds (lower, upper) per coordinate.")
    velocity_bounds: _Bounds = ParameterDescriptor(_velocity_bounds, "The bounds (lower, upper) per velocity.")
    effort_bounds: _Bounds = ParameterDescriptor(
        _velocity_bounds, "The bounds (lower, upper) of the actuator's torque or force."
    )
    damping: _PerVelocity = ParameterDescriptor(_nonnegative, "The viscous damping per velocity.")
    friction: _PerVelocity = ParameterDescriptor(_nonnegative, "The Coulomb friction per velocity.")
    friction_velocity: _PerVelocity = ParameterDescriptor(
        _positive, "The speed below which friction is smoothed, per velocity."
    )
    armature: _PerVelocity = ParameterDescriptor(
        _nonnegative, "The reflected inertia of the geared rotor, per velocity."
    )
    bound_stiffness: _PerVelocity = ParameterDescriptor(
        _nonnegative, "The stiffness of springs beyond the bounds, per velocity."
    )
    bound_damping: _PerVelocity = ParameterDescriptor(
        _nonnegative, "The damping beyond the position bounds, per velocity."
    )

    # ---------------------------------------------------------------- pickling and copying

    @override
    def __getstate__(self) -> JointData:
        """Return the data without the registry: a copy belongs to no mechanism until one enters it."""
        return attrs.evolve(self._data, registry=None)

    def __setstate__(self, data: JointData) -> None:
        self._data = data


def _frame(frame: Frame | None, argument: str, name: str) -> Frame:
    return Frame(name) if frame is None else require_frame(frame, argument)


def _checked_type(joint_type: object) -> JointType:
    if isinstance(joint_type, JointType):
        kind = coordinate_type(joint_type)
        if not isinstance(kind, LibraryJointType):
            from rbd.joints.interface import require_interface  # here: few programs have joint types of their own

            require_interface(kind)
        return joint_type
    advice = ": it needs its arguments" if isinstance(joint_type, type) else ""
    raise ArgumentError(
        f"joint_type must be a JointType such as Revolute((0, 0, 1)), not {joint_type!r}{advice}",
        argument="joint_type",
        value=joint_type,
        allowed="JointType",
    )


def copy_joint(
    joint: Joint, *, name: str | None = None, joint_type: JointType | None = None, before: Frame, after: Frame
) -> Joint:
    """Return an unattached joint with the same parameters, other frames, and perhaps another name and type."""
    new, data = Joint.__new__(Joint), joint.__getstate__()
    data.name, data.type = name or data.name, joint_type or data.type
    data.frame_before, data.frame_after = before, after
    new.__setstate__(data)
    return new
