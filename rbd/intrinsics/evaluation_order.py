"""Evaluation order: in C, the order of operands of an expression and of arguments of a call is unspecified."""

from __future__ import annotations

from collections.abc import Iterable

from rbd.intrinsics import tree
from rbd.intrinsics.traversal import fields_of, nodes_in, walk


def has_unspecified_order(statement: tree.Statement) -> bool:
    """Return whether the order of a call that writes to arrays and another call or entry is unspecified in C."""
    return _has_unspecified_order([field for field in fields_of(statement) if not isinstance(field, tuple)])


def _has_unspecified_order(siblings: Iterable[object]) -> bool:
    """Return it for expressions of which C evaluates any first; operands come before what is done with them."""
    nodes = nodes_in(tuple(siblings))
    reaching = [node for node in nodes if any(isinstance(part, (tree.RoutineCall, tree.Load)) for part in walk(node))]
    written = any(isinstance(part, tree.RoutineCall) and writes(part.routine) for part in walk(tuple(reaching)))
    if len(reaching) > 1 and written:
        return True
    return any(_has_unspecified_order(group) for node in nodes for group in _sequence(node))


def _sequence(node: object) -> list[tuple[object, ...]]:
    """Return the operands of an expression in groups that C evaluates one after the other."""
    return [(each,) for each in node.operands] if isinstance(node, tree.BoolOp) else [fields_of(node)]


def writes(routine: tree.Routine) -> bool:
    """Return whether a function, or one that it calls, writes to arrays."""
    return any(isinstance(part, tree.Store) for part in walk(routine.body)) or any(map(writes, routine.calls))
