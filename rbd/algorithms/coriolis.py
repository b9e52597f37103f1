"""Coriolis matrix: the factorisation C of the velocity terms for which dM/dt - 2 C is skew-symmetric.

Echeandia and Wensing (2021), "Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
systems", in body frames; motion subspaces may depend on position.
"""

from __future__ import annotations

from rbd.algorithms.assembly import Rows, subtree_sums, write_block, zeros
from rbd.engine.fast_path import fast_path
from rbd.indexing.layout import TreeNode
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Matrix
from rbd.scalars.linear_algebra import add_matrices, freeze, transpose
from rbd.spatial import GeometricJacobian
from rbd.spatial.recursions.column_operations import (
    add_columns,
    momentum_rate_columns,
    motion_cross_columns,
    transpose_product,
)
from rbd.spatial.recursions.coriolis import CoriolisOperator


@kernel
def coriolis_matrix_kernel(state: StateView) -> Matrix:
    """Return C: for a joint i carried by j, C_ji = S_j^T (B^C_i S_i + I^C_i S_d_i), and C_ij likewise."""
    C = zeros(state.layout.nv)
    B = [
        CoriolisOperator.of_body(inertia, V)
        for inertia, V in zip(passes.body_inertias(state), passes.body_twists(state), strict=True)
    ]
    B_C, S_d = subtree_sums(state, B), _subspace_rates(state)
    for node in state.nodes:
        _write_blocks(state, node, B_C[node.index], S_d, C)
    return freeze(C)


def _subspace_rates(state: StateView) -> tuple[GeometricJacobian, ...]:
    """Return, per node, S_d = V x S + the rate of S in the body frame."""
    V, S_rate = passes.body_twists(state), passes.subspace_rates(state)
    rows = zip(state.nodes, passes.subspaces(state), S_rate, strict=True)
    return tuple(add_columns(motion_cross_columns(V[node.index], S), rate) for node, S, rate in rows)


def _write_blocks(
    state: StateView, node: TreeNode, B_C: CoriolisOperator, S_d: tuple[GeometricJacobian, ...], C: Rows
) -> None:
    """Write the block of a joint with itself, and the two with each joint that carries it."""
    subspaces, to_parent = passes.subspaces(state), passes.to_parent(state)
    S, I_C = subspaces[node.index - 1], passes.composite_inertias(state)[node.index]
    F = add_columns(B_C.wrenches(S), momentum_rate_columns(I_C @ S_d[node.index - 1]))  # B^C S + I^C S_d
    I_C_S, B_T_S = I_C @ S, B_C.transposed_wrenches(S)
    for ancestor in state.layout.nodes_to_root(node.index):
        j = ancestor.index - 1
        write_block(C, ancestor.v_slice.start, node.v_slice.start, transpose_product(subspaces[j], F))
        if ancestor is not node:
            block = add_matrices(transpose_product(S_d[j], I_C_S), transpose_product(subspaces[j], B_T_S))
            write_block(C, node.v_slice.start, ancestor.v_slice.start, transpose(block))
        F, I_C_S, B_T_S = F.transformed(to_parent[j]), I_C_S.transformed(to_parent[j]), B_T_S.transformed(to_parent[j])


@fast_path(out=True)
def coriolis_matrix(state: State[ArrayT], *, out: ArrayT | None = None) -> Call[ArrayT]:
    """Coriolis matrix C(q, v), (nv, nv): C v are the velocity terms of the bias, and dM/dt - 2 C is skew-symmetric.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> terms = rbd.dynamics_bias(state) - rbd.gravity_torques(state)
    >>> bool(np.allclose(rbd.coriolis_matrix(state) @ state.v, terms))
    True
    """
    nv = state.layout.nv
    return KernelCall(coriolis_matrix_kernel, (), {"Coriolis matrix": (nv, nv)}, out=out)
