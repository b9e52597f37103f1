"""Large mechanisms: nothing recursive, nothing quadratic that shows."""

from __future__ import annotations

import pickle
import sys
import time

from rbd.joints import Fixed, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from tests.mechanism import invariants

Z = Revolute((0, 0, 1))
GENEROUS = 20.0  # seconds, for what takes about one


def long_chain(links: int) -> Mechanism:
    mechanism = Mechanism()
    parent = mechanism.root_body
    for k in range(links):
        body = RigidBody(f"b{k}")
        mechanism.attach(parent, body, Joint(f"j{k}", Z))
        parent = body
    return mechanism


def test_a_chain_of_three_thousand_links() -> None:
    start = time.perf_counter()
    mechanism = long_chain(3000)
    last = mechanism.bodies[-1]
    assert mechanism.nv == 3000
    assert len(mechanism.path(mechanism.root_body, last)) == 3000
    assert mechanism.supports("j0", last)
    assert len(mechanism.subtree("b1000")) == 2000
    assert len(str(mechanism)) < 100_000
    mechanism.attach("world", last, Joint("loop", Z))
    report = mechanism.remove_joint("j0")
    assert len(report.flipped) == 2999
    assert mechanism.tree_joints[0].name == "loop"
    new, _ = mechanism.copy()
    assert new.nv == 3000
    again = pickle.loads(pickle.dumps(mechanism))
    assert again.nv == 3000
    assert len(mechanism.remove_subtree("b2000")) == 2001
    invariants.check(mechanism)
    assert time.perf_counter() - start < GENEROUS


def test_a_star_of_ten_thousand_bodies() -> None:
    start = time.perf_counter()
    mechanism = Mechanism()
    for k in range(10_000):
        mechanism.attach("world", RigidBody(f"b{k}"), Joint(f"j{k}", Z))
    assert mechanism.nv == 10_000
    assert len(mechanism.children("world")) == 10_000
    assert len(mechanism.path("b1", "b9999")) == 2
    assert len(str(mechanism).splitlines()) < 300
    assert time.perf_counter() - start < GENEROUS


def calls(links: int) -> int:
    """Return how many calls building a chain takes; counting them is steadier than timing."""
    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(note)
    try:
        long_chain(links)
    finally:
        sys.setprofile(None)
    return count


def test_building_is_linear() -> None:
    calls(10)
    assert calls(800) <= 8.2 * calls(100)


def test_merging_a_thousand_fixed_links() -> None:
    mechanism = Mechanism()
    parent = mechanism.root_body
    for k in range(1000):
        body = RigidBody(f"b{k}")
        mechanism.attach(parent, body, Joint(f"j{k}", Z if k == 0 else Fixed()))
        parent = body
    mechanism.remove_fixed_joints()
    invariants.check(mechanism)
    assert len(mechanism.bodies) == 2
    assert mechanism.body_of_frame(mechanism.frame("b999")) is mechanism.body("b0")
