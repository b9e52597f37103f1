"""Derivatives of forward dynamics: Carpentier and Mansard (2018), section IV.

From M vd + c = torques + passive follows d vd = M^-1 (d torques - d ID), ID being the inverse dynamics at vd (their
equations for dFD/dq, dFD/dv, dFD/dtau). M is a by-product of the derivatives of ID, so its factor gives vd too.
It differs in one thing: `KnownColumns`, those that belong to motion of the whole mechanism, need no solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import attrs

from rbd.algorithms.assembly import Rows
from rbd.algorithms.derivatives.applied_forces import applied_force_derivatives
from rbd.algorithms.derivatives.constrained_dynamics import constrained_dynamics_derivatives
from rbd.algorithms.derivatives.rnea import torque_derivatives
from rbd.algorithms.derivatives.space import Space, check_space, column_count, in_space
from rbd.algorithms.derivatives.sparse_products import solve_difference
from rbd.algorithms.derivatives.variations import Variations, variations
from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION, Stabilization
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.newton_euler import dynamics_bias_kernel, net_torques
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.torques import Torques, torques_of
from rbd.engine.fast_path import fast_path
from rbd.indexing.layout import TreeNode
from rbd.joints.floating import FloatingJoint
from rbd.kernels.calls import Call, ComputedCall, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.linear_algebra import identity, negate, transpose
from rbd.solvers.equations.ltdl_factor import Factor, symmetric


@kernel(regroup=True, multiple_outputs=True)
def forward_dynamics_derivatives_kernel(
    state: StateView, torques: Vector, external: AppliedWrenches = (), space: Space = "tangent"
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives of vd by position, by v and by torques, which is the inverse of M."""
    by_position, by_velocity, inverse = linearized_dynamics(state, torques, external).slopes()
    return in_space(state, by_position, space), by_velocity, inverse


KnownColumns = dict[int, tuple[TreeNode, Vector]]
"""Column k -> accelerations x of one joint such that column k of d ID, of rigid bodies, is M x."""


@final
@attrs.frozen(eq=False)
class LinearizedDynamics:
    """The linearised equations of motion: M d vd = d torques - d ID."""

    vd: Vector
    factor: Factor
    """The factor of M."""
    d_ID: list[Sequence[Scalar]]
    """The columns of dID/dq, then of dID/dv, at constant vd; without the known parts."""
    known: tuple[KnownColumns, KnownColumns]
    """The known parts of dID/dq and dID/dv."""

    def slopes(self) -> tuple[Matrix, Matrix, Matrix]:
        """Return the derivatives of vd by position, by v and by torques."""
        nv, (known_q, known_v) = len(self.vd), self.known
        d_vd = self.factor.negative().solve_all([*self.d_ID, *map(negate, identity(nv))])
        by_position, by_velocity = _with_known(d_vd[:nv], known_q), _with_known(d_vd[nv : 2 * nv], known_v)
        return by_position, by_velocity, symmetric(d_vd[2 * nv :])

    def chained(self, q: Matrix, v: Matrix, torques: Matrix) -> Matrix:
        """Chain rule: return the derivatives of vd from those of q (along velocities), of v and of the torques."""
        rows = list(solve_difference(self.factor, torques, transpose(self.d_ID), (*q, *v)))
        for known, d_x in zip(self.known, (q, v), strict=True):
            for k, (node, rates) in known.items():
                for i, rate in enumerate(rates, start=node.v_slice.start):
                    rows[i] = tuple(x - rate * y for x, y in zip(rows[i], d_x[k], strict=True))
        return tuple(rows)


def linearized_dynamics(state: StateView, torques: Vector, external: AppliedWrenches = ()) -> LinearizedDynamics:
    """Return the equations of motion, linearised at the motion under `torques`."""
    factor = factored(state, mass_matrix_kernel(state))
    bias, passive = dynamics_bias_kernel(state, external), passive_torques_kernel(state)
    vd = factor.solve(net_torques(torques, passive, bias))
    varied = variations(state, vd)
    rigid, extra = torque_derivatives(state, varied), applied_force_derivatives(state, external)
    known = _positions_known(state, varied), _velocities_known(state, varied)
    right = _right(state, rigid.by_position, extra.by_position, known[0])
    right += _right(state, rigid.by_velocity, extra.by_velocity, known[1])
    return LinearizedDynamics(vd, factor, right, known)


