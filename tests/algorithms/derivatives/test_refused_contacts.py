"""Derivatives without contact forces refuse mechanisms with contacts, and name what includes them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.bridges import jax_dynamics, torch_dynamics
from rbd.errors import TopologyError


@pytest.fixture
def ball() -> rbd.Mechanism:
    world = rbd.Mechanism()
    body = rbd.RigidBody("ball", rbd.SpatialInertia.sphere(rbd.Frame("ball"), mass=1.0, radius=0.1))
    world.attach("world", body, rbd.Joint("free", rbd.QuaternionFloating()))
    body.add_contact_point(rbd.Point(body.default_frame, (0, 0, -0.1)), rbd.SoftContact(rbd.HuntCrossley(20e3, 60e3)))
    up = rbd.FreeVector(world.root_frame, (0, 0, 1))
    world.add_half_space(rbd.contact.HalfSpace(rbd.Point(world.root_frame, (0, 0, 0)), up))
    return world


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "munthe-kaas-rk4"])
def test_step_derivatives(ball: rbd.Mechanism, integrator: str) -> None:
    with pytest.raises(TopologyError, match=r"step_derivatives leaves out contact forces.*1 contact.*torch_step"):
        rbd.step_derivatives(rbd.MechanismState(ball), None, 1e-3, integrator=integrator)  # type: ignore[call-overload] # a str


@pytest.mark.parametrize(("function", "advice"), [(torch_dynamics, "torch_step"), (jax_dynamics, "jax_function")])
def test_functions_of_other_libraries(
    ball: rbd.Mechanism, function: Callable[[rbd.compiled.CompiledRobot], object], advice: str
) -> None:
    with pytest.raises(TopologyError, match=f"leaves out contact forces.*{advice}"):
        function(rbd.compile(ball))


def test_points_without_a_half_space_are_no_contacts() -> None:
    pendulum = rbd.robots.double_pendulum()
    body = pendulum.body("lower_link")
    body.add_contact_point(rbd.Point(body.default_frame, (0, 0, 0)), rbd.SoftContact(rbd.HuntCrossley(20e3, 60e3)))
    found = rbd.step_derivatives(rbd.MechanismState(pendulum), None, 1e-3)
    assert np.isfinite(found.v_by_q).all()
