"""Projection onto a polyhedron whose rows come in groups, U = W T, near a point that is known.

The conditions of the minimum are checked with W and T. Only where they do not hold, in some lane, the rows are formed
and Newton's method (`projection_newton.py`) continues there. The intrinsic and its derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Final

from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import fma, select, some
from rbd.intrinsics.workspace import floats, operand, table
from rbd.scalars.linear_algebra import dot
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.operands import entries, rows_of
from rbd.solvers.polyhedral_projection import (
    PROJECT_ON_POLYHEDRON,
    Intervals,
    NearSolution,
    Projected,
    ProjectionPattern,
    projection_jvp,
    projection_vjp,
)
from rbd.solvers.projection_newton import (
    ACCEPTED,
    Projection,
    add_forces,
    begin_near,
    compute_residual,
    compute_slacks,
    finish_residual,
    interval_residual,
    iterate,
)
from rbd.solvers.projection_newton import operations as operations_of_newton
from rbd.solvers.row_groups import RowGroup, columns_of
from rbd.solvers.weighted_factor import FactorPattern, nonzero_columns


class GroupedProjection(Projection):
    """The rows as products, in the order of the groups."""

    groups: int
    spans: int
    """Columns of all T."""
    map_entries: int
    wrench_entries: int
    plain_entries: int
    """Entries of the interval rows."""
    group_ends = table("groups + 1")
    group_sizes = table("groups")
    """Columns of W."""
    column_ends = table("groups + 1")
    columns = table("spans")
    map_starts = table("groups")
    wrench_starts = table("groups")
    rows = floats("entries")
    wrenches = operand("wrench_entries")
    maps = operand("map_entries")
    interval_rows = operand("plain_entries")
    twist = floats("6")
    wrench = floats("6")


def _check_group(w: GroupedProjection, g: int, worst: float) -> float:
    """Compute slacks of a group, and what its forces lack to the point; return the residual so far."""
    width = w.column_ends[g + 1] - w.column_ends[g]
    size = w.group_sizes[g]
    for a in range(size):
        x = 0.0
        for i in range(width):
            x = fma(w.maps[w.map_starts[g] + a * width + i], w.point[w.columns[w.column_ends[g] + i]], x)
        w.twist[a] = x
        w.wrench[a] = 0.0
    row = w.group_ends[g]
    start = w.wrench_starts[g]
    while row < w.group_ends[g + 1]:
        force = w.multipliers[row]
        slack = w.sides[row]
        for a in range(size):
            slack = fma(-w.wrenches[start + a], w.twist[a], slack)
            w.wrench[a] = fma(force, w.wrenches[start + a], w.wrench[a])
        worst = select(slack > worst, slack, worst)
        product = abs(slack * force)
        worst = select(product > worst, product, worst)
        worst = fma(0.0, slack, worst)
        row += 1
        start += size
    for a in range(size):
        for i in range(width):
            column = w.columns[w.column_ends[g] + i]
            entry = w.maps[w.map_starts[g] + a * width + i]
            w.direction[column] = fma(-w.wrench[a], entry, w.direction[column])
    return worst


def _check(w: GroupedProjection) -> None:
    """Compute the residual of the conditions of the minimum."""
    first = w.m - w.intervals
    for k in range(w.plain_entries):
        w.rows[w.row_ends[first] + k] = w.interval_rows[k]
    undefined = compute_slacks(w, first)
    worst = interval_residual(w, 0.0)
    add_forces(w, first)
    for g in range(w.groups):
        worst = _check_group(w, g, worst)
    finish_residual(w, worst + undefined)


def _form_rows(w: GroupedProjection) -> None:
    """Compute U = W T."""
    for g in range(w.groups):
        width = w.column_ends[g + 1] - w.column_ends[g]
        start = w.wrench_starts[g]
        row = w.group_ends[g]
        entry = w.row_ends[row]
        while row < w.group_ends[g + 1]:
            for i in range(width):
                x = 0.0
                for a in range(w.group_sizes[g]):
                    x = fma(w.wrenches[start + a], w.maps[w.map_starts[g] + a * width + i], x)
                w.rows[entry + i] = x
            row += 1
            entry += width
            start += w.group_sizes[g]


def project_groups(w: GroupedProjection) -> int:
    """Check the point and its multipliers; find them where they are not near enough."""
    begin_near(w)
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
    check = 4 * (of["wrench_entries"] + of["map_entries"]) + 8 * of["m"] + of["entries"] + 12 * of["groups"] + 3
    return operations_of_newton(*sizes[: len(Projection.layout.sizes)]) + check + 12 * of["entries"]


def _no_rows(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return sizes and tables of the projection with rows."""
    own, tables = PROJECT_GROUPS.split_sizes(sizes)
    kept = len(Projection.layout.names("table"))
    return *own[: len(Projection.layout.sizes)], *chain(*tables[:kept])


