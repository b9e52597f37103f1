"""Plots of mechanisms and trajectories."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError, ShapeError
from rbd.viz import Force, plot_energies, plot_gaps, plot_mechanism, plot_shapes, plot_trajectory

pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")

ROBOTS = {
    "arm7": rbd.robots.arm7,
    "double_pendulum": rbd.robots.double_pendulum,
    "four_bar": rbd.robots.four_bar,
    "humanoid": rbd.robots.humanoid,
    "quadruped": rbd.robots.quadruped,
    "chain": lambda: rbd.robots.chain(4),
    "empty": rbd.Mechanism,
}


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_is_drawn(name: str, tmp_path: Path) -> None:
    axes = plot_mechanism(rbd.MechanismState(ROBOTS[name]()), names=True)
    axes.figure.savefig(tmp_path / "robot.png", dpi=40)
    pixels = importlib.import_module("matplotlib.image").imread(tmp_path / "robot.png")
    assert np.ptp(pixels) > 0.5


def test_joints_are_where_the_state_has_them() -> None:
    state = rbd.MechanismState(rbd.robots.humanoid())
    state.randomize_configuration(0)
    dots = np.array(plot_mechanism(state).collections[1]._offsets3d).T
    expected = [state.transform_to_root(joint.frame_after).translation for joint in state.mechanism.tree_joints]
    np.testing.assert_allclose(dots, expected, rtol=0, atol=1e-12)


def test_open_loops_are_marked() -> None:
    linkage = rbd.robots.four_bar()
    opened, closed = rbd.MechanismState(linkage), rbd.MechanismState(linkage, rbd.robots.four_bar_configuration(1.0))
    for state in (opened, closed):
        collections = plot_mechanism(state, frames=False).collections
        (red,) = [each for each in collections if len(each.get_facecolor()) and each.get_sizes()[0] == 30]
        a, b = np.array(red._offsets3d).T
        gap = np.linalg.norm(state.joint_transform(linkage.loop_joints[0]).translation)
        assert np.linalg.norm(b - a) == pytest.approx(gap, abs=1e-12)


def test_forces_are_arrows_of_comparable_lengths() -> None:
    arm = rbd.robots.arm7()
    state = rbd.MechanismState(arm, [0.4] * 7)
    tip, root = rbd.Point(arm.frame("tool"), (0, 0, 0)), arm.root_frame
    forces = [Force(tip, rbd.FreeVector(root, (f, 0, 0))) for f in (10, 20)]
    quiver = plot_mechanism(state, frames=False, forces=forces).collections[-1]
    segments = np.array(quiver._segments3d[:2])
    lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    np.testing.assert_allclose(lengths[1], 2 * lengths[0], rtol=1e-9)
    point = (state.transform_to_root(tip.frame) @ tip).xyz
    np.testing.assert_allclose(np.abs(segments - point).sum(axis=2).min(axis=1), 0, rtol=0, atol=1e-12)


def test_wrenches_are_drawn_on_their_line_of_action() -> None:
    arm = rbd.robots.arm7()
    state = rbd.MechanismState(arm, [0.4] * 7)
    body = arm.bodies[-1]
    point = rbd.Point(body.default_frame, (0.1, 0.2, 0.3))
    force = rbd.FreeVector(body.default_frame, (1.0, -2.0, 0.5))
    quiver = plot_mechanism(state, frames=False, forces={body: rbd.Wrench.of_force(point, force)}).collections[-1]
    start, end = np.array(quiver._segments3d[0])
    expected = (state.transform_to_root(body) @ point).xyz
    np.testing.assert_allclose(np.cross(end - start, expected - start), 0, rtol=0, atol=1e-12)


def test_a_motion_without_coordinates_has_a_plot_without_legend() -> None:
    trajectory = rbd.simulate(rbd.MechanismState(rbd.Mechanism()), 0.02, dt=0.01)
    for quantity in ("q", "v"):
        axes = plot_trajectory(trajectory, rbd.Mechanism(), quantity=quantity)
        assert axes.get_legend() is None
        assert not axes.lines


def test_curves_are_those_of_the_trajectory() -> None:
    robot = rbd.robots.quadruped()
    state = rbd.MechanismState(robot, rbd.robots.quadruped_configuration(), [0.1] * 18)
    trajectory = rbd.simulate(state, 0.02, dt=0.01)
    for quantity, values in (("q", trajectory.q), ("v", trajectory.v)):
        lines = plot_trajectory(trajectory, robot, quantity=quantity).lines
        np.testing.assert_array_equal(np.array([line.get_ydata() for line in lines]).T, values)
        assert len({line.get_label() for line in lines}) == values.shape[1]
    energies = trajectory.energies(robot)
    lines = plot_energies(trajectory, robot).lines
    np.testing.assert_array_equal(np.asarray(lines[-1].get_ydata()), energies.total)


def test_energies_of_contact_runs_have_the_springs_of_pairs() -> None:
    mechanism = rbd.Mechanism()
    ball = rbd.RigidBody("ball", rbd.SpatialInertia.sphere(rbd.Frame("ball"), mass=1.0, radius=0.1))
    mechanism.attach("world", ball, rbd.Joint("up", rbd.Prismatic((0, 0, 1))))
    model, root = rbd.contact.CollisionModel(mechanism), mechanism.root_frame
    floor = rbd.contact.HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1)))
    shapes = model.add(ball, rbd.contact.Sphere(ball.default_frame, 0.1)), model.add("world", floor)
    model.add_pair(*shapes, compliance=rbd.contact.Compliance(1e4))
    run = rbd.contact.ContactSimulator(mechanism, model, None, 1e-3, friction=0.5).run(
        rbd.MechanismState(mechanism, [0.09]), 0.02
    )
    assert len(plot_energies(run, mechanism).lines) == 3
    labels = [line.get_label() for line in plot_energies(run, mechanism, collision_model=model).lines]
    assert labels == ["kinetic", "potential", "elastic", "total"]


def test_gaps_of_loops_and_of_contacts() -> None:
    linkage = rbd.robots.four_bar()
    state = rbd.MechanismState(linkage, rbd.robots.four_bar_configuration(1.0))
    (line,) = plot_gaps(rbd.simulate(state, 0.1, dt=0.01), linkage).lines
    assert np.asarray(line.get_ydata())[-1] == pytest.approx(1e-8, rel=50)
    mechanism, model = rbd.robots.hand()
    run = rbd.contact.ContactSimulator(mechanism, model, None, 1e-3).run(rbd.MechanismState(mechanism), 0.005)
    lines = plot_gaps(run, mechanism).lines
    np.testing.assert_array_equal(np.array([line.get_ydata() for line in lines]).T, run.distances)


def test_wrong_arguments() -> None:
    pendulum = rbd.robots.double_pendulum()
    trajectory = rbd.simulate(rbd.MechanismState(pendulum), 0.01)
    with pytest.raises(ArgumentError, match="neither loops nor couplings"):
        plot_gaps(trajectory, pendulum)
    with pytest.raises(ShapeError, match="q has 2 columns, the mechanism has nq = 7"):
        plot_energies(trajectory, rbd.robots.arm7())
    with pytest.raises(ArgumentError, match="no quantity is called 'x'"):
        plot_trajectory(trajectory, quantity="x")
    with pytest.raises(ArgumentError, match="trajectory"):
        plot_trajectory(pendulum)  # type: ignore[arg-type]  # on purpose


def test_given_axes_are_used() -> None:
    figure = importlib.import_module("matplotlib.figure").Figure()
    space, chart = figure.add_subplot(projection="3d"), figure.add_subplot()
    pendulum = rbd.robots.double_pendulum()
    state = rbd.MechanismState(pendulum)
    assert plot_mechanism(state, ax=space) is space
    assert plot_trajectory(rbd.simulate(state, 0.01), ax=chart) is chart


@pytest.mark.parametrize("wrong", [3, "x", [0.0], object(), "chart"])
def test_what_are_no_axes(wrong: Any) -> None:
    """Charts are no 3D axes, and nothing is drawn in them."""
    figure = importlib.import_module("matplotlib.figure").Figure()
    linkage = rbd.robots.four_bar()
    state = rbd.MechanismState(linkage, rbd.robots.four_bar_configuration(1.0))
    chart, run = figure.add_subplot(), rbd.simulate(state, 0.01)
    ax: Any = chart if wrong == "chart" else wrong
    model = rbd.contact.CollisionModel(linkage)
    model.add("crank", rbd.contact.Sphere(linkage.body("crank").default_frame, 0.1))
    calls = [lambda: plot_mechanism(state, ax=ax), lambda: plot_shapes(state, model, ax=ax)]
    if ax is not chart:
        calls += [lambda: plot_trajectory(run, ax=ax), lambda: plot_energies(run, linkage, ax=ax)]
        calls += [lambda: plot_gaps(run, linkage, ax=ax)]
    for call in calls:
        with pytest.raises(ArgumentError, match="ax must be an Axes") as caught:
            call()
        assert caught.value.argument == "ax"
    assert not chart.lines
    assert not chart.collections
