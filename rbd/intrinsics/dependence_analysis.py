"""Dependence analysis: independence of the iterations of loops over columns, branches on floats, written parameters.

Columns are independent when matrices that the loop writes are reached only as `matrix[i * stride + j]`, when nothing
else depends on `j`, and when no variable outlives an iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, cast

from rbd.intrinsics import tree
from rbd.intrinsics.traversal import fields_of, nodes_in, walk


def compares_floats(routine: tree.Routine) -> bool:
    """Return whether a function, or one it calls, compares floats."""
    return any(map(_is_float_comparison, walk(routine.body))) or any(map(compares_floats, routine.calls))


def branches_on_floats(routine: tree.Routine) -> bool:
    """Return whether lanes may take different ways: a function, or one it calls, branches on a comparison of floats.

    Conditions of `select` and `some` are no branches.
    """
    masks = {id(part.arguments[0]) for part in walk(routine.body) if _is_function_of_condition(part)}
    branches = (part for part in walk(routine.body) if _is_float_comparison(part) and id(part) not in masks)
    return any(True for _ in branches) or any(map(branches_on_floats, routine.calls))


def _is_float_comparison(part: object) -> bool:
    return isinstance(part, tree.Comparison) and part.left.kind == "float"


def _is_function_of_condition(part: object) -> bool:
    return isinstance(part, tree.BuiltinCall) and part.name in ("select", "some")


def written_parameters(routine: tree.Routine) -> set[str]:
    """Return the parameters whose entries a function, or one that it calls, writes."""
    parts = [*walk(routine.body)]
    written = {part.array for part in parts if isinstance(part, tree.Store)}
    for call in (part for part in parts if isinstance(part, tree.RoutineCall)):
        inner = written_parameters(call.routine)
        passed = zip(call.routine.parameters, call.arguments, strict=True)
        written.update(_array_of(argument) for parameter, argument in passed if parameter.name in inner)
    return written.intersection(name.name for name in routine.parameters)


def _array_of(argument: tree.Expression) -> str:
    """Return the array that an argument of a call is, or begins in."""
    return argument.array if isinstance(argument, tree.RowPointer) else cast("tree.Name", argument).name


def has_columns(routine: tree.Routine) -> bool:
    """Return whether a function, or one it calls, loops over columns: each of its arrays must have one name only."""
    return any(isinstance(part, tree.ColumnLoop) for part in walk(routine.body)) or any(map(has_columns, routine.calls))


def has_shared_array(arguments: Iterable[tree.Expression]) -> bool:
    """Return whether two arguments of a call are in one array of floats or of ints."""
    names = [each.array for each in arguments if isinstance(each, tree.RowPointer)]
    names += [each.name for each in arguments if isinstance(each, tree.Name) and each.kind in ("floats", "ints")]
    return len(set(names)) < len(names)


def row_of_column_access(index: tree.Expression, loop: tree.ColumnLoop) -> tree.Expression | None:
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
    tree.ColumnLoop: "a nested loop over columns",
    tree.Return: "a return",
    tree.Break: "a break",
    tree.RoutineCall: "a call",
}
"""Parts that a loop over columns may not have."""


def column_dependence(loop: tree.ColumnLoop, before: Collection[str]) -> str:
    """Return why columns are not independent, or ""; `before` are the variables assigned before the loop."""
    for part in walk(loop.body):
        if type(part) in _REFUSED:
            return f"the body has {_REFUSED[type(part)]}"
    assigned = {part.name for part in walk(loop.body) if isinstance(part, tree.Assign)}
    kept = sorted(assigned.intersection({*before, *_names(loop.stride)}))
    if kept:
        return f"'{kept[0]}' is carried between iterations"
    return _access_dependence(loop) or next(filter(None, (_control_dependence(each, loop) for each in loop.body)), "")


def _access_dependence(loop: tree.ColumnLoop) -> str:
    """Return the reason if an access is not to an entry of the column."""
    written = {part.array for part in walk(loop.body) if isinstance(part, tree.Store)}
    for part in walk(loop.body):
        if isinstance(part, tree.Store) and part.value.kind != "float":
            return f"'{part.array}' holds ints"
        if (
            isinstance(part, (tree.Load, tree.Store))
            and row_of_column_access(part.index, loop) is None
            and (part.array in written or _mentions(part.index, loop.variable))
        ):
            return f"'{part.array}' is not reached as {part.array}[i * stride + {loop.variable}]"
    return ""


def _control_dependence(statement: tree.Statement, loop: tree.ColumnLoop) -> str:
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


def _first_dependence(block: tuple[tree.Statement, ...], loop: tree.ColumnLoop) -> str:
    return next(filter(None, (_control_dependence(each, loop) for each in block)), "")


def _condition_dependence(condition: tree.Expression, loop: tree.ColumnLoop) -> str:
    floats = any(isinstance(part, tree.Comparison) and part.left.kind == "float" for part in walk(condition))
    return "a condition depends on the column" if floats or _uses_column_index(condition, loop) else ""


def _uses_column_index(node: tree.Expression, loop: tree.ColumnLoop) -> bool:
    """Return whether the index of the column is used except to access its entries."""
    if isinstance(node, tree.Load) and node.kind == "float" and row_of_column_access(node.index, loop) is not None:
        return False
    if isinstance(node, tree.Name):
        return node.name == loop.variable
    return any(_uses_column_index(part, loop) for part in nodes_in(fields_of(node)))


def _mentions(node: tree.Expression, name: str) -> bool:
    return name in _names(node)


def _names(node: tree.Expression | tree.Number) -> set[str]:
    return {part.name for part in walk(node) if isinstance(part, tree.Name)}
