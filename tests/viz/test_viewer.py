"""The viewer, without a browser: what it shows, its sliders, and its playback."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError
from rbd.viz import Force, Viewer
from rbd.viz.poses import body_poses, quaternions
from tests.viz.pages import open_page, port_of, receive_all

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


@pytest.mark.parametrize("ratio", [0.09, 4.1, 1e6])
def test_pixel_ratios_are_from_a_tenth_to_four(ratio: float) -> None:
    with pytest.raises(ArgumentError, match=r"^pixel_ratio is \S+, must be a number from 0\.1 to 4$"):
        Viewer(rbd.robots.double_pendulum(), port=0, pixel_ratio=ratio)


def test_layers_are_made_when_they_are_first_shown() -> None:
    robot = rbd.robots.four_bar()
    ground = rbd.Point(robot.root_frame, (0, 0, -1)), rbd.FreeVector(robot.root_frame, (0, 0, 1))
    robot.add_half_space(rbd.contact.HalfSpace(*ground))
    body = robot.bodies[-1]
    model = rbd.SoftContact(rbd.HuntCrossley(1e4, 0.1), None)
    body.add_contact_point(rbd.Point(body.default_frame, (0, 0, 0.1)), model)
    layers = {"skeleton": "bone", "frames": "frame", "names": "name", "loops": "loop", "contacts": "contact"}
    with Viewer(robot, port=0, layers=()) as viewer:
        nodes = viewer._server.scene._handle_from_node_name  # pyright: ignore[reportPrivateUsage]
        for layer, name in layers.items():
            assert not any(name in path for path in nodes)
            viewer.layer(layer)
            shown = [node for path, node in nodes.items() if name in path and path != "/loops"]  # a parent
            assert shown
            assert all(node.visible for node in shown)
            viewer.layer(layer, False)
            assert not any(node.visible for node in shown)


def test_the_ground_stays_below_a_robot_that_walks_away() -> None:
    robot = rbd.robots.quadruped()
    state = rbd.MechanismState(robot, rbd.robots.quadruped_configuration())
    with Viewer(robot, port=0) as viewer:
        grid: Any = viewer._server.scene._handle_from_node_name["/ground"]  # pyright: ignore[reportPrivateUsage]
        section, places = viewer._scene._spacing, list[float]()  # pyright: ignore[reportPrivateUsage]
        for x in (0.0, 0.4 * section, 7.3 * section, 6.9 * section, -3.0 * section):
            state.set_configuration("floating_base", [1, 0, 0, 0, x, 2 * x, 0.3])
            viewer.show(state)
            places.append(grid.position[0])
            assert max(abs(grid.position[:2] - state.q[4:6])) < 1.2 * section
        assert places == pytest.approx([0.0, 0.0, 7 * section, 7 * section, -3 * section])


def test_a_frame_is_one_message(arm: tuple[rbd.Mechanism, Viewer]) -> None:
    mechanism, viewer = arm
    with open_page(viewer) as page:
        scene = viewer._scene  # pyright: ignore[reportPrivateUsage]
        receive_all(page)
        for q in (0.1, 0.2):
            state = rbd.MechanismState(mechanism, [q] * 7)
            scene.move(body_poses(state, mechanism.bodies))
            (frame,) = receive_all(page)
            assert len(frame) < 120 * len(mechanism.bodies)


def test_nodes_stand_where_their_bodies_are(arm: tuple[rbd.Mechanism, Viewer]) -> None:
    mechanism, viewer = arm
    for q in ([0.0] * 7, [0.3] * 7, [0.3] * 6 + [0.9], [0.0] * 7):
        state = rbd.MechanismState(mechanism, q)
        viewer.show(state)
        poses = body_poses(state, mechanism.bodies)
        nodes: Any = viewer._scene._bodies  # pyright: ignore[reportPrivateUsage]
        np.testing.assert_array_equal([node.position for node in nodes], poses[:, :3, 3])
        np.testing.assert_array_equal([node.wxyz for node in nodes], quaternions(poses[:, :3, :3]))


def test_a_frame_moves_what_has_moved(arm: tuple[rbd.Mechanism, Viewer], monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, viewer = arm
    viewer.show(rbd.MechanismState(mechanism, [0.3] * 7))
    sent = list[Any]()
    monkeypatch.setattr(viewer._server.scene, "_queue_scene_message", sent.append)  # pyright: ignore[reportPrivateUsage]
    viewer.show(rbd.MechanismState(mechanism, [0.3] * 6 + [0.30001]))
    last = mechanism.bodies.index(mechanism.body("link7"))
    assert [(type(each).__name__, each.name) for each in sent] == [("SetOrientationMessage", f"/bodies/{last}")]


def test_a_frame_after_an_interrupted_one_moves_all(
    arm: tuple[rbd.Mechanism, Viewer], monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism, viewer = arm
    viewer.show(rbd.MechanismState(mechanism, [0.0] * 7))
    state = rbd.MechanismState(mechanism, [0.7] * 7)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("rbd.viz.scene.set_positions", interrupted)
        with pytest.raises(KeyboardInterrupt):
            viewer.show(state)
    viewer.show(state)
    nodes: Any = viewer._scene._bodies  # pyright: ignore[reportPrivateUsage]
    places = body_poses(state, mechanism.bodies)[:, :3, 3]
    np.testing.assert_array_equal([node.position for node in nodes], places)


def test_small_movements_far_away_are_shown() -> None:
    robot = rbd.robots.quadruped()
    state = rbd.MechanismState(robot, rbd.robots.quadruped_configuration())
    with Viewer(robot, port=0) as viewer:
        for x in (1000.0, 1000.005):
            state.set_configuration("floating_base", [1, 0, 0, 0, x, 0, 0.3])
            viewer.show(state)
        trunk = robot.bodies.index(robot.successor(robot.joint("floating_base")))
        assert viewer._scene._bodies[trunk].position[0] == 1000.005  # pyright: ignore[reportPrivateUsage]


def test_the_sun_casts_shadows_if_wanted(arm: tuple[rbd.Mechanism, Viewer]) -> None:
    _, viewer = arm
    nodes: Any = viewer._server.scene._handle_from_node_name  # pyright: ignore[reportPrivateUsage]
    for shown in (False, True, False):
        viewer.layer("shadows", shown)
        assert nodes["/sun"].cast_shadow is shown
        assert nodes["/ground/shade"].visible is shown


def test_loops_follow_a_slider() -> None:
    robot = rbd.robots.four_bar()
    with Viewer(robot, port=0) as viewer:
        viewer.show(rbd.MechanismState(robot, rbd.robots.four_bar_configuration(1.0)))
        slide = viewer._move_joint  # pyright: ignore[reportPrivateUsage]  # what the page calls
        crank = viewer._panel._sliders[0][0]  # pyright: ignore[reportPrivateUsage]
        slide(crank, 1.2)
        assert viewer.q[0] == 1.2
        assert rbd.loop_gap(rbd.MechanismState(robot, viewer.q)) < 1e-9


def test_sliders_follow_a_playback_in_turn(arm: tuple[rbd.Mechanism, Viewer]) -> None:
    mechanism, viewer = arm
    panel = viewer._panel  # pyright: ignore[reportPrivateUsage]
    state, moved = rbd.MechanismState(mechanism, [0.3] * 7), list[int]()
    for frame in range(14):
        panel.set_next_slider(state, frame)
        moved.append(sum(slider.value == 0.3 for _, slider in panel._sliders))  # pyright: ignore[reportPrivateUsage]
    assert moved == [1 + frame // 2 for frame in range(14)]


def test_trajectories_play_to_their_end(arm: tuple[rbd.Mechanism, Viewer]) -> None:
    mechanism, viewer = arm
    state = rbd.MechanismState(mechanism, [0.3] * 7)
    trajectory = rbd.simulate(state, 0.2, dt=0.01)
    viewer.animate(trajectory, speed=2.0).wait_for_motion()
    np.testing.assert_array_equal(viewer.q, trajectory.q[-1])


def test_the_server_stops_whatever_happens_to_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = Viewer(rbd.robots.double_pendulum(), port=0)

    def fails() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(viewer._camera, "close", fails)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(KeyboardInterrupt):
        viewer.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port_of(viewer)), timeout=5)


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
