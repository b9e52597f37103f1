"""Impact laws: velocities after an impact of touching pairs, and the impulses that make them.

All are projections (Moreau 1988) of the velocity v before onto what the contact Jacobian J allows: in the metric of
the mass matrix M (least kinetic energy of the change), or in that of the coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias, get_args

from rbd.algorithms.loops.least_squares import constraint_torques
from rbd.arguments import require_choice
from rbd.contact.arguments import pair_indices
from rbd.contact.dynamics.contacts import (
    CONTACT_DISTANCE,
    Contacts,
    checked_mass_matrix,
    contacts_of,
    mass_and_factor,
    nearer_than,
)
from rbd.contact.dynamics.gauss_principle import ConstrainedMotion, nearest_motion
from rbd.contact.dynamics.residuals import kkt_residual
from rbd.contact.dynamics.results import ImpactSolution
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.evaluation import evaluate, require_model_and_state, typed_results
from rbd.contact.model.pairs import Pair
from rbd.errors import ArgumentError
from rbd.kinematics.queries import State
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Condition, Matrix, Scalar, Vector, absolute, const, less, maximum, where
from rbd.scalars.linear_algebra import dot, matvec, subtract
from rbd.scalars.number_checks import fraction_of_one
from rbd.solvers import minimum_norm_solve
from rbd.solvers.equations.ltdl_factor import Factor

Law: TypeAlias = Literal["inelastic", "euclidean", "unilateral"]
LAWS: Final[tuple[str, ...]] = get_args(Law)


@typed_results(ImpactSolution[float], ImpactSolution[Scalar])
def impact(
    state: State[Any],
    model: CollisionModel,
    *,
    law: Law = "inelastic",
    restitution: float = 0.0,
    active: Iterable[int] | None = None,
) -> ImpactSolution[Any]:
    """Impact: return the velocities after the pairs `active` have hit; by default all nearer than a millimetre.

    "inelastic": the velocity nearest to the present one, in the metric of the mass matrix, at which no distance of the
    pairs changes: J v⁺ = 0. "euclidean": the same in the metric of the coordinates, v⁺ = v - J⁺ J v, as in Pinocchio's
    exercise on contacts; it depends on the units of the coordinates and may add energy. "unilateral": pairs may
    separate, J v⁺ >= -e J v for the coefficient of restitution e; only this law has one.

    Raises ArgumentError for pairs that do not exist, and for a restitution with a law that has none.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism, v=[0.1] * 13)
    >>> hit = rbd.contact.impact(state, model, active=[3])
    >>> hit.energy_change < 0, bool(abs(model.jacobian(state)[3] @ hit.v) < 1e-12)
    (True, True)
    """
    require_model_and_state(state, model, "impact")
    require_choice(law, LAWS, "law", "law")
    e = fraction_of_one(restitution, "restitution")
    if e and law != "unilateral":
        message = f"restitution is {e:g}, but the law {law!r} has none; use law='unilateral'"
        raise ArgumentError(message, argument="restitution", value=restitution, allowed=0)
    chosen = None if active is None else pair_indices(active, len(model.pairs), "active")
    arguments: dict[str, Vector] = {"restitution": (e,)} if law == "unilateral" else {}
    if chosen is not None:
        arguments["chosen"] = tuple(float(k in chosen) for k in range(len(model.pairs)))
    function = partial(_impact, model.pairs, law)
    return ImpactSolution(**evaluate(model, state, ("impact", law, chosen is None), function, **arguments))


def _impact(
    pairs: Sequence[Pair], law: Law, state: ScalarState, restitution: Vector = (0,), chosen: Vector | None = None
) -> Mapping[str, object]:
    """Return the fields of `ImpactSolution`; `chosen` is 1 for the pairs that touch, None: those that are near."""
    contacts = contacts_of(state, pairs, nearer_than(CONTACT_DISTANCE) if chosen is None else _is_chosen(chosen))
    M, v = checked_mass_matrix(state), tuple(state.v)
    motion = impact_motion(state, law, restitution[0], contacts)
    residual = _residual(law, M, contacts.J, v, restitution[0], motion)
    return {
        "v": motion.x,
        "impulses": motion.lam,
        "energy_change": kinetic_energy(M, motion.x) - kinetic_energy(M, v),
        "active": motion.active,
        "kkt_residual": residual,
    }


def _is_chosen(chosen: Vector) -> Callable[[int, Scalar], Condition]:
    """Return the rule that the pairs with `chosen` 1 touch."""
    return lambda index, _: less(0, chosen[index])


def impact_motion(state: ScalarState, law: Law, restitution: Scalar, contacts: Contacts) -> ConstrainedMotion:
    """Return the velocities after an impact of all contacts, and the impulses."""
    M, factor = mass_and_factor(state)
    J, v = contacts.J, tuple(state.v)
    if law == "unilateral":
        bounds = _rate_bounds(J, v, restitution)
        return nearest_motion(M, matvec(M, v), J, bounds)
    after = _euclidean_velocities(J, v) if law == "euclidean" else _inelastic_velocities(factor, J, v)
    return ConstrainedMotion(after, _least_norm_impulses(J, matvec(M, subtract(after, v))), contacts.flags())


def _residual(law: Law, M: Matrix, J: Matrix, v: Vector, restitution: Scalar, motion: ConstrainedMotion) -> Scalar:
    """Return the largest violation of the KKT conditions, or of J v⁺ = 0 and of the balance of the change."""
    after, impulses = motion.x, motion.lam
    if law == "unilateral":
        return kkt_residual(M, matvec(M, v), J, _rate_bounds(J, v, restitution), after, impulses)
    change = subtract(after, v)
    if law == "euclidean":
        return _equation_residual(J, after, change, _least_norm_impulses(J, change))
    return _equation_residual(J, after, matvec(M, change), impulses)


def _equation_residual(J: Matrix, after: Vector, change: Vector, impulses: Vector) -> Scalar:
    """Return the largest entry of J v⁺ and of change - J' impulses."""
    worst: Scalar = 0
    for rate in matvec(J, after):
        worst = maximum(worst, absolute(rate))
    for x, impulse in zip(change, constraint_torques(J, impulses, len(after)), strict=True):
        worst = maximum(worst, absolute(x - impulse))
    return worst


