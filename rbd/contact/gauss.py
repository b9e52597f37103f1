"""The motion that contacts allow: readable, recorded once, run as machine code.

Room: contact, internal. Gauss's principle: among the accelerations, velocities or changes of velocity that the contacts
allow, the one nearest to what would happen without them, measured by the mass matrix. Pairs that do not touch have rows
of zeros, which constrain nothing, so that the number of rows never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.contact.kinematics import distance_and_row, second_order
from rbd.contact.pairs import Pair
from rbd.scalars import Condition, Matrix, Scalar, Vector, absolute, const, less, maximum, where
from rbd.scalars.intrinsics import minimum_norm_solve
from rbd.scalars.intrinsics.quadratic_program import solve_quadratic_program
from rbd.scalars.linear import Factor
from rbd.state import ScalarState

_HALF = const(1, 2)


class Contacts(NamedTuple):
    """The pairs of a state: whether they touch, their distances, and their rows, zero for those that do not."""

    touching: tuple[Condition, ...]
    distances: Vector
    rows: Matrix

    def masked(self, values: Sequence[Scalar]) -> Vector:
        """Return values of pairs, zero for those that do not touch."""
        return tuple(where(touches, x, 0) for touches, x in zip(self.touching, values, strict=True))

    def flags(self) -> Vector:
        """Return 1 for pairs that touch, 0 for others."""
        return tuple(where(touches, 1, 0) for touches in self.touching)


class Allowed(NamedTuple):
    """The solution of a quadratic program of contacts."""

    motion: Vector
    multipliers: Vector
    active: Vector
    residual: Scalar


def contacts_of(state: ScalarState, pairs: Sequence[Pair], touching: Callable[[int, Scalar], Condition]) -> Contacts:
    """Return the contacts of a state; `touching` tells from number and distance of a pair whether it counts."""
    conditions: list[Condition] = []
    distances: list[Scalar] = []
    rows: list[Vector] = []
    for number, pair in enumerate(pairs):
        distance, row = distance_and_row(state, pair)
        condition = touching(number, distance)
        conditions.append(condition)
        distances.append(distance)
        rows.append(tuple(x if _absent(x) else where(condition, x, 0) for x in row))
    return Contacts(tuple(conditions), tuple(distances), tuple(rows))


def nearer_than(threshold: float) -> Callable[[int, Scalar], Condition]:
    """Return the rule by which pairs nearer than `threshold` touch."""

    def rule(number: int, distance: Scalar) -> Condition:
        del number
        return less(distance, threshold)

    return rule


def driving_torques(state: ScalarState, torques: Vector) -> Vector:
    """Return what accelerates: torques and passive torques less the bias."""
    terms = zip(torques, passive_torques_kernel(state), dynamics_bias_kernel(state), strict=True)
    return tuple(torque + passive - bias for torque, passive, bias in terms)


def required_accelerations(state: ScalarState, pairs: Sequence[Pair], contacts: Contacts, *, exact: bool) -> Vector:
    """Return what J vd must not fall below: -d, less what the second derivative of d holds beside J vd if `exact`."""
    bounds = [-distance for distance in contacts.distances]
    if exact:
        bounds = [bound - second_order(state, pair) for bound, pair in zip(bounds, pairs, strict=True)]
    return contacts.masked(bounds)


def allowed(matrix: Matrix, right: Vector, rows: Matrix, bounds: Vector) -> Allowed:
    """Return the x nearest to M⁻¹ `right` with `rows` x >= `bounds`: M x = right + rows' multipliers."""
    motion, multipliers, active, _ = solve_quadratic_program(matrix, right, rows, bounds)
    return Allowed(motion, multipliers, active, kkt_residual(matrix, right, rows, bounds, motion, multipliers))


def kkt_residual(
    matrix: Matrix, right: Vector, rows: Matrix, bounds: Vector, motion: Vector, multipliers: Vector
) -> Scalar:
    """Return the largest violation of the conditions of a minimum: balance, constraints, complementarity."""
    worst: Scalar = 0
    pushed = transposed_product(rows, multipliers, len(right))
    for row, torque, push in zip(matrix, right, pushed, strict=True):
        worst = maximum(worst, absolute(inner(row, motion) - torque - push))
    for row, bound, weight in zip(rows, bounds, multipliers, strict=True):
        slack = inner(row, motion) - bound
        worst = maximum(worst, maximum(-slack, maximum(-weight, absolute(slack * weight))))
    return worst


# --- impacts ----------------------------------------------------------------------------------------------------------


def euclidean(rows: Matrix, v: Vector) -> Vector:
    """Return v less its part along the rows, in the metric of the coordinates: v - J⁺ J v."""
    change, _ = minimum_norm_solve(rows, product(rows, v), columns=len(v))
    return tuple(a - b for a, b in zip(v, change, strict=True))


def inelastic(factor: Factor, rows: Matrix, v: Vector) -> Vector:
    """Return the nearest velocity, measured by kinetic energy, at which no distance of the rows changes."""
    white = tuple(factor.whitened(row) for row in rows)
    change, _ = minimum_norm_solve(white, product(rows, v), columns=len(v))
    return tuple(a - b for a, b in zip(v, factor.coloured(change), strict=True))


def unilateral(matrix: Matrix, rows: Matrix, v: Vector, restitution: Scalar) -> Allowed:
    """Return the nearest velocity, measured by kinetic energy, at which no pair approaches, J v⁺ >= -e J v."""
    rates = product(rows, v)
    # Pairs that separate already are only kept from turning back.
    bounds = tuple(where(less(rate, 0), -(restitution * rate), 0) for rate in rates)
    return allowed(matrix, product(matrix, v), rows, bounds)


def impulses_of(rows: Matrix, momentum: Vector) -> Vector:
    """Return the least impulses along the rows that make a change of the generalized momentum."""
    columns = tuple(tuple(row[j] for row in rows) for j in range(len(momentum)))
    impulses, _ = minimum_norm_solve(columns, momentum, columns=len(rows))
    return impulses


def kinetic(matrix: Matrix, v: Vector) -> Scalar:
    """Return 1/2 v'Mv."""
    energy: Scalar = _HALF * inner(v, product(matrix, v))
    return energy


# --- products ---------------------------------------------------------------------------------------------------------


def inner(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Return the inner product."""
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def product(rows: Matrix, x: Sequence[Scalar]) -> Vector:
    """Return the rows times x."""
    return tuple(inner(row, x) for row in rows)


def transposed_product(rows: Matrix, weights: Sequence[Scalar], size: int) -> Vector:
    """Return the sum of the rows with these weights, `size` numbers."""
    total: list[Scalar] = [0] * size
    for row, weight in zip(rows, weights, strict=True):
        total = [t + weight * x for t, x in zip(total, row, strict=True)]
    return tuple(total)


def mass_and_factor(state: ScalarState) -> tuple[Matrix, Factor]:
    """Return the mass matrix, and its factor that names joints which move nothing."""
    matrix = mass_matrix_kernel(state)
    return matrix, factored(state, matrix)


def _absent(x: Scalar) -> bool:
    return type(x) is int and x == 0
