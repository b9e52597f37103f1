"""Whether batches can inline the operations of an intrinsic; see `Intrinsic.inlined`."""

from __future__ import annotations

from collections.abc import Iterable

from rbd.intrinsics import tree
from rbd.intrinsics.traversal import walk


def inlining_fault(routine: tree.Routine) -> str:
    """Return the reason why batches cannot inline a function and those it calls, or "": see `Intrinsic.inlined`."""
    fault = _first(_part_fault(part) for part in walk(routine.body))
    return fault or _first(inlining_fault(each) for each in routine.calls)


def _first(faults: Iterable[str]) -> str:
    return next((fault for fault in faults if fault), "")


def _part_fault(part: tree.Expression | tree.Statement) -> str:  # noqa: C901 - one case for each form
    match part:
        case tree.BuiltinCall("fma", (one, other, addend)):
            return _factor_fault(one) or _factor_fault(other) or _operand_fault(addend)
        case tree.BuiltinCall(name):
            return f"'{name}'"
        case tree.Comparison(left=left) if left.kind == "float":
            return "a comparison of floats"
        case tree.Arithmetic(operator, left, right, "float"):
            return _operand_fault(left) or ("" if operator == "+" and _is_zero(right) else f"'{operator}' outside fma")
        case tree.Store(array, _, value) if value.kind == "float" and not _is_stored_as_it_is(value):
            return f"a value without + 0.0 in '{array}'"
        case tree.Assign(_, value):
            return _factor_fault(value)
        case tree.Return(value) if value is not None:
            return _operand_fault(value)
        case tree.RoutineCall(_, arguments):
            return _first(_operand_fault(each) for each in arguments)
        case _:
            return ""


def _factor_fault(node: tree.Expression) -> str:
    """Return the fault of a factor; a variable may have a sign."""
    signed = isinstance(node, tree.Negate) and isinstance(node.operand, (tree.Name, tree.Load))
    return "" if signed else _operand_fault(node)


def _operand_fault(node: tree.Expression) -> str:
    """Return the fault of an operand by itself."""
    if node.kind != "float" or _is_zero(node):
        return ""
    if isinstance(node, tree.Number):
        return f"the constant {node.value}"
    return "a sign that is not before a factor of fma" if isinstance(node, tree.Negate) else ""


def _is_zero(node: tree.Expression) -> bool:
    return isinstance(node, tree.Number) and repr(node.value) == "0.0"


def _is_stored_as_it_is(value: tree.Expression) -> bool:
    """Return whether it is an entry, a zero, or ends in + 0.0."""
    return isinstance(value, (tree.Load, tree.Arithmetic)) or _is_zero(value)
