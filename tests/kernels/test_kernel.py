"""Registration of kernels: unique names, modules that are imported again."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rbd
from rbd.algorithms import energy
from rbd.algorithms.forward_dynamics import forward_dynamics_kernel
from rbd.algorithms.inverse_dynamics import inverse_dynamics_kernel
from rbd.errors import ArgumentError
from rbd.kernels.kernel import kernel, kernels
from rbd.recorder.kernel_cache import kernel_cache

kernel_module = importlib.import_module("rbd.kernels.kernel")  # the package has the decorator under this name


@pytest.fixture
def _table() -> Iterator[None]:
    """Leave the table of kernels as it was."""
    before = dict(kernel_module._kernels)
    yield
    kernel_module._kernels.clear()
    kernel_module._kernels.update(before)


@pytest.mark.usefixtures("_table")
def test_duplicate_kernel_names_raise() -> None:
    def mass_matrix_kernel(state: Any) -> Any:
        return ()

    with pytest.raises(RuntimeError, match="mass_matrix"):
        kernel(mass_matrix_kernel)
    assert kernels()["mass_matrix"].function.__module__ == "rbd.algorithms.mass_matrix"


@pytest.mark.usefixtures("_table")
def test_modules_may_be_loaded_again() -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    expected, names = rbd.kinetic_energy(state), vars(energy).copy()
    try:
        importlib.reload(energy)
        assert energy.kinetic_energy(state) == expected
    finally:
        vars(energy).update(names)
    assert kernels()["kinetic_energy"] is not names["kinetic_energy_kernel"]


def test_arguments_by_name_and_by_position_share_a_recording() -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    by_position = inverse_dynamics_kernel(state, (1.0, 2.0), ())
    recorded = len(kernel_cache(state.mechanism)._kernels)
    assert inverse_dynamics_kernel(state, external=(), vd=(1.0, 2.0)) == by_position
    assert inverse_dynamics_kernel(state, (1.0, 2.0), external=()) == by_position
    assert len(kernel_cache(state.mechanism)._kernels) == recorded
    with pytest.raises(TypeError, match="'vd'"):
        inverse_dynamics_kernel(state, accelerations=(1.0, 2.0))  # type: ignore[call-arg]  # planted


@pytest.mark.usefixtures("_table")
def test_arguments_by_name_keep_the_defaults_before_them() -> None:
    def weighted_energy_kernel(state: Any, mass: Any, a: Any = 2, b: Any = 3) -> Any:
        return state.velocity_scalars()[0] * mass + 10 * a + 100 * b

    weighted = kernel(weighted_energy_kernel)
    state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    assert weighted(state, 5.0, b=5.0) == 525.0
    assert weighted(state, mass=5.0, b=5.0) == 525.0
    assert weighted(state, mass=5.0, a=4.0) == 345.0


def test_options_by_name_reach_the_algorithm() -> None:
    state = rbd.MechanismState(rbd.robots.four_bar(), [0.3, 0.5, -0.2], [1.0, -2.0, 0.5])
    by_position = forward_dynamics_kernel(state, (0.1, 0.2, 0.3), (), None)
    assert forward_dynamics_kernel(state, (0.1, 0.2, 0.3), gains=None) == by_position
    assert forward_dynamics_kernel(state, (0.1, 0.2, 0.3)) != by_position


@pytest.mark.usefixtures("_table")
def test_parameters_of_kernels_have_a_position() -> None:
    def named_kernel(state: Any, *, b: Any = 2) -> Any:
        return b

    def mapped_kernel(state: Any, **more: Any) -> Any:
        return more

    for source, name in ((named_kernel, "b"), (mapped_kernel, "more")):
        with pytest.raises(ArgumentError, match=f"'{name}' of .* has no position"):
            kernel(source)


def test_kernels_require_a_state() -> None:
    with pytest.raises(ArgumentError, match="mass_matrix: state must be a MechanismState, not an ndarray"):
        rbd.mass_matrix(np.zeros(3))  # type: ignore[type-var]  # planted
