"""Assembly of joint-space matrices from blocks, one block per pair of joints; sums over the bodies of subtrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Matrix, Scalar
from rbd.spatial import Wrench
from rbd.spatial.recursions.coriolis import CoriolisOperator

Rows: TypeAlias = list[list[Scalar]]
"""A matrix under construction."""
T = TypeVar("T", Wrench[Any], CoriolisOperator)


def zeros(height: int, width: int | None = None) -> Rows:
    """Return a matrix of zeros to be filled, square unless a width is given."""
    return [[0] * (height if width is None else width) for _ in range(height)]


def write_block(rows: Rows, i: int, j: int, block: Matrix) -> None:
    """Write a block whose first entry is [i, j]."""
    for offset, entries in enumerate(block):
        rows[i + offset][j : j + len(entries)] = entries


def subtree_sums(state: StateView, values: Sequence[T]) -> tuple[T, ...]:
    """Return, per body, the sum of the values of its subtree; all values are in body frames."""
    result = list(values)
    for node, X_PB in reversed(list(zip(state.nodes, passes.to_parent(state), strict=True))):
        result[node.parent] = result[node.parent] + result[node.index].transformed(X_PB)
    return tuple(result)
