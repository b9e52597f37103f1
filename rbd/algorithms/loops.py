"""The kinematics of loop joints: where the tree holds them, and how they would have to move.

Featherstone (2008), sections 8.2 and 8.3. Everything about a loop is expressed in its joint's frame after, and relative
to the nearest body that both of its sides hang on: what carries the loop as a whole does not enter, so that nothing is
lost far from the root.
"""

from __future__ import annotations

from typing import final

import attrs

from rbd.algorithms.constrained import Equations, blocks_of, rank_tolerance
from rbd.algorithms.stabilization import LoopGains, LoopGainsPerLoop
from rbd.scalars import Matrix, Scalar, Vector
from rbd.solvers.linear import Factor
from rbd.spatial import GeometricJacobian, SpatialAcceleration, Transform, Twist, Wrench, WrenchMatrix
from rbd.spatial.frame import check_frame
from rbd.spatial.pairing import pair
from rbd.state import Link, StateView, passes
from rbd.state.base import cached
from rbd.state.layout import LoopLink

Side = tuple[Link, ...]
"""The links from the nearest common body (left out) outwards to one end of a loop."""


@final
@attrs.frozen(eq=False)
class Closure:
    """A loop joint as the tree holds it."""

    loop: LoopLink
    predecessor_side: Side
    successor_side: Side
    base: int
    """The nearest body that both sides hang on."""
    to_after: dict[int, Transform]
    """Per body on the way, the transform from its frame to the loop joint's frame after."""
    pose: Transform
    """From the loop joint's frame after to its frame before."""
    q: Vector
    """The loop joint's coordinates that come nearest to the pose."""
    wrenches: WrenchMatrix
    """What the joint can bear (frame after): one column per constraint."""

    @property
    def subspace(self) -> GeometricJacobian:
        """How the joint may move, in its frame after."""
        joint = self.loop.joint
        return joint.type.motion_subspace(self.q, joint.frame_after, joint.frame_before)


@cached("q")
def closures(state: StateView) -> tuple[Closure, ...]:
    """Return how the tree holds every loop joint, in the order of `loop_joints`."""
    return tuple(_closure(state, loop) for loop in state.layout.loops)


def _closure(state: StateView, loop: LoopLink) -> Closure:
    joint = loop.joint
    inner, outer = _sides(state, loop)
    base = inner[0].parent if inner else outer[0].parent if outer else loop.predecessor
    to_after = _transforms(state, loop, inner, outer)
    pose = (to_after[loop.predecessor] @ state.placement(joint)).inverse()
    q = joint.type.project(pose)
    wrenches = joint.type.constraint_wrench_subspace(q, joint.frame_after)
    return Closure(loop, inner, outer, base, to_after, pose, q, wrenches)


def _sides(state: StateView, loop: LoopLink) -> tuple[Side, Side]:
    """Return both ways from the nearest common body outwards: to the predecessor and to the successor."""
    inner, outer = state.layout.ancestors(loop.predecessor), state.layout.ancestors(loop.successor)
    return _outwards(state, inner, outer), _outwards(state, outer, inner)


def _outwards(state: StateView, chain: tuple[int, ...], other: tuple[int, ...]) -> Side:
    return tuple(state.links[i - 1] for i in reversed(chain) if i not in other)


def _transforms(state: StateView, loop: LoopLink, inner: Side, outer: Side) -> dict[int, Transform]:
    """Return the transforms to the frame after: inwards along the successor's side, outwards along the other."""
    steps = passes.to_parent(state)
    here, tf = loop.successor, state.successor_placement(loop.joint).inverse()
    found = {here: tf}
    for link in reversed(outer):
        here, tf = link.parent, tf @ steps[link.index - 1].inverse()
        found[here] = tf
    for link in inner:
        tf = tf @ steps[link.index - 1]
        found[link.index] = tf
    return found


def constraint_rows(state: StateView) -> Matrix:
    """Return K: how every velocity drives every constraint. Entries of joints off a loop are the integer 0."""
    rows: list[list[Scalar]] = [[0] * state.layout.nv for _ in range(state.layout.nc)]
    for closure in closures(state):
        for side, sign in ((closure.successor_side, 1), (closure.predecessor_side, -1)):
            for link in side:
                _fill(rows, closure, link, pair(_seen(state, closure, link), closure.wrenches), sign)
    return tuple(tuple(row) for row in rows)


def _seen(state: StateView, closure: Closure, link: Link) -> GeometricJacobian:
    """Return a tree joint's motion subspace in the frame after of the loop joint."""
    return passes.subspaces(state)[link.index - 1].transformed(closure.to_after[link.index])


def _fill(rows: list[list[Scalar]], closure: Closure, link: Link, products: Matrix, sign: int) -> None:
    for column, entries in enumerate(products, start=link.v.start):
        for row, entry in enumerate(entries, start=closure.loop.rows.start):
            rows[row][column] = entry if sign > 0 else -entry


