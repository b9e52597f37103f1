"""Jacobians of live states: fast paths by path and frame agree with the general path."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd import MechanismState, algorithms, native
from rbd.errors import (
    ArgumentError,
    FrameMismatchError,
    ShapeError,
    UnknownNameError,
)
from rbd.native.runtime import abi

from ..algorithms.helpers import close, raised
from .derivatives import (
    assert_same,
    two_joints,
)

JACOBIANS = {
    "geometric_jacobian": rbd.geometric_jacobian,
    "geometric_jacobian_rate": algorithms.geometric_jacobian_rate,
}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_of_every_path_and_frame(name: str) -> None:
    state = two_joints("universal oblique")
    mechanism, run = state.mechanism, JACOBIANS[name]
    extra = rbd.Frame("extra")
    tip = mechanism.bodies[-1]
    tip.add_frame(rbd.Transform(extra, tip.default_frame, translation=[0.1, 0.2, 0.3]))
    frames: list[rbd.Frame[Any] | None] = [None, mechanism.root_frame, tip.default_frame, extra]
    for source in mechanism.bodies:
        for frame in frames:
            first = run(state, mechanism.path(source, tip), frame=frame)
            with rbd.interpreted():
                expected = run(state, mechanism.path(source, tip), frame=frame)
            for _ in range(3):
                found = run(state, mechanism.path(source, tip), frame=frame)
                assert (found.body, found.base, found.frame) == (expected.body, expected.base, expected.frame)
                assert (found.columns, type(found.columns[0][0])) == (first.columns, tuple)
            close(first.matrix, expected.matrix, 1e-12)
    if native.available() and abi.is_supported():
        assert len(state.engine.builtins) == len(mechanism.bodies) * len(frames)


@pytest.mark.usefixtures("at_once")
def test_derivatives_by_wrenches_on_every_body_in_every_frame() -> None:
    state = two_joints("planar oblique")
    mechanism, run = state.mechanism, algorithms.external_wrench_derivatives
    for body in mechanism.bodies:
        for frame in (None, mechanism.root_frame, *(each.default_frame for each in mechanism.bodies[1:])):
            with rbd.interpreted():
                expected = run(state, body, frame=frame)
            first = run(state, body, frame=frame)
            close(first, expected, 1e-12)
            for _ in range(3):
                assert_same(run(state, body, frame=frame), first)
    if native.available() and abi.is_supported():
        assert state.engine.builtins
    for body in ("nobody", rbd.RigidBody("stranger")):
        found = raised(lambda b=body: run(state, b))
        with rbd.interpreted():
            expected_error = raised(lambda b=body: run(state, b))
        assert isinstance(found, UnknownNameError)
        assert str(found) == str(expected_error)


@pytest.mark.usefixtures("at_once")
def test_jacobians_raise_the_same_errors() -> None:
    state = two_joints("universal")
    mechanism = state.mechanism
    path = mechanism.path(mechanism.root_body, mechanism.bodies[-1])
    rate, elsewhere = algorithms.geometric_jacobian_rate, MechanismState(rbd.robots.arm7())
    for _ in range(4):
        rate(state, path)
        rbd.geometric_jacobian(state, path)
    other = elsewhere.mechanism.path(elsewhere.mechanism.root_body, elsewhere.mechanism.bodies[-1])
    calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], type[Exception]]] = [
        (rate, (state, other), {}, UnknownNameError),
        (rate, (state, path), {"frame": rbd.Frame("elsewhere")}, FrameMismatchError),
        (rate, (state, path), {"frame": [1]}, ArgumentError),
        (rate, (state, "path"), {}, UnknownNameError),
        (rate, (state, path), {"out": np.zeros((6, 3))}, TypeError),
        (rate, (state, path, None), {}, TypeError),
        (rbd.geometric_jacobian, (state, path), {"out": np.zeros((6, 1))}, ShapeError),
        (rbd.geometric_jacobian, ("state", path), {}, ArgumentError),
    ]
    for run, args, named, kind in calls:
        assert isinstance(raised(lambda r=run, a=args, n=named: r(*a, **n)), kind), (run, args[1:], named)
    out = np.zeros((6, mechanism.nv))
    assert np.array_equal(rbd.geometric_jacobian(state, path, out=out).matrix, out)
    mechanism.gravity = (1.0, 2.0, 3.0)
    assert rate(state, path).matrix.shape == out.shape
