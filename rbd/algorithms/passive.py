"""Passive torques of joints: viscous damping, Coulomb friction, springs and dampers at position bounds.

Friction is smoothed by a hyperbolic tangent of the velocity: Andersson, Söderberg and Björklund (2007).
"""

from __future__ import annotations

import math
from typing import final

import attrs

from rbd.engine.fast_path import fast_path
from rbd.indexing.layout import TreeNode
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Scalar, Vector, const, is_float, less, maximum, tanh, to_float, where
from rbd.scalars.linear_algebra import combination
from rbd.scalars.structural_zeros import is_plain_zero


@kernel
def passive_torques_kernel(state: StateView) -> Vector:
    """Return -damping v - friction tanh(v / friction_velocity) plus the torques of springs at the bounds."""
    torques: list[Scalar] = []
    for node in state.nodes:
        torques += joint_passive_torques(state, node, state.joint_q(node), state.joint_v(node))
    return tuple(torques)


def joint_passive_torques(state: StateView, node: TreeNode, q: Vector, velocity: Vector) -> list[Scalar]:
    """Return the passive torques of one joint at coordinates `q` and `velocity`."""
    joint = node.joint
    damping, friction = state.joint_parameter(joint, "damping"), state.joint_parameter(joint, "friction")
    smoothing = state.joint_parameter(joint, "friction_velocity")
    springs = bound_spring_torques(state, node, q, velocity)
    rows = zip(velocity, damping, friction, smoothing, springs, strict=True)
    return [spring - d * v - _friction(v, f, width) for v, d, f, width, spring in rows]


def _friction(velocity: Scalar, friction: Scalar, width: Scalar) -> Scalar:
    # Exact scalars have no tanh; a joint without friction does not need one.
    return 0 if is_plain_zero(friction) else friction * tanh(velocity / width)


def bound_spring_torques(state: StateView, node: TreeNode, q: Vector, v: Vector) -> Vector:
    """Return the torques of the springs and dampers at the position bounds of a joint.

    A spring acts on a coordinate; the map from v to dq/dt, transposed, gives torques of the same power.
    """
    springs = active_springs(state, node)
    if not springs:
        return (0,) * node.joint.nv
    kind = node.joint.type
    rates, slopes = kind.configuration_derivative(q, v), kind.configuration_derivative_jacobian(q)
    forces = (spring.force(q[spring.coordinate], rates[spring.coordinate]) for spring in springs)
    return combination((slopes[spring.coordinate] for spring in springs), forces, node.joint.nv)


@final
@attrs.frozen(eq=False)
class BoundSpring:
    """A spring and damper beyond one bound of a coordinate: `side` is +1 for the upper bound, -1 for the lower."""

    coordinate: int
    side: int
    bound: Scalar
    stiffness: Scalar
    damping: Scalar

    def gap(self, x: Scalar) -> Scalar:
        """Return the distance of `x` beyond the bound; negative inside."""
        return self.side * (x - self.bound)

    def force(self, x: Scalar, rate: Scalar) -> Scalar:
        """Return the force along the coordinate; zero inside."""
        gap = self.gap(x)
        return -self.side * self.stiffness * maximum(gap, 0) - where(less(0, gap), self.damping * rate, 0)

    def energy(self, x: Scalar) -> Scalar:
        """Return the energy stored."""
        outside = maximum(self.gap(x), 0)
        return self.stiffness * outside * outside * const(1, 2)


def active_springs(state: StateView, node: TreeNode) -> list[BoundSpring]:
    """Return the springs of a joint: one per finite bound with stiffness or damping."""
    joint = node.joint
    stiffness, damping = (state.joint_parameter(joint, n) for n in ("bound_stiffness", "bound_damping"))
    springs: list[BoundSpring] = []
    for i, (low, high) in enumerate(state.position_bounds(joint)):
        # Stiffness and damping are per velocity; a rotation may have one coordinate more, which comes first.
        k, d = (numbers[max(i - (joint.nq - joint.nv), 0)] for numbers in (stiffness, damping))
        if not (is_plain_zero(k) and is_plain_zero(d)):
            bounds = [(side, state.lifted(x)) for side, x in ((-1, low), (1, high)) if not is_infinite(x)]
            springs += [BoundSpring(i, side, x, k, d) for side, x in bounds]
    return springs


def is_infinite(x: Scalar) -> bool:
    """Return whether a bound is a plain number, and infinite: structurally absent."""
    return is_float(x) and math.isinf(to_float(x))


@fast_path(out=True)
def passive_torques(state: State[ArrayT], *, out: ArrayT | None = None) -> Call[ArrayT]:
    """Passive torques of joints: damping, friction and bound springs, one per velocity.

    The equation of motion is M vd + c = tau + passive - K^T lambda. Friction is smoothed: -friction * tanh(v /
    friction_velocity). Springs act outside the position bounds of joints that have bound_stiffness.

    >>> import rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> mechanism.joint("shoulder").damping = 0.5
    >>> rbd.passive_torques(rbd.MechanismState(mechanism, v=[2.0, 0.0]))
    array([-1.,  0.])
    """
    return KernelCall(passive_torques_kernel, (), {"passive torques": (state.layout.nv,)}, out=out)


def spring_energy(state: StateView) -> Scalar:
    """Return the energy stored in the springs at the bounds."""
    energy: Scalar = 0
    for node in state.nodes:
        q = state.joint_q(node)
        for spring in active_springs(state, node):
            energy = energy + spring.energy(q[spring.coordinate])
    return energy
