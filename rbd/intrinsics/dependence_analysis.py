"""Dependence analysis: independence of the iterations of loops over columns, and branches on floats.

Columns are independent when matrices that the loop writes are reached only as `matrix[i * stride + j]`, when nothing
else depends on `j`, and when no variable outlives an iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final, cast

import attrs

from rbd.intrinsics import tree


def parts(node: object) -> Iterator[Any]:
    """Yield a statement or expression and all its parts, without called functions."""
    for each in _nodes(node):
        yield each
        yield from parts(_fields(each))


def _nodes(value: object) -> list[Any]:
    """Return a statement or expression, or those in a tuple."""
    if isinstance(value, tuple):
        return [node for each in cast("tuple[object, ...]", value) for node in _nodes(each)]
    return [value] if hasattr(value, "__attrs_attrs__") and not isinstance(value, tree.Routine) else []


def _fields(node: Any) -> tuple[object, ...]:
    return tuple(getattr(node, field.name) for field in attrs.fields(node.__class__))


def has_open_order(statement: tree.Statement) -> bool:
    """Return whether C leaves open what comes first: a call that writes to arrays, or another call or an entry."""
    return _has_open_order([field for field in _fields(statement) if not isinstance(field, tuple)])


def _has_open_order(siblings: Iterable[object]) -> bool:
    """Return it for expressions of which C evaluates any first; operands come before what is done with them."""
    nodes = _nodes(tuple(siblings))
    reaching = [node for node in nodes if any(isinstance(part, (tree.Invoked, tree.Element)) for part in parts(node))]
    written = any(isinstance(part, tree.Invoked) and _writes(part.routine) for part in parts(tuple(reaching)))
    if len(reaching) > 1 and written:
        return True
    return any(_has_open_order(group) for node in nodes for group in _sequence(node))


def _sequence(node: object) -> list[tuple[object, ...]]:
    """Return the operands of an expression in groups that C evaluates one after the other."""
    return [(each,) for each in node.parts] if isinstance(node, tree.Joined) else [_fields(node)]


def _writes(routine: tree.Routine) -> bool:
    return any(isinstance(part, tree.Store) for part in parts(routine.body)) or any(map(_writes, routine.calls))


def compares_floats(routine: tree.Routine) -> bool:
    """Return whether a function, or one it calls, compares floats."""
    return any(map(_is_float_comparison, parts(routine.body))) or any(map(compares_floats, routine.calls))


def branches_on_floats(routine: tree.Routine) -> bool:
    """Return whether lanes may take different ways: a function, or one it calls, branches on a comparison of floats.

    Conditions of `select` and `some` are no branches.
    """
    masks = {id(part.arguments[0]) for part in parts(routine.body) if _is_function_of_condition(part)}
    branches = (part for part in parts(routine.body) if _is_float_comparison(part) and id(part) not in masks)
    return any(True for _ in branches) or any(map(branches_on_floats, routine.calls))


def _is_float_comparison(part: object) -> bool:
    return isinstance(part, tree.Comparison) and part.left.kind == "float"


def _is_function_of_condition(part: object) -> bool:
    return isinstance(part, tree.Function) and part.name in ("select", "some")


def has_columns(routine: tree.Routine) -> bool:
    """Return whether a function, or one it calls, loops over columns: each of its arrays must have one name only."""
    return any(isinstance(part, tree.Columns) for part in parts(routine.body)) or any(map(has_columns, routine.calls))


def has_shared_array(arguments: Iterable[tree.Expression]) -> bool:
    """Return whether two arguments of a call are in one array of floats or of ints."""
    names = [each.array for each in arguments if isinstance(each, tree.Row)]
    names += [each.name for each in arguments if isinstance(each, tree.Name) and each.kind in ("floats", "ints")]
    return len(set(names)) < len(names)


def row_of_column_access(index: tree.Expression, loop: tree.Columns) -> tree.Expression | None:
    """Return `i` of an index `i * stride + j`; None for other indices."""
    match index:
        case tree.Arithmetic("+", tree.Arithmetic("*", row, stride), tree.Name(name)) if (name, stride) == (
            loop.variable,
            loop.stride,
        ):
            return None if _mentions(row, loop.variable) else row
        case _:
            return None


_REFUSED: Final[dict[type[object], str]] = {
    tree.Columns: "a nested loop over columns",
    tree.Return: "a return",
    tree.Break: "a break",
    tree.Invoked: "a call",
}
"""Parts that a loop over columns may not have."""


def column_dependence(loop: tree.Columns, before: Collection[str]) -> str:
    """Return why columns are not independent, or ""; `before` are the variables assigned before the loop."""
    for part in parts(loop.body):
        if type(part) in _REFUSED:
            return f"the body has {_REFUSED[type(part)]}"
    assigned = {part.name for part in parts(loop.body) if isinstance(part, tree.Assign)}
    kept = sorted(assigned.intersection({*before, *_names(loop.stride)}))
    if kept:
        return f"'{kept[0]}' is carried between iterations"
    return _access_dependence(loop) or next(filter(None, (_control_dependence(each, loop) for each in loop.body)), "")


def _access_dependence(loop: tree.Columns) -> str:
    """Return the reason if an access is not to an entry of the column."""
    written = {part.array for part in parts(loop.body) if isinstance(part, tree.Store)}
    for part in parts(loop.body):
        if isinstance(part, tree.Store) and part.value.kind != "float":
            return f"'{part.array}' holds ints"
        if (
            isinstance(part, (tree.Element, tree.Store))
            and row_of_column_access(part.index, loop) is None
            and (part.array in written or _mentions(part.index, loop.variable))
        ):
            return f"'{part.array}' is not reached as {part.array}[i * stride + {loop.variable}]"
    return ""


def _control_dependence(statement: tree.Statement, loop: tree.Columns) -> str:
    """Return the reason if control flow or another value depends on the column or on floats."""
    match statement:
        case tree.If(condition, then, otherwise):
            return _condition_dependence(condition, loop) or _first_dependence((*then, *otherwise), loop)
        case tree.While(condition, body):
            return _condition_dependence(condition, loop) or _first_dependence(body, loop)
        case tree.For(_, start, stop, _, body):
            depends = _uses_column_index(start, loop) or _uses_column_index(stop, loop)
            return "a range depends on the column" if depends else _first_dependence(body, loop)
        case tree.Assign(name, value):
            return f"'{name}' depends on the column" if _uses_column_index(value, loop) else ""
        case tree.Store(_, _, value):
            return "a value is the index of the column" if _uses_column_index(value, loop) else ""
        case _:
            return "the body has other statements than assignments and loops"


def _first_dependence(block: tuple[tree.Statement, ...], loop: tree.Columns) -> str:
    return next(filter(None, (_control_dependence(each, loop) for each in block)), "")


def _condition_dependence(condition: tree.Expression, loop: tree.Columns) -> str:
    floats = any(isinstance(part, tree.Comparison) and part.left.kind == "float" for part in parts(condition))
    return "a condition depends on the column" if floats or _uses_column_index(condition, loop) else ""


def _uses_column_index(node: tree.Expression, loop: tree.Columns) -> bool:
    """Return whether the index of the column is used except to access its entries."""
    if isinstance(node, tree.Element) and node.kind == "float" and row_of_column_access(node.index, loop) is not None:
        return False
    if isinstance(node, tree.Name):
        return node.name == loop.variable
    return any(_uses_column_index(part, loop) for part in _nodes(_fields(node)))


def _mentions(node: tree.Expression, name: str) -> bool:
    return name in _names(node)


def _names(node: tree.Expression | tree.Number) -> set[str]:
    return {part.name for part in parts(node) if isinstance(part, tree.Name)}


# ---------------------------------------------------------------- writing operations out


def unrolling_fault(routine: tree.Routine) -> str:
    """Return what keeps batches from writing out a function and those it calls, or "": see `Intrinsic.unrolls`."""
    own = _first(_part_fault(part) for part in parts(routine.body))
    return own or _first(unrolling_fault(each) for each in routine.calls)


def _first(faults: Iterable[str]) -> str:
    return next((fault for fault in faults if fault), "")


def _part_fault(part: tree.Expression | tree.Statement) -> str:  # noqa: C901 - one case for each form
    match part:
        case tree.Function("fma", (one, other, addend)):
            return _factor_fault(one) or _factor_fault(other) or _operand_fault(addend)
        case tree.Function(name):
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
        case tree.Invoked(_, arguments):
            return _first(_operand_fault(each) for each in arguments)
        case _:
            return ""


def _factor_fault(node: tree.Expression) -> str:
    """Return what is wrong with a factor, or with a variable: it may have a sign."""
    signed = isinstance(node, tree.Negative) and isinstance(node.operand, (tree.Name, tree.Element))
    return "" if signed else _operand_fault(node)


def _operand_fault(node: tree.Expression) -> str:
    """Return what is wrong with an operand by itself."""
    if node.kind != "float" or _is_zero(node):
        return ""
    if isinstance(node, tree.Number):
        return f"the constant {node.value}"
    return "a sign that is not before a factor of fma" if isinstance(node, tree.Negative) else ""


def _is_zero(node: tree.Expression) -> bool:
    return isinstance(node, tree.Number) and repr(node.value) == "0.0"


def _is_stored_as_it_is(value: tree.Expression) -> bool:
    """Return whether it is an entry, a zero, or ends in + 0.0."""
    return isinstance(value, (tree.Element, tree.Arithmetic)) or _is_zero(value)