def _parts(sizes: tuple[int, ...], flat: Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Split the operands, or their tangents: sides and what follows them, W, T, interval rows."""
    of = PROJECT_GROUPS.layout.bind(sizes)
    last = len(flat) - of["plain_entries"]
    second = last - of["map_entries"]
    first = second - of["wrench_entries"]
    return flat[:first], flat[first:second], flat[second:last], flat[last:]


def _groups(sizes: tuple[int, ...], flat: Vector) -> list[tuple[Matrix, Matrix]]:
    """Return W and T of each group from the operands, or their tangents."""
    _, tables = PROJECT_GROUPS.split_sizes(sizes)
    named = dict(zip(PROJECT_GROUPS.layout.names("table"), tables, strict=True))
    _, wrenches, maps, _ = _parts(sizes, flat)
    found = list[tuple[Matrix, Matrix]]()
    for g, size in enumerate(named["group_sizes"]):
        count = named["group_ends"][g + 1] - named["group_ends"][g]
        width = named["column_ends"][g + 1] - named["column_ends"][g]
        found.append((rows_of(wrenches, count, size), rows_of(maps, size, width)))
        wrenches, maps = wrenches[count * size :], maps[size * width :]
    return found


def _with_rows(sizes: tuple[int, ...], flat: Vector, rows: Sequence[Matrix]) -> Vector:
    """Return the operands of the projection with rows, or their tangents, from those of this one."""
    rest, _, _, plain = _parts(sizes, flat)
    return *(x for part in rows for row in part for x in row), *plain, *rest


def _jvp(sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, tangents: Vector) -> Vector:
    """Return the tangents of the projection with rows."""
    groups, changes = _groups(sizes, operands), _groups(sizes, tangents)
    rows = [_product(W, T) for W, T in groups]
    moved = [
        _sum(_product(dW, T), _product(W, dT)) for (W, T), (dW, dT) in zip(groups, changes, strict=True)
    ]  # fmt: skip
    given = _with_rows(sizes, operands, rows), outputs, _with_rows(sizes, tangents, moved)
    return projection_jvp(_no_rows(sizes), labels, *given)


def _vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents, those of W and T by the product rule."""
    groups, own = _groups(sizes, operands), PROJECT_GROUPS.layout.bind(sizes)
    rows = [_product(W, T) for W, T in groups]
    found = projection_vjp(_no_rows(sizes), labels, _with_rows(sizes, operands, rows), outputs, cotangents)
    ofW, ofT, start = list[Scalar](), list[Scalar](), 0
    for W, T in groups:
        count, width = len(W), len(T[0])
        change = rows_of(found[start : start + count * width], count, width)
        ofW += entries(_product(change, _transposed(T)))
        ofT += entries(_product(_transposed(W), change))
        start += count * width
    plain = found[start : start + own["plain_entries"]]
    return *found[start + len(plain) :], *ofW, *ofT, *plain


def _product(A: Matrix, B: Matrix) -> Matrix:
    columns = _transposed(B)
    return tuple(tuple(dot(row, column) for column in columns) for row in A)


def _transposed(A: Matrix) -> Matrix:
    return tuple(zip(*A, strict=True))


def _sum(A: Matrix, B: Matrix) -> Matrix:
    return tuple(tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(A, B, strict=True))


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
    near: NearSolution,
) -> Projected:
    """Return the projection, as `project_on_polyhedron`, for the rows of groups, which are all rows but the intervals.

    >>> group = RowGroup((0, 1), ((1.0,), (0.6,)), ((1.0, 0),))
    >>> near = NearSolution((0.9, 0.0), (0.9, 0.0), ())
    >>> [round(x, 9) for x in project_in_groups([group], (1.0, 0.3), Intervals(), (), near).z]
    [1.0, 0.0]
    """
    order = [j for group in groups for j in group.numbers]
    m, columns = len(order), [columns_of(group.map) for group in groups]
    plain = [nonzero_columns(row) for row in intervals.rows]
    limits = *intervals.lower, *intervals.upper, *intervals.friction, *near.begin
    known = *near.point, *(near.multipliers[j] for j in order), *near.multipliers[m:]
    wrenches = (x for group in groups for row in group.wrenches for x in row)
    maps = (row[i] for group, own in zip(groups, columns, strict=True) for row in group.map for i in own)
    rows = (row[i] for row, own in zip(intervals.rows, plain, strict=True) for i in own)
    flat = PROJECT_GROUPS(
        _sizes(groups, columns, plain), (*(sides[j] for j in order), *rest, *limits, *known, *wrenches, *maps, *rows)
    )
    n = len(near.point)
    multipliers, after = dict(zip(order, flat[n : n + m], strict=True)), flat[n + m : n + m + len(rest)]
    own = *(multipliers[j] for j in range(m)), *after
    return Projected(flat[:n], own, flat[n + m + len(rest) : -2], *flat[-2:])


def _sizes(
    groups: Sequence[RowGroup], columns: Sequence[tuple[int, ...]], plain: Sequence[tuple[int, ...]]
) -> tuple[int, ...]:
    """Return sizes and tables of a call."""
    n = len(groups[0].map[0])
    counts, widths = [len(group.wrenches) for group in groups], [len(group.map) for group in groups]
    every = *(own for own, count in zip(columns, counts, strict=True) for _ in range(count)), *plain
    pattern = ProjectionPattern(n, len(plain), True, every, FactorPattern.of(n, every))
    own, tables = PROJECT_ON_POLYHEDRON.split_sizes(pattern.sizes)
    maps, wrenches = (
        [0, *accumulate(a * b for a, b in zip(widths, parts, strict=True))] for parts in (map(len, columns), counts)
    )
    column_ends = [0, *accumulate(map(len, columns))]
    sizes = len(groups), column_ends[-1], maps[-1], wrenches[-1], sum(map(len, plain))
    of_groups = *accumulate(counts, initial=0), *widths, *column_ends, *chain(*columns), *maps[:-1], *wrenches[:-1]
    return *own, *sizes, *chain(*tables), *of_groups
