"""The family of recorded scalars: functions, comparisons and calls as nodes.

Constants are plain floats, so one operand of a binary function may be a float. Operations whose result is known while
recording (equal operands, equal branches) add no node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast, final

from typing_extensions import override

from rbd.errors import ScalarError
from rbd.program.nodes import CALL, NEG, PICK, POSITIVE, SELECT, GraphNode, check_same_graph
from rbd.program.opcodes import Op
from rbd.program.recorded import Recorded, as_float
from rbd.program.recorded_condition import RecordedCondition, operand_key
from rbd.recorded_arrays import RecordedArray
from rbd.scalars.family import IntrinsicLike, ScalarFamily, with_methods
from rbd.scalars.opaque import refuse_value_access
from rbd.scalars.protocol import Condition, Scalar, ScalarArray, Vector

if TYPE_CHECKING:
    from rbd.intrinsics.intrinsic import Intrinsic

Value: TypeAlias = Recorded | float
Order: TypeAlias = Callable[[Recorded, Recorded], Condition]
Node = TypeVar("Node", Recorded, RecordedCondition)

_ABS: Final = int(Op.ABS)
_NOT: Final = int(Op.NOT)
_LARGEST_POWER: Final = 16


def _unary(op: Op, x: Recorded) -> Recorded:
    return x.graph.intern(Recorded, int(op), x, None, x.index)


def _binary(kind: type[Node], op: Op, x: Scalar, y: Scalar) -> Node:
    """Return the node of an operation of two operands, at least one of which is recorded."""
    a, b = _operand(x), _operand(y)
    if isinstance(a, Recorded) and isinstance(b, Recorded):
        check_same_graph(a, b)
    graph = a.graph if isinstance(a, Recorded) else cast("Recorded", b).graph
    return graph.intern(kind, int(op), a, b, (operand_key(a), operand_key(b)))


def _operand(x: Scalar) -> Value:
    value = x if isinstance(x, Recorded) else as_float(x)
    if value is None:
        raise ScalarError(f"{type(x).__name__} cannot be recorded", scalar=x, function="lift")
    return value


def _strip_negation(x: Recorded) -> Recorded:
    """Return -x where x is a negation, else x."""
    return x.a if x.op == NEG else x


def _holds_constant(a: Value, b: Value) -> bool:
    return not (isinstance(a, Recorded) and isinstance(b, Recorded))


def _constant_last(a: Recorded, b: Recorded) -> tuple[Recorded, Recorded]:
    return (b, a) if as_float(a) is not None else (a, b)


def _resolve_nested_select(c: RecordedCondition, x: Value, side: int) -> Value:
    """Return a branch, simplified if it is a selection by the same condition."""
    return x.b[side] if isinstance(x, Recorded) and x.op == SELECT and x.a is c else x


def _is_small_integer(n: float) -> bool:
    return float(n).is_integer() and abs(n) <= _LARGEST_POWER


def _repeated(x: Value, n: int) -> Value:
    """Return x to an integer power by squaring."""
    if n == 0:
        return 1.0
    root = _repeated(x, n // 2)
    return root * root * x if n % 2 else root * root


@final
class RecordedCall(GraphNode):
    """A call of an intrinsic; PICKs take its outputs."""

    __slots__ = ()


def _call(
    intrinsic: Intrinsic, sizes: tuple[int, ...], operands: tuple[Value, ...], labels: tuple[str, ...], like: GraphNode
) -> RecordedCall:
    """Return the node of a call; equal calls share one."""
    key = (intrinsic.name, *sizes, "", *labels, "", *map(operand_key, operands))
    return like.graph.intern(RecordedCall, CALL, (intrinsic, sizes, labels), operands, key)


def _method(op: Op) -> Callable[..., Recorded]:
    """Return the function that records an operation; even and odd functions of -x are those of x, with the sign."""
    parity = op.row.parity

    def unary(self: RecordedFamily, x: Recorded) -> Recorded:
        if parity and x.op == NEG:
            return _unary(op, x.a) if parity > 0 else cast("Recorded", -_unary(op, x.a))
        return _unary(op, x)

    def binary(self: RecordedFamily, a: Recorded, b: Recorded) -> Recorded:
        return _binary(Recorded, op, a, b)

    return unary if len(op.row.operand_types) == 1 else binary


@final
@with_methods({op.row.method: _method(op) for op in Op if op.row.method and op is not Op.POWER})
class RecordedFamily(ScalarFamily[Recorded]):
    """Family of recorded scalars. Of two operands typed `Recorded`, one may be a float.

    `minimum` and `maximum` return NaN if an operand is NaN: comparisons are false then, and they return the sum. For a
    constant operand, the comparison is ordered so that NaN is selected.
    """

    name = "recorded"
    priority = 90
    records = True

    @override
    def lift(self, x: Scalar, like: Recorded) -> Recorded:
        # Constants stay floats; an integer zero, which says that an entry is absent, stays what it is.
        return cast("Recorded", x if type(x) is int else _operand(x))

    @override
    def array(self, entries: ScalarArray) -> ScalarArray:
        return entries.view(RecordedArray)

    @override
    def to_float(self, x: Recorded) -> float:
        refuse_value_access("taking the float of", x)

    @override
    def has_range(self, x: Recorded) -> bool:
        return True

    @override
    def less(self, a: Recorded, b: Recorded) -> Condition:
        return False if a is b else _binary(RecordedCondition, Op.LESS, a, b)

    @override
    def less_equal(self, a: Recorded, b: Recorded) -> Condition:
        return True if a is b else _binary(RecordedCondition, Op.LESS_EQUAL, a, b)

    @override
    def where(self, condition: Condition, a: Recorded, b: Recorded) -> Recorded:
        c = cast("RecordedCondition", condition)
        if c.op == _NOT:
            return self.where(c.a, b, a)
        first, second = _operand(a), _operand(b)
        for branch in (first, second):
            if isinstance(branch, Recorded):
                check_same_graph(c, branch)
        first, second = _resolve_nested_select(c, first, 0), _resolve_nested_select(c, second, 1)
        if operand_key(first) == operand_key(second):
            return cast("Recorded", first)
        key = (c.index, operand_key(first), operand_key(second))
        return c.graph.intern(Recorded, SELECT, c, (first, second), key)

    @override
    def both(self, c: Condition, d: Condition) -> Condition:
        return cast("Condition", c & d)

    @override
    def either(self, c: Condition, d: Condition) -> Condition:
        return cast("Condition", c | d)

    @override
    def invert(self, c: Condition) -> Condition:
        return ~cast("RecordedCondition", c)

    @override
    def positive(self, x: Recorded, what: str) -> Recorded:
        return x if x.op == POSITIVE else x.graph.intern(Recorded, POSITIVE, x, what, (x.index, what))

    @override
    def intrinsic(
        self,
        intrinsic: IntrinsicLike,
        sizes: tuple[int, ...],
        operands: Vector,
        labels: tuple[str, ...],
        member: Scalar,
    ) -> Vector:
        like, called = cast("Recorded", member), cast("Intrinsic", intrinsic)
        values = tuple(map(_operand, operands))
        for x in values:
            if isinstance(x, Recorded):
                check_same_graph(like, x)
        call = _call(called, sizes, values, labels, like)
        size = sum(called.lengths(sizes).results)
        return tuple(cast("Scalar", like.graph.intern(Recorded, PICK, call, k, (call.index, k))) for k in range(size))

    @override
    def absolute(self, x: Recorded) -> Recorded:
        bare = _strip_negation(x)
        return bare if bare.op == _ABS else _unary(Op.ABS, bare)

    @override
    def power(self, x: Recorded, n: Recorded) -> Recorded:
        base, exponent = _operand(x), _operand(n)
        if isinstance(exponent, Recorded) or not _is_small_integer(exponent):
            return _binary(Recorded, Op.POWER, base, exponent)
        result = _repeated(base, abs(int(exponent)))
        return cast("Recorded", result if exponent >= 0.0 else 1.0 / result)

    @override
    def divide(self, a: Recorded, b: Recorded) -> Recorded:
        return cast("Recorded", a / b)

    @override
    def minimum(self, a: Recorded, b: Recorded) -> Recorded:
        return self._extreme(a, b, self.less, self.less_equal)

    @override
    def maximum(self, a: Recorded, b: Recorded) -> Recorded:
        return self._extreme(a, b, lambda x, y: self.less(y, x), lambda x, y: self.less_equal(y, x))

    def _extreme(self, a: Recorded, b: Recorded, before: Order, not_after: Order) -> Recorded:
        """Return the operand that is first in an order."""
        if a is b:
            return a
        if _holds_constant(a, b):
            x, c = _constant_last(a, b)
            return self.where(before(c, x), c, x)
        return self.where(before(a, b), a, self.where(not_after(b, a), b, a + b))
