"""Derivatives of the recursive Newton-Euler algorithm: Singh, Russell and Wensing (2022), algorithm IDSVA.

"Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra." In their letters, for a joint i
and a joint j that carries it (j is an ancestor of i, or i itself):

    dtau_j/dq_i = S_j^T (2 B^C_i Psi_d_i + I^C_i Psi_dd_i + S_i x* f^C_i)
    dtau_i/dq_j = S_i^T (2 B^C_i Psi_d_j + I^C_i Psi_dd_j)
    dtau_j/dv_i = S_j^T (2 B^C_i S_i + I^C_i (Psi_d_i + S_d_i))
    dtau_i/dv_j = S_i^T (2 B^C_i S_j + I^C_i (Psi_d_j + S_d_j))
    dtau_j/dvd_i = S_j^T I^C_i S_i

It differs in three things: values are in body frames and carried to each ancestor; motion subspaces may depend on
position, with a term dS^T f^C on the diagonal; wrenches come from accelerations of frame origins, which are the same.
Neither armature nor passive torques nor external wrenches are in here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import final

import attrs

from rbd.algorithms.assembly import Rows, subtree_sums, write_block, zeros
from rbd.algorithms.derivatives.variations import Variations, variations
from rbd.algorithms.newton_euler import body_wrenches
from rbd.indexing.layout import TreeNode
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Vector
from rbd.scalars.linear_algebra import add_matrices, symmetric_from_upper, transpose
from rbd.spatial import MomentumMatrix, Transform, Wrench, WrenchMatrix
from rbd.spatial.recursions.column_operations import (
    add_columns,
    force_cross_columns,
    momentum_rate_columns,
    transpose_product,
)


@final
@attrs.frozen(eq=False)
class TorqueDerivatives:
    """Square matrices under construction: derivatives of torques by position (along velocities), velocity, vd."""

    by_position: Rows
    by_velocity: Rows
    by_acceleration: Rows

    @classmethod
    def zero(cls, size: int) -> TorqueDerivatives:
        """Return zero derivatives."""
        return cls(zeros(size), zeros(size), zeros(size))


def rigid_body_derivatives(state: StateView, vd: Vector | None, *, gravity: bool = True) -> TorqueDerivatives:
    """Return the derivatives of the torques of the bodies' motion at accelerations `vd` (None: zero)."""
    return torque_derivatives(state, variations(state, vd, gravity=gravity))


def torque_derivatives(state: StateView, varied: Variations) -> TorqueDerivatives:
    """Return the derivatives of the torques of a motion whose variations are known."""
    f_C = subtree_sums(state, body_wrenches(state, varied.motions))
    result = TorqueDerivatives.zero(state.layout.nv)
    for node in state.nodes:
        if node.joint.nv:
            _add_joint(state, node, varied, f_C[node.index], result)
    return result


@final
@attrs.frozen(eq=False)
class SubtreeWrenches:
    """Derivatives by the coordinates of joint i of the wrench on its subtree, in the frame of one of its ancestors."""

    df_dq: WrenchMatrix
    """2 B^C_i Psi_d_i + I^C_i Psi_dd_i + S_i x* f^C_i."""
    df_dv: WrenchMatrix
    """2 B^C_i S_i + I^C_i (Psi_d_i + S_d_i)."""
    I_C_S: MomentumMatrix
    """I^C_i S_i."""
    two_B_T_S: WrenchMatrix
    """2 B^C_i^T S_i."""

    def transformed(self, X_PB: Transform) -> SubtreeWrenches:
        """Return the same in the frame of the next ancestor."""
        return SubtreeWrenches(
            self.df_dq.transformed(X_PB),
            self.df_dv.transformed(X_PB),
            self.I_C_S.transformed(X_PB),
            self.two_B_T_S.transformed(X_PB),
        )


def _add_joint(state: StateView, node: TreeNode, varied: Variations, f_C: Wrench, result: TorqueDerivatives) -> None:
    """Write the blocks of a joint i with itself and with every joint j that carries it."""
    S_i, to_parent = passes.subspaces(state)[node.index - 1], passes.to_parent(state)
    wrenches = _subtree_wrenches(state, node, varied)
    _write_own(state, node, varied, wrenches, f_C, result)
    wrenches = attrs.evolve(wrenches, df_dq=add_columns(wrenches.df_dq, force_cross_columns(S_i, f_C)))
    for child, ancestor in pairwise(state.layout.nodes_to_root(node.index)):
        wrenches = wrenches.transformed(to_parent[child.index - 1])
        _write_pair(state, node, ancestor, varied, wrenches, result)


def _subtree_wrenches(state: StateView, node: TreeNode, varied: Variations) -> SubtreeWrenches:
    """Return the wrench derivatives of a joint in its body's frame, without the term S x* f^C."""
    S, terms = passes.subspaces(state)[node.index - 1], varied.joints[node.index - 1]
    I_C, two_B_C = passes.composite_inertias(state)[node.index], varied.two_B_C[node.index]
    return SubtreeWrenches(
        add_columns(two_B_C.wrenches(terms.Psi_d), momentum_rate_columns(I_C @ terms.Psi_dd)),
        add_columns(two_B_C.wrenches(S), momentum_rate_columns(I_C @ terms.Psi_d_plus_S_d)),
        I_C @ S,
        two_B_C.transposed_wrenches(S),
    )


def _write_own(
    state: StateView,
    node: TreeNode,
    varied: Variations,
    wrenches: SubtreeWrenches,
    f_C: Wrench,
    result: TorqueDerivatives,
) -> None:
    """Write the diagonal block. S^T (S x* f^C) cancels there; dS^T f^C does not."""
    S, dS, at = passes.subspaces(state)[node.index - 1], varied.joints[node.index - 1].dS, node.v_slice.start
    by_position = transpose_product(S, wrenches.df_dq)
    if dS:
        by_position = add_matrices(by_position, transpose(tuple(dS_k.torque_components(f_C) for dS_k in dS)))
    write_block(result.by_position, at, at, by_position)
    write_block(result.by_velocity, at, at, transpose_product(S, wrenches.df_dv))
    write_block(result.by_acceleration, at, at, symmetric_from_upper(transpose_product(S, wrenches.I_C_S)))


def _write_pair(
    state: StateView,
    node: TreeNode,
    ancestor: TreeNode,
    varied: Variations,
    wrenches: SubtreeWrenches,
    result: TorqueDerivatives,
) -> None:
    """Write the two blocks of a joint i with a joint j that carries it; `wrenches` in the frame of body j."""
    S_j, terms_j = passes.subspaces(state)[ancestor.index - 1], varied.joints[ancestor.index - 1]
    i, j = node.v_slice.start, ancestor.v_slice.start
    write_block(result.by_position, j, i, transpose_product(S_j, wrenches.df_dq))
    write_block(result.by_velocity, j, i, transpose_product(S_j, wrenches.df_dv))
    write_block(result.by_acceleration, j, i, M_ji := transpose_product(S_j, wrenches.I_C_S))
    write_block(result.by_acceleration, i, j, transpose(M_ji))
    two_B_T_S, I_C_S = wrenches.two_B_T_S, wrenches.I_C_S
    by_position = add_matrices(transpose_product(terms_j.Psi_d, two_B_T_S), transpose_product(terms_j.Psi_dd, I_C_S))
    by_velocity = add_matrices(transpose_product(S_j, two_B_T_S), transpose_product(terms_j.Psi_d_plus_S_d, I_C_S))
    write_block(result.by_position, i, j, transpose(by_position))
    write_block(result.by_velocity, i, j, transpose(by_velocity))
