"""Kinetic and potential energy."""

from __future__ import annotations

from typing import Any, overload

from rbd.algorithms.center_of_mass import weight_moment
from rbd.scalars import Scalar, const
from rbd.state import MechanismState, State, StateView, kernel, passes
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.kernel import Kernel


@kernel
def kinetic_energy_kernel(state: StateView) -> Scalar:
    """Return half the sum of momentum times velocity over all bodies, rotors included."""
    energy: Scalar = 0
    for inertia, twist in zip(passes.body_inertias(state), passes.body_twists(state), strict=True):
        energy = energy + inertia.kinetic_energy(twist)
    return energy + _rotor_energy(state)


def _rotor_energy(state: StateView) -> Scalar:
    """Return what rotors seen as `armature` hold, so that the energy is v^T M v / 2."""
    energy: Scalar = 0
    for link in state.links:
        for armature, rate in zip(state.joint_parameter(link.joint, "armature"), state.joint_v(link), strict=True):
            energy = energy + armature * rate * rate
    return energy * const(1, 2)


@kernel
def gravitational_potential_energy_kernel(state: StateView) -> Scalar:
    """Return minus gravity times mass times the position of the centre of mass."""
    return -weight_moment(state)


@overload
def kinetic_energy(state: MechanismState) -> float: ...
@overload
def kinetic_energy(state: State[Any]) -> Scalar: ...
@fast_path()
def kinetic_energy(state: State[Any]) -> Call[Scalar]:
    """Return the kinetic energy, v^T M v / 2, armatures included.

    >>> import rbd
    >>> rbd.kinetic_energy(rbd.MechanismState(rbd.robots.double_pendulum()))
    0.0
    """
    return _energy(state, kinetic_energy_kernel)


@overload
def gravitational_potential_energy(state: MechanismState) -> float: ...
@overload
def gravitational_potential_energy(state: State[Any]) -> Scalar: ...
@fast_path()
def gravitational_potential_energy(state: State[Any]) -> Call[Scalar]:
    """Return the potential energy of gravity; zero when the centre of mass is in the plane of the root's origin.

    >>> import rbd
    >>> rbd.gravitational_potential_energy(rbd.MechanismState(rbd.robots.double_pendulum())) < 0   # hanging down
    True
    """
    return _energy(state, gravitational_potential_energy_kernel)


def _energy(state: State[Any], energy: Kernel[[], Scalar]) -> Call[Scalar]:
    """Return the call of a kernel; the energy of a live state is a float also where nothing was added up."""
    return KernelCall(energy, finish=float if isinstance(state, MechanismState) else None)
