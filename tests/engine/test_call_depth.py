"""Call depth: number of Python functions between an algorithm and its result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType

import numpy as np
import pytest

import rbd
from rbd import MechanismState
from tests.marks import needs_builtins


def passed(call: Callable[[], object]) -> list[CodeType]:
    """Return the code of every Python frame of a call, but the one that calls."""
    frames: list[CodeType] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            frames.append(frame.f_code)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [code for code in frames if code is not getattr(call, "__code__", None)]


@needs_builtins
def test_an_interpreted_call_passes_through_few_functions() -> None:
    state = MechanismState(rbd.robots.arm7(), np.full(7, 0.3))
    rbd.mass_matrix(state)
    codes = set(passed(lambda: rbd.mass_matrix(state)))
    assert len(codes) <= 15, sorted(f"{code.co_filename}:{code.co_qualname}" for code in codes)
    files = {code.co_filename for code in codes if not code.co_filename.startswith("<")}  # attrs makes an __init__
    assert len(files) <= 8, sorted(files)


@needs_builtins
@pytest.mark.usefixtures("at_once")
def test_a_warm_call_passes_through_one_frame() -> None:
    state = MechanismState(rbd.robots.arm7(), np.full(7, 0.3))
    result, tau, out = rbd.DynamicsResult(state.mechanism), np.ones(7), np.empty((7, 7))
    robot = rbd.compile(state.mechanism)
    for call, most in (
        (lambda: rbd.mass_matrix(state), 1),
        (lambda: rbd.inverse_dynamics(state, tau), 1),
        (lambda: rbd.forward_dynamics(state, tau), 1),
        (lambda: rbd.dynamics(result, state, tau), 1),
        (lambda: rbd.dynamics(result, state), 1),
        (lambda: rbd.mass_matrix(state, out=out), 1),
        (lambda: robot.mass_matrix(tau), 0),
    ):
        for _ in range(20):
            call()
        assert len(passed(call)) <= most
