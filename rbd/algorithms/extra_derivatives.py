"""Derivatives of passive torques and of external wrenches."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.algorithms.external import HeldWrench, on_body
from rbd.algorithms.passive import active_springs, joint_passive_torques
from rbd.algorithms.rigid_derivatives import Rows, TorqueDerivatives, zero_rows
from rbd.algorithms.variations import turning
from rbd.scalars import Matrix, Vector
from rbd.scalars.dual import along
from rbd.spatial import GeometricJacobian, Wrench
from rbd.spatial.pairing import pair
from rbd.spatial.platform import moved_wrench
from rbd.state import Link, StateView, passes


def extra_derivatives(state: StateView, held: Sequence[HeldWrench]) -> TorqueDerivatives:
    """Return the derivatives of the torques that work against passive torques and external wrenches."""
    result = TorqueDerivatives.zero(state.layout.nv)
    for link in state.links:
        _add_passive(state, link, result)
    for each in held:
        _add_wrench(state, each, result.by_position)
    return result


def wrench_derivatives(state: StateView, held: Sequence[HeldWrench]) -> Rows:
    """Return the derivatives by position of the torques that work against external wrenches."""
    rows = zero_rows(state.layout.nv)
    for each in held:
        _add_wrench(state, each, rows)
    return rows


def _add_passive(state: StateView, link: Link, result: TorqueDerivatives) -> None:
    """Subtract the derivatives of the joint's own torques, which are exact: it is run on dual numbers."""
    q, v = state.joint_q(link), state.joint_v(link)
    if active_springs(state, link):
        directions = zip(*link.joint.type.configuration_derivative_jacobian(q), strict=True)
        for k, direction in enumerate(directions, start=link.v.start):
            _, slopes = along(lambda moved: joint_passive_torques(state, link, moved, v), q, direction)
            _subtract(result.by_position, link, k, slopes)
    for k in range(link.joint.nv):
        unit = tuple(int(i == k) for i in range(link.joint.nv))
        _, slopes = along(lambda sped: joint_passive_torques(state, link, q, sped), v, unit)
        _subtract(result.by_velocity, link, link.v.start + k, slopes)


def _subtract(rows: Rows, link: Link, column: int, slopes: Vector) -> None:
    for i, slope in enumerate(slopes, start=link.v.start):
        rows[i][column] = rows[i][column] - slope


def _add_wrench(state: StateView, held: HeldWrench, rows: Rows) -> None:
    """Add the derivative of minus S_m^T w over all joints m that carry the body.

    When joint j moves along h, an S_m beyond j turns along, and so does w if its holder is beyond j: the change of
    -S_m^T w is S_m^T (h x* w), once more for the first and once less for the second.
    """
    carriers, holders = state.layout.ancestors(held.body), state.layout.ancestors(held.holder)
    here = {index: _subspace_in(state, index, held.body) for index in {*carriers, *holders}}
    wrench = on_body(state, held)
    moved = {index: moved_wrench(subspace, wrench) for index, subspace in here.items()}
    for m in carriers:
        for j in here:
            times = int(j in state.layout.ancestors(m)) - int(j in holders)
            if times:
                _accumulate(rows, state.links[m - 1], state.links[j - 1], pair(here[m], moved[j]), times)
        link = state.links[m - 1]
        turned = tuple(each.torque_components(_wrench_in(state, held.body, wrench, m)) for each in turning(state, link))
        _accumulate(rows, link, link, tuple(zip(*turned, strict=True)), -1)


def _subspace_in(state: StateView, index: int, body: int) -> GeometricJacobian:
    """Return the motion subspace of a link in the frame of a body."""
    poses = passes.to_trunk(state)
    return passes.subspaces(state)[index - 1].transformed(poses[body].inverse() @ poses[index])


def _wrench_in(state: StateView, body: int, wrench: Wrench, index: int) -> Wrench:
    poses = passes.to_trunk(state)
    return wrench.transformed(poses[index].inverse() @ poses[body])


def _accumulate(rows: Rows, row_link: Link, column_link: Link, block: Matrix, times: int) -> None:
    for i, entries in enumerate(block, start=row_link.v.start):
        for j, entry in enumerate(entries, start=column_link.v.start):
            rows[i][j] = rows[i][j] + times * entry
