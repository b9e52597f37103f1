"""Other engines: the same robot and the same results."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.bench import peers, robots
from rbd.bench.contender import Peer, Quantity, difference
from rbd.bench.queries import Queries, Query
from rbd.bench.rbd_engine import RbdEngine
from rbd.bench.samples import random_samples
from rbd.bench.tree import tree_of
from rbd.bench.values import Operation, Poses

pytestmark = pytest.mark.peers
ROBOTS = ["double_pendulum", "arm7", "humanoid", *(robots.EXAMPLES if robots.has_examples() else ())]


@pytest.fixture(params=[(robot, peer) for robot in ROBOTS for peer in peers.PACKAGES], ids="-".join)
def pair(request: pytest.FixtureRequest) -> tuple[RbdEngine, Peer]:
    robot, name = request.param
    pytest.importorskip(peers.PACKAGES[name])
    mechanism = robots.robot(robot)
    engine = RbdEngine(mechanism, random_samples(mechanism, 8))
    peer = peers.load_peer(name, engine)
    if peer is None:
        pytest.skip(f"{name} cannot have {robot}")
    return engine, peer


@pytest.mark.parametrize("quantity", Quantity)
def test_one_state(pair: tuple[RbdEngine, Peer], quantity: Quantity) -> None:
    engine, peer = pair
    if peer.name.startswith("CasADi") and engine.mechanism.nv > 7 and quantity is Quantity.FORWARD:
        pytest.skip("a C compiler takes its time for that")
    theirs = peer.single(quantity)
    if quantity.is_derivative and peer.name != "Pinocchio":
        assert theirs is None
        return
    assert theirs is not None
    theirs.run(1)
    assert difference(theirs, engine.single(quantity), range(8)) < 1e-10


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("quantity", [Quantity.INVERSE, Quantity.FORWARD])
def test_many_states(pair: tuple[RbdEngine, Peer], quantity: Quantity) -> None:
    engine, peer = pair
    for theirs in (peer.batch(quantity, 20), peer.parallel(quantity, 20, 2), peer.solution()):
        if theirs is not None:
            theirs.run(1)
            reference = engine.batch(quantity, 20, 2, into=True) if theirs.states == 20 else engine.live_state()
            assert difference(theirs, reference, [0, 7]) < 1e-10


@pytest.mark.parametrize("operation", Operation)
def test_values_with_frames(operation: Operation) -> None:
    pytest.importorskip("pinocchio")
    poses = Poses(8)
    assert difference(peers.pose_operation(poses, operation), poses.contender(operation), range(8)) < 1e-10


@pytest.mark.parametrize("query", Query)
@pytest.mark.parametrize("robot", ["arm7", "humanoid"])
def test_frame_queries(robot: str, query: Query) -> None:
    pytest.importorskip("pinocchio")
    mechanism = robots.robot(robot)
    queries = Queries(RbdEngine(mechanism, random_samples(mechanism, 8)))
    mine, theirs = queries.contender(query), peers.frame_query(queries, query)
    assert (theirs is None) is (query is Query.SET)
    if theirs is not None:
        assert difference(theirs, mine, range(8)) < 1e-10


def test_programs_without_casadi_expressions_are_omitted() -> None:
    pytest.importorskip("casadi")
    mechanism = robots.robot("four_bar")
    engine = RbdEngine(mechanism, random_samples(mechanism, 2))
    assert engine.program(Quantity.FORWARD).calls
    peer = peers.load_peer("CasADi", engine)
    assert peer is not None
    assert peer.single(Quantity.FORWARD) is None
    assert peer.single(Quantity.MASS) is not None


def test_a_loop() -> None:
    pytest.importorskip("pinocchio")
    mechanism = robots.robot("four_bar")
    engine = RbdEngine(mechanism, random_samples(mechanism, 8))
    theirs = peers.loop_dynamics(engine)
    assert theirs is not None
    for mine in (engine.single(Quantity.FORWARD), engine.loop_dynamics(), engine.loop_dynamics_after_set()):
        assert difference(theirs, mine, range(8)) < 1e-9


@pytest.mark.skipif(not robots.has_examples(), reason="example-robot-data is not installed")
def test_pinocchio_model_equals_that_of_its_urdf_reader() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    from rbd.bench.peers.pinocchio import model_of

    file = robots.find_example("talos_reduced.urdf")
    tree = tree_of(robots.robot("talos"))
    assert file is not None
    assert tree is not None
    read = pinocchio.buildModelFromUrdf(str(file), pinocchio.JointModelFreeFlyer())
    built = model_of(pinocchio, tree)
    kinds = {name: joint.shortname() for name, joint in zip(read.names, read.joints, strict=True)}
    for name, joint in list(zip(built.names, built.joints, strict=True))[2:]:
        assert joint.shortname() == kinds[name]
        mine, theirs = built.inertias[joint.id], read.inertias[read.getJointId(name)]
        np.testing.assert_allclose(mine.matrix(), theirs.matrix(), rtol=1e-9, atol=1e-9)


def test_pinocchio_does_not_load_loop_joints() -> None:
    mechanism = rbd.robots.four_bar()
    engine = RbdEngine(mechanism, random_samples(rbd.robots.arm7(), 2))
    assert peers.load_peer("Pinocchio", engine) is None
