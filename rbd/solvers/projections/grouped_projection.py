"""Projection onto a polyhedron whose rows come in groups, U = W T, from a warm start.

The conditions of the minimum are checked with W and T. Only where they do not hold, in some lane, the rows are formed
and Newton's method (`projection_newton.py`) continues there. The intrinsic and its derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple, final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import fma, select, some
from rbd.intrinsics.workspace import operand, scratch
from rbd.scalars.linear_algebra import add_matrices, matvec, transpose
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.intervals import Intervals
from rbd.solvers.operands import entries, rows_of
from rbd.solvers.projections.cone_rows import ConePattern, GroupedCones
from rbd.solvers.projections.interior_point import WIDEST
from rbd.solvers.projections.polyhedral_projection import (
    PROJECT_ON_POLYHEDRON,
    Projected,
    ProjectionPattern,
    WarmStart,
    projection_jvp,
    projection_vjp,
)
from rbd.solvers.projections.projection_newton import (
    ACCEPTED,
    Projection,
    begin_warm,
    compute_residual,
    compute_slacks,
    finish_residual,
    interval_residual,
    iterate,
)
from rbd.solvers.projections.projection_newton import operations as operations_of_newton
from rbd.solvers.projections.row_groups import GroupPattern, RowGroup
from rbd.solvers.row_pattern import RowPattern


@final
class GroupedProjection(Projection, GroupedCones):
    """The rows as products of cones, in the order of the groups."""

    plain_entries: int
    """Entries of the interval rows."""
    rows = scratch("entries")
    interval_rows = operand("plain_entries")
    twist = scratch("6")
    wrench = scratch("6")


def _check_group(w: GroupedProjection, g: int, worst: float) -> float:
    """Compute what the forces of a group lack to the point; return the residual so far."""
    _find_twist(w, g)
    found = _check_rows(w, g, worst)
    _subtract_wrench(w, g)
    return found


def _find_twist(w: GroupedProjection, g: int) -> None:
    """Compute the twist T z of a group."""
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(w.group_sizes[g]):
        x = 0.0
        for i in range(width):
            x = fma(w.maps[w.map_starts[g] + a * width + i], w.point[w.columns[w.column_ends[g] + i]], x)
        w.twist[a] = x


def _check_rows(w: GroupedProjection, g: int, worst: float) -> float:
    """Check the rows of a group, and compute the wrench W'lam of their forces; return the residual so far."""
    for a in range(w.group_sizes[g]):
        w.wrench[a] = 0.0
    n = g * (w.tangents + 1)
    row = w.group_ends[g]
    start = w.cone_starts[g]
    while row < w.group_ends[g + 1]:
        worst = _check_cone(w, n, row, start, worst)
        row += w.edges
        start += w.part_ends[n + w.tangents + 1] - w.part_ends[n]
    return worst


def _check_cone(w: GroupedProjection, n: int, row: int, start: int, worst: float) -> float:
    """Check the rows of a cone whose first part is `n`, and add their forces; return the residual so far."""
    rate = 0.0
    base = w.part_ends[n]
    for e in range(base, w.part_ends[n + 1]):
        rate = fma(w.cones[start + (e - base)], w.twist[w.part_columns[e]], rate)
    force = 0.0
    if w.tangents == 0:
        force = w.multipliers[row]
        worst = _worse(w.sides[row] - rate, force, 0.0, 0.0, worst)
    for k in range(w.tangents):
        slide = 0.0
        for e in range(w.part_ends[n + k + 1], w.part_ends[n + k + 2]):
            slide = fma(w.cones[start + (e - base)], w.twist[w.part_columns[e]], slide)
        one = w.multipliers[row + 2 * k]
        other = w.multipliers[row + (2 * k + 1)]
        slack = w.sides[row + 2 * k] - rate - slide
        worst = _worse(slack, one, w.sides[row + (2 * k + 1)] - rate + slide, other, worst)
        force += one + other
        _add_wrench(w, n, k + 1, start, one - other)
    _add_wrench(w, n, 0, start, force)
    return worst


def _add_wrench(w: GroupedProjection, n: int, part: int, start: int, force: float) -> None:
    """Add the wrench of a part of a cone, times a force."""
    for e in range(w.part_ends[n + part], w.part_ends[n + part + 1]):
        a = w.part_columns[e]
        w.wrench[a] = fma(force, w.cones[start + (e - w.part_ends[n])], w.wrench[a])


def _worse(slack: float, force: float, other: float, opposite: float, worst: float) -> float:
    """Return the residual with those of two rows, from their slacks and multipliers; NaN where one is not finite."""
    worst = select(slack > worst, slack, worst)
    worst = select(other > worst, other, worst)
    product = abs(slack * force)
    worst = select(product > worst, product, worst)
    product = abs(other * opposite)
    worst = select(product > worst, product, worst)
    return fma(0.0, slack + other, worst)


