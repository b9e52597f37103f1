"""Kinetic and potential energy.

Room: algorithms; may import state and above.
"""

from __future__ import annotations

from typing import Any

from rbd.algorithms.center_of_mass import weight_moment
from rbd.scalars import Scalar, const
from rbd.state import State, StateView, kernel, passes


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


def kinetic_energy(state: State[Any]) -> Scalar:
    """Return the kinetic energy, v^T M v / 2, armatures included.

    >>> import rbd
    >>> rbd.kinetic_energy(rbd.MechanismState(rbd.robots.double_pendulum()))
    0.0
    """
    return kinetic_energy_kernel(state)


def gravitational_potential_energy(state: State[Any]) -> Scalar:
    """Return the potential energy of gravity; zero when the centre of mass is in the plane of the root's origin.

    >>> import rbd
    >>> rbd.gravitational_potential_energy(rbd.MechanismState(rbd.robots.double_pendulum())) < 0   # hanging down
    True
    """
    return gravitational_potential_energy_kernel(state)
