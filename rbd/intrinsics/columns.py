"""Whether a loop over columns mixes them, and whether a function's course depends on numbers.

Columns are apart when matrices that the loop writes are reached only as `matrix[i * stride + j]`, when nothing else
depends on `j`, and when no variable outlives an iteration: then many columns can be taken at a time, each as if alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, cast

import attrs

from rbd.intrinsics.tree import (
    Arithmetic,
    Assign,
    Break,
    Columns,
    Comparison,
    Element,
    Expression,
    For,
    If,
    Invoked,
    Name,
    Number,
    Return,
    Routine,
    Statement,
    Store,
    While,
)


def parts(node: object) -> Iterator[Any]:
    """Yield a statement or expression and all that it is made of, without the functions it calls."""
    for each in _nodes(node):
        yield each
        yield from parts(_fields(each))


def _nodes(value: object) -> list[Any]:
    """Return a statement or expression, or those in a tuple."""
    if isinstance(value, tuple):
        return [node for each in cast("tuple[object, ...]", value) for node in _nodes(each)]
    return [value] if hasattr(value, "__attrs_attrs__") and not isinstance(value, Routine) else []


def _fields(node: Any) -> tuple[object, ...]:
    return tuple(getattr(node, field.name) for field in attrs.fields(node.__class__))


def decides_by_floats(routine: Routine) -> bool:
    """Return whether a function, or one it calls, compares floats: else it takes the same course for all numbers."""
    compared = (part for part in parts(routine.body) if isinstance(part, Comparison))
    return any(part.left.kind == "float" for part in compared) or any(map(decides_by_floats, routine.calls))


def has_columns(routine: Routine) -> bool:
    """Return whether a function, or one it calls, loops over columns: each of its arrays must have one name only."""
    return any(isinstance(part, Columns) for part in parts(routine.body)) or any(map(has_columns, routine.calls))


def place_in_column(index: Expression, loop: Columns) -> Expression | None:
    """Return `i` of an index `i * stride + j`; None for other indices."""
    match index:
        case Arithmetic("+", Arithmetic("*", row, stride), Name(name)) if (name, stride) == (
            loop.variable,
            loop.stride,
        ):
            return None if _mentions(row, loop.variable) else row
        case _:
            return None


def mixing(loop: Columns, before: Collection[str]) -> str:
    """Return what lets columns feel each other, "" when nothing does; `before` are variables with values."""
    found = [part for part in parts(loop.body) if isinstance(part, (Columns, Return, Break, Invoked))]
    if found:
        return "it holds another such loop, a return, a break or a call"
    assigned = {part.name for part in parts(loop.body) if isinstance(part, Assign)}
    kept = sorted(assigned.intersection({*before, *_names(loop.stride)}))
    if kept:
        return f"'{kept[0]}' goes from one to the next"
    return _wrong_place(loop) or next(filter(None, (_wrong_course(each, loop) for each in loop.body)), "")


def _wrong_place(loop: Columns) -> str:
    """Return which entry is not one of the column."""
    written = {part.array for part in parts(loop.body) if isinstance(part, Store)}
    for part in parts(loop.body):
        if isinstance(part, Store) and part.value.kind != "float":
            return f"'{part.array}' holds ints"
        if (
            isinstance(part, (Element, Store))
            and place_in_column(part.index, loop) is None
            and (part.array in written or _mentions(part.index, loop.variable))
        ):
            return f"'{part.array}' is not reached as {part.array}[i * stride + {loop.variable}]"
    return ""


def _wrong_course(statement: Statement, loop: Columns) -> str:
    """Return what else depends on the column, or on floats."""
    match statement:
        case If(condition, then, otherwise):
            return _deciding(condition, loop) or _first_wrong((*then, *otherwise), loop)
        case While(condition, body):
            return _deciding(condition, loop) or _first_wrong(body, loop)
        case For(_, start, stop, _, body):
            moved = _counts(start, loop) or _counts(stop, loop)
            return "a range depends on the column" if moved else _first_wrong(body, loop)
        case Assign(name, value):
            return f"'{name}' depends on the column" if _counts(value, loop) else ""
        case Store(_, _, value):
            return "a value is the column's number" if _counts(value, loop) else ""
        case _:
            return "it holds more than assignments and loops"


def _first_wrong(block: tuple[Statement, ...], loop: Columns) -> str:
    return next(filter(None, (_wrong_course(each, loop) for each in block)), "")


def _deciding(condition: Expression, loop: Columns) -> str:
    floats = any(isinstance(part, Comparison) and part.left.kind == "float" for part in parts(condition))
    return "a condition depends on it" if floats or _counts(condition, loop) else ""


def _counts(node: Expression, loop: Columns) -> bool:
    """Return whether the column's number is used for more than to reach its entries."""
    if isinstance(node, Element) and node.kind == "float" and place_in_column(node.index, loop) is not None:
        return False
    if isinstance(node, Name):
        return node.name == loop.variable
    return any(_counts(part, loop) for part in _nodes(_fields(node)))


def _mentions(node: Expression, name: str) -> bool:
    return name in _names(node)


def _names(node: Expression | Number) -> set[str]:
    return {part.name for part in parts(node) if isinstance(part, Name)}
