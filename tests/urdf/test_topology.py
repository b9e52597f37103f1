"""The order of joints, names, and sizes that recursion would not survive."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from rbd.errors import UrdfTopologyError
from rbd.mechanism import Mechanism
from rbd.urdf import parse_urdf
from rbd.urdf.topology import cycle_text, find_cycle
from tests.counting import calls
from tests.urdf.files import chain, joint, link, robot, star


def order(mechanism: Mechanism) -> list[str]:
    return [found.name for found in mechanism.tree_joints if found.nv]


LINKS = [link(name) for name in "abcdef"]


def test_joints_come_in_file_order() -> None:
    breadth_first = [joint("1", "a", "b"), joint("2", "a", "c"), joint("3", "b", "d"), joint("4", "c", "e")]
    assert order(parse_urdf(robot(*LINKS[:5], *breadth_first))) == ["1", "2", "3", "4"]
    depth_first = [joint("1", "a", "b"), joint("2", "b", "c"), joint("3", "a", "d"), joint("4", "d", "e")]
    assert order(parse_urdf(robot(*LINKS[:5], *depth_first))) == ["1", "2", "3", "4"]


def test_but_parents_first() -> None:
    backwards = [joint("1", "c", "d"), joint("2", "b", "c"), joint("3", "a", "b"), joint("4", "a", "e")]
    assert order(parse_urdf(robot(*LINKS[:5], *backwards))) == ["3", "2", "1", "4"]


def test_merging_fixed_joints_keeps_the_order_of_the_others() -> None:
    rng = random.Random(1)
    for _ in range(30):
        joints = [
            joint(f"j{k}", f"l{rng.randrange(k)}", f"l{k}", rng.choice(["fixed", "continuous"])) for k in range(1, 12)
        ]
        rng.shuffle(joints)
        text = robot(*(link(f"l{k}") for k in range(12)), *joints)
        assert order(parse_urdf(text)) == order(parse_urdf(text, remove_fixed_joints=False))


def test_links_may_stand_after_the_joints_that_name_them() -> None:
    assert order(parse_urdf(robot(joint("1", "a", "b"), *LINKS[:2]))) == ["1"]


def test_links_and_joints_may_share_a_name() -> None:
    assert order(parse_urdf(robot(*LINKS[:2], joint("a", "a", "b")))) == ["a"]


def test_names_are_normalised() -> None:
    mechanism = parse_urdf(robot(link("a"), link("bras_é"), joint("épaule", "a", "bras_é")))
    assert mechanism.joint("épaule").name == "épaule"
    assert mechanism.body("bras_é").name == "bras_é"


@pytest.mark.parametrize("name", ["α", "左腕", "a b", "a-b.c/d", "Ω₁", "x" * 255])
def test_ordinary_names_are_accepted(name: str) -> None:
    assert parse_urdf(robot(link("a"), link(name), joint(name, "a", name))).body(name).name == name


LARGE = [
    pytest.param(chain, 3000, id="chain of 3000"),
    pytest.param(star, 3000, id="star of 3000"),
    pytest.param(star, 10_000, id="star of 10000", marks=pytest.mark.deep),
]


@pytest.mark.parametrize(("make", "count"), LARGE)
@pytest.mark.parametrize("kind", ["continuous", "fixed"])
def test_large_robots_take_linear_work(make: Callable[[int, str], str], count: int, kind: str) -> None:
    mechanism = parse_urdf(make(count, kind))
    assert mechanism.nv == (count - 1 if kind == "continuous" else 0)
    small, large = (make(count // share, kind) for share in (40, 5))
    assert calls(lambda: parse_urdf(large)) < 8.2 * calls(lambda: parse_urdf(small))


def test_a_long_cycle_is_spelled_shortly() -> None:
    text = chain(2000).replace("</robot>", joint("back", "l1999", "l0") + "</robot>")
    with pytest.raises(UrdfTopologyError) as caught:
        parse_urdf(text)
    assert len(caught.value.cycle) == 2000
    assert "'l0' -> 'l1' -> " in str(caught.value)
    assert "(1988 more)" in str(caught.value)
    assert len(str(caught.value)) < 400


def test_many_roots_are_named_shortly() -> None:
    with pytest.raises(UrdfTopologyError, match="1000 links have no parent: 'l0', 'l1'") as caught:
        parse_urdf(robot(*(link(f"l{k}") for k in range(1000))))
    assert caught.value.line == 3
    assert len(str(caught.value)) < 300


def test_a_missing_name_among_many_is_reported_quickly() -> None:
    text = robot(*(link("x" * 200 + str(k)) for k in range(20_000)), joint("j", "x" * 200 + "y", "x" * 200 + "1"))

    def parse() -> None:
        with pytest.raises(UrdfTopologyError, match="there is no link"):
            parse_urdf(text)

    assert calls(parse) < 100 * 20_000


def test_find_cycle() -> None:
    assert find_cycle({}) == []
    assert find_cycle({"a": "b", "b": "c", "d": "b"}) == []
    assert find_cycle({"a": "a"}) == ["a"]
    assert find_cycle({"x": "a", "a": "b", "b": "c", "c": "a"}) == ["a", "b", "c"]
    assert cycle_text(["a", "b"]) == "'a' -> 'b' -> 'a'"
