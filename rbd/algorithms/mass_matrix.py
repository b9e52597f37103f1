"""Joint-space mass matrix: composite-rigid-body algorithm (CRBA), and its inverse.

Featherstone (2008), table 6.2, in body frames.
"""

from __future__ import annotations

from rbd.algorithms.assembly import Rows, zeros
from rbd.engine.fast_path import fast_path
from rbd.indexing.layout import TreeNode
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Matrix
from rbd.scalars.linear_algebra import freeze
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.spatial.recursions.column_operations import transpose_product


@kernel(regroup=True)
def mass_matrix_kernel(state: StateView) -> Matrix:
    """Return M: M_ji = S_j^T F with F = I^C_i S_i for a joint i and the joints j that carry it, plus armatures."""
    M = zeros(state.layout.nv)
    for node in state.nodes:
        _add_column(state, node, M)
        add_armature(state, node, M)
    return freeze(M)


def add_armature(state: StateView, node: TreeNode, M: Rows) -> None:
    """Add the armature of a joint to the diagonal of a mass matrix under construction."""
    for i, armature in enumerate(state.joint_parameter(node.joint, "armature"), start=node.v_slice.start):
        M[i][i] = M[i][i] + armature


def _add_column(state: StateView, node: TreeNode, M: Rows) -> None:
    """Fill the entries of M of a joint with itself and its ancestors."""
    subspaces, to_parent = passes.subspaces(state), passes.to_parent(state)
    F = passes.composite_inertias(state)[node.index] @ subspaces[node.index - 1]
    for ancestor in state.layout.nodes_to_root(node.index):
        block = transpose_product(subspaces[ancestor.index - 1], F)
        for i, entries in enumerate(block, start=ancestor.v_slice.start):
            for j, entry in enumerate(entries, start=node.v_slice.start):
                if ancestor is not node or i <= j:
                    M[i][j] = M[j][i] = entry
        F = F.transformed(to_parent[ancestor.index - 1])


def factored(state: StateView, matrix: Matrix) -> Factor:
    """Factor a mass matrix; raise SingularError naming the joint without inertia."""
    labels = [f"the inertia that joint '{node.joint.name}' moves" for node in state.nodes for _ in range(node.joint.nv)]
    return Factor.of(matrix, labels)


@fast_path(out=True)
def mass_matrix(state: State[ArrayT], *, out: ArrayT | None = None) -> Call[ArrayT]:
    """Mass matrix M(q), composite-rigid-body algorithm (CRBA): full and symmetric, (nv, nv), armatures included.

    Raises StaleStateError after an edit of the mechanism, ShapeError when `out` does not fit.

    >>> import numpy as np, rbd
    >>> M = rbd.mass_matrix(rbd.MechanismState(rbd.robots.double_pendulum()))
    >>> bool(np.all(M == M.T)), bool(np.all(np.linalg.eigvalsh(M) > 0))
    (True, True)
    """
    nv = state.layout.nv
    return KernelCall(mass_matrix_kernel, (), {"mass matrix": (nv, nv)}, out=out)


@kernel(regroup=True)
def inverse_mass_matrix_kernel(state: StateView) -> Matrix:
    """Return the inverse of M from its factor."""
    return factored(state, mass_matrix_kernel(state)).inverse()


@fast_path(out=True)
def inverse_mass_matrix(state: State[ArrayT], *, out: ArrayT | None = None) -> Call[ArrayT]:
    """Inverse of the mass matrix, (nv, nv), exactly symmetric.

    Raises SingularError, naming the joint, when there is none.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> bool(np.allclose(rbd.inverse_mass_matrix(state) @ rbd.mass_matrix(state), np.eye(2)))
    True
    """
    nv = state.layout.nv
    return KernelCall(inverse_mass_matrix_kernel, (), {"inverse mass matrix": (nv, nv)}, out=out)
