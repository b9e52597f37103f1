"""Accelerations and impacts that contacts allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, TypeAlias, cast, get_args, overload

from numpy.typing import NDArray

from rbd.arguments import require_choice
from rbd.contact.accelerations import Problem, problem_of
from rbd.contact.arguments import at_least_zero, finite, pair_set, share
from rbd.contact.coulomb import summary
from rbd.contact.evaluation import drive_of, evaluate, number, require_both
from rbd.contact.gauss import LAWS, Allowed, Law, contacts_of, impacted, kinetic, mass_and_factor, nearer_than
from rbd.contact.model import CollisionModel
from rbd.contact.pairs import Pair
from rbd.contact.qp import SOLVERS, Solver, solve_qp
from rbd.contact.results import ContactSolution, ImpactSolution
from rbd.errors import ArgumentError, SolverError
from rbd.scalars import Condition, Matrix, Scalar, Vector, is_float, less, to_float
from rbd.scalars.arrays import pack
from rbd.state import MechanismState, ScalarState, State

Bias: TypeAlias = Literal["exact", "tutorial"]
BIASES: Final[tuple[str, ...]] = get_args(Bias)
TOUCHING = 1 / 1000
"""Distance below which a pair counts as touching (m)."""
_MISSING = 1e-6
"""Share of the forces that may be missing to Coulomb's law."""


@overload
def solve_contact(
    state: MechanismState,
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    *,
    bias: Bias = "exact",
    friction: float | None = None,
    threshold: float = TOUCHING,
    solver: Solver = "rbd",
) -> ContactSolution[float]: ...
@overload
def solve_contact(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    *,
    bias: Bias = "exact",
    friction: float | None = None,
    threshold: float = TOUCHING,
    solver: Solver = "rbd",
) -> ContactSolution[Scalar]: ...
def solve_contact(
    state: State[Any],
    model: CollisionModel,
    torques: Sequence[Scalar] | NDArray[Any],
    *,
    bias: Bias = "exact",
    friction: float | None = None,
    threshold: float = TOUCHING,
    solver: Solver = "rbd",
) -> ContactSolution[Any]:
    """Return the accelerations nearest to the free ones at which no pair that touches is pressed together.

    Gauss's principle: minimise 1/2 (vd - free)' M (vd - free) subject to J vd >= bound, one row per pair nearer than
    `threshold`. The bound is -d with `bias="tutorial"`, which pushes out what overlaps; "exact" asks it of the whole
    second derivative of the distance: J vd >= -d - b, b being `model.bias(state)`. A row that vanishes, as for shapes
    in line, asks for nothing.

    Contacts push along normals, and rub with Coulomb's coefficient `friction` if one is given: pairs that slide faster
    than a millimetre per second against their way, others as much as keeps them from sliding. A pair touches in one
    point, its witness, in the second body's frame: a box on its face needs `contact_step`, which has its corners. The
    cone has four corners; the first lies along the way. With much friction on what slides there may be no solution
    (bodies jam, Painlevé's paradox): a SolverError with status "friction". There may be several: given is the first
    that is met when bounds are raised from where nothing pushes; where no force is needed, none.

    `solver` is rbd's own, in the machine code, or "daqp", for comparison on live states; with friction it repeats its
    program seventeen times, which may fail where there is a solution, or find another of several. Raises ShapeError,
    NotFiniteError, ArgumentError, TopologyError for mechanisms with loops, and SolverError when the conditions
    contradict each other.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> solution = rbd.contact.solve_contact(state, model, np.zeros(13), threshold=0.02)
    >>> solution.active
    array([0., 0., 0., 0.])
    """
    require_both(state, model, "solve_contact")
    require_choice(bias, BIASES, "bias", "bias")
    require_choice(solver, SOLVERS, "solver", "solver")
    settings = finite(threshold, "threshold"), 0.0 if friction is None else at_least_zero(friction, "friction")
    given = {"torques": drive_of(state, torques), "settings": settings}
    options = (bias == "exact", friction is not None)
    if solver == "rbd":
        body = partial(_accelerations, model.pairs, *options)
        found = evaluate(model, state, ("solve_contact", *options), body, **given)
    else:
        posed = evaluate(model, state, ("pose contacts", *options), partial(_posed, model.pairs, *options), **given)
        found = _by_another(state, solver, posed)
    if friction is not None:
        _reached(found)
    return ContactSolution(
        found["vd"],
        found["multipliers"],
        found["active"],
        number(found["residual"]),
        number(found["power"]),
        found["contact_torques"],
    )


