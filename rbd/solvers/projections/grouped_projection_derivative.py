"""Derivatives of the projection for rows in groups: those for the rows U = W T, and the product rule."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, final

from rbd.scalars.linear_algebra import add_matrices, matvec, transpose
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.solvers.operands import entries, rows_of
from rbd.solvers.projections.cone_rows import ConePattern
from rbd.solvers.projections.grouped_check import GroupedProjection
from rbd.solvers.projections.polyhedral_projection import PROJECT_ON_POLYHEDRON
from rbd.solvers.projections.projection_derivative import projection_jvp, projection_vjp
from rbd.solvers.projections.row_groups import GroupPattern


def grouped_projection_jvp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, tangents: Vector
) -> Vector:
    """Return the tangents of the projection with rows."""
    given, changes = _Operands.of_call(sizes, operands), _Operands.of_call(sizes, tangents)
    rows = [_product(W, T) for W, T in given.groups]
    moved = [
        add_matrices(_product(dW, T), _product(W, dT))
        for (W, T), (dW, dT) in zip(given.groups, changes.groups, strict=True)
    ]  # fmt: skip
    return projection_jvp(_sizes_with_rows(sizes), labels, given.with_rows(rows), results, changes.with_rows(moved))


def grouped_projection_vjp(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, results: Vector, cotangents: Vector
) -> Vector:
    """Return the cotangents, those of W and T by the product rule."""
    given, plain = _Operands.of_call(sizes, operands), _sizes_with_rows(sizes)
    flat = given.with_rows([_product(W, T) for W, T in given.groups])
    found = PROJECT_ON_POLYHEDRON.layout.split(
        "operand", plain, projection_vjp(plain, labels, flat, results, cotangents)
    )
    remaining, ofW, ofT = found["rows"], list[Matrix](), list[Scalar]()
    for W, T in given.groups:
        count, width = len(W), len(T[0])
        change, remaining = rows_of(remaining, count, width), remaining[count * width :]
        ofW.append(_product(change, transpose(T)))
        ofT += entries(_product(transpose(W), change))
    cones = ConePattern.of_call(GroupedProjection.layout.sizes_by_name(sizes), GroupedProjection.layout.tables(sizes))
    own = {**cones.cotangents(ofW), "maps": ofT, "interval_rows": remaining}
    return GroupedProjection.layout.concatenate("operand", {**found, **own})


@final
class _Operands(NamedTuple):
    """W and T of each group, and all operands by name; or their tangents."""

    groups: list[tuple[Matrix, Matrix]]
    named: dict[str, Vector]

    @classmethod
    def of_call(cls, sizes: tuple[int, ...], flat: Vector) -> _Operands:
        """Return the operands of a call by name."""
        named = GroupedProjection.layout.split("operand", sizes, flat)
        of, tables = GroupedProjection.layout.sizes_by_name(sizes), GroupedProjection.layout.tables(sizes)
        wrenches, maps = ConePattern.of_call(of, tables).wrenches(named), GroupPattern.of_call(tables).maps(named)
        return cls(list(zip(wrenches, maps, strict=True)), named)

    def with_rows(self, rows: Sequence[Matrix]) -> Vector:
        """Return the operands of the projection with rows."""
        every = *chain(*map(entries, rows)), *self.named["interval_rows"]
        return PROJECT_ON_POLYHEDRON.layout.concatenate("operand", {**self.named, "rows": every})


def _sizes_with_rows(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return sizes and tables of the projection with rows."""
    return PROJECT_ON_POLYHEDRON.sizes_of(
        {**GroupedProjection.layout.sizes_by_name(sizes), **GroupedProjection.layout.tables(sizes)}
    )


def _product(A: Matrix, B: Matrix) -> Matrix:
    columns = transpose(B)
    return tuple(matvec(columns, row) for row in A)
