"""`solve_qp`: quadratic programs, by rbd's solver or by daqp (Arnström, Bemporad and Axehill 2022)."""

from __future__ import annotations

import importlib
from typing import Any, Final, Literal, NamedTuple, TypeAlias, final, get_args

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import override

from rbd import native
from rbd.arguments import require_choice
from rbd.array_functions.function import RecordedFunction
from rbd.contact.arguments import LISTS, float_vector
from rbd.contact.dynamics.residuals import kkt_residual
from rbd.contact.dynamics.results import result_repr
from rbd.contact.model.evaluation import as_tuple
from rbd.errors import ArgumentError, SolverError
from rbd.extras import requires_extra
from rbd.native.runtime.function_caches import function_cache
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.scalars import to_float
from rbd.scalars.arrays import Array, float_array
from rbd.solvers.quadratic.quadratic_program import INDEFINITE, INFEASIBLE, STUCK, solve_quadratic_program

SolverName: TypeAlias = Literal["rbd", "daqp"]
"""rbd's own solver, or an independent one, with which users check its solutions."""
SOLVERS: Final[tuple[str, ...]] = get_args(SolverName)
_UNBOUNDED, _TOLERANCE, _ASYMMETRY = 1e30, 1e-12, 1e-9
_OUTCOMES = {-1: INFEASIBLE, -3: INDEFINITE, -4: STUCK, -5: INDEFINITE}
"""Meaning of daqp's exit codes; 1 and 2 are solutions."""


@final
@attrs.frozen(eq=False, repr=False)
class QPSolution:
    """Minimum x of a quadratic program: H x = g + A' multipliers, with A x >= b and complementarity in each row.

    `active` is 1 for rows that are held, `iterations` the number of iterations of the solver, `kkt_residual` the
    largest violation of the KKT conditions.

    >>> import numpy as np
    >>> from rbd.contact import solve_qp
    >>> solution = solve_qp(np.eye(2), [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [1.0, -1.0])    # x >= 1, y >= -1
    >>> solution.active, solution.kkt_residual < 1e-12
    (array([1., 0.]), True)
    """

    x: Array
    multipliers: Array
    active: Array
    iterations: int
    kkt_residual: float

    @override
    def __repr__(self) -> str:
        return result_repr("minimum of a quadratic program", "rows", self.active, self.kkt_residual)


def solve_qp(
    hessian: ArrayLike, linear: ArrayLike, rows: ArrayLike, bounds: ArrayLike, *, solver: SolverName = "rbd"
) -> QPSolution:
    """Quadratic program: minimise 1/2 x'Hx - g'x subject to A x >= b, for a symmetric positive definite H.

    `hessian` is H, `linear` g, `rows` A with one row per constraint (there may be none), `bounds` b. `solver` is rbd's
    own, or "daqp", which must be installed. Raises ShapeError, NotFiniteError or ArgumentError before the solver runs,
    and SolverError when H is not positive definite or the constraints contradict each other; its `status` says which.

    >>> import numpy as np
    >>> from rbd.contact import solve_qp
    >>> solution = solve_qp(np.eye(2), [0.0, 0.0], [[1.0, 1.0]], [1.0])     # the point of a line nearest to the origin
    >>> solution.x.round(12), solution.multipliers.round(12)
    (array([0.5, 0.5]), array([0.5]))
    """
    require_choice(solver, SOLVERS, "solver", "solver")
    g, side = float_vector(linear, None, "linear"), float_vector(bounds, None, "bounds")
    n, m = g.size, side.size
    data = _symmetric(_matrix(hessian, n, n, "hessian")), g, _matrix(rows, m, n, "rows"), side
    if n == 0 or m == 0:
        found = _without_constraints(data[0], data[1], side)
    else:
        found = _by_daqp(*data) if solver == "daqp" else _by_rbd(*data)
    return QPSolution(*found, _residual(*data, found.x, found.multipliers))