def _positions_known(state: StateView, varied: Variations) -> KnownColumns:
    """Return the known columns of dID/dq: moving the whole mechanism with its floating joint changes ID by M Psi_dd."""
    known: KnownColumns = {}
    for node in _floating(state):
        for k, (angular, linear) in enumerate(varied.joints[node.index - 1].Psi_dd.columns):
            known[node.v_slice.start + k] = (node, angular + linear)
    return known


def _velocities_known(state: StateView, varied: Variations) -> KnownColumns:
    """Return the known columns of dID/dv: a linear velocity of the floating joint is common to all bodies."""
    known: KnownColumns = {}
    for node in _floating(state):
        for k, (angular, linear) in list(enumerate(varied.joints[node.index - 1].Psi_d_plus_S_d.columns))[3:]:
            known[node.v_slice.start + k] = (node, angular + linear)
    return known


def _floating(state: StateView) -> list[TreeNode]:
    return [node for node in state.nodes if node.parent == 0 and isinstance(node.joint.type, FloatingJoint)]


def _right(state: StateView, rigid: Rows, extra: Rows, known: KnownColumns) -> list[Sequence[Scalar]]:
    """Return the columns of d ID without the known parts."""
    columns: list[Sequence[Scalar]] = []
    for k in range(len(rigid)):
        right, known_column = [row[k] for row in extra], known.get(k)
        if known_column is None:
            right = [x + row[k] for x, row in zip(right, rigid, strict=True)]
        else:
            _subtract_armatures(state, right, *known_column)
        columns.append(right)
    return columns


def _with_known(columns: Sequence[Vector], known: KnownColumns) -> Matrix:
    """Return a matrix from its columns, which lack the known parts."""
    full = [list(column) for column in columns]
    for k, (node, rates) in known.items():
        for i, rate in enumerate(rates, start=node.v_slice.start):
            full[k][i] = full[k][i] - rate
    return transpose(full)


def _subtract_armatures(state: StateView, right: list[Scalar], node: TreeNode, rates: Vector) -> None:
    """Subtract armature times `rates`: it is part of M, but not of the inverse dynamics of rigid bodies."""
    armatures = state.joint_parameter(node.joint, "armature")
    for i, (armature, rate) in enumerate(zip(armatures, rates, strict=True), start=node.v_slice.start):
        right[i] = right[i] - armature * rate


@fast_path(vectors=1)
def forward_dynamics_derivatives(
    state: State[ArrayT],
    torques: Torques | None = None,
    external_wrenches: ExternalWrenches | None = None,
    *,
    space: Space = "tangent",
    stabilization: Stabilization = DEFAULT_STABILIZATION,
) -> Call[tuple[ArrayT, ArrayT, ArrayT]]:
    """First derivatives (d_dq, d_dv, d_dtau) of `forward_dynamics`; d_dtau is the inverse of the mass matrix.

    `space` and `external_wrenches` as in `inverse_dynamics_derivatives`. With loops, d_dtau is the inverse of M as far
    as these allow motion; see `constrained_dynamics_derivatives`, which has those of the multipliers too. Raises
    ArgumentError for another space, ShapeError, NotFiniteError, FrameMismatchError, and SingularError, naming the
    joint, when M cannot be inverted.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> d_dq, d_dv, d_dtau = rbd.forward_dynamics_derivatives(state, [0.5, -0.5])
    >>> bool(np.allclose(d_dtau, rbd.inverse_mass_matrix(state)))
    True
    """
    check_space(space)
    if state.layout.is_constrained:
        if stabilization is DEFAULT_STABILIZATION:  # which has a fast path
            derivatives = constrained_dynamics_derivatives(state, torques, external_wrenches, space=space)
        else:
            derivatives = constrained_dynamics_derivatives(
                state, torques, external_wrenches, space=space, stabilization=stabilization
            )
        return ComputedCall((derivatives.vd_by_q, derivatives.vd_by_v, derivatives.vd_by_torques))
    nv = state.layout.nv
    tau = torques_of(state, torques)
    n, args = column_count(state, space), (tau, applied_wrenches(state, external_wrenches), space)
    shapes = {"derivative by position": (nv, n), "derivative by velocity": (nv, nv), "inverse mass matrix": (nv, nv)}
    return KernelCall(forward_dynamics_derivatives_kernel, args, shapes)
