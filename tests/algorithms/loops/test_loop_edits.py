"""Loops and edits: the same mechanism, however it was put together, moves in the same way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rbd
import rbd.testing
from rbd import DynamicsResult, Fixed, Frame, Joint, Mechanism, MechanismState, QuaternionSpherical, Revolute, RigidBody
from rbd.robots import four_bar, four_bar_configuration
from tests.algorithms.helpers import JOINT_TYPES, close, examples
from tests.algorithms.loops.linkages import box
from tests.algorithms.loops.mechanisms import random_pose

seeds = st.integers(0, 2**32 - 1)
STILL = np.array(four_bar_configuration(0.7))


def attached(order: tuple[str, ...]) -> Mechanism:
    """Return the parts of a triangle of rods and a pendulum on it, attached in an order."""
    mechanism = Mechanism()
    bodies = {name: box(name, 1.0, (1.0, 0.1, 0.1), (0.5, 0, 0)) for name in ("a", "b", "c")}
    frames = {name: body.default_frame for name, body in bodies.items()}
    joints = {name: Joint(f"joint {name}", Revolute((0, 1, 0))) for name in ("a", "b", "c", "loop")}
    for name in order:
        joint = joints[name]
        if name == "a":
            mechanism.attach("world", bodies["a"], joint)
        elif name == "b":
            pose = rbd.Transform(joint.frame_before, mechanism.root_frame, translation=(1.2, 0, 0))
            mechanism.attach("world", bodies["b"], joint, joint_pose=pose)
        elif name == "loop":
            pose = rbd.Transform(joint.frame_before, frames["a"], translation=(1, 0, 0))
            end = rbd.Transform(joint.frame_after, frames["b"], translation=(1, 0, 0)).inverse()
            mechanism.attach("a", "b", joint, joint_pose=pose, successor_pose=end)
        else:
            pose = rbd.Transform(joint.frame_before, frames["b"], translation=(0.5, 0, 0))
            mechanism.attach("b", bodies["c"], joint, joint_pose=pose)
    return mechanism


ORDERS = [o for o in itertools.permutations("abc") if o.index("b") < o.index("c")]
WITH_LOOP = [(*o[:k], "loop", *o[k:]) for o in ORDERS for k in range(4) if {"a", "b"} <= set(o[:k])]


@pytest.mark.parametrize("order", WITH_LOOP, ids=" ".join)
def test_the_order_of_attaching_does_not_matter(order: tuple[str, ...]) -> None:
    """A body that comes after a loop joint, too."""
    angles = {"a": -np.arccos(0.6), "b": np.arccos(0.6) - np.pi, "c": 0.4}
    found = []
    for each in (order, WITH_LOOP[0]):
        mechanism = attached(each)
        state = MechanismState(mechanism)
        for name, angle in angles.items():
            state.set_configuration(mechanism.joint(f"joint {name}"), angle)
        assert float(rbd.loop_gap(state)) < 1e-12
        result = rbd.dynamics(DynamicsResult(mechanism), state)
        found.append([result.acceleration(mechanism.body(name)).vector for name in "abc"])
        assert result.constraint_rank == 2
    close(found[0], found[1], 1e-12)


def test_two_copies_are_independent() -> None:
    one = MechanismState(four_bar(), STILL, [0.1, 0.2, 0.3])
    both = Mechanism()
    for prefix in ("left ", "right "):
        both.attach_mechanism(both.root_body, four_bar(), prefix=prefix)
    assert both.nc == 10
    two = MechanismState(both, np.tile(STILL, 2), np.tile([0.1, 0.2, 0.3], 2))
    single, double = (rbd.dynamics(DynamicsResult(s.mechanism), s) for s in (one, two))
    close(double.vd, np.tile(single.vd, 2), 1e-12)
    close(double.multipliers, np.tile(single.multipliers, 2), 1e-10)
    assert double.constraint_rank == 4


def test_a_part_of_a_mechanism_keeps_its_loops() -> None:
    whole = Mechanism()
    carriage = box("carriage", 3.0, (1, 1, 1), (0, 0, 0))
    whole.attach("world", carriage, Joint("rail", rbd.Prismatic((1, 0, 0))))
    whole.attach_mechanism(carriage, four_bar())
    part, _ = whole.submechanism("carriage")
    assert (part.nv, part.nc) == (3, 5)
    found = rbd.forward_dynamics(MechanismState(part, STILL), np.zeros(3))
    close(found, rbd.forward_dynamics(MechanismState(four_bar(), STILL), np.zeros(3)), 1e-12)


def test_merging_fixed_joints_keeps_loops() -> None:
    """A loop joint that ended on a merged body ends on the body it was merged into."""
    mechanism = four_bar()
    loop = mechanism.joint("joint4")
    plain = rbd.forward_dynamics(MechanismState(mechanism, STILL), np.zeros(3))
    split, frames = mechanism.copy()
    split.remove_joint("joint4")
    tip = RigidBody("tip", rbd.SpatialInertia.zero(Frame("tip")))
    weld = Joint("weld", Fixed())
    place, end = mechanism.placement(loop), mechanism.successor_placement(loop)
    coupler, rocker = frames.body(mechanism.predecessor(loop)), frames.body(mechanism.successor(loop))
    pose = rbd.Transform(weld.frame_before, coupler.default_frame, place.rotation, place.translation)
    split.attach(coupler, tip, weld, joint_pose=pose)
    again = Joint("again", loop.type)
    after = rbd.Transform(again.frame_after, rocker.default_frame, end.rotation, end.translation).inverse()
    split.attach(tip, rocker, again, successor_pose=after)
    close(rbd.forward_dynamics(MechanismState(split, STILL), np.zeros(3)), plain, 1e-12)
    split.remove_fixed_joints()
    assert split.predecessor(again) is coupler
    close(rbd.forward_dynamics(MechanismState(split, STILL), np.zeros(3)), plain, 1e-12)


def test_a_loop_joint_is_replaced() -> None:
    """A ball in the place of a hinge: three constraints, the same plane motion; a weld stops everything."""
    mechanism = four_bar()
    plain = rbd.dynamics(DynamicsResult(mechanism), MechanismState(mechanism, STILL))
    ball = Joint("ball", QuaternionSpherical())
    mechanism.replace_joint("joint4", ball)
    state = MechanismState(mechanism, STILL)
    result = rbd.dynamics(DynamicsResult(mechanism), state)
    assert (mechanism.nc, result.constraint_rank) == (3, 2)
    close(result.vd, plain.vd, 1e-12)
    welded = Joint("weld", Fixed())
    mechanism.replace_joint(ball, welded)
    stopped = rbd.dynamics(DynamicsResult(mechanism), MechanismState(mechanism, STILL), stabilization=None)
    assert stopped.constraint_rank == 3
    np.testing.assert_allclose(stopped.vd, 0, rtol=0, atol=1e-9)


def test_an_edit_makes_results_and_states_stale() -> None:
    mechanism = four_bar()
    state, result = MechanismState(mechanism, STILL), DynamicsResult(mechanism)
    rbd.dynamics(result, state)
    mechanism.remove_joint("joint4")
    for call in (
        lambda: rbd.dynamics(result, state),
        lambda: rbd.constraint_jacobian(state),
        lambda: rbd.close_loops(state),
        lambda: result.loop_wrench(mechanism.joints[0]),
    ):
        with pytest.raises(rbd.errors.StaleStateError):
            call()


@examples(0.3)
@given(seeds, st.integers(1, 3))
def test_random_graphs_satisfy_their_equations(seed: int, count: int) -> None:
    """Trees with several loops of any type between any bodies, open and moving: residuals, rank, and least motion."""
    rng = np.random.default_rng(seed)
    names = rng.choice([n for n in JOINT_TYPES if n != "fixed"], 6)
    mechanism = rbd.testing.random_floating_tree([JOINT_TYPES[name] for name in names], rng)
    for k in range(count):
        first, second = rng.choice(len(mechanism.bodies), 2, replace=False)
        joint = Joint(f"loop {k}", JOINT_TYPES[rng.choice(list(JOINT_TYPES))])
        a, b = mechanism.bodies[first], mechanism.bodies[second]
        mechanism.attach(
            a,
            b,
            joint,
            joint_pose=random_pose(joint.frame_before, a.default_frame, rng),
            successor_pose=random_pose(b.default_frame, joint.frame_after, rng),
        )
    state = MechanismState(mechanism)
    state.randomize(rng)
    tau = rng.standard_normal(mechanism.nv)
    result = rbd.dynamics(DynamicsResult(mechanism), state, tau, stabilization=None)
    M, c, K, k = result.mass_matrix, result.dynamics_bias, result.constraint_jacobian, result.constraint_bias
    close(M @ result.vd + c + K.T @ result.multipliers, tau, 1e-7, scale=float(np.abs(M @ result.vd).max()))
    if K.size:
        white = np.linalg.solve(np.linalg.cholesky(M), K.T).T
        sizes = np.linalg.svd(white, compute_uv=False)
        clear = sizes[(sizes > 1e-5 * sizes[0])]
        if len(clear) == min(white.shape):  # independent, or as many as there are motions
            assert result.constraint_rank == len(clear)
        if result.constraint_rank == len(K):
            close(K @ result.vd, -k, 1e-6, scale=float(np.abs(result.vd).max()))


def test_the_jacobian_of_symbols() -> None:
    """The equations of loops are expressions for symbols; here sines and cosines of the joints between."""
    sympy = pytest.importorskip("sympy")
    angle = sympy.Symbol("x", real=True)
    state = MechanismState(four_bar(), STILL).with_scalars([angle, 0.2, 0.3])
    K = rbd.constraint_jacobian(state)
    numbers = np.array([[float(sympy.sympify(entry).subs(angle, 0.5)) for entry in row] for row in K])
    expected = rbd.constraint_jacobian(MechanismState(four_bar(), [0.5, 0.2, 0.3]))
    np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-12)
    assert any(angle in sympy.sympify(entry).free_symbols for entry in K.flat)
