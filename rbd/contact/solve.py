"""Accelerations and impacts that contacts allow.

Room: contact; may import compiled and above.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, final, get_args

import attrs
from numpy.typing import NDArray

from rbd.contact.evaluation import evaluate
from rbd.contact.gauss import (
    allowed,
    contacts_of,
    driving_torques,
    euclidean,
    impulses_of,
    inelastic,
    inner,
    kinetic,
    mass_and_factor,
    nearer_than,
    product,
    required_accelerations,
    unilateral,
)
from rbd.contact.model import CollisionModel
from rbd.contact.pairs import Pair
from rbd.errors import ArgumentError
from rbd.scalars import Condition, Scalar, Vector, less
from rbd.state import ScalarState, State

Bias: TypeAlias = Literal["exact", "tutorial"]
Law: TypeAlias = Literal["inelastic", "euclidean", "unilateral"]
TOUCHING = 1 / 1000
"""Distance below which a pair counts as touching (m)."""


@final
@attrs.frozen(eq=False)
class ContactSolution:
    """Accelerations with contacts: M vd + c = torques + passive + J' multipliers.

    `multipliers` are the normal forces of the pairs (N), none negative, zero for those that do not touch; `active` is 1
    for the pairs whose condition is held. `kkt_residual` is the largest violation of the conditions of the minimum,
    `energy_change` the power the contacts put in (W).
    """

    vd: NDArray[Any]
    multipliers: NDArray[Any]
    active: NDArray[Any]
    kkt_residual: Scalar
    energy_change: Scalar


@final
@attrs.frozen(eq=False)
class ImpactSolution:
    """Velocities after an impact: M (v - before) = J' impulses, `impulses` being those of the pairs (N s).

    `energy_change` is the kinetic energy gained (J). The Euclidean law knows no impulses: it changes velocities as no
    impulses along the normals would; what is given then are the impulses that come nearest.
    """

    v: NDArray[Any]
    impulses: NDArray[Any]
    energy_change: Scalar


def solve_contact(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    *,
    bias: Bias = "exact",
    threshold: float = TOUCHING,
) -> ContactSolution:
    """Return the accelerations nearest to the free ones at which no pair that touches is pressed together.

    Gauss's principle: minimise 1/2 (vd - free)' M (vd - free) subject to J vd >= bound, one row per pair nearer than
    `threshold`. The bound is -d with `bias="tutorial"`, which pushes out what overlaps; "exact" asks it of the whole
    second derivative of the distance: J vd >= -d - b, b being `model.bias(state)`. Contacts push along normals, without
    friction. A row that vanishes, as for shapes in line, asks for nothing.

    Raises ShapeError, NotFiniteError, ArgumentError, and SolverError when the conditions contradict each other.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> solution = rbd.contact.solve_contact(state, model, np.zeros(13), threshold=0.02)
    >>> solution.active
    array([0., 0., 0., 0.])
    """
    one_of(bias, get_args(Bias), "bias")
    model.require(state)
    drive = state.vector(torques, state.layout.nv, "torques")
    body = partial(_accelerations, model.pairs, bias == "exact", float(threshold))
    found = evaluate(model, state, ("solve", bias, float(threshold)), body, torques=drive)
    return ContactSolution(
        found["vd"], found["multipliers"], found["active"], _number(found["residual"]), _number(found["power"])
    )


def impact(
    state: State[Any],
    model: CollisionModel,
    *,
    law: Law = "inelastic",
    restitution: float = 0.0,
    active: Iterable[int] | None = None,
) -> ImpactSolution:
    """Return the velocities after the pairs `active` have hit: those nearer than a millimetre if none are named.

    "inelastic": the velocity nearest to the present one, measured by kinetic energy, at which no distance of the pairs
    changes. "euclidean": the same measured by the coordinates themselves, v - J⁺ J v, as in Pinocchio's exercise; it
    depends on the units of the coordinates and may even add energy. "unilateral": pairs may separate, and come back
    with `restitution` times the speed at which they approached; only this law has one.

    Raises ArgumentError for pairs that do not exist or laws that have no restitution.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism, v=[0.1] * 13)
    >>> hit = rbd.contact.impact(state, model, active=[3])
    >>> hit.energy_change < 0, bool(abs(model.jacobian(state)[3] @ hit.v) < 1e-12)
    (True, True)
    """
    one_of(law, get_args(Law), "law")
    if not 0 <= restitution <= 1:
        raise ArgumentError(
            f"restitution is {restitution}, must be from 0 to 1", argument="restitution", value=restitution
        )
    if restitution and law != "unilateral":
        raise ArgumentError(
            f"the law {law!r} has no restitution; law='unilateral' has", argument="restitution", value=restitution
        )
    chosen = None if active is None else _chosen(active, len(model.pairs))
    body = partial(_velocities, model.pairs, law, float(restitution), chosen)
    found = evaluate(model, state, ("impact", law, float(restitution), chosen), body)
    return ImpactSolution(found["v"], found["impulses"], _number(found["energy"]))


# --- what is recorded -------------------------------------------------------------------------------------------------


def _accelerations(
    pairs: Sequence[Pair], exact: bool, threshold: float, state: ScalarState, torques: Vector
) -> Mapping[str, object]:
    matrix, _ = mass_and_factor(state)
    contacts = contacts_of(state, pairs, nearer_than(threshold))
    bounds = required_accelerations(state, pairs, contacts, exact=exact)
    found = allowed(matrix, driving_torques(state, tuple(torques)), contacts.rows, bounds)
    power = inner(found.multipliers, product(contacts.rows, tuple(state.v)))
    return {
        "vd": found.motion,
        "multipliers": found.multipliers,
        "active": found.active,
        "residual": found.residual,
        "power": power,
    }


def _velocities(
    pairs: Sequence[Pair], law: Law, restitution: float, chosen: frozenset[int] | None, state: ScalarState
) -> Mapping[str, object]:
    matrix, _ = mass_and_factor(state)
    contacts = contacts_of(state, pairs, nearer_than(TOUCHING) if chosen is None else _among(chosen))
    v, impulses = velocities_after(state, law, restitution, contacts.rows)
    return {"v": v, "impulses": impulses, "energy": kinetic(matrix, v) - kinetic(matrix, tuple(state.v))}


def velocities_after(
    state: ScalarState, law: Law, restitution: float, rows: tuple[Vector, ...]
) -> tuple[Vector, Vector]:
    """Return the velocities after an impact along the rows, and the impulses."""
    matrix, factor = mass_and_factor(state)
    v = tuple(state.v)
    if law == "unilateral":
        found = unilateral(matrix, rows, v, restitution)
        return found.motion, found.multipliers
    after = euclidean(rows, v) if law == "euclidean" else inelastic(factor, rows, v)
    change = product(matrix, tuple(a - b for a, b in zip(after, v, strict=True)))
    return after, impulses_of(rows, change)


def _among(chosen: frozenset[int]) -> Any:
    def rule(number: int, distance: Scalar) -> Condition:
        del distance
        return less(0, 1) if number in chosen else less(1, 0)

    return rule


def _chosen(active: Iterable[int], count: int) -> frozenset[int]:
    chosen = frozenset(int(k) for k in active)
    wrong = sorted(k for k in chosen if not 0 <= k < count)
    if wrong:
        raise ArgumentError(f"active names pair {wrong[0]}, there are {count} pairs", argument="active", value=wrong[0])
    return chosen


def one_of(value: str, allowed_values: tuple[str, ...], argument: str) -> None:
    """Raise ArgumentError unless `value` is one of the allowed ones."""
    if value not in allowed_values:
        raise ArgumentError(
            f"{argument} is {value!r}, must be one of {', '.join(map(repr, allowed_values))}",
            argument=argument,
            value=value,
            allowed=allowed_values,
        )


def _number(x: Any) -> Any:
    """Return the one number of an array without axes."""
    return x.item() if hasattr(x, "item") else x
