"""Where the nodes of a recording are kept, each only once.

A node is an operation on earlier nodes and on constants; constants are plain floats and never nodes. Operations with a
constant operand are kinds of their own, because most rules of simplification ask for them.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, TypeAlias

from rbd.errors import RecordingError, RecordingLimitError
from rbd.program.opcodes import Op
from rbd.scalars.opaque import Opaque, caller_line

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
ADD_CONSTANT: Final = 60
FROM_CONSTANT: Final = 61
SCALE: Final = 62
RECIPROCAL: Final = 63
_KINDS: Final = 64

KIND_NAMES: Final = {op.value: op.name for op in Op} | {
    INPUT: "INPUT",
    ADD_CONSTANT: "ADD",
    FROM_CONSTANT: "SUB",
    SCALE: "MUL",
    RECIPROCAL: "DIV",
}
"""What a kind of node is called: the operation it becomes."""


LIMIT: Final = 1_000_000
"""Operations in one recording: about 600 MB and half a minute. What needs more cannot be compiled in one piece."""


def refuse_more() -> NoReturn:
    """Raise RecordingLimitError."""
    where = caller_line()
    message = (
        f"{where}: the recording has reached {LIMIT} operations, the most that are compiled as one function;"
        " interpret it, or record smaller parts"
    )
    raise RecordingLimitError(message, where=where, limit=LIMIT)


class Nodes:
    """The nodes of one recording in the order they were made, and a table to find each by what it computes."""

    def __init__(self) -> None:
        """Begin with no node."""
        self.order: list[Node] = []
        self.tables: list[dict[Key, Any]] = [{} for _ in range(_KINDS)]
        self.labels: list[str] = []

    def label(self, text: str) -> int:
        """Return the number of a check's text."""
        if text not in self.labels:
            self.labels.append(text)
        return self.labels.index(text)


class Node(Opaque):
    """One operation: `op` on `a` and `b`, number `index` of its graph.

    `a` is a node, or a constant; an input's `a` is its number among the input scalars. `b` is a node, a constant, None,
    a pair of branches (SELECT), a label's number (POSITIVE), an output's number (PICK) or a name (inputs). A CALL has
    the intrinsic, its sizes and its labels in `a`, all operands in `b`.
    """

    __slots__ = ("a", "b", "graph", "index", "op")

    graph: Nodes
    index: int
    op: int
    a: Any
    b: Any


def check_same_graph(x: Node, y: Node) -> None:
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
