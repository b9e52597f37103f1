"""Builtins with parameters: arguments by keyword, options, several results, and overloads for other options."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from rbd.native.builtins.builtin import Binding, add_overload, make_builtin
from rbd.native.builtins.parameters import MAX_OVERLOADS, CallParameter, CallSignature, Overloads
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from tests.marks import needs_builtins

pytestmark = needs_builtins
HANDED_ON = object()
X, Y = np.array([1.0, 2.0]), np.array([10.0, 20.0])
ZEROS = np.zeros(2)
KEY = object()


def combined(factor: int) -> CompiledProgram:
    """Return sum = x + factor y, difference = x - factor y."""
    graph = Graph()
    x, y = graph.input("x", (2,)), graph.input("y", (2,))
    sums = tuple(a + b * factor for a, b in zip(x, y, strict=True))
    differences = tuple(a - b * factor for a, b in zip(x, y, strict=True))
    compiled = CompiledProgram(Program.of(graph, "combined", {"sum": sums, "difference": differences}))
    for library in (compiled.compile_batch(), compiled.compile_single()):
        assert library
    return compiled


def binding(mode: str, *, is_default: bool = False) -> Binding:
    """Return the binding of combined(x, y=None, *, mode="plus", flag=None, out=None)."""
    parameters = [
        CallParameter.input("x", 0, None, is_required=True, is_positional=True),
        CallParameter.input("y", 1, ZEROS, is_positional=True),
        CallParameter.constant("mode", mode, is_required=not is_default),
        CallParameter.constant("flag", None),
        CallParameter.result("out"),
    ]
    return Binding(signature=CallSignature(parameters, [None, ZEROS]))


def handed_on(*_: Any, **__: Any) -> object:
    return HANDED_ON


@pytest.fixture
def entry() -> Any:
    overloads = Overloads()
    builtin = make_builtin(combined(1), handed_on, binding("plus", is_default=True), overloads=overloads)
    add_overload(combined(-3), binding("min-us"), overloads)
    return builtin


CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any], list[float]]] = {
    "by position": ((X, Y), {}, [11.0, 22.0]),
    "by name": ((), {"y": Y, "x": X}, [11.0, 22.0]),
    "one by name": ((X,), {"y": Y}, [11.0, 22.0]),
    "left out": ((X,), {}, [1.0, 2.0]),
    "None": ((X, None), {}, [1.0, 2.0]),
    "None by name": ((X,), {"y": None}, [1.0, 2.0]),
    "options at their defaults": ((X, Y), {"flag": None, "mode": "plus", "out": None}, [11.0, 22.0]),
    "another option": ((X, Y), {"mode": "min-us"}, [-29.0, -58.0]),
    "another option, equal text": ((X,), {"mode": "-".join(["min", "us"]), "y": Y}, [-29.0, -58.0]),
    "a batch": ((np.stack([X, Y]),), {"y": None}, [[1.0, 2.0], [10.0, 20.0]]),  # type: ignore[dict-item]
}


@pytest.mark.parametrize(("arguments", "named", "expected"), CALLS.values(), ids=CALLS.keys())
def test_calls_that_fit(entry: Any, arguments: Any, named: Any, expected: Any) -> None:
    assert entry(*arguments, **named)[0].tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), {}),
        ((X, Y, "plus"), {}),
        ((X,), {"x": X}),
        ((X, Y), {"y": Y}),
        ((None, Y), {}),
        ((X, Y), {"mode": "times"}),
        ((X, Y), {"mode": None}),
        ((X, Y), {"mode": b"plus"}),
        ((X, Y), {"flag": False}),
        ((X, Y), {"other": 1}),
        ((X, Y), {"fl" + "ag ".strip() + " ": None}),
        ((X, Y), {"mode": "min-us", "flag": 1}),
    ],
    ids=str,
)
def test_all_other_calls_are_handed_on(entry: Any, arguments: Any, named: Any) -> None:
    assert entry(*arguments, **named) is HANDED_ON


def test_arrays_for_several_results(entry: Any) -> None:
    given: Any = ((np.zeros(2), np.zeros(2)), [np.zeros(2), np.zeros(2)])
    for out in given:
        result = entry(X, Y, out=out)
        assert type(result) is tuple
        assert all(a is b for a, b in zip(result, out, strict=True))
        assert [each.tolist() for each in out] == [[11.0, 22.0], [-9.0, -18.0]]
    rows = np.stack([X, Y])
    out = (np.zeros((2, 2)), np.zeros((2, 2)))
    assert entry(rows, Y, out=out, mode="min-us")[1] is out[1]
    assert out[0].tolist() == [[-29.0, -58.0], [-20.0, -40.0]]


@pytest.mark.parametrize("lead", [(), (2,)])
def test_arrays_that_cannot_take_several_results_are_handed_on(entry: Any, lead: tuple[int, ...]) -> None:
    x, good, fixed = np.ones((*lead, 2)), np.zeros((*lead, 2)), np.zeros((*lead, 2))
    fixed.flags.writeable = False
    memory = np.zeros(3 * x.size)
    first, second = memory[: x.size].reshape(x.shape), memory[x.size // 2 : x.size // 2 + x.size].reshape(x.shape)
    wrong: list[Any] = [
        *((good,), (good, good.copy(), good.copy()), (good, fixed), (good, None), (good, good)),
        *((first, second), good, {0: good}, [good], (good, np.zeros(3))),
    ]
    for out in wrong:
        assert entry(x, Y, out=out) is HANDED_ON
    assert not memory.any()
    assert not good.any()


def test_inputs_that_nothing_gives_prevent_a_builtin() -> None:
    """Else machine code would read an object that is not there."""
    x = CallParameter.input("x", 0, None, is_required=True, is_positional=True)
    for others in ([], [CallParameter.constant("more", {})], [CallParameter.mapping("more", 2, (KEY,))]):
        signature = CallSignature([x, *others], [None, None])
        assert make_builtin(combined(1), handed_on, Binding(signature=signature)) is handed_on


def test_dictionaries_of_inputs() -> None:
    parameters = [
        CallParameter.input("x", 0, None, is_required=True, is_positional=True),
        CallParameter.mapping("more", 1, (KEY,)),
    ]
    entry: Any = make_builtin(combined(1), handed_on, Binding(signature=CallSignature(parameters, [None, None])))
    assert entry(X, more={KEY: Y})[0].tolist() == [11.0, 22.0]
    rows = np.ones((4000, 2))  # other threads may run meanwhile
    assert entry(X, more={KEY: rows})[0].shape == (4000, 2)
    for more in (None, {}, {"other": Y}, {KEY: Y, "other": Y}, {KEY: [1.0, 2.0]}, Y):
        assert entry(X, more=more) is HANDED_ON
    assert entry(X) is HANDED_ON


def test_no_more_overloads_than_there_is_place_for() -> None:
    overloads = Overloads()
    entry: Any = make_builtin(combined(1), handed_on, binding("plus", is_default=True), overloads=overloads)
    program = combined(2)
    for k in range(MAX_OVERLOADS + 3):
        add_overload(program, binding(f"mode {k}"), overloads)
    answers = [entry(X, Y, mode=f"mode {k}") is HANDED_ON for k in range(MAX_OVERLOADS + 3)]
    assert answers == [False] * MAX_OVERLOADS + [True] * 3


def test_reference_counts(entry: Any) -> None:
    out, mode = (np.zeros(2), np.zeros(2)), "-".join(["min", "us"])
    things: list[Any] = [X, Y, ZEROS, out, *out, mode, HANDED_ON]

    def counts() -> list[int]:
        return [sys.getrefcount(thing) for thing in things]

    before = counts()
    for _ in range(100):
        entry(X, Y, out=out)
        entry(X, None, mode=mode)
        entry(X, Y, mode=mode, out=out)
        entry(X, out=(out[0], out[0]))
        entry(X, Y, mode="times")
        entry(X, np.full(2, np.nan), out=out)
    assert [a - b for a, b in zip(counts(), before, strict=True)] == [0] * len(things)
