"""Run of the benchmarks: all robots, sections and contenders."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final, final

import attrs

from rbd.bench import contacts, legged, peers, robots, worlds
from rbd.bench.clock import PROCESSOR, WALL, Pace, alternate
from rbd.bench.contender import Contender, Peer, Quantity, difference
from rbd.bench.fresh import waits
from rbd.bench.machine import machine
from rbd.bench.ours import Ours
from rbd.bench.peak import peak
from rbd.bench.preparation import preparations
from rbd.bench.queries import Queries, Query
from rbd.bench.report import IN_WORLDS, LOOPED, MOVED, ON_GROUND, SOLUTION, Report, ReportRow, Robot, Section
from rbd.bench.samples import draw
from rbd.bench.values import Operation, Poses
from rbd.mechanism import Mechanism
from rbd.native import available

_REFERENCE: Final = "Pinocchio"
_FEW: Final = 8
"""States of a small batch."""
_MANY: Final = (Quantity.INVERSE, Quantity.FORWARD)
_LOOPED: Final = (Quantity.INVERSE, Quantity.MASS, Quantity.FORWARD)
"""Quantities with operation counts for mechanisms with loops."""


@final
@attrs.frozen
class BenchSettings:
    """Robots to measure, and the duration of measurements."""

    robots: tuple[str, ...] = ()
    """Names or URDF files; empty for the default robots."""
    quick: bool = False
    """Few short windows: the numbers are not reliable."""
    peers: bool = True
    """Measure other engines if they are installed."""

    @property
    def pace(self) -> Pace:
        """Duration of the measurement of a group of contenders."""
        return Pace(window=2e-4, rounds=5, limit=0.2, fewest=3) if self.quick else Pace()

    @property
    def batch(self) -> tuple[int, int]:
        """Sizes of batches: for one thread and for two."""
        return (512, 1024) if self.quick else (4096, 65536)

    @property
    def walkers(self) -> int:
        """How many robots are on the ground."""
        return 16 if self.quick else 256


@final
@attrs.frozen(eq=False)
class _Group:
    """Contenders for the same quantity."""

    section: str
    what: str
    contenders: list[Contender]
    states: int = 1
    threads: int = 1


def run(settings: BenchSettings, say: Callable[[str], object] = lambda text: None) -> Report:
    """Run the benchmarks; `say` receives progress messages. Raises SolverError if results of contenders differ.

    >>> from rbd.bench import BenchSettings, run
    >>> report = run(BenchSettings(robots=("double_pendulum",), quick=True, peers=False))
    >>> report.robots[0].operations["mass matrix"] < 10
    True
    """
    names = settings.robots or tuple(robots.default_names())
    walkers = _walkers(names, settings, say)
    mechanisms = {name: robots.robot(name) for name in names if name not in (*legged.ROBOTS, worlds.QUADRUPED)}
    report = Report(machine(), settings.quick, [], [], [], [])
    for group in _values(settings):
        report.rows.extend(_rows("", group, settings.pace))
    for name, mechanism in mechanisms.items():
        ours = Ours(mechanism, draw(mechanism))
        report.robots.append(_described(name, ours))
        groups = _groups(ours, settings)
        for group in itertools.chain(groups, _contacts(settings)) if name == robots.HAND else groups:
            say(f"{name}: {group.section}: {group.what}")
            report.rows.extend(_rows(name, group, settings.pace))
        say(f"{name}: recording and compiling")
        report.preparations.extend(preparations(name, mechanism, ours.samples, 2 if settings.quick else 9))
    for given in walkers:
        for group in _grounds(given, settings):
            say(f"{given.robot.name}: {group.section}: {group.what}")
            report.rows.extend(_rows(given.robot.name, group, settings.pace))
        report.robots.append(Robot(given.robot.name, given.mechanism.nq, given.mechanism.nv, given.links, {}))
    if available() and (not settings.robots or worlds.QUADRUPED in names):
        _measure_worlds(report, settings, say)
    say("new processes: import and first calls")
    report.waits.extend(waits(1 if settings.quick else 15))
    return report


def _walkers(names: Sequence[str], settings: BenchSettings, say: Callable[[str], object]) -> list[legged.Ground]:
    """Return the legged robots; say which are left out because their package is not installed."""
    found = list[legged.Ground]()
    for name in names or ():
        if name in legged.ROBOTS:
            found.append(legged.ground(legged.ROBOTS[name], settings.walkers))
    if not settings.robots:
        missing = [name for name in legged.ROBOTS if name not in names]
        for name in missing:
            say(f"{name}: left out, {legged.PACKAGE} is not installed")
    return found


def _grounds(given: legged.Ground, settings: BenchSettings) -> Iterator[_Group]:
    """Yield the groups of a robot on the ground."""
    ours = {legged.HARD: legged.hard_worlds, legged.SOFT: legged.soft_worlds}
    with_peers = settings.peers and "MuJoCo" in peers.installed(quick=settings.quick)
    for section, threads in ((Section.GROUND, 1), (Section.GROUND_THREADS, 2)):
        for what, make in ours.items():
            mine, theirs = make(given, threads), peers.walkers(given, threads) if with_peers else None
            yield _Group(section, what, _there([mine, theirs]), mine.states, threads)
    theirs = peers.walker(given) if with_peers else None
    yield _Group(Section.GROUND_SINGLE, legged.SINGLE, _there([legged.single(given), theirs]))


def _measure_worlds(report: Report, settings: BenchSettings, say: Callable[[str], object]) -> None:
    """Measure many worlds against a loop over them."""
    given = worlds.herd(settings.walkers)
    for section, threads in ((Section.WORLDS, 1), (Section.WORLDS_THREADS, 2)):
        say(f"{worlds.QUADRUPED}: {section}: {worlds.WHAT}")
        mine = worlds.together(given, threads)
        group = _Group(section, worlds.WHAT, [mine, worlds.alone(given)], mine.states, threads)
        report.rows.extend(_rows(worlds.QUADRUPED, group, settings.pace))
    links, mechanism = len(given.mechanism.bodies) - 1, given.mechanism
    report.robots.append(Robot(worlds.QUADRUPED, mechanism.nq, mechanism.nv, links, {}))


def _described(name: str, ours: Ours) -> Robot:
    mechanism: Mechanism = ours.mechanism
    wanted = _LOOPED if mechanism.loop_joints else tuple(Quantity)
    operations = {quantity.value: ours.program(quantity).count().total for quantity in wanted}
    return Robot(name, mechanism.nq, mechanism.nv, len(mechanism.bodies) - 1, operations)


def _groups(ours: Ours, settings: BenchSettings) -> Iterator[_Group]:
    """Yield all groups; contenders are constructed lazily."""
    engines = peers.installed(quick=settings.quick) if settings.peers else []
    if ours.mechanism.loop_joints:
        yield from _loops(ours, peers.constrained(ours) if _REFERENCE in engines else None)
        return
    others = [peer for name in engines if (peer := peers.load(name, ours)) is not None]
    for quantity in Quantity:
        mine = [ours.kernel(quantity), ours.single(quantity)]
        yield _Group(Section.ONE, quantity.value, _there([*mine, *(peer.single(quantity) for peer in others)]))
    yield _Group(Section.LIVE, SOLUTION, _there([ours.state(), *(peer.solution() for peer in others)]))
    yield from _queries(ours, with_peers=_REFERENCE in engines)
    if available():  # interpreted batches take minutes
        yield from _batches(ours, others, settings)


def _values(settings: BenchSettings) -> Iterator[_Group]:
    """Yield the operations on values with frames."""
    poses = Poses()
    with_peers = settings.peers and _REFERENCE in peers.installed(quick=settings.quick)
    for operation in Operation:
        peer = peers.value(poses, operation) if with_peers else None
        yield _Group(Section.VALUES, operation.value, _there([poses.contender(operation), peer]))


def _queries(ours: Ours, *, with_peers: bool) -> Iterator[_Group]:
    """Yield the frame queries of live states."""
    queries = Queries(ours)
    for query in Query:
        peer = peers.query(queries, query) if with_peers else None
        yield _Group(Section.LIVE, query.value, _there([queries.contender(query), peer]))


def _loops(ours: Ours, peer: Contender | None) -> Iterator[_Group]:
    """Yield the groups of a mechanism with loops."""
    forward = Quantity.FORWARD
    yield _Group(Section.ONE, forward.value, _there([ours.kernel(forward), ours.single(forward), peer]))
    yield _Group(Section.LIVE, LOOPED, _there([ours.looped(), peer]))
    yield _Group(Section.LIVE, MOVED, _there([ours.moved(), peer]))


def _contacts(settings: BenchSettings) -> Iterator[_Group]:
    """Yield the groups of the contact benchmarks."""
    given = contacts.hand(quick=settings.quick)
    close, loop = peers.contacts(given) if settings.peers else (None, None)
    distances = contacts.distances(given)
    yield _Group(Section.BATCH, contacts.CLOSE, _there([distances, close]), distances.states)
    mine = [contacts.loop(given, recorded=recorded) for recorded in (False, True)]
    yield _Group(Section.LOOP, contacts.LOOP, _there([*mine, loop]))


def _batches(ours: Ours, others: Sequence[Peer], settings: BenchSettings) -> Iterator[_Group]:
    small = [ours.few(Quantity.INVERSE, _FEW), *(peer.batch(Quantity.INVERSE, _FEW) for peer in others)]
    yield _Group(Section.FEW, Quantity.INVERSE.value, _there(small), _FEW)
    few, many = settings.batch
    for quantity in _MANY:
        found = [ours.batch(quantity, few), *(peer.batch(quantity, few) for peer in others)]
        yield _Group(Section.BATCH, quantity.value, _there(found), few)
    for quantity in _MANY:
        operations = ours.program(quantity).count().total
        yield _Group(Section.COLUMNS, quantity.value, [*ours.ordered(quantity, few), peak(operations, few)], few)
    threads = min(2, os.cpu_count() or 1)
    for quantity in _MANY:
        mine = ours.batch(quantity, many, threads, into=True)
        found = [mine, *(peer.parallel(quantity, many, threads) for peer in others)]
        yield _Group(Section.THREADS, quantity.value, _there(found), many, threads)


def _there(contenders: Sequence[Contender | None]) -> list[Contender]:
    return [contender for contender in contenders if contender is not None]


def _rows(robot: str, group: _Group, pace: Pace) -> list[ReportRow]:
    """Compare the results of the contenders of a group, then measure them."""
    contenders = group.contenders
    for contender in contenders:
        contender.run(1)
    states = sorted({0, 1, 7, contenders[0].states - 1})
    apart = [difference(contender, contenders[0], states) for contender in contenders]
    timings = alternate(contenders, pace, WALL if group.threads > 1 else PROCESSOR)
    other = "MuJoCo" if group.section in ON_GROUND else worlds.LOOP if group.section in IN_WORLDS else _REFERENCE
    reference = next((t for c, t in zip(contenders, timings, strict=True) if c.name.startswith(other)), None)
    return [
        ReportRow(
            robot=robot, section=group.section, what=group.what, who=contender.name, states=group.states,
            threads=group.threads, seconds=timing.median, best=timing.best,
            speedup=None if reference is None else timing.speedup(reference), difference=apart[k],
        )
        for k, (contender, timing) in enumerate(zip(contenders, timings, strict=True))
    ]  # fmt: skip
