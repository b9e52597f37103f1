"""Derivatives of passive torques and external wrenches, which the derivatives of RNEA leave out.

Passive torques are differentiated on dual numbers; external wrenches by the product rule on S^T f^x, as Carpentier and
Mansard (2018, section III) differentiate S^T f, for wrenches that are constant in the frame of any body.
"""

from __future__ import annotations

from rbd.algorithms.assembly import Rows, zeros
from rbd.algorithms.derivatives.rnea import TorqueDerivatives
from rbd.algorithms.derivatives.variations import subspace_derivatives
from rbd.algorithms.external_wrenches import AppliedWrench, AppliedWrenches, in_body_frame
from rbd.algorithms.passive import active_springs, joint_passive_torques
from rbd.indexing.layout import TreeNode
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Matrix, Vector
from rbd.scalars.dual import value_and_derivative
from rbd.scalars.linear_algebra import identity, transpose
from rbd.spatial import GeometricJacobian, Wrench
from rbd.spatial.recursions.column_operations import force_cross_columns, transpose_product


def applied_force_derivatives(state: StateView, external: AppliedWrenches) -> TorqueDerivatives:
    """Return the derivatives of minus the torques of passive elements and external wrenches."""
    result = TorqueDerivatives.zero(state.layout.nv)
    for node in state.nodes:
        _add_passive(state, node, result)
    for applied in external:
        _add_wrench(state, applied, result.by_position)
    return result


def wrench_derivatives(state: StateView, external: AppliedWrenches) -> Rows:
    """Return the derivatives by position of minus the torques of external wrenches."""
    rows = zeros(state.layout.nv)
    for applied in external:
        _add_wrench(state, applied, rows)
    return rows


def _add_passive(state: StateView, node: TreeNode, result: TorqueDerivatives) -> None:
    """Subtract the derivatives of the passive torques of a joint, found on dual numbers."""
    q, v = state.joint_q(node), state.joint_v(node)
    if active_springs(state, node):
        directions = zip(*node.joint.type.configuration_derivative_jacobian(q), strict=True)
        for k, direction in enumerate(directions, start=node.v_slice.start):
            _, slopes = value_and_derivative(lambda x: joint_passive_torques(state, node, x, v), q, direction)
            _subtract(result.by_position, node, k, slopes)
    for k, direction in enumerate(identity(node.joint.nv)):
        _, slopes = value_and_derivative(lambda x: joint_passive_torques(state, node, q, x), v, direction)
        _subtract(result.by_velocity, node, node.v_slice.start + k, slopes)


def _subtract(rows: Rows, node: TreeNode, column: int, slopes: Vector) -> None:
    for i, slope in enumerate(slopes, start=node.v_slice.start):
        rows[i][column] = rows[i][column] - slope


def _add_wrench(state: StateView, applied: AppliedWrench, rows: Rows) -> None:
    """Add the derivative of -S_i^T f^x over all joints i that carry the body the wrench f^x acts on.

    Along S_j, S_i changes by S_j x S_i if j carries i, and f^x by S_j x* f^x if j carries the body in whose frame it is
    constant. Both change -S_i^T f^x by S_i^T (S_j x* f^x), the first with a plus, the second with a minus sign.
    """
    carriers, holders = state.layout.path_to_root(applied.body), state.layout.path_to_root(applied.holder)
    S = {index: _subspace_in(state, index, applied.body) for index in {*carriers, *holders}}
    f_x = in_body_frame(state, applied)
    S_cross_f = {index: force_cross_columns(subspace, f_x) for index, subspace in S.items()}
    for i in carriers:
        for j in S:
            sign = int(j in state.layout.path_to_root(i)) - int(j in holders)
            if sign:
                _accumulate(rows, state.nodes[i - 1], state.nodes[j - 1], transpose_product(S[i], S_cross_f[j]), sign)
        node = state.nodes[i - 1]
        dS = subspace_derivatives(state, node)
        dS_f = tuple(dS_i.torque_components(_wrench_in(state, applied.body, f_x, i)) for dS_i in dS)
        _accumulate(rows, node, node, transpose(dS_f), -1)


def _subspace_in(state: StateView, index: int, body: int) -> GeometricJacobian:
    """Return the motion subspace of a node in the frame of a body."""
    poses = passes.to_trunk(state)
    return passes.subspaces(state)[index - 1].transformed(poses[body].inverse() @ poses[index])


def _wrench_in(state: StateView, body: int, wrench: Wrench, index: int) -> Wrench:
    """Return a wrench in the frame of body `body` in that of body `index`."""
    poses = passes.to_trunk(state)
    return wrench.transformed(poses[index].inverse() @ poses[body])


def _accumulate(rows: Rows, row_node: TreeNode, column_node: TreeNode, block: Matrix, sign: int) -> None:
    for i, entries in enumerate(block, start=row_node.v_slice.start):
        for j, entry in enumerate(entries, start=column_node.v_slice.start):
            rows[i][j] = rows[i][j] + sign * entry
