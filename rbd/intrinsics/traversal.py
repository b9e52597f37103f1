"""Traversal of syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import attrs

from rbd.intrinsics import tree


def walk(node: object) -> Iterator[Any]:
    """Yield a statement or expression and all its parts, without called functions."""
    for each in nodes_in(node):
        yield each
        yield from walk(fields_of(each))


def nodes_in(value: object) -> list[Any]:
    """Return a statement or expression, or those in a tuple."""
    if isinstance(value, tuple):
        return [node for each in cast("tuple[object, ...]", value) for node in nodes_in(each)]
    return [value] if hasattr(value, "__attrs_attrs__") and not isinstance(value, tree.Routine) else []


def fields_of(node: Any) -> tuple[object, ...]:
    """Return the values of the fields of a statement or expression."""
    return tuple(getattr(node, field.name) for field in attrs.fields(node.__class__))


def assigned_names(block: tree.Block) -> list[str]:
    """Return the variables that a block, or one inside it, assigns, each once."""
    names: list[str] = []
    for statement in block:
        match statement:
            case tree.Assign(name):
                names.append(name)
            case tree.If(_, then, otherwise):
                names += assigned_names((*then, *otherwise))
            case tree.While(_, body) | tree.For(body=body) | tree.ColumnLoop(body=body):
                names += assigned_names(body)
            case _:
                pass
    return list(dict.fromkeys(names))
