"""Nodes of a graph, hash-consed.

A node is an operation on earlier nodes and on constants; constants are plain floats and never nodes. Operations with a
constant operand are kinds of their own, because most rules of simplification ask for them.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from rbd.errors import RecordingError, RecordingLimitError
from rbd.program.opcodes import Op
from rbd.scalars.opaque import OpaqueValue, caller_line

Key: TypeAlias = int | str | float | tuple[int | str | float, ...]

INPUT: Final = 0
ADD: Final = int(Op.ADD)
SUB: Final = int(Op.SUB)
MUL: Final = int(Op.MUL)
DIV: Final = int(Op.DIV)
NEG: Final = int(Op.NEG)
POSITIVE: Final = int(Op.POSITIVE)
CALL: Final = int(Op.CALL)
PICK: Final = int(Op.PICK)
SELECT: Final = int(Op.SELECT)
# With a constant c in slot b: a + c, c - a, a c, c / a.
PLUS_CONSTANT: Final = 60
CONSTANT_MINUS: Final = 61
TIMES_CONSTANT: Final = 62
CONSTANT_OVER: Final = 63
_KINDS: Final = 64

KIND_NAMES: Final = {op.value: op.name for op in Op} | {
    INPUT: "INPUT",
    PLUS_CONSTANT: "ADD",
    CONSTANT_MINUS: "SUB",
    TIMES_CONSTANT: "MUL",
    CONSTANT_OVER: "DIV",
}
"""Names of kinds of nodes: those of the operations."""


RECORDING_LIMIT: Final = 1_000_000
"""Maximum number of operations of a recording, which takes about 600 MB and half a minute."""

GraphNodeType = TypeVar("GraphNodeType", bound="GraphNode")


def _raise_limit() -> NoReturn:
    where = caller_line()
    message = (
        f"{where}: the recording has reached {RECORDING_LIMIT} operations, the most that are compiled as one function;"
        " call it on floats within rbd.interpreted(), or record smaller parts"
    )
    raise RecordingLimitError(message, where=where, limit=RECORDING_LIMIT)


class Nodes:
    """The nodes of one recording in order, and a table by operation and operands."""

    def __init__(self) -> None:
        """Begin without nodes."""
        # The garbage collector clears attributes in this order, as `clear` does: freed from the last one on, no node
        # frees its operands in turn. A long chain of them overflows the stack of CPython 3.13's threads.
        self.tables: list[dict[Key, Any]] = [{} for _ in range(_KINDS)]
        self.order: list[GraphNode] = []

    def intern(self, kind: type[GraphNodeType], op: int, a: object, b: object, key: Key) -> GraphNodeType:
        """Return the node of this operation; equal operations share one. `key` identifies the operands."""
        table = self.tables[op]
        node: GraphNodeType | None = table.get(key)
        if node is None:
            if len(self.order) >= RECORDING_LIMIT:
                _raise_limit()
            node = kind.__new__(kind)
            node.graph, node.index, node.op, node.a, node.b = self, len(self.order), op, a, b
            self.order.append(node)
            table[key] = node
        return node

    def clear(self) -> None:
        """Drop all nodes: as they and the graph refer to each other, only the garbage collector would free them."""
        for table in self.tables:
            table.clear()
        self.order.clear()  # after the tables, so that nodes are freed from the last one on


class GraphNode(OpaqueValue):
    """One operation: `op` on `a` and `b`, number `index` of its graph.

    `a` is a node, or a constant; an input's `a` is its number among the input scalars. `b` is a node, a constant, None,
    a pair of branches (SELECT), a label (POSITIVE), an output's number (PICK) or a name (inputs). A CALL has
    the intrinsic, its sizes and its labels in `a`, all operands in `b`.
    """

    __slots__ = ("a", "b", "graph", "index", "op")

    graph: Nodes
    index: int
    op: int
    a: Any
    b: Any


def check_same_graph(x: GraphNode, y: GraphNode) -> None:
    """Raise RecordingError when two nodes belong to different recordings."""
    if x.graph is not y.graph:
        where = caller_line()
        raise RecordingError(f"{where}: scalars of two recordings meet in one operation", where=where, scalar=y)


def subscript(position: int, shape: tuple[int, ...]) -> str:
    """Return "[1, 2]" for a flat position in an array of this shape."""
    index: list[int] = []
    for length in reversed(shape):
        position, last = divmod(position, length)
        index.insert(0, last)
    return str(index) if shape else ""
