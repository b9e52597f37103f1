"""Conditions: comparisons of recorded scalars, undecided until the program runs."""

from __future__ import annotations

from typing import Any, Final, cast, final

from typing_extensions import override

from rbd.program.nodes import KIND_NAMES, GraphNode, check_same_graph
from rbd.program.opcodes import Op
from rbd.program.recorded import Recorded
from rbd.recorded_arrays import NumpyProtocol
from rbd.scalars.registry import TRUTHS

_AND: Final = int(Op.AND)
_OR: Final = int(Op.OR)
_NOT: Final = int(Op.NOT)


@final
class RecordedCondition(NumpyProtocol, GraphNode):
    """A recorded comparison, an operand of `where`, `both`, `either` and `invert`."""

    __slots__ = ()

    def __and__(self, other: Any, /) -> Any:
        """Return the conjunction."""
        if isinstance(other, RecordedCondition):
            return _joined(_AND, self, other)
        return (self if other else False) if isinstance(other, TRUTHS) else NotImplemented

    __rand__ = __and__

    def __or__(self, other: Any, /) -> Any:
        """Return the disjunction."""
        if isinstance(other, RecordedCondition):
            return _joined(_OR, self, other)
        return (True if other else self) if isinstance(other, TRUTHS) else NotImplemented

    __ror__ = __or__

    def __invert__(self) -> RecordedCondition:
        """Return the negation."""
        if self.op == _NOT:
            return cast("RecordedCondition", self.a)
        return self.graph.intern(RecordedCondition, _NOT, self, None, self.index)

    @override
    def __repr__(self) -> str:
        return f"recorded {KIND_NAMES[self.op]}"


def _joined(op: int, c: RecordedCondition, d: RecordedCondition) -> RecordedCondition | bool:
    check_same_graph(c, d)
    if c is d:
        return c
    if (c.op == _NOT and c.a is d) or (d.op == _NOT and d.a is c):
        return op == _OR
    first, second = (c, d) if c.index < d.index else (d, c)
    return c.graph.intern(RecordedCondition, op, first, second, (first.index, second.index))


def operand_key(x: Recorded | float) -> int | str:
    """Return the key of an operand: the index of a node, or the digits of a constant, which keep the sign of zero."""
    return x.index if isinstance(x, Recorded) else float(x).hex()
