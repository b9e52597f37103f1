"""Mechanisms drawn as text: the tree, then the loop joints and the couplings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rbd.mechanism.body import RigidBody
    from rbd.mechanism.structure import Structure
    from rbd.mechanism.tree import Edge

_MAX_LINES = 200
_DEEPEST = 40


def drawing(structure: Structure) -> str:
    """Return a drawing of at most 200 bodies, 200 loop joints and 200 couplings."""
    sizes = f"nq = {structure.nq}, nv = {structure.nv}" + (f", nc = {structure.nc}" if structure.is_constrained else "")
    title = f"Mechanism {structure.root.name!r}: {len(structure.bodies)} bodies, {sizes}"
    loops = [f"{edge.predecessor.name} -> {edge.successor.name}  ({_kind(edge)})" for edge in structure.loops]
    couplings = [f"{coupling.equation}  ({coupling.name})" for coupling in structure.couplings.values()]
    return "\n".join([title, *_tree_lines(structure), *_listed("loops", loops), *_listed("couplings", couplings)])


def _tree_lines(structure: Structure) -> list[str]:
    children = structure.spanning_tree().children
    lines: list[str] = []
    stack: list[tuple[RigidBody, str, str]] = [(structure.root, "", "")]
    while stack and len(lines) < _MAX_LINES:
        body, indent, branch = stack.pop()
        edge = structure.parent_edge.get(body)
        lines.append(_truncated_indent(indent + branch) + body.name + (f"  ({_kind(edge)})" if edge else ""))
        below = indent + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        last = len(children[body]) - 1
        branches = [(child, below, "└─ " if k == last else "├─ ") for k, child in enumerate(children[body])]
        stack.extend(reversed(branches))
    left = len(structure.bodies) - len(lines)
    return lines + [f"... and {left} more"] * bool(left)


def _truncated_indent(indent: str) -> str:
    """Return the indentation, cut where the tree is very deep."""
    return indent if len(indent) <= 3 * _DEEPEST else f"[{len(indent) // 3}] " + indent[-3 * _DEEPEST :]


def _listed(title: str, entries: list[str]) -> list[str]:
    """Return a list below its title; nothing for an empty one."""
    if not entries:
        return []
    shown = [f"   {entry}" for entry in entries[:_MAX_LINES]]
    return [f"{title}:", *shown, *[f"... and {len(entries) - len(shown)} more"] * (len(entries) > len(shown))]


def _kind(edge: Edge) -> str:
    return f"{edge.joint.name}: {type(edge.joint.type).__name__}"
