"""Recorded scalars that outlive their recording, or meet those of another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rbd
from rbd.errors import ArgumentError, RecordingError
from rbd.scalars import less, where


def recorded(function: Callable[..., object]) -> Any:
    return rbd.record(function, rbd.robots.double_pendulum(), x=(2,))


@pytest.fixture
def kept() -> list[Any]:
    """Return a recorded array, and a recorded condition, of a recording that has ended."""
    found: list[Any] = []

    def keep(state: Any, x: Any) -> Any:
        found.extend((x, less(x[0], x[1])))
        return x

    recorded(keep)
    return found


@pytest.mark.parametrize(
    "function",
    [
        lambda kept, x: x + kept[0],
        lambda kept, x: less(x[0], kept[0][0]),
        lambda kept, x: where(kept[1], x[0], x[1]),
        lambda kept, x: where(less(x[0], 0), kept[0][0], x[1]),
    ],
)
def test_scalars_of_two_recordings_do_not_meet(function: Callable[[Any, Any], object], kept: list[Any]) -> None:
    with pytest.raises(RecordingError, match=r"test_two_recordings\.py:\d+: scalars of two recordings meet"):
        recorded(lambda state, x: function(kept, x))


def test_results_are_of_their_own_recording(kept: list[Any]) -> None:
    with pytest.raises(RecordingError, match="an output was recorded in another graph"):
        recorded(lambda state, x: kept[0])


@pytest.mark.parametrize(("given", "wrong"), [({"x": 1, "z": 1}, "z"), ({}, "x")])
def test_programs_name_inputs_that_are_missing_or_unknown(given: dict[str, object], wrong: str) -> None:
    program = recorded(lambda state, x: x * x).program
    with pytest.raises(ArgumentError, match=rf"takes \['q', 'v', 'x'\]; missing or unknown: \['{wrong}'\]"):
        program.interpret(q=[0, 0], v=[0, 0], **given)
