"""Derivatives of the motion of mechanisms with loops, and of the multipliers.

M vd + K^T lambda = torques + passive - c and K vd = -k are differentiated as they stand; M and c by hand
(`rigid_derivatives.py`), K and k, which are few, on dual numbers. Redundant constraints are kept in the least-squares
sense, as `constrained.py` does; pseudo-inverses are differentiated at constant rank (Golub and Pereyra, 1973).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar, cast, final

import attrs

from rbd.algorithms.constrained import (
    Equations,
    WhiteProblem,
    balancing_multipliers,
    constraint_torques,
    inner,
    row_scale,
)
from rbd.algorithms.external import ExternalWrenches, HeldWrench, held_wrenches, pushes
from rbd.algorithms.extra_derivatives import extra_derivatives
from rbd.algorithms.forward_dynamics import Torques
from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.loops import bias_terms, constraint_rows, loop_equations
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.rigid_derivatives import Rows, derivatives_of, sum_of
from rbd.algorithms.spaces import SPACES, Space, check_space, in_space, positions
from rbd.algorithms.stabilization import (
    DEFAULT,
    STANDARD,
    LoopGainsPerLoop,
    Stabilization,
    gains_of_loops,
    unless_standard,
)
from rbd.algorithms.variations import variations
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.dual import along
from rbd.solvers import minimum_norm_solve
from rbd.state import ArrayOf, MechanismState, ScalarState, State, StateView, kernel
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.kernel import require_state

A = TypeVar("A", bound=ArrayOf)
Change = tuple[Vector, Matrix, Vector]
"""How the torques that a held vd takes, K and k change along one direction."""


@final
@attrs.frozen(eq=False)
class ConstrainedDerivatives(Generic[A]):
    """How the accelerations and multipliers of `dynamics` answer q, v and torques."""

    vd_by_q: A
    vd_by_v: A
    vd_by_torques: A
    multipliers_by_q: A
    multipliers_by_v: A
    multipliers_by_torques: A


@final
@attrs.frozen(eq=False)
class _Linear:
    """The equations of motion as linear equations for changes of vd and of the multipliers."""

    matrix: Matrix
    problem: WhiteProblem
    equations: Equations
    scales: Vector
    """Per active row, what it was multiplied by in the problem."""
    vd: Vector
    carried: Vector
    """Multipliers that go with the way vd is found: the smallest ones of scaled rows."""
    multipliers: Vector
    spread: Vector
    """The velocity whose constraint rates are the multipliers: K^+ lambda."""

    def answer(self, change: Change, torques: Vector | None = None) -> tuple[Vector, Vector]:
        """Return the changes of vd and of the multipliers for a change of everything else, or of torques."""
        taken, rows, bias = change
        right = tuple(-x for x in taken) if torques is None else torques
        pushed = constraint_torques(rows, self.carried, len(self.vd))
        free = self.problem.factor.whitened([a - b for a, b in zip(right, pushed, strict=True)])
        missing: list[Scalar] = []
        for i, scale, white in zip(_active(self.equations), self.scales, self.problem.rows, strict=True):
            missing.append(-(bias[i] + inner(rows[i], self.vd)) * scale - inner(white, free))
        moved, _ = minimum_norm_solve(self.problem.rows, missing, self.equations.tolerance, columns=len(free))
        vd = self.problem.factor.coloured([a + b for a, b in zip(free, moved, strict=True)])
        return vd, self._multipliers(right, rows, vd)

    def _multipliers(self, right: Vector, rows: Matrix, vd: Vector) -> Vector:
        own = constraint_torques(rows, self.multipliers, len(vd))
        rest = [inner(row, vd) - a + b for row, a, b in zip(self.matrix, right, own, strict=True)]
        turned = tuple(inner(row, self.spread) for row in rows)
        seen = constraint_torques(self.equations.jacobian, turned, len(vd))
        found, _ = balancing_multipliers(self.equations, tuple(a + b for a, b in zip(rest, seen, strict=True)))
        return tuple(a + b for a, b in zip(found, turned, strict=True))


@kernel(regroup=True, several=True)
def constrained_derivatives_kernel(
    state: StateView,
    torques: Vector,
    held: Sequence[HeldWrench] = (),
    space: Space = "tangent",
    gains: LoopGainsPerLoop = STANDARD,
) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix, Matrix]:
    """Return the derivatives of vd by position, v and torques, then those of the multipliers."""
    linear = _linear(state, torques, held, gains)
    rigid, extra = derivatives_of(state, variations(state, linear.vd)), extra_derivatives(state, held)
    by_q = _columns(sum_of(rigid.by_position, extra.by_position))
    by_v = _columns(sum_of(rigid.by_velocity, extra.by_velocity))
    still: Change = ((0,) * len(by_q), ((0,) * len(by_q),) * state.layout.nc, (0,) * state.layout.nc)
    q_answers = [linear.answer((taken, *_loops_by_q(state, gains, k))) for k, taken in enumerate(by_q)]
    v_answers = [linear.answer((taken, *_loops_by_v(state, gains, k))) for k, taken in enumerate(by_v)]
    units = [tuple(int(i == k) for i in range(len(by_q))) for k in range(len(by_q))]
    torque_answers = [linear.answer(still, unit) for unit in units]
    (vd_q, m_q), (vd_v, m_v), (vd_t, m_t) = (_split(each, state) for each in (q_answers, v_answers, torque_answers))
    return in_space(state, vd_q, space), vd_v, vd_t, in_space(state, m_q, space), m_v, m_t


def _linear(state: StateView, torques: Vector, held: Sequence[HeldWrench], gains: LoopGainsPerLoop) -> _Linear:
    """Return the linear equations around the solution."""
    matrix, bias = mass_matrix_kernel(state), dynamics_bias_kernel(state, pushes(state, held))
    rows = zip(torques, passive_torques_kernel(state), bias, strict=True)
    right = tuple(torque + own - c for torque, own, c in rows)
    equations, factor = loop_equations(state, gains), factored(state, matrix)
    problem = WhiteProblem.of(factor, equations, right)
    kept, _ = minimum_norm_solve(problem.rows, problem.missing, equations.tolerance, columns=len(problem.free))
    vd = factor.coloured([a + b for a, b in zip(problem.free, kept, strict=True)])
    unbalanced = tuple(inner(row, vd) - torque for row, torque in zip(matrix, right, strict=True))
    multipliers, _ = balancing_multipliers(equations, unbalanced)
    scales = _scales(problem, equations)
    carried = _carried(problem, equations, scales, kept)
    return _Linear(
        matrix, problem, equations, scales, vd, carried, multipliers, _spread(equations, multipliers, len(vd))
    )


def _active(equations: Equations) -> list[int]:
    """Return the rows of K that are not zero by structure."""
    return [i for block in equations.blocks for i in block]


def _carried(problem: WhiteProblem, equations: Equations, scales: Vector, kept: Vector) -> Vector:
    """Return the multipliers that are smallest for scaled rows; `kept` is what they make of the free motion."""
    active, across = _active(equations), tuple(zip(*problem.rows, strict=True)) or ((),) * len(kept)
    weights, _ = minimum_norm_solve(across, kept, equations.tolerance, columns=len(active))
    carried: list[Scalar] = [0] * len(equations.jacobian)
    for i, weight, scale in zip(active, weights, scales, strict=True):
        carried[i] = -(weight * scale)
    return tuple(carried)


def _spread(equations: Equations, multipliers: Vector, size: int) -> Vector:
    """Return the smallest velocity at which constraints change at the rates of their multipliers."""
    active = _active(equations)
    rows, rates = tuple(equations.jacobian[i] for i in active), [multipliers[i] for i in active]
    spread, _ = minimum_norm_solve(rows, rates, equations.tolerance, columns=size)
    return spread


def _scales(problem: WhiteProblem, equations: Equations) -> Vector:
    """Return what each active row was multiplied by."""
    scales: list[Scalar] = []
    for block in equations.blocks:
        white = tuple(problem.factor.whitened(equations.jacobian[i]) for i in block)
        scales += [row_scale(white)] * len(block)
    return tuple(scales)


def _loops_by_q(state: StateView, gains: LoopGainsPerLoop, k: int) -> tuple[Matrix, Vector]:
    """Return how K and k change as the mechanism moves along velocity k."""
    direction: list[Scalar] = []
    for link in state.links:
        unit = [int(i == k) for i in range(link.v.start, link.v.stop)]
        rows = link.joint.type.configuration_derivative_jacobian(state.joint_q(link))
        direction += [inner(row, tuple(unit)) for row in rows]
    q, v = state.configuration_scalars(), state.velocity_scalars()
    _, slopes = along(lambda moved: _loops(_at(state, moved, v), gains), q, tuple(direction))
    return _unflat(slopes, state)


def _loops_by_v(state: StateView, gains: LoopGainsPerLoop, k: int) -> tuple[Matrix, Vector]:
    """Return how K and k change with velocity k; K does not."""
    q, v = state.configuration_scalars(), state.velocity_scalars()
    unit = tuple(int(i == k) for i in range(len(v)))
    _, slopes = along(lambda moved: bias_terms(_at(state, q, moved), gains), v, unit)
    return ((0,) * len(v),) * state.layout.nc, slopes


def _at(state: StateView, q: Vector, v: Vector) -> ScalarState:
    return cast("MechanismState | ScalarState", state).with_scalars(q, v)


def _loops(state: StateView, gains: LoopGainsPerLoop) -> Vector:
    return tuple(x for row in constraint_rows(state) for x in row) + bias_terms(state, gains)


def _unflat(flat: Vector, state: StateView) -> tuple[Matrix, Vector]:
    width, height = state.layout.nv, state.layout.nc
    return tuple(flat[i * width : (i + 1) * width] for i in range(height)), flat[width * height :]


def _columns(rows: Rows | Matrix) -> list[Vector]:
    return list(zip(*rows, strict=True))


def _split(answers: Iterable[tuple[Vector, Vector]], state: StateView) -> tuple[Matrix, Matrix]:
    """Return columns of vd and of multipliers as two matrices."""
    found = list(answers)
    first = tuple(zip(*(vd for vd, _ in found), strict=True))
    return first, tuple(zip(*(multipliers for _, multipliers in found), strict=True))


@fast_path(vectors=1, wrenches=True, choices={"space": SPACES})
def constrained_dynamics_derivatives(
    state: State[A],
    torques: Torques,
    external_wrenches: ExternalWrenches | None = None,
    *,
    space: Space = "tangent",
    stabilization: Stabilization = DEFAULT,
) -> Call[ConstrainedDerivatives[A]]:
    """Return the derivatives of the accelerations and the multipliers of a mechanism with loops.

    For configurations in which the loops are closed; there, redundant constraints are legal. By position, all
    velocities are moved along, also those that open the loops, where the equations hold in the least-squares sense.
    `space` and `external_wrenches` as in `forward_dynamics_derivatives`, `stabilization` as in `dynamics`. Raises what
    these do.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.four_bar()
    >>> state = rbd.MechanismState(mechanism)
    >>> found = rbd.algorithms.constrained_dynamics_derivatives(state, np.zeros(mechanism.nv))
    >>> bool(np.allclose(found.vd_by_q, rbd.forward_dynamics_derivatives(state, np.zeros(mechanism.nv))[0]))
    True
    """
    require_state(state, "constrained_dynamics_derivatives")
    check_space(space)
    nv, nc, n = state.layout.nv, state.layout.nc, positions(state, space)
    drive, gains = state.vector(torques, nv, "torques"), unless_standard(gains_of_loops(state, stabilization))
    held = held_wrenches(state, external_wrenches)
    parts = {"vd by q": (nv, n), "vd by v": (nv, nv), "vd by torques": (nv, nv)}
    parts |= {"multipliers by q": (nc, n), "multipliers by v": (nc, nv), "multipliers by torques": (nc, nv)}
    shapes = {f"derivative of {name}": shape for name, shape in parts.items()}
    args = drive, held, space, *gains
    return KernelCall(constrained_derivatives_kernel, args, shapes, ConstrainedDerivatives)
