"""Mechanisms as text: the tree, then the loop joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.structure import Structure
    from rbd.mechanism.tree import Link

_MOST_LINES = 200
_DEEPEST = 40


def drawing(structure: Structure) -> str:
    """Return a drawing of at most 200 bodies and 200 loop joints."""
    sizes = f"nq = {structure.nq}, nv = {structure.nv}" + (f", nc = {structure.nc}" if structure.loops else "")
    title = f"Mechanism {structure.root.name!r}: {len(structure.bodies)} bodies, {sizes}"
    return "\n".join([title, *_tree_lines(structure), *_loop_lines(structure.loops)])


def _tree_lines(structure: Structure) -> list[str]:
    children = structure.snapshot().children
    lines: list[str] = []
    stack: list[tuple[RigidBody, str, str]] = [(structure.root, "", "")]
    while stack and len(lines) < _MOST_LINES:
        body, indent, twig = stack.pop()
        link = structure.parent.get(body)
        lines.append(_shown_indent(indent + twig) + body.name + (f"  ({_kind(link)})" if link else ""))
        below = indent + {"": "", "├─ ": "│  ", "└─ ": "   "}[twig]
        last = len(children[body]) - 1
        twigs = [(child, below, "└─ " if k == last else "├─ ") for k, child in enumerate(children[body])]
        stack.extend(reversed(twigs))
    left = len(structure.bodies) - len(lines)
    return lines + [f"... and {left} more"] * bool(left)


def _shown_indent(indent: str) -> str:
    """Return the indentation, cut where the tree is very deep."""
    return indent if len(indent) <= 3 * _DEEPEST else f"[{len(indent) // 3}] " + indent[-3 * _DEEPEST :]


def _loop_lines(loops: list[Link]) -> list[str]:
    if not loops:
        return []
    shown = [f"   {link.predecessor.name} -> {link.successor.name}  ({_kind(link)})" for link in loops[:_MOST_LINES]]
    return ["loops:", *shown, *[f"... and {len(loops) - len(shown)} more"] * (len(loops) > len(shown))]


def _kind(link: Link) -> str:
    return f"{link.joint.name}: {type(link.joint.type).__name__}"