def _subtract_wrench(w: GroupedProjection, g: int) -> None:
    """Subtract T' times the wrench of a group from what multipliers lack to the point."""
    width = w.column_ends[g + 1] - w.column_ends[g]
    for a in range(w.group_sizes[g]):
        for i in range(width):
            column = w.columns[w.column_ends[g] + i]
            entry = w.maps[w.map_starts[g] + a * width + i]
            w.direction[column] = fma(-w.wrench[a], entry, w.direction[column])


def _check(w: GroupedProjection) -> None:
    """Compute the residual of the conditions of the minimum."""
    undefined = compute_slacks(w, w.interval_rows, w.m - w.intervals)
    worst = interval_residual(w, 0.0)
    undefined = _add_intervals(w, undefined)
    for g in range(w.groups):
        worst = _check_group(w, g, worst)
    finish_residual(w, worst + undefined)


def _add_intervals(w: GroupedProjection, undefined: float) -> float:
    """Compute what the forces of interval rows lack to the point; add zero, or NaN where one is not finite."""
    first = w.m - w.intervals
    total = 0.0
    for j in range(first, w.m):
        total += abs(w.multipliers[j])
    for i in range(w.n):
        w.direction[i] = w.point[i]
    if some(total > 0.0):
        for j in range(first, w.m):
            for k in range(w.row_ends[j], w.row_ends[j + 1]):
                entry = w.interval_rows[k - w.row_ends[first]]
                column = w.row_columns[k]
                w.direction[column] = fma(-w.multipliers[j], entry, w.direction[column])
    return fma(0.0, total, undefined)


def _form_rows(w: GroupedProjection) -> None:
    """Compute U = W T, behind which the interval rows are."""
    for k in range(w.plain_entries):
        w.rows[w.row_ends[w.m - w.intervals] + k] = w.interval_rows[k]
    for g in range(w.groups):
        n = g * (w.tangents + 1)
        row = w.group_ends[g]
        start = w.cone_starts[g]
        while row < w.group_ends[g + 1]:
            if w.tangents == 0:
                _form_row(w, g, row, start, 0, 0.0)
            for k in range(w.tangents):
                _form_row(w, g, row + 2 * k, start, k + 1, 1.0)
                _form_row(w, g, row + (2 * k + 1), start, k + 1, -1.0)
            row += w.edges
            start += w.part_ends[n + w.tangents + 1] - w.part_ends[n]


def _form_row(w: GroupedProjection, g: int, row: int, start: int, part: int, sign: float) -> None:
    """Compute a row of U, that of a cone with a share `sign` of the tangent of a part."""
    n = g * (w.tangents + 1)
    for a in range(w.group_sizes[g]):
        w.wrench[a] = 0.0
    _add_wrench(w, n, 0, start, 1.0)
    _add_wrench(w, n, part, start, sign)
    width = w.column_ends[g + 1] - w.column_ends[g]
    entry = w.row_ends[row]
    for i in range(width):
        x = 0.0
        for a in range(w.group_sizes[g]):
            x = fma(w.wrench[a], w.maps[w.map_starts[g] + a * width + i], x)
        w.rows[entry + i] = x


def project_groups(w: GroupedProjection) -> int:
    """Check the point and its multipliers; find them where they are not near enough."""
    begin_warm(w)
    _check(w)
    checked = w.residual[0]
    failing = select(checked <= ACCEPTED, 0.0, 1.0)
    if some(failing > 0.0):
        _form_rows(w)
        compute_residual(w)
        iterate(w, failing)
        w.residual[0] = select(failing > 0.0, w.residual[0], checked)
    return 0


def operations(*sizes: int) -> int:
    """Bound the operations by those of a check and of Newton's method."""
    of = GroupedProjection.layout.bind(sizes)
    check = 4 * (of["cone_entries"] + of["map_entries"]) + 12 * of["m"] + of["entries"] + 12 * of["groups"] + 3
    form = of["m"] * (6 + 2 * WIDEST) + 2 * WIDEST * of["entries"]
    return operations_of_newton(*sizes[: len(Projection.layout.sizes)]) + check + form


@final
class _Operands(NamedTuple):
    """W and T of each group, and all operands by name; or their tangents."""

    groups: list[tuple[Matrix, Matrix]]
    named: dict[str, Vector]

    @classmethod
    def cut(cls, sizes: tuple[int, ...], flat: Vector) -> _Operands:
        """Return the operands of a call by name."""
        named = PROJECT_GROUPS.layout.cut("operand", sizes, flat)
        of, tables = PROJECT_GROUPS.layout.bind(sizes), PROJECT_GROUPS.tables(sizes)
        wrenches, maps = ConePattern.read(of, tables).cut(named), GroupPattern.read(tables).cut(named)
        return cls(list(zip(wrenches, maps, strict=True)), named)

    def with_rows(self, rows: Sequence[Matrix]) -> Vector:
        """Return the operands of the projection with rows."""
        every = *chain(*map(entries, rows)), *self.named["interval_rows"]
        return PROJECT_ON_POLYHEDRON.layout.join("operand", {**self.named, "rows": every})


