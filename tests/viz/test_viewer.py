"""The viewer, without a browser: what it shows, its sliders, and its playback."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError
from rbd.viz import Force, Viewer

pytest.importorskip("viser", reason="the extra `viz` is not installed")


@pytest.fixture
def arm() -> Iterator[tuple[rbd.Mechanism, Viewer]]:
    mechanism = rbd.robots.arm7()
    with Viewer(mechanism, port=0) as viewer:
        yield mechanism, viewer


def test_show_copies_the_configuration(arm: tuple[rbd.Mechanism, Viewer]) -> None:
    mechanism, viewer = arm
    state = rbd.MechanismState(mechanism, np.linspace(-0.6, 0.6, 7))
    tip = rbd.Point(mechanism.frame("tool"), (0, 0, 0))
    push = Force(tip, rbd.FreeVector(mechanism.root_frame, (5, 0, 0)))
    assert viewer.show(state, forces=[push]) is viewer
    state.zero()
    np.testing.assert_array_equal(viewer.q, np.linspace(-0.6, 0.6, 7))
    assert viewer.url in viewer._repr_html_()  # pyright: ignore[reportPrivateUsage]  # notebooks call it


def test_trajectories_play_to_their_end(arm: tuple[rbd.Mechanism, Viewer]) -> None:
    mechanism, viewer = arm
    state = rbd.MechanismState(mechanism, [0.3] * 7)
    trajectory = rbd.simulate(state, 0.2, dt=0.01)
    viewer.animate(trajectory, speed=2.0).wait_for_motion()
    np.testing.assert_array_equal(viewer.q, trajectory.q[-1])


def test_wrong_arguments(arm: tuple[rbd.Mechanism, Viewer]) -> None:
    mechanism, viewer = arm
    with pytest.raises(ArgumentError, match="another mechanism"):
        viewer.show(rbd.MechanismState(rbd.robots.arm7()))
    with pytest.raises(ArgumentError, match="no layer is called 'bones'"):
        viewer.layer("bones")
    with pytest.raises(ArgumentError, match="one point"):
        viewer.look((0, 0, 0))
    state = rbd.MechanismState(mechanism)
    with pytest.raises(ArgumentError, match="speed is -1"):
        viewer.animate(rbd.simulate(state, 0.01), speed=-1.0)