def _euclidean_velocities(J: Matrix, v: Vector) -> Vector:
    """Return v - J⁺ J v."""
    change, _ = minimum_norm_solve(J, matvec(J, v), columns=len(v))
    return subtract(v, change)


def _inelastic_velocities(factor: Factor, J: Matrix, v: Vector) -> Vector:
    """Return v - M⁻¹ J' (J M⁻¹ J')⁻¹ J v, by orthogonal projection in coordinates in which M is the identity."""
    white = tuple(factor.whitened(row) for row in J)
    change, _ = minimum_norm_solve(white, matvec(J, v), columns=len(v))
    return subtract(v, factor.unwhitened(change))


def _rate_bounds(J: Matrix, v: Vector, restitution: Scalar) -> Vector:
    """Return the bounds of J v⁺ >= -e J v; pairs that already separate only must not approach afterwards."""
    return tuple(where(less(rate, 0), -(restitution * rate), 0) for rate in matvec(J, v))


def _least_norm_impulses(J: Matrix, momentum: Vector) -> Vector:
    """Return the impulses of least norm with J' impulses = momentum."""
    columns = tuple(tuple(row[j] for row in J) for j in range(len(momentum)))
    impulses, _ = minimum_norm_solve(columns, momentum, columns=len(J))
    return impulses


def kinetic_energy(M: Matrix, v: Vector) -> Scalar:
    """Return 1/2 v' M v."""
    energy: Scalar = const(1, 2) * dot(v, matvec(M, v))
    return energy