def _reached(found: Mapping[str, Any]) -> None:
    """Raise SolverError where Coulomb's law is not fulfilled."""
    residual = number(found["residual"])
    if not is_float(residual):
        return
    largest = max((abs(to_float(x)) for x in found["multipliers"].tolist()), default=0.0)
    if not to_float(residual) <= _MISSING * (1 + largest):
        raise SolverError(
            f"Coulomb's law was not reached, {to_float(residual):.1e} is missing: what slides may jam with that much "
            "friction; contact_step finds velocities with any friction",
            status="friction",
        )


@overload
def impact(
    state: MechanismState,
    model: CollisionModel,
    *,
    law: Law = "inelastic",
    restitution: float = 0.0,
    active: Iterable[int] | None = None,
) -> ImpactSolution[float]: ...
@overload
def impact(
    state: State[Any],
    model: CollisionModel,
    *,
    law: Law = "inelastic",
    restitution: float = 0.0,
    active: Iterable[int] | None = None,
) -> ImpactSolution[Scalar]: ...
def impact(
    state: State[Any],
    model: CollisionModel,
    *,
    law: Law = "inelastic",
    restitution: float = 0.0,
    active: Iterable[int] | None = None,
) -> ImpactSolution[Any]:
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
    require_both(state, model, "impact")
    require_choice(law, LAWS, "law", "law")
    returned = share(restitution, "restitution")
    if returned and law != "unilateral":
        message = f"the law {law!r} has no restitution; law='unilateral' has"
        raise ArgumentError(message, argument="restitution", value=restitution, allowed=0)
    chosen = None if active is None else pair_set(active, len(model.pairs), "active")
    body = partial(_velocities, model.pairs, law, returned, chosen)
    found = evaluate(model, state, ("impact", law, returned, chosen), body)
    return ImpactSolution(
        found["v"], found["impulses"], number(found["energy"]), found["active"], number(found["residual"])
    )


# --- what is recorded -------------------------------------------------------------------------------------------------


def _posed(
    pairs: Sequence[Pair], exact: bool, rough: bool, state: ScalarState, torques: Vector, settings: Vector
) -> Mapping[str, object]:
    threshold, friction = (state.lifted(x) for x in settings)
    return problem_of(
        state, pairs, tuple(torques), threshold, exact=exact, friction=friction if rough else None
    )._asdict()


def _accelerations(
    pairs: Sequence[Pair], exact: bool, rough: bool, state: ScalarState, torques: Vector, settings: Vector
) -> Mapping[str, object]:
    problem = Problem(**cast("dict[str, Any]", _posed(pairs, exact, rough, state, torques, settings)))
    return summary(problem, tuple(state.v))


def _by_another(state: State[Any], solver: Solver, posed: Mapping[str, Any]) -> dict[str, Any]:
    """Solve a problem that was evaluated to arrays with another solver."""
    if not isinstance(state, MechanismState):
        raise ArgumentError(f"solver={solver!r} works on live states alone", argument="solver", value=solver)
    problem = Problem(**{name: _nested(array) for name, array in posed.items()})

    def solve(matrix: Matrix, right: Vector, rows: Matrix, bounds: Vector) -> Allowed:
        found = solve_qp(pack(matrix), pack(right), pack(rows), pack(bounds), solver=solver)
        x, weights, active = (cast("Vector", _nested(part)) for part in (found.x, found.multipliers, found.active))
        return Allowed(x, weights, active, found.kkt_residual)

    return {name: pack(value) for name, value in summary(problem, _nested(state.v), solve).items()}


def _nested(array: NDArray[Any]) -> Any:
    rows: list[Any] = array.tolist()
    return tuple(tuple(row) for row in rows) if array.ndim == 2 else tuple(rows)


def _velocities(
    pairs: Sequence[Pair], law: Law, restitution: float, chosen: frozenset[int] | None, state: ScalarState
) -> Mapping[str, object]:
    contacts = contacts_of(state, pairs, nearer_than(TOUCHING) if chosen is None else _among(chosen))
    matrix, v = mass_and_factor(state)[0], tuple(state.v)
    found = impacted(state, law, restitution, contacts)
    return {
        "v": found.motion,
        "impulses": found.multipliers,
        "energy": kinetic(matrix, found.motion) - kinetic(matrix, v),
        "active": found.active,
        "residual": found.residual,
    }


def _among(chosen: frozenset[int]) -> Any:
    def rule(number: int, distance: Scalar) -> Condition:
        del distance
        return less(0, 1) if number in chosen else less(1, 0)

    return rule
