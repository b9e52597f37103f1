"""Groups of contenders that compute the same quantity. Contenders are constructed when their group is yielded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

import attrs

from rbd.bench import contacts, legged, peers, rollouts, simulations, worlds
from rbd.bench.contender import Contender, Peer, Quantity
from rbd.bench.peak import peak
from rbd.bench.queries import Queries, Query
from rbd.bench.rbd_engine import RbdEngine
from rbd.bench.report import (
    LOOP_DYNAMICS,
    LOOP_DYNAMICS_AFTER_SET,
    SOLUTION,
    Section,
)
from rbd.bench.settings import BenchSettings
from rbd.bench.values import Operation, Poses
from rbd.native import available

_SMALL_BATCH: Final = 8
"""Number of states of a small batch."""
_MAX_THREADS: Final = 2
"""Threads of the sections with threads, on processors with as many cores."""
_BATCHED: Final = (Quantity.INVERSE, Quantity.FORWARD)
"""Quantities measured in batches."""


@final
@attrs.frozen(eq=False)
class Group:
    """Contenders for the same quantity."""

    section: Section
    quantity: str
    contenders: list[Contender]
    states: int = 1
    threads: int = 1

    reference: str = "Pinocchio"
    """The beginning of the name of the contender that speedups refer to."""


def value_groups(settings: BenchSettings) -> Iterator[Group]:
    """Yield the operations on values with frames."""
    poses = Poses()
    with_peers = "Pinocchio" in _peer_names(settings)
    for operation in Operation:
        peer = peers.pose_operation(poses, operation) if with_peers else None
        yield Group(Section.VALUES, operation.value, _present([poses.contender(operation), peer]))


def robot_groups(engine: RbdEngine, settings: BenchSettings) -> Iterator[Group]:
    """Yield the groups of a robot."""
    peer_names = _peer_names(settings)
    if engine.mechanism.loop_joints:
        yield from _loop_groups(engine, peers.loop_dynamics(engine) if "Pinocchio" in peer_names else None)
        return
    loaded = [peer for name in peer_names if (peer := peers.load_peer(name, engine)) is not None]
    for quantity in Quantity:
        contenders = [engine.kernel(quantity), engine.single(quantity), *(peer.single(quantity) for peer in loaded)]
        yield Group(Section.SINGLE, quantity.value, _present(contenders))
    yield Group(Section.LIVE, SOLUTION, _present([engine.live_state(), *(peer.solution() for peer in loaded)]))
    yield from _query_groups(engine, with_peers="Pinocchio" in peer_names)
    if available():  # interpreted steps and batches take minutes
        yield from _control_groups(engine)
        yield from _batch_groups(engine, loaded, settings)


def _loop_groups(engine: RbdEngine, peer: Contender | None) -> Iterator[Group]:
    """Yield the groups of a mechanism with loops."""
    forward = Quantity.FORWARD
    yield Group(Section.SINGLE, forward.value, _present([engine.kernel(forward), engine.single(forward), peer]))
    yield Group(Section.LIVE, LOOP_DYNAMICS, _present([engine.loop_dynamics(), peer]))
    yield Group(Section.LIVE, LOOP_DYNAMICS_AFTER_SET, _present([engine.loop_dynamics_after_set(), peer]))


def _query_groups(engine: RbdEngine, *, with_peers: bool) -> Iterator[Group]:
    """Yield the frame queries of live states."""
    queries = Queries(engine)
    for query in Query:
        peer = peers.frame_query(queries, query) if with_peers else None
        yield Group(Section.LIVE, query.value, _present([queries.contender(query), peer]))


def _control_groups(engine: RbdEngine) -> Iterator[Group]:
    """Yield the simulations with a control in Python, and the short rollouts."""
    for method in simulations.IntegrationMethod:
        contenders = [simulations.simulation(engine, method), simulations.step_loop(engine, method)]
        yield Group(Section.CONTROLLED, method.value, contenders, reference=simulations.STEP_LOOP)
    for method in simulations.IntegrationMethod:
        contenders = [rollouts.short_rollout(engine, method), rollouts.short_loop(engine, method)]
        yield Group(Section.SHORT, method.value, contenders, reference=simulations.STEP_LOOP)


def _batch_groups(engine: RbdEngine, loaded: Sequence[Peer], settings: BenchSettings) -> Iterator[Group]:
    """Yield the groups of many states: small batches, rows, columns, two threads."""
    inverse, size = Quantity.INVERSE, _SMALL_BATCH
    small = [engine.small_batch(inverse, size), *(peer.batch(inverse, size) for peer in loaded)]
    yield Group(Section.SMALL_BATCH, inverse.value, _present(small), size)
    size = settings.batch_size
    for quantity in _BATCHED:
        contenders = [engine.batch(quantity, size), *(peer.batch(quantity, size) for peer in loaded)]
        yield Group(Section.BATCH, quantity.value, _present(contenders), size)
    for quantity in _BATCHED:
        operations = engine.program(quantity).count().total
        yield Group(
            Section.COLUMNS, quantity.value, [*engine.both_orders(quantity, size), peak(operations, size)], size
        )
    yield from _thread_groups(engine, loaded, settings.parallel_batch_size)


def _thread_groups(engine: RbdEngine, loaded: Sequence[Peer], size: int) -> Iterator[Group]:
    """Yield the groups of many states with two threads."""
    threads = min(_MAX_THREADS, os.cpu_count() or 1)
    for quantity in _BATCHED:
        batch = engine.batch(quantity, size, threads, into=True)
        contenders = [batch, *(peer.parallel(quantity, size, threads) for peer in loaded)]
        yield Group(Section.THREADS, quantity.value, _present(contenders), size, threads)


def hand_groups(settings: BenchSettings) -> Iterator[Group]:
    """Yield the groups of the hand's contacts."""
    case = contacts.hand_case(quick=settings.quick)
    peer_distances, peer_simulation = peers.hand_contacts(case) if settings.peers else (None, None)
    distances = contacts.distances(case)
    contenders = _present([distances, peer_distances])
    yield Group(Section.BATCH, contacts.CAPSULE_DISTANCES, contenders, distances.states)
    simulations = [contacts.hand_simulation(case, recorded=recorded) for recorded in (False, True)]
    yield Group(Section.SIMULATION, contacts.HAND_STEP, _present([*simulations, peer_simulation]))