def _sizes_with_rows(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return sizes and tables of the projection with rows."""
    return PROJECT_ON_POLYHEDRON.sizes_of({**PROJECT_GROUPS.layout.bind(sizes), **PROJECT_GROUPS.tables(sizes)})


def _jvp(sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector) -> Vector:
    """Return the tangents of the projection with rows."""
    given, changes = _Operands.cut(sizes, operands), _Operands.cut(sizes, tangents)
    rows = [_product(W, T) for W, T in given.groups]
    moved = [
        add_matrices(_product(dW, T), _product(W, dT))
        for (W, T), (dW, dT) in zip(given.groups, changes.groups, strict=True)
    ]  # fmt: skip
    return projection_jvp(_sizes_with_rows(sizes), labels, given.with_rows(rows), outputs, changes.with_rows(moved))


def _vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents, those of W and T by the product rule."""
    given, plain = _Operands.cut(sizes, operands), _sizes_with_rows(sizes)
    flat = given.with_rows([_product(W, T) for W, T in given.groups])
    found = PROJECT_ON_POLYHEDRON.layout.cut("operand", plain, projection_vjp(plain, labels, flat, outputs, cotangents))
    left, ofW, ofT = found["rows"], list[Matrix](), list[Scalar]()
    for W, T in given.groups:
        count, width = len(W), len(T[0])
        change, left = rows_of(left, count, width), left[count * width :]
        ofW.append(_product(change, transpose(T)))
        ofT += entries(_product(transpose(W), change))
    cones = ConePattern.read(PROJECT_GROUPS.layout.bind(sizes), PROJECT_GROUPS.tables(sizes))
    own = {**cones.folded(ofW), "maps": ofT, "interval_rows": left}
    return PROJECT_GROUPS.layout.join("operand", {**found, **own})


def _product(A: Matrix, B: Matrix) -> Matrix:
    columns = transpose(B)
    return tuple(matvec(columns, row) for row in A)


PROJECT_GROUPS: Final = Intrinsic(
    name="project_groups",
    workspace=GroupedProjection,
    function=project_groups,
    operations=operations,
    specialises=True,
    derivative=_jvp,
    adjoint=_vjp,
)


def project_in_groups(
    groups: Sequence[RowGroup],
    sides: Sequence[Scalar],
    intervals: Intervals,
    rest: Sequence[Scalar],
    start: WarmStart,
) -> Projected:
    """Return the projection, as `project_on_polyhedron`, for the rows of groups, which are all rows but the intervals.

    >>> group = RowGroup((0, 1), ((1.0,), (0.6,)), ((1.0, 0),))
    >>> start = WarmStart((0.9, 0.0), (0.9, 0.0), ())
    >>> [round(x, 9) for x in project_in_groups([group], (1.0, 0.3), Intervals(), (), start).z]
    [1.0, 0.0]
    """
    order, m = [j for group in groups for j in group.numbers], len(sides)
    pattern, cones, plain = GroupPattern.of(groups), ConePattern.of(groups), RowPattern.of(intervals.rows)
    operands = {
        **intervals._asdict(),
        **pattern.join(groups),
        **cones.join(groups),
        "interval_rows": plain.entries(intervals.rows),
        "sides": (*(sides[j] for j in order), *rest),
        "begin": start.begin,
        "start_point": start.point,
        "start_multipliers": (*(start.multipliers[j] for j in order), *start.multipliers[m:]),
    }
    found = Projected.read(PROJECT_GROUPS.call(_sizes(pattern, cones, plain, len(start.point)), operands))
    multipliers = dict(zip(order, found.multipliers, strict=False))
    return found._replace(multipliers=(*(multipliers[j] for j in range(m)), *found.multipliers[m:]))


def _sizes(groups: GroupPattern, cones: ConePattern, plain: RowPattern, n: int) -> tuple[int, ...]:
    """Return sizes and tables of a call."""
    own = (columns for columns, count in zip(groups.columns, groups.rows, strict=True) for _ in range(count))
    rows = ProjectionPattern.of(n, RowPattern((*own, *plain.columns)), len(plain.columns), warm=True)
    named = {**rows.named_sizes, **groups.named_sizes, **cones.named_sizes, "plain_entries": plain.ends[-1]}
    return PROJECT_GROUPS.sizes_of(named)
