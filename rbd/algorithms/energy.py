"""Mechanical energy: kinetic (Featherstone 2008, section 2.13), potential of gravity, and elastic."""

from __future__ import annotations

from typing import Any, overload

from rbd.algorithms.center_of_mass import weight_moment
from rbd.algorithms.passive import spring_energy
from rbd.algorithms.soft_contact import contact_energy
from rbd.engine.fast_path import fast_path
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import Kernel, kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import State
from rbd.scalars import Scalar, Vector, const, to_float
from rbd.state import MechanismState


@kernel
def kinetic_energy_kernel(state: StateView) -> Scalar:
    """Return the sum of V . I V / 2 over all bodies, plus the kinetic energy of rotors."""
    energy: Scalar = 0
    for I, V in zip(passes.body_inertias(state), passes.body_twists(state), strict=True):
        energy = energy + I.kinetic_energy(V)
    return energy + _rotor_energy(state)


def _rotor_energy(state: StateView) -> Scalar:
    """Return the kinetic energy of rotors, armature times v^2 / 2: the total is v^T M v / 2."""
    energy: Scalar = 0
    for node in state.nodes:
        for armature, velocity in zip(state.joint_parameter(node.joint, "armature"), state.joint_v(node), strict=True):
            energy = energy + armature * velocity * velocity
    return energy * const(1, 2)


@kernel
def gravitational_potential_energy_kernel(state: StateView) -> Scalar:
    """Return -m g . c, with the centre of mass c in the root frame."""
    return -weight_moment(state)


@kernel
def elastic_energy_kernel(state: StateView, s: Vector) -> Scalar:
    """Return the energy stored by the springs at joint bounds, and by compliant contacts with states `s`."""
    return spring_energy(state) + contact_energy(state, s)


@overload
def kinetic_energy(state: MechanismState) -> float: ...
@overload
def kinetic_energy(state: State[Any]) -> Scalar: ...
@fast_path()
def kinetic_energy(state: State[Any]) -> Call[Scalar]:
    """Kinetic energy, v^T M v / 2, armatures included.

    >>> import rbd
    >>> rbd.kinetic_energy(rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5]))
    1.7328280371688305
    """
    return _energy(state, kinetic_energy_kernel)


@overload
def gravitational_potential_energy(state: MechanismState) -> float: ...
@overload
def gravitational_potential_energy(state: State[Any]) -> Scalar: ...
@fast_path()
def gravitational_potential_energy(state: State[Any]) -> Call[Scalar]:
    """Potential energy of gravity; zero when the centre of mass is in the plane of the root's origin.

    >>> import rbd
    >>> rbd.gravitational_potential_energy(rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4]))
    -17.80932736611371
    """
    return _energy(state, gravitational_potential_energy_kernel)


@overload
def spring_energy_of_joints(state: MechanismState) -> float: ...
@overload
def spring_energy_of_joints(state: State[Any]) -> Scalar: ...
@fast_path()
def spring_energy_of_joints(state: State[Any]) -> Call[Scalar]:
    """Elastic energy of springs at joint bounds, all that a mechanism without states of contacts stores."""
    return KernelCall(elastic_energy_kernel, ((),), convert=to_float if isinstance(state, MechanismState) else None)


def _energy(state: State[Any], energy: Kernel[[], Scalar]) -> Call[Scalar]:
    """Return the call of a kernel; the energy of a live state is a float even without bodies."""
    return KernelCall(energy, convert=to_float if isinstance(state, MechanismState) else None)
