"""Joints in time steps: stops at their bounds, dry friction, implicit damping and gains of the control.

With the damping d of the joints, and stiffness k and damping g of the control, torques at the end of a step are

    tau⁺ = tau - dt k v⁺ - g (v⁺ - v) - d v⁺

so that the mass matrix of the step is M + dt (d + g) + dt² k, whatever the size of the gains. Stops and dry friction
are interval rows of its quadratic program: a coordinate moves at most to its bound, and friction opposes the velocity.
"""

from __future__ import annotations

from typing import NamedTuple

from rbd.algorithms.newton_euler import rigid_body_torques
from rbd.algorithms.passive import active_springs, bound_spring_torques
from rbd.contact.stepping.options import Gains, JointOptions
from rbd.contact.stepping.overlaps import CORRECTION_SHARE
from rbd.contact.stepping.transport import transport_accelerations
from rbd.indexing.layout import TreeNode
from rbd.joints.one_axis import OneCoordinateJoint
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, const, is_float, maximum, to_float
from rbd.scalars.linear_algebra import dot, unit
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.intervals import NO_INTERVALS, Intervals

_UNBOUNDED = const(10**9, 1)
"""Speed that no stop bounds; a bound farther than this is none."""


class StepDynamics(NamedTuple):
    """Mass matrix of a step, M + dt (d + g) + dt² k, and the momentum that it leads to without contacts."""

    mass: Matrix
    momentum: Vector


def implicit_dynamics(
    state: ScalarState, options: JointOptions, M: Matrix, momentum: Vector, tau: Vector, dt: Scalar
) -> StepDynamics:
    """Return the dynamics of a step from M, M v and the torques; velocities stay in the frames at its beginning."""
    added_inertia, next_momentum = list[Scalar](), list[Scalar]()
    bias = rigid_body_torques(state, transport_accelerations(state))
    for node in state.nodes:
        damping = state.joint_parameter(node.joint, "damping")
        springs = bound_spring_torques(state, node, state.joint_q(node), state.joint_v(node))
        for i, v in enumerate(state.joint_v(node)):
            k, g = (state.lifted(x) for x in _gains_at(options, node, i))
            index: int = node.v_slice.start + i
            added_inertia.append(dt * (damping[i] + g + dt * k))
            next_momentum.append(momentum[index] + dt * (tau[index] + springs[i] - bias[index] + g * v))
    mass = tuple(
        tuple(x + added_inertia[i] if i == j else x for j, x in enumerate(row)) for i, row in enumerate(M)
    )  # fmt: skip
    return StepDynamics(mass, tuple(next_momentum))


def _gains_at(options: JointOptions, node: TreeNode, i: int) -> tuple[float, float]:
    index: int = node.v_slice.start + i

    def at(gains: Gains) -> float:
        if isinstance(gains, tuple):
            return gains[index]
        return gains if node.joint.nv == 1 else 0.0

    return at(options.stiffness), at(options.damping)


class _IntervalRow(NamedTuple):
    """A row of `Intervals`: a rate with its bounds and dry friction."""

    row: Vector
    low: Scalar
    high: Scalar
    friction: Scalar
    rate: Scalar
    return_rate: Scalar
    """Rate at which a step moves the position back from beyond the bounds."""


def joint_intervals(state: ScalarState, options: JointOptions, dt: Scalar) -> tuple[Intervals, Vector]:
    """Return the interval rows of dry friction and stops, and the rates at which positions return to the bounds.

    The rows have impulses of friction, and speeds that reach the bounds.
    """
    rows = [row for node in state.nodes for row in _joint_rows(state, options, node, dt)]
    if not rows:
        return NO_INTERVALS, ()
    *columns, return_rates = (tuple(column) for column in zip(*rows, strict=True))
    return Intervals(*columns), return_rates


def _joint_rows(state: ScalarState, options: JointOptions, node: TreeNode, dt: Scalar) -> list[_IntervalRow]:
    """Return the rows of one joint; a joint whose velocity is the rate of its only coordinate has one."""
    size, start, nv = state.layout.nv, node.v_slice.start, node.joint.nv
    stops = _stops(state, node, dt) if options.stops else []
    v = state.joint_v(node)
    impulses = [0 if is_plain_zero(f) else dt * f for f in state.joint_parameter(node.joint, "friction")]
    if stops and isinstance(node.joint.type, OneCoordinateJoint):
        [stop] = stops
        return [stop._replace(row=_padded(stop.row, start, size), friction=impulses[0])]
    dry_friction = [
        _IntervalRow(unit(nv, i), -_UNBOUNDED, _UNBOUNDED, impulse, v[i], 0)
        for i, impulse in enumerate(impulses)
        if not is_plain_zero(impulse)
    ]
    return [row._replace(row=_padded(row.row, start, size)) for row in (*dry_friction, *stops)]


def _stops(state: ScalarState, node: TreeNode, dt: Scalar) -> list[_IntervalRow]:
    """Return the rates of the coordinates with bounds, and the speeds at which they reach these within a step."""
    joint, q, v, stops = node.joint, state.joint_q(node), state.joint_v(node), list[_IntervalRow]()
    if active_springs(state, node):
        return stops
    rates = joint.type.configuration_derivative_jacobian(q)
    for row, x, (low, high) in zip(rates, q, state.position_bounds(joint), strict=True):
        if not (_is_unbounded(low) and _is_unbounded(high)):
            down = -_UNBOUNDED if _is_unbounded(low) else -_closing_speed(x - low, dt)
            up = _UNBOUNDED if _is_unbounded(high) else _closing_speed(high - x, dt)
            stops.append(_IntervalRow(tuple(row), down, up, 0, dot(row, v), _return_distance(x, low, high) / dt))
    return stops


def _is_unbounded(bound: Scalar) -> bool:
    """Return whether a bound is a plain number that no joint reaches."""
    return is_float(bound) and abs(to_float(bound)) > to_float(_UNBOUNDED)


def _closing_speed(gap: Scalar, dt: Scalar) -> Scalar:
    """Return the speed that closes a gap in one step; zero for an overlap."""
    return maximum(gap, 0) / dt


def _return_distance(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """Return the displacement by which a step moves a coordinate back from beyond its bounds."""
    below: Scalar = 0 if _is_unbounded(low) else maximum(low - x, 0)
    above: Scalar = 0 if _is_unbounded(high) else maximum(x - high, 0)
    distance: Scalar = CORRECTION_SHARE * (below - above)
    return distance


def _padded(row: Vector, start: int, size: int) -> Vector:
    return (*(0 for _ in range(start)), *row, *(0 for _ in range(size - start - len(row))))
