"""Derivatives of the bias c, of M x and of M^-1 f, by the recursion of Singh, Russell and Wensing (2022) in `rnea.py`.

c is inverse dynamics at vd = 0, and M x is inverse dynamics at vd = x without velocity and gravity. With loops they are
those of the spanning tree, as `dynamics_bias` and `mass_matrix` are.
"""

from __future__ import annotations

from rbd.algorithms.accelerations import Vd
from rbd.algorithms.derivatives.applied_forces import wrench_derivatives
from rbd.algorithms.derivatives.rnea import rigid_body_derivatives
from rbd.algorithms.derivatives.space import Space, check_space, column_count, in_space
from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.torques import Torques
from rbd.engine.fast_path import fast_path
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Matrix, Vector
from rbd.scalars.linear_algebra import add_matrices, freeze, transpose


@kernel(regroup=True, multiple_outputs=True)
def bias_derivatives_kernel(
    state: StateView, external: AppliedWrenches = (), space: Space = "tangent"
) -> tuple[Matrix, Matrix]:
    """Return the derivatives of c by position and by v."""
    rigid = rigid_body_derivatives(state, None)
    by_position = add_matrices(rigid.by_position, wrench_derivatives(state, external))
    return in_space(state, by_position, space), freeze(rigid.by_velocity)


@fast_path()
def bias_derivatives(
    state: State[ArrayT], external_wrenches: ExternalWrenches | None = None, *, space: Space = "tangent"
) -> Call[tuple[ArrayT, ArrayT]]:
    """First derivatives (d_dq, d_dv) of `dynamics_bias`, with loops too.

    `space` and `external_wrenches` as in `inverse_dynamics_derivatives`. Raises ArgumentError for another space, and
    FrameMismatchError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> d_dq, d_dv = rbd.bias_derivatives(state)
    >>> bool(abs(d_dv @ state.v - 2 * (rbd.dynamics_bias(state) - rbd.gravity_torques(state))).max() < 1e-12)
    True
    """
    check_space(space)
    nv = state.layout.nv
    shapes = {"derivative by position": (nv, column_count(state, space)), "derivative by velocity": (nv, nv)}
    return KernelCall(bias_derivatives_kernel, (applied_wrenches(state, external_wrenches), space), shapes)


@kernel(regroup=True)
def mass_matrix_product_derivatives_kernel(state: StateView, x: Vector, space: Space = "tangent") -> Matrix:
    """Return the derivative of M x by position at constant x."""
    resting = without_velocity(state)
    return in_space(resting, freeze(rigid_body_derivatives(resting, x, gravity=False).by_position), space)


def without_velocity(state: StateView) -> StateView:
    """Return the same configuration without velocity."""
    return state.with_scalars(None, (0,) * state.layout.nv)


@fast_path(vectors=1)
def mass_matrix_product_derivatives(state: State[ArrayT], x: Vd, *, space: Space = "tangent") -> Call[ArrayT]:
    """Partial derivative of M(q) x by position at constant `x`: (nv, nv), or (nv, nq) in coordinates.

    `space` as in `inverse_dynamics_derivatives`. Raises ArgumentError for another space, ShapeError, NotFiniteError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> rbd.mass_matrix_product_derivatives(state, [1.0, 2.0])
    array([[ 0.        , -0.77883668],
           [ 0.        , -0.19470917]])
    """
    check_space(space)
    nv = state.layout.nv
    shape = {"derivative of M x": (nv, column_count(state, space))}
    return KernelCall(mass_matrix_product_derivatives_kernel, (state.vector(x, nv, "x"), space), shape)


@kernel(regroup=True)
def inverse_mass_product_derivatives_kernel(state: StateView, f: Vector, space: Space = "tangent") -> Matrix:
    """Return the derivative of M^-1 f by position at constant f: -M^-1 d(M x) at x = M^-1 f."""
    factor = factored(state, mass_matrix_kernel(state))
    resting = without_velocity(state)
    slopes = rigid_body_derivatives(resting, factor.solve(f), gravity=False).by_position
    columns = factor.negative().solve_all(list(zip(*slopes, strict=True)))
    return in_space(resting, transpose(columns), space)


@fast_path(vectors=1)
def inverse_mass_product_derivatives(state: State[ArrayT], f: Torques, *, space: Space = "tangent") -> Call[ArrayT]:
    """Partial derivative of M(q)^-1 f by position at constant `f`: (nv, nv), or (nv, nq) in coordinates.

    `space` as in `inverse_dynamics_derivatives`. Raises ArgumentError for another space, ShapeError, NotFiniteError,
    and SingularError, naming the joint, when M cannot be inverted.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> rbd.inverse_mass_product_derivatives(state, [0.0, 1.0])
    array([[  0.        ,   3.46589486],
           [ -0.        , -10.24283976]])
    """
    check_space(space)
    nv = state.layout.nv
    shape = {"derivative of M^-1 f": (nv, column_count(state, space))}
    return KernelCall(inverse_mass_product_derivatives_kernel, (state.vector(f, nv, "f"), space), shape)
