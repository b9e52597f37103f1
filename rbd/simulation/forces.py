"""Force elements: springs and dampers between points of bodies and at joints.

An element returns the forces it exerts at a state, and the energy it stores. The formulas are in scalars, so that they
run on every kind of state.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, final

import attrs
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.algorithms.energy import elastic_energy_kernel, spring_energy_of_joints
from rbd.arguments import require_kind, sequence
from rbd.kinematics.queries import State
from rbd.mechanism import Joint, RigidBody
from rbd.scalars import Scalar, Vector, const, greater, sqrt, to_float, where
from rbd.scalars.arrays import Array, float_array
from rbd.scalars.linear_algebra import dot, unit
from rbd.scalars.norms import square_sum
from rbd.scalars.number_checks import require_at_least_zero
from rbd.spatial import FreeVector, Point, Wrench
from rbd.state import MechanismState


@final
@attrs.frozen(eq=False)
class Action:
    """The forces of an element at one instant: torques at joints, one per velocity, and wrenches on bodies.

    >>> import rbd
    >>> elbow = rbd.robots.double_pendulum().joint("elbow")
    >>> Action(torques={elbow: (0.5,)}).torques[elbow]
    (0.5,)
    """

    torques: Mapping[Joint, Vector] = attrs.field(factory=dict[Joint, Vector])
    wrenches: Mapping[RigidBody, Wrench[Any]] = attrs.field(factory=dict[RigidBody, Wrench[Any]])


class ForceElement(ABC):
    """A source of wrenches on bodies or torques at joints; abstract. Derive from it for custom elements.

    >>> import rbd
    >>> class Motor(ForceElement):
    ...     def __init__(self, joint, torque):
    ...         self.joint, self.torque = joint, torque
    ...     def act(self, state):
    ...         return Action(torques={self.joint: (self.torque,)})
    ...     def energy(self, state):
    ...         return 0.0
    >>> pendulum = rbd.robots.double_pendulum()
    >>> state = rbd.MechanismState(pendulum)
    >>> trajectory = rbd.simulate(state, 0.1, dt=0.01, forces=[Motor(pendulum.joint("elbow"), 0.2)])
    >>> bool(state.v[1] > 0)
    True
    """

    @abstractmethod
    def act(self, state: State[Any]) -> Action:
        """Return the forces of the element at `state`."""

    @abstractmethod
    def energy(self, state: State[Any]) -> Scalar:
        """Return the energy stored by the element."""


def elastic_energy(state: MechanismState, s: Array, forces: Sequence[ForceElement]) -> float:
    """Return the energy stored by springs at joint bounds, contacts with states `s`, and force elements."""
    if s.size:
        stored = to_float(elastic_energy_kernel(state, tuple(s.tolist())))
    else:
        stored = spring_energy_of_joints(state)
    return stored + math.fsum(to_float(element.energy(state)) for element in forces)


def force_elements(forces: Sequence[ForceElement], operation: str) -> tuple[ForceElement, ...]:
    """Return `forces` as a tuple; raise ArgumentError if one is not a ForceElement."""
    elements = sequence(forces, "forces", "force elements")
    for element in elements:
        require_kind(element, ForceElement, operation=operation, argument="forces")
    return elements


def _check_coefficient(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    """Raise ArgumentError unless a stiffness, damping or length is a finite number of 0 or more, or a symbol."""
    require_at_least_zero(value, attribute.name)


def _point(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    require_kind(value, Point, operation="Spring", argument=attribute.name)


@final
@attrs.frozen(eq=False)
class Spring(ForceElement):
    """A spring and a damper along the line between two points, each in a frame of some body.

    They pull with `stiffness (length - rest_length) + damping d(length)/dt`; coincident points feel no force.
    Either point may be on the root body. Raises ArgumentError for negative numbers; FrameMismatchError, when first
    used, for a frame that is fixed to no body.

    >>> import rbd
    >>> from rbd.simulation import Spring
    >>> pendulum = rbd.robots.double_pendulum()
    >>> hook = rbd.Point(pendulum.root_frame, (0.5, 0, 0))
    >>> tip = rbd.Point(pendulum.body("lower_link").default_frame, (0, 0, -1))
    >>> spring = Spring(hook, tip, stiffness=20.0)
    >>> float(spring.energy(rbd.MechanismState(pendulum)))
    42.5
    """

    first: Point = attrs.field(validator=_point)
    second: Point = attrs.field(validator=_point)
    stiffness: Scalar = attrs.field(validator=_check_coefficient, kw_only=True)
    damping: Scalar = attrs.field(default=0.0, validator=_check_coefficient, kw_only=True)
    rest_length: Scalar = attrs.field(default=0.0, validator=_check_coefficient, kw_only=True)

    @override
    def act(self, state: State[Any]) -> Action:
        bodies = tuple(state.mechanism.body_of_frame(point.frame) for point in (self.first, self.second))
        ends = self._ends(state)
        length, direction = self._line(ends)
        rate = direction.dot(_velocity(state, bodies[1], ends[1]) - _velocity(state, bodies[0], ends[0]))
        pull = direction * (self.stiffness * (length - self.rest_length) + self.damping * rate)
        if bodies[0] is bodies[1]:
            return Action()
        wrenches = {bodies[0]: Wrench.of_force(ends[0], pull), bodies[1]: Wrench.of_force(ends[1], -pull)}
        return Action(wrenches={body: wrench for body, wrench in wrenches.items() if not body.is_root})

    @override
    def energy(self, state: State[Any]) -> Scalar:
        stretch = self._line(self._ends(state))[0] - self.rest_length
        return self.stiffness * stretch * stretch * const(1, 2)

    def _ends(self, state: State[Any]) -> tuple[Point, Point]:
        """Return both points in the root frame."""
        root = state.mechanism.root_frame
        return state.transform(self.first, root), state.transform(self.second, root)

    def _line(self, ends: tuple[Point, Point]) -> tuple[Scalar, FreeVector]:
        """Return the distance, and the direction from the first to the second point; zero where they coincide."""
        line = ends[1] - ends[0]
        square = line.dot(line)
        apart = greater(square, 0)
        length = sqrt(where(apart, square, 1))  # guarded: the root has no derivative at 0
        return where(apart, length, 0), line / length


def _velocity(state: State[Any], body: RigidBody, point: Point) -> FreeVector:
    """Return the velocity of a point of a body, in the root frame."""
    return state.twist(body).point_velocity(point)


@final
@attrs.frozen(eq=False)
class JointSpring(ForceElement):
    """A spring and a damper at a tree joint, with rest configuration `rest` (the zero configuration if not given).

    The joint may be given by its name. The deflection is measured in the joint's exponential coordinates around `rest`:
    an angle, a length, the rotation vector of a ball joint. Raises ArgumentError for negative numbers, ShapeError when
    `rest` does not fit the joint, UnknownNameError for an unknown name; the last two when first used if the joint is a
    name.

    >>> import rbd
    >>> from rbd.simulation import JointSpring
    >>> pendulum = rbd.robots.double_pendulum()
    >>> spring = JointSpring("elbow", stiffness=8.0, rest=[0.25])
    >>> float(spring.energy(rbd.MechanismState(pendulum, q=[0.0, 0.75])))
    1.0
    """

    joint: Joint | str
    stiffness: Scalar = attrs.field(validator=_check_coefficient, kw_only=True)
    damping: Scalar = attrs.field(default=0.0, validator=_check_coefficient, kw_only=True)
    rest: ArrayLike | None = attrs.field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        require_kind(self.joint, Joint, str, operation="JointSpring", argument="joint")
        if isinstance(self.joint, Joint):
            self._rest_of(self.joint)

    @override
    def act(self, state: State[Any]) -> Action:
        node = state.layout.node(self.joint)
        kind, nv, rest = node.joint.type, node.joint.nv, self._rest_of(node.joint)
        q, v = state.joint_q(node), state.joint_v(node)
        deflection = kind.local_coordinates(rest, q)
        torques: list[Scalar] = []
        for k in range(nv):
            slope = kind.local_coordinates_rate(rest, q, unit(nv, k))  # column k of d(deflection)/dt over v
            torques.append(-(self.stiffness * dot(slope, deflection)) - self.damping * v[k])
        return Action(torques={node.joint: tuple(torques)})

    @override
    def energy(self, state: State[Any]) -> Scalar:
        node = state.layout.node(self.joint)
        deflection = node.joint.type.local_coordinates(self._rest_of(node.joint), state.joint_q(node))
        return square_sum(deflection) * self.stiffness * const(1, 2)

    def _rest_of(self, joint: Joint) -> Vector:
        if self.rest is None:
            return joint.type.zero()
        return tuple(float_array(self.rest, (joint.nq,), "rest").tolist())


def is_recordable(element: ForceElement) -> bool:
    """Return whether runs in machine code may record an element: springs of rbd, which cannot change."""
    return type(element) in (Spring, JointSpring)
