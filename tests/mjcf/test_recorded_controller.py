"""Controllers of MJCF files in recorded functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbd
from rbd.errors import ShapeError
from rbd.mjcf import MjcfReport, parse_mjcf


def test_controllers_are_recorded_with_controls_as_an_input() -> None:
    """Actuators with ranges, a spring, the compensation of a weight, and bounds of torques."""
    report = MjcfReport()
    mechanism = parse_mjcf(
        """<mujoco><worldbody>
          <body name="a"><joint name="j" axis="0 1 0" stiffness="3" actuatorfrcrange="-4 4" actuatorgravcomp="true"/>
            <geom type="capsule" fromto="0 0 0 .5 0 0" size=".05"/>
            <body name="b" pos=".5 0 0" gravcomp="0.5"><joint name="k" axis="0 1 0"/><geom size=".1"/></body></body>
          </worldbody><actuator><position joint="j" kp="20" kv="2" forcerange="-3 3"/>
          <motor joint="k" gear="5" ctrlrange="-1 1"/></actuator></mujoco>""",
        report=report,
    )
    recorded: Any = rbd.record(lambda state, u: report.controller(mechanism, u)(0.0, state), mechanism, u=2)
    rng = np.random.default_rng(1)
    for _ in range(20):
        q, v, u = rng.standard_normal((3, 2))
        expected = report.controller(mechanism, u)(0.0, rbd.MechanismState(mechanism, q, v))
        np.testing.assert_allclose(recorded(q, v, u), expected, rtol=0, atol=1e-12)
    with pytest.raises(ShapeError, match=r"control has shape \(3,\), needs \(2,\)"):
        report.controller(mechanism, [0.0, 0.0, 0.0])


def test_controllers_without_actuators_are_recorded() -> None:
    report = MjcfReport()
    mechanism = parse_mjcf(
        "<mujoco><worldbody><body><joint stiffness='2'/><geom size='0.1'/></body></worldbody></mujoco>", report=report
    )
    recorded: Any = rbd.record(lambda state: report.controller(mechanism)(0.0, state), mechanism)
    np.testing.assert_array_equal(recorded([0.25], [0.0]), [-0.5])
    np.testing.assert_array_equal(report.controller(mechanism)(0.0, rbd.MechanismState(mechanism, [0.25])), [-0.5])