def ground_groups(case: legged.LeggedCase, settings: BenchSettings) -> Iterator[Group]:
    """Yield the groups of a legged robot on the ground."""
    with_peers = "MuJoCo" in _peer_names(settings)
    for section, threads in ((Section.GROUND, 1), (Section.GROUND_THREADS, _MAX_THREADS)):
        for quantity, make in ((legged.HARD, legged.hard_worlds), (legged.SOFT, legged.soft_worlds)):
            batched = make(case, threads)
            peer = peers.legged_rollout(case, threads) if with_peers else None
            yield Group(section, quantity, _present([batched, peer]), batched.states, threads, "MuJoCo")
    peer = peers.legged_single(case) if with_peers else None
    yield Group(Section.GROUND_SINGLE, legged.SINGLE, _present([legged.single(case), peer]), reference="MuJoCo")


def world_groups(case: worlds.QuadrupedCase) -> Iterator[Group]:
    """Yield the groups of many worlds against a sequence of single ones."""
    for section, threads in ((Section.WORLDS, 1), (Section.WORLDS_THREADS, _MAX_THREADS)):
        batched = worlds.batched_worlds(case, threads)
        contenders = [batched, worlds.sequential_worlds(case)]
        yield Group(section, worlds.QUADRUPED_STEP, contenders, batched.states, threads, worlds.SEQUENTIAL)


def quadruped_groups() -> Iterator[Group]:
    """Yield the simulation of a quadruped with compliant feet."""
    contenders = [simulations.quadruped_simulation(simulations.compliant_quadruped())]
    yield Group(Section.CONTROLLED, simulations.QUADRUPED_PD, contenders, reference=simulations.STEP_LOOP)


def _peer_names(settings: BenchSettings) -> list[str]:
    """Return the names of the peers to measure."""
    return peers.installed(quick=settings.quick) if settings.peers else []


def _present(contenders: Iterable[Contender | None]) -> list[Contender]:
    return [contender for contender in contenders if contender is not None]