# --- motion --------------------------------------------------------------------------------------------------------


@final
@attrs.frozen(eq=False)
class LoopMotion:
    """How the tree moves a loop joint, in the joint's frame after: after with respect to before."""

    velocity: Vector
    """The joint's velocity that comes nearest to the motion."""
    slip: Twist
    """What is left of the twist: zero where the loop is kept."""
    acceleration: SpatialAcceleration
    """The derivative of the twist's components for vd = 0, less that of the joint's own motion."""


def loop_motion(state: StateView, closure: Closure) -> LoopMotion:
    """Return how the tree moves a loop joint when vd is zero."""
    after, before = closure.loop.joint.frame_after, closure.loop.joint.frame_before
    moving, gaining = _of_side(state, closure, closure.successor_side, closure.loop.successor)
    held, leaving = _of_side(state, closure, closure.predecessor_side, closure.loop.predecessor)
    turning = moving.cross(held).with_body(after).with_base(before)
    relative = gaining.with_body(after) - leaving.with_body(before) + turning
    twist = moving.with_body(after) - held.with_body(before)
    subspace = closure.subspace
    velocity = _least_squares(subspace, twist)
    own = Twist.trusted(after, before, after, *subspace.combination(velocity))
    bias = closure.loop.joint.type.bias_acceleration(closure.q, velocity, after, before)
    return LoopMotion(velocity, twist - own, relative - bias)


def _of_side(state: StateView, closure: Closure, side: Side, end: int) -> tuple[Twist, SpatialAcceleration]:
    """Return twist and acceleration (vd = 0) of one end of a loop with respect to the common body, in frame after."""
    base = state.layout.bodies[closure.base].default_frame
    twist, acceleration = Twist.zero(base, base, base), SpatialAcceleration.zero(base, base, base)
    steps, twists, biases = passes.to_parent(state), passes.joint_twists(state), passes.joint_biases(state)
    for link in side:
        over, own, bias = steps[link.index - 1].inverse(), twists[link.index - 1], biases[link.index - 1]
        twist = twist.transformed(over).with_body(own.base) + own
        turning = twist.cross(own).with_body(own.body).with_base(own.base)
        acceleration = acceleration.transformed(over).with_body(own.base) + (bias + turning)
    to_after = closure.to_after[end]
    return twist.transformed(to_after), acceleration.transformed(to_after)


def _least_squares(subspace: GeometricJacobian, twist: Twist) -> Vector:
    """Return the velocity of a joint that comes nearest to a twist."""
    check_frame(twist.frame, subspace.frame, operation="motion of a loop joint", argument="twist")
    gram = tuple(subspace.products(*column) for column in subspace.columns)
    right = subspace.products(twist.angular_components, twist.linear_components)
    return Factor.of(gram, ["the motion subspace of a loop joint"] * len(right)).solve(right)


# --- the equations of loops -------------------------------------------------------------------------------------------


def loop_error(closure: Closure) -> Twist:
    """Return how far a loop is open, as a twist in frame after: zero exactly where the joint could hold the pose."""
    joint = closure.loop.joint
    held = joint.type.transform(closure.q, joint.frame_after, joint.frame_before)
    return (held.inverse() @ closure.pose).log()


def constraint_errors(state: StateView) -> Vector:
    """Return the error of every loop, one number per constraint."""
    return tuple(e for closure in closures(state) for e in closure.wrenches.power_components(loop_error(closure)))


def bias_terms(state: StateView, gains: LoopGainsPerLoop) -> Vector:
    """Return k of K vd = -k."""
    per_loop = gains if isinstance(gains, tuple) else (gains,) * len(state.layout.loops)
    rows: list[Scalar] = []
    for closure, own in zip(closures(state), per_loop, strict=True):
        rows += _loop_bias(state, closure, own)
    return tuple(rows)


def _loop_bias(state: StateView, closure: Closure, gains: LoopGains | None) -> Vector:
    if not closure.wrenches.columns:
        return ()
    motion = loop_motion(state, closure)
    wanted = motion.acceleration
    if gains is not None:
        wanted = wanted - gains.acceleration(loop_error(closure), motion.slip)
    return closure.wrenches.products(wanted.angular_components, wanted.linear_components)


def loop_equations(state: StateView, gains: LoopGainsPerLoop) -> Equations:
    """Return K, k, and how sharply constraints can be told apart."""
    jacobian = constraint_rows(state)
    blocks = blocks_of(jacobian, (loop.rows for loop in state.layout.loops))
    tolerance = rank_tolerance(jacobian, constraint_errors(state), blocks)
    return Equations(jacobian, bias_terms(state, gains), blocks, tolerance)


def reaction(closure: Closure, multipliers: Vector) -> Wrench:
    """Return what a loop joint applies to its successor, in its frame after: minus the basis times the multipliers."""
    own = multipliers[closure.loop.rows]
    return -Wrench.trusted(closure.wrenches.frame, *closure.wrenches.combination(own))
