"""Large mechanisms: nothing recursive, nothing quadratic that shows."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from rbd.joints import Fixed, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.mechanism import in_one_transaction
from tests.counting import calls
from tests.mechanism import invariants

Z = Revolute((0, 0, 1))


def long_chain(links: int) -> Mechanism:
    mechanism = Mechanism()
    parent = mechanism.root_body
    for k in range(links):
        body = RigidBody(f"b{k}")
        mechanism.attach(parent, body, Joint(f"j{k}", Z))
        parent = body
    return mechanism


def use_chain(n: int) -> None:
    mechanism = long_chain(n)
    last = mechanism.bodies[-1]
    assert mechanism.nv == n
    assert len(mechanism.path(mechanism.root_body, last)) == n
    assert mechanism.supports("j0", last)
    assert len(mechanism.subtree(f"b{n // 3}")) == n - n // 3
    assert len(str(mechanism)) < 100_000
    mechanism.attach("world", last, Joint("loop", Z))
    report = mechanism.remove_joint("j0")
    assert len(report.flipped) == n - 1
    assert mechanism.tree_joints[0].name == "loop"
    new, _ = mechanism.copy()
    assert new.nv == n
    again = pickle.loads(pickle.dumps(mechanism))
    assert again.nv == n
    assert len(mechanism.remove_subtree(f"b{2 * n // 3}")) == 2 * n // 3 + 1
    invariants.check(mechanism)


def test_a_chain_of_three_thousand_links() -> None:
    use_chain(3000)


def use_star(n: int) -> None:
    mechanism = Mechanism()

    def attach_all() -> None:
        for k in range(n):
            mechanism.attach("world", RigidBody(f"b{k}"), Joint(f"j{k}", Z))

    in_one_transaction(mechanism, attach_all)
    assert mechanism.nv == n
    assert len(mechanism.children("world")) == n
    assert len(mechanism.path("b1", f"b{n - 1}")) == 2
    assert len(str(mechanism).splitlines()) < 300


def test_a_star_of_ten_thousand_bodies() -> None:
    use_star(10_000)


@pytest.mark.parametrize("use", [long_chain, use_chain, use_star])
def test_work_is_linear(use: Callable[[int], object]) -> None:
    use(10)
    assert calls(lambda: use(800)) <= 8.2 * calls(lambda: use(100))


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
