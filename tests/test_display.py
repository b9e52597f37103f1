"""Reprs of states, results and recordings at the prompt and in notebooks: at most a screen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
from rbd import display
from rbd.simulation import Dynamics

SCREEN = 60
WIDE = 200


def arm() -> rbd.MechanismState:
    state = rbd.MechanismState(rbd.robots.arm7())
    state.randomize(1)
    return state


def hand_step() -> Any:
    mechanism, model = rbd.robots.hand()
    return rbd.contact.contact_step(rbd.MechanismState(mechanism), model, [0.0] * 13, 1e-3)


def hand_run() -> Any:
    mechanism, model = rbd.robots.hand()
    return rbd.contact.ContactSimulator(mechanism, model, None, 1e-3).run(rbd.MechanismState(mechanism), 0.02)


def failed_rows() -> object:
    status = rbd.RowStatus()
    robot = rbd.compile(rbd.robots.double_pendulum())
    robot.mass_matrix([[0.0, 0.0], [np.nan, 0.0], [1.0, 0.0]], status=status)
    return status


SHOWN: dict[str, tuple[Callable[[], object], str]] = {
    "state": (arm, "MechanismState of 'world': 8 bodies, nq = 7, nv = 7"),
    "large state": (lambda: rbd.MechanismState(rbd.robots.chain(100)), "... and 76 more"),
    "scalar state": (lambda: arm().with_scalars(), "ScalarState of 'world': 8 bodies"),
    "result": (lambda: rbd.dynamics(arm()), "DynamicsResult of 'world': 8 bodies"),
    "empty result": (lambda: rbd.DynamicsResult(rbd.robots.arm7()), "empty; dynamics(result, state) fills it"),
    "result with loops": (lambda: rbd.dynamics(rbd.MechanismState(rbd.robots.four_bar())), "constraints independent"),
    "Dynamics": (lambda: Dynamics(rbd.robots.arm7()), "<Dynamics of 'world': f(t, x) -> dx/dt"),
    "mechanism": (rbd.robots.humanoid, "<Mechanism 'world'"),
    "step derivatives": (lambda: rbd.step_derivatives(arm(), None, 0.01), "StepDerivatives(q_by_q: (7, 7), "),
    "hybrid dynamics": (
        lambda: rbd.forward_dynamics(arm(), prescribed={"joint1": 0.0}),
        "HybridDynamics(vd=[0, ",
    ),
    "articulated bodies": (lambda: rbd.articulated_bodies(arm()), "ArticulatedBodies(vd=["),
    "contact step": (hand_step, "<state after a contact step: 0 of 4 pairs active"),
    "contact trajectory": (hand_run, "<contact trajectory: 20 steps to t = 0.02, 4 pairs, 0 events>"),
    "trajectory": (lambda: rbd.simulate(arm(), 0.01), "Trajectory(11 samples"),
    "copied frames": (lambda: rbd.robots.humanoid().copy()[1], "<frame map: 98 frames, 32 bodies, 31 joints>"),
    "transform": (lambda: arm().transform_to_root("tool"), "'tool'"),
    "values by joint": (lambda: arm().by_joint(np.zeros(7)), "joint3: [0.]"),
    "status of rows": (failed_rows, "<status of 3 rows, 1 failed>"),
    "report of a file": (lambda: rbd.mjcf.MjcfReport(), "MjcfReport"),
    "held control": (lambda: rbd.ZeroOrderHold(len, 0.5), "ZeroOrderHold(<built-in function len>, period=0.5)"),
    "recorded": (lambda: rbd.record(rbd.mass_matrix, rbd.robots.arm7()), "<recorded mass_matrix(q, v), "),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_repr_is_short_and_says_what_counts(name: str) -> None:
    make, part = SHOWN[name]
    text = repr(make())
    assert part in text
    lines = text.splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= WIDE


def test_a_state_shows_its_joints() -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.5, -1 / 3])
    assert repr(state).splitlines()[1:] == ["  shoulder  q = [0.5]      v = [0]", "  elbow     q = [-0.3333]  v = [0]"]


def test_states_of_other_threads_can_be_shown() -> None:
    """A debugger in another thread must not fail over a repr."""
    state, shown = arm(), list[str]()
    thread = threading.Thread(target=lambda: shown.append(repr(state)))
    thread.start()
    thread.join()
    assert shown == [repr(state)]


def test_symbols_are_shown() -> None:
    sympy = pytest.importorskip("sympy")
    q = sympy.symbols("a b")
    state = rbd.MechanismState(rbd.robots.double_pendulum()).with_scalars(q)
    assert "q = [a]" in repr(state)
    assert "\\mathrm{" in state.transform_to_root("lower_link")._repr_latex_()


def test_a_long_recording_is_printed_to_a_screen() -> None:
    mechanism = rbd.robots.arm7()
    recorded = rbd.record(rbd.mass_matrix, mechanism)
    shown, whole = str(recorded).splitlines(), str(recorded.program).splitlines()
    assert len(shown) == SCREEN
    assert shown[:-1] == whole[: SCREEN - 1]
    assert shown[-1] == f"... and {len(whole) - SCREEN + 1} more lines; print(recorded.program) shows them"
    short = rbd.record(lambda state: state.q[0], mechanism)
    assert str(short) == str(short.program)


def test_notebooks_show_tables_and_formulas() -> None:
    state = arm()
    for value in (state, rbd.dynamics(state), state.mechanism):
        page = value._repr_html_()
        assert page.startswith("<pre>")
        assert page.endswith("</pre>")
        assert "joint3" in page
    tool = state.transform_to_root("tool")._repr_latex_()
    assert tool.startswith(r"$X^{\mathrm{world}}_{\mathrm{tool}} = \begin{bmatrix}")
    twist = state.twist("link7")._repr_latex_()
    assert r"^{\mathrm{world}}_{\mathrm{after\_joint7}}" in twist
    assert twist.count(r"\\") == 5
    wrench = rbd.Wrench(state.mechanism.root_frame, (1, 2, 3), (4, 5, 6))._repr_latex_()
    assert wrench == (r"$\mathrm{Wrench} = \begin{bmatrix}1 \\ 2 \\ 3 \\ 4 \\ 5 \\ 6\end{bmatrix}_{\mathrm{world}}$")


def test_text_is_escaped() -> None:
    assert display.preformatted("<b>") == "<pre>&lt;b&gt;</pre>"
    assert display.latex_name("a_b") == r"\mathrm{a\_b}"
    assert display.table("none", []) == "none"
