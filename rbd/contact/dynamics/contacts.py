"""Contacts of a state, and the terms of its equations of motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.newton_euler import dynamics_bias_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.contact.model.contact_kinematics import distance_and_jacobian, distance_bias
from rbd.contact.model.pairs import Pair
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Condition, Matrix, Scalar, Vector, less, where
from rbd.scalars.structural_zeros import is_plain_zero
from rbd.solvers.equations.ltdl_factor import Factor

CONTACT_DISTANCE: Final = 1 / 1000
"""Distance below which a pair touches (m)."""


class Contacts(NamedTuple):
    """The pairs of a state: whether they touch, signed distances phi, and contact Jacobian J, zero if they do not."""

    touching: tuple[Condition, ...]
    phi: Vector
    J: Matrix

    def masked(self, values: Sequence[Scalar]) -> Vector:
        """Return values of pairs, zero for those that do not touch."""
        return tuple(where(touches, x, 0) for touches, x in zip(self.touching, values, strict=True))

    def flags(self) -> Vector:
        """Return 1 for pairs that touch, 0 for others."""
        return tuple(where(touches, 1, 0) for touches in self.touching)


def contacts_of(state: ScalarState, pairs: Sequence[Pair], touching: Callable[[int, Scalar], Condition]) -> Contacts:
    """Return the contacts of a state; `touching` tells from index and distance of a pair whether it touches."""
    conditions: list[Condition] = []
    distances: list[Scalar] = []
    rows: list[Vector] = []
    for index, pair in enumerate(pairs):
        phi, row = distance_and_jacobian(state, pair)
        condition = touching(index, phi)
        conditions.append(condition)
        distances.append(phi)
        rows.append(masked_row(condition, row))
    return Contacts(tuple(conditions), tuple(distances), tuple(rows))


def masked_row(condition: Condition, row: Vector) -> Vector:
    """Return a row where the condition holds, zeros elsewhere; plain zeros become structural."""
    return tuple(0 if is_plain_zero(x) else where(condition, x, 0) for x in row)


def nearer_than(threshold: Scalar) -> Callable[[int, Scalar], Condition]:
    """Return the rule that pairs nearer than `threshold` touch."""
    return lambda _, phi: less(phi, threshold)


def mass_and_factor(state: ScalarState) -> tuple[Matrix, Factor]:
    """Return the mass matrix and its factor, whose error names joints that move no mass."""
    M = mass_matrix_kernel(state)
    return M, factored(state, M)


def checked_mass_matrix(state: ScalarState) -> Matrix:
    """Return the mass matrix; its factor is computed only for the error that names joints that move no mass."""
    M, _ = mass_and_factor(state)
    return M


def net_torques(state: ScalarState, tau: Vector) -> Vector:
    """Return the net torques f of M vd = f + J' lam: torques and passive torques less the bias c."""
    terms = zip(tau, passive_torques_kernel(state), dynamics_bias_kernel(state), strict=True)
    return tuple(torque + passive - bias for torque, passive, bias in terms)


def acceleration_bounds(state: ScalarState, pairs: Sequence[Pair], contacts: Contacts, *, exact: bool) -> Vector:
    """Return the bounds of J vd: -phi, less the bias b of phi'' = J vd + b if `exact`; 0 where no joint moves."""
    bounds = [-phi for phi in contacts.phi]
    if exact:
        bounds = [bound - distance_bias(state, pair) for bound, pair in zip(bounds, pairs, strict=True)]
    return tuple(
        0 if all(map(is_plain_zero, row)) else bound
        for bound, row in zip(contacts.masked(bounds), contacts.J, strict=True)
    )
