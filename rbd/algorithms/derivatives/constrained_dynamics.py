"""Derivatives of accelerations and multipliers of mechanisms with loops.

M vd + K^T lambda = torques + passive - c and K vd = -k are differentiated: inverse dynamics by the recursion of Singh,
Russell and Wensing (2022) in `rnea.py`, K and k on dual numbers. The least-squares solution of `loops/least_squares.py`
is differentiated as pseudo-inverses of constant rank are: Golub and Pereyra (1973).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, final

import attrs

from rbd.algorithms.derivatives.applied_forces import applied_force_derivatives
from rbd.algorithms.derivatives.rnea import torque_derivatives
from rbd.algorithms.derivatives.space import Space, check_space, column_count, directions, in_space
from rbd.algorithms.derivatives.variations import variations
from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.loops.constraint_equations import ConstraintEquations
from rbd.algorithms.loops.kinematics import constraint_bias_kernel, constraint_jacobian_kernel, loop_equations
from rbd.algorithms.loops.least_squares import (
    WhitenedProblem,
    balancing_multipliers,
    constraint_torques,
    multipliers_of_motion,
)
from rbd.algorithms.loops.loop_gains import DEFAULT_GAINS, ConstraintGains, gain_arguments
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION, Stabilization
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.newton_euler import dynamics_bias_kernel, net_torques
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.torques import Torques, torques_of
from rbd.display import fields_repr
from rbd.engine.fast_path import fast_path
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.dual import value_and_derivative
from rbd.scalars.linear_algebra import add_matrices, identity, negate, sparse_dot, transpose, unit
from rbd.solvers.equations.minimum_norm import pseudo_inverse


@final
@attrs.frozen(eq=False)
class ConstrainedDerivatives(Generic[ArrayT]):
    """Derivatives of the accelerations and multipliers of `dynamics` by q, v and torques."""

    vd_by_q: ArrayT
    vd_by_v: ArrayT
    vd_by_torques: ArrayT
    multipliers_by_q: ArrayT
    multipliers_by_v: ArrayT
    multipliers_by_torques: ArrayT

    __repr__ = fields_repr


@final
@attrs.frozen(eq=False)
class _LinearizedEquations:
    """The linearised equations of motion under constraints."""

    matrix: Matrix
    problem: WhitenedProblem
    equations: ConstraintEquations
    vd: Vector
    scaled_multipliers: Vector
    """The multipliers of the row-scaled problem."""
    multipliers: Vector
    K_pinv_lam: Vector
    """K^+ lambda."""

    def derivative(self, right: Vector, d_K: Matrix, d_k: Vector) -> tuple[Vector, Vector]:
        """Return d vd and d lambda along a direction, for derivatives of the equations at constant vd.

        `right` is that of torques minus inverse dynamics, `d_K` and `d_k` those of the constraints.
        """
        d_K_T_lam = constraint_torques(d_K, self.scaled_multipliers, len(self.vd))
        free = self.problem.factor.whitened([a - b for a, b in zip(right, d_K_T_lam, strict=True)])
        residual: list[Scalar] = []
        for i, scale, white in zip(self.equations.active, self.problem.scales, self.problem.rows, strict=True):
            residual.append(-(d_k[i] + sparse_dot(d_K[i], self.vd)) * scale - sparse_dot(white, free))
        correction, _ = self.problem.dense_correction(residual)
        vd = self.problem.corrected(free, correction)
        return vd, self._multipliers(right, d_K, vd)

    def _multipliers(self, right: Vector, d_K: Matrix, vd: Vector) -> Vector:
        d_K_T_lam = constraint_torques(d_K, self.multipliers, len(vd))
        rest = [sparse_dot(row, vd) - a + b for row, a, b in zip(self.matrix, right, d_K_T_lam, strict=True)]
        shift = tuple(sparse_dot(row, self.K_pinv_lam) for row in d_K)
        K_T_shift = constraint_torques(self.equations.K, shift, len(vd))
        d_multipliers, _ = balancing_multipliers(
            self.equations, tuple(a + b for a, b in zip(rest, K_T_shift, strict=True))
        )
        return tuple(a + b for a, b in zip(d_multipliers, shift, strict=True))


@kernel(regroup=True, multiple_outputs=True)
def constrained_derivatives_kernel(
    state: StateView,
    torques: Vector,
    external: AppliedWrenches = (),
    space: Space = "tangent",
    gains: ConstraintGains = DEFAULT_GAINS,
) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix, Matrix]:
    """Return the derivatives of vd by position, v and torques, then those of the multipliers."""
    linearized = _linearized(state, torques, external, gains)
    rigid, extra = (
        torque_derivatives(state, variations(state, linearized.vd)),
        applied_force_derivatives(state, external),
    )
    by_q = transpose(add_matrices(rigid.by_position, extra.by_position))
    by_v = transpose(add_matrices(rigid.by_velocity, extra.by_velocity))
    moves = zip(by_q, directions(state, "tangent"), strict=True)
    d_q = [linearized.derivative(negate(d_ID), *_loops_along(state, gains, move)) for d_ID, move in moves]
    d_v = [linearized.derivative(negate(d_ID), *_loops_by_v(state, gains, k)) for k, d_ID in enumerate(by_v)]
    d_K, d_k = ((0,) * len(by_q),) * state.layout.nc, (0,) * state.layout.nc
    d_torque = [linearized.derivative(column, d_K, d_k) for column in identity(len(by_q))]
    (vd_q, m_q), (vd_v, m_v), (vd_t, m_t) = (_split(columns) for columns in (d_q, d_v, d_torque))
    return in_space(state, vd_q, space), vd_v, vd_t, in_space(state, m_q, space), m_v, m_t


def _linearized(
    state: StateView, torques: Vector, external: AppliedWrenches, gains: ConstraintGains
) -> _LinearizedEquations:
    """Return the equations of motion, linearised at the solution."""
    matrix, bias = mass_matrix_kernel(state), dynamics_bias_kernel(state, external)
    right = net_torques(torques, passive_torques_kernel(state), bias)
    equations, factor = loop_equations(state, gains), factored(state, matrix)
    problem = WhitenedProblem.of(factor, equations, right)
    correction, _ = problem.dense_correction(problem.residual)
    vd = problem.corrected(problem.free, correction)
    multipliers = multipliers_of_motion(matrix, vd, equations, right)
    scaled = _scaled_multipliers(problem, equations, correction)
    return _LinearizedEquations(
        matrix, problem, equations, vd, scaled, multipliers, _K_pinv_lam(equations, multipliers, len(vd))
    )


def _scaled_multipliers(problem: WhitenedProblem, equations: ConstraintEquations, correction: Vector) -> Vector:
    """Return the smallest multipliers of the row-scaled problem; `correction` is that of the free motion."""
    multipliers: list[Scalar] = [0] * len(equations.K)
    if problem.rows:  # of the rank that the correction has
        weights = pseudo_inverse(problem.rows, equations.tolerance).transposed_times(correction)
        for i, weight, scale in zip(equations.active, weights, problem.scales, strict=True):
            multipliers[i] = -(weight * scale)
    return tuple(multipliers)


def _K_pinv_lam(equations: ConstraintEquations, multipliers: Vector, size: int) -> Vector:
    """Return K^+ lambda, of the rank that lambda has if it was found from dense rows."""
    active = equations.active
    if not active:
        return (0,) * size
    K_T = transpose(equations.K[i] for i in active)
    return pseudo_inverse(K_T, equations.tolerance).transposed_times(tuple(multipliers[i] for i in active))


def _loops_along(state: StateView, gains: ConstraintGains, direction: Vector) -> tuple[Matrix, Vector]:
    """Return the derivatives of K and k along a direction of q."""
    q, v = state.configuration_scalars(), state.velocity_scalars()
    _, slopes = value_and_derivative(lambda x: _loops(state.with_scalars(x, v), gains), q, direction)
    return _unflat(slopes, state)


def _loops_by_v(state: StateView, gains: ConstraintGains, k: int) -> tuple[Matrix, Vector]:
    """Return the derivatives of K, zero, and of k by velocity k."""
    q, v = state.configuration_scalars(), state.velocity_scalars()
    _, slopes = value_and_derivative(
        lambda x: constraint_bias_kernel(state.with_scalars(q, x), gains), v, unit(len(v), k)
    )
    return ((0,) * len(v),) * state.layout.nc, slopes


def _loops(state: StateView, gains: ConstraintGains) -> Vector:
    return tuple(x for row in constraint_jacobian_kernel(state) for x in row) + constraint_bias_kernel(state, gains)


def _unflat(flat: Vector, state: StateView) -> tuple[Matrix, Vector]:
    width, height = state.layout.nv, state.layout.nc
    return tuple(flat[i * width : (i + 1) * width] for i in range(height)), flat[width * height :]


def _split(derivatives: Sequence[tuple[Vector, Vector]]) -> tuple[Matrix, Matrix]:
    """Return columns of vd and of multipliers as two matrices."""
    by_vd = transpose(vd for vd, _ in derivatives)
    return by_vd, transpose(multipliers for _, multipliers in derivatives)


@fast_path(vectors=1)
def constrained_dynamics_derivatives(
    state: State[ArrayT],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    space: Space = "tangent",
    stabilization: Stabilization = DEFAULT_STABILIZATION,
) -> Call[ConstrainedDerivatives[ArrayT]]:
    """First derivatives of the accelerations and the multipliers of a mechanism with loops.

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
    check_space(space)
    nv, nc, n = state.layout.nv, state.layout.nc, column_count(state, space)
    tau, gains = torques_of(state, torques), gain_arguments(state, stabilization)
    external = applied_wrenches(state, external_wrenches)
    parts = {"vd by q": (nv, n), "vd by v": (nv, nv), "vd by torques": (nv, nv)}
    parts |= {"multipliers by q": (nc, n), "multipliers by v": (nc, nv), "multipliers by torques": (nc, nv)}
    shapes = {f"derivative of {name}": shape for name, shape in parts.items()}
    args = tau, external, space, *gains
    return KernelCall(constrained_derivatives_kernel, args, shapes, ConstrainedDerivatives)