@final
class _Minimum(NamedTuple):
    """The fields of `QPSolution` that a solver finds."""

    x: Array
    multipliers: Array
    active: Array
    iterations: int


def _symmetric(hessian: Array) -> Array:
    defect = float(np.abs(hessian - hessian.T).max(initial=0.0))
    if defect > _ASYMMETRY * float(np.abs(hessian).max(initial=0.0)):
        message = f"hessian is not symmetric: entries differ from their mirror images by {defect:.3g}"
        raise ArgumentError(message, argument="hessian")
    return hessian


def _matrix(rows: object, m: int, n: int, name: str) -> Array:
    """Return m rows of n numbers; if m is zero, an empty list will do."""
    if m == 0 and (not rows if isinstance(rows, LISTS) else getattr(rows, "shape", None) == (0,)):
        return np.zeros((0, n))
    return float_array(rows, (m, n), name)


def _residual(hessian: Array, linear: Array, rows: Array, bounds: Array, x: Array, multipliers: Array) -> float:
    return to_float(kkt_residual(*(to_tuples(part) for part in (hessian, linear, rows, bounds, x, multipliers))))


def to_tuples(array: NDArray[Any]) -> Any:
    """Return the entries of a vector, or the rows of a matrix, as tuples."""
    entries: list[Any] = array.tolist()
    return tuple(tuple(row) for row in entries) if array.ndim == 2 else tuple(entries)


def _without_constraints(hessian: Array, linear: Array, bounds: Array) -> _Minimum:
    """Return the solution of H x = g; rows of no variables contradict each other unless their bounds are at most 0."""
    if (bounds > 0).any():
        raise SolverError(INFEASIBLE, status=INFEASIBLE)
    try:
        np.linalg.cholesky(hessian)
    except np.linalg.LinAlgError as error:
        raise SolverError(INDEFINITE, status=INDEFINITE) from error
    nothing = np.zeros(bounds.size)
    return _Minimum(np.asarray(np.linalg.solve(hessian, linear), dtype=np.float64), nothing, nothing.copy(), 0)


def _by_rbd(hessian: Array, linear: Array, rows: Array, bounds: Array) -> _Minimum:
    x, multipliers, active, iterations = as_tuple(_program(linear.size, bounds.size)(hessian, linear, rows, bounds))
    return _Minimum(x, multipliers, active, int(iterations))


@native.one_at_a_time
@function_cache(maxsize=64)
def _program(n: int, m: int) -> RecordedFunction:
    """Return rbd's solver for n variables and m constraints as machine code."""
    shapes: dict[str, tuple[int, ...]] = {"hessian": (n, n), "linear": (n,), "rows": (m, n), "bounds": (m,)}
    with recording() as graph:
        data: list[Any] = [graph.input(name, shape) for name, shape in shapes.items()]
        outputs: dict[str, object] = solve_quadratic_program(*data)._asdict()
        return RecordedFunction(Program.of(graph, "quadratic_program", outputs))


def _by_daqp(hessian: Array, linear: Array, rows: Array, bounds: Array) -> _Minimum:
    with requires_extra("problems of solver='daqp'"):
        daqp: Any = importlib.import_module("daqp")
    if not np.linalg.eigvalsh(hessian)[0] > 0:  # daqp would regularise it silently
        raise SolverError(INDEFINITE, status=INDEFINITE)
    upper, sense = np.full(bounds.size, _UNBOUNDED), np.zeros(bounds.size, dtype=np.int32)
    x, _, code, information = daqp.solve(
        hessian, -linear, rows, upper, bounds.copy(), sense, primal_tol=_TOLERANCE, dual_tol=_TOLERANCE
    )
    if code not in (1, 2):
        raise SolverError(_OUTCOMES.get(code, f"daqp gave up with code {code}"), status=code)
    multipliers = np.maximum(-np.asarray(information["lam"], dtype=np.float64), 0.0)
    held = (multipliers > 0).astype(np.float64)
    return _Minimum(np.asarray(x, dtype=np.float64), multipliers, held, int(information["iterations"]))
