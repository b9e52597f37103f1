"""Errors of common first attempts say what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rbd
from rbd.errors import ArgumentError, RbdError, ScalarError, ShapeError, TopologyError, UnknownNameError
from rbd.export import write_c_library
from rbd.simulation import NpzFile

ARM: Final = rbd.robots.arm7()
STATE: Final = rbd.MechanismState(ARM)
LINKAGE: Final = rbd.MechanismState(rbd.robots.four_bar(), rbd.robots.four_bar_configuration(0.3))
ANY: Any = rbd  # calls that type checkers refuse


def _attach() -> None:
    ANY.Mechanism().attach("world", rbd.RigidBody("a"), rbd.Joint("a", rbd.Fixed()), joint_pose=(0, 0, 1))


def _control(t: float, state: rbd.MechanismState) -> Any:
    return -t * state.v


ATTEMPTS: Final[list[tuple[Callable[[], object], type[RbdError], str]]] = [
    (
        lambda: ANY.simulate(STATE, 1.0, external={}),
        ArgumentError,
        "such as lambda t, state: {body: wrench}, not a dict",
    ),
    (lambda: ANY.simulate(STATE, 1.0, np.zeros(7)), ArgumentError, "such as lambda t, state: torques, not an ndarray"),
    (lambda: ANY.Point("tool", (0, 0, 0)), ArgumentError, "mechanism.frame('tool') is that of a mechanism"),
    (
        lambda: ANY.Transform(rbd.Frame("a"), rbd.Frame("b"), Rotation.identity()),
        ShapeError,
        "rotation is a Rotation, needs numbers; write rotation.as_matrix()",
    ),
    (_attach, ArgumentError, "wrap it in Transform(from_frame, to_frame, rotation, translation)"),
    (
        lambda: rbd.dynamics(LINKAGE).joint_wrench("joint4"),
        UnknownNameError,
        "joint 'joint4' closes a loop; loop_wrench returns",
    ),
    (
        lambda: rbd.dynamics(LINKAGE).loop_wrench("joint1"),
        UnknownNameError,
        "closes no loop of this mechanism; joint_wrench returns",
    ),
    (
        lambda: ANY.inverse_dynamics(STATE, np.zeros(7), {"link7": np.zeros(6)}),
        ArgumentError,
        "not an ndarray; wrap it in Wrench(frame, torque, force)",
    ),
    (
        lambda: ARM.copy()[0].attach_mechanism("world", ARM),
        TopologyError,
        "already has a body named 'link1'; prefix='...' gives other names to the copies",
    ),
    (
        lambda: ANY.record(_control, ARM, t=()),
        ArgumentError,
        "the state comes first: record lambda state, t: control(t, state), with t=()",
    ),
    (lambda: write_c_library({}, ".", prefix="my-arm"), ArgumentError, "no name for a C function; write 'my_arm'"),
    (lambda: write_c_library({}, ".", prefix="7 axes"), ArgumentError, "no name for a C function; write 'f_7_axes'"),
    (
        lambda: ANY.record(lambda state: {"done": state.q[0] > 1}, ARM),
        ScalarError,
        "a condition is no output of a program; write numpy.where(condition, 1.0, 0.0)",
    ),
    (lambda: ANY.record(lambda state: {"done": False}, ARM), ScalarError, "bool is no output of a program; write 0.0"),
]


@pytest.mark.parametrize(("attempt", "error", "advice"), ATTEMPTS)
def test_first_attempts_get_advice(attempt: Callable[[], object], error: type[RbdError], advice: str) -> None:
    with pytest.raises(error) as caught:
        attempt()
    assert advice in str(caught.value)


@pytest.mark.parametrize("write", [rbd.Trajectory([0.0], [[1.0]], [[0.0]]).save, NpzFile])
@pytest.mark.parametrize(("name", "advice"), [("a.csv", "numpy.savetxt"), ("a.MAT", "not .MAT; write the arrays")])
def test_trajectories_are_not_saved_under_names_of_other_formats(
    write: Callable[[Path], object], name: str, advice: str, tmp_path: Path
) -> None:
    with pytest.raises(ArgumentError) as caught:
        write(tmp_path / name)
    assert caught.value.argument == "path"
    assert advice in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_compiled_robot_says_how_to_compile_other_algorithms() -> None:
    robot: Any = rbd.compile(ARM)
    with pytest.raises(AttributeError, match=r"rbd\.record\(function, mechanism\).* calls gravity_torques") as caught:
        robot.gravity_torques(np.zeros(7))
    assert caught.value.name == "gravity_torques"
    with pytest.raises(AttributeError, match=r"no attribute 'graivty'$"):
        _ = robot.graivty
    assert not hasattr(robot, "__array__")


@pytest.mark.parametrize("read", [rbd.load_urdf, rbd.load_mjcf])
def test_text_in_place_of_a_path_is_not_shown_whole(read: Callable[[str], object]) -> None:
    with pytest.raises(RbdError, match=r"cannot read '<robot> *\.\.\.': .*reads text") as caught:
        read(f"<robot>{' ' * 5000}</robot>")
    assert len(str(caught.value)) < 200


def test_options_of_a_reset_are_not_ignored() -> None:
    gym = pytest.importorskip("rbd.gym")
    make = (gym.Environment, partial(gym.VectorEnvironment, num_envs=2))
    for environment in (each("acrobot-swing-up") for each in make):
        environment.reset(seed=1, options={})
        with pytest.raises(ArgumentError, match="options: there is no 'q'") as caught:
            environment.reset(options={"q": [0.0, 0.0]})
        assert caught.value.argument == "options"
