"""Lowering of a graph to instructions: dead code elimination, fused multiply-adds, numbering.

Three passes over the nodes that outputs depend on, all deterministic:
1. A negation whose operand serves nothing else moves into it: -(a - b) is b - a, -(c x) is (-c) x.
2. A product that serves one sum or difference and nothing else becomes a fused multiply-add with it; of two such
   products, the one recorded later in a sum, the subtrahend in a difference. Nothing else is ever contracted: one lane,
   many lanes, any cutting into functions and the interpreter round alike.
3. Operands become numbers as `program.py` says.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias, TypeGuard, cast, final

from rbd.errors import RecordingError, ScalarError
from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.program.graph import Graph, Recorded
from rbd.program.nodes import (
    ADD,
    CALL,
    CONSTANT_MINUS,
    CONSTANT_OVER,
    DIV,
    INPUT,
    MUL,
    NEG,
    PICK,
    PLUS_CONSTANT,
    POSITIVE,
    SELECT,
    SUB,
    TIMES_CONSTANT,
    GraphNode,
)
from rbd.program.opcodes import FUSED, WITH_IMMEDIATE
from rbd.program.recorded import as_float
from rbd.program.recorded_condition import RecordedCondition

NodeOrConstant: TypeAlias = GraphNode | float
Term: TypeAlias = tuple[int, ...]
"""An operation and its operands: a node's number, or ~k for the k-th constant of the pool."""

_OPERATIONS_OF_CONSTANTS: Final = {PLUS_CONSTANT: ADD, CONSTANT_MINUS: SUB, TIMES_CONSTANT: MUL, CONSTANT_OVER: DIV}
_CONSTANT_FIRST: Final = frozenset({CONSTANT_MINUS, CONSTANT_OVER})
_OPERATIONS_OF_NODES: Final = frozenset({ADD, SUB, MUL})  # never of a constant: by far the most frequent
# Those whose instructions hold more than operands.
_SPECIAL: Final = WITH_IMMEDIATE | {CALL}
# What a sum becomes when one of its terms is a product; what -(a b + c) ... become.
_WITH_FIRST: Final = {op: int(FUSED[1, sign]) for op, sign in ((ADD, 1), (SUB, -1))}
_WITH_SECOND: Final = {op: int(FUSED[sign, 1]) for op, sign in ((ADD, 1), (SUB, -1))}
_NEGATED: Final = {int(op): int(FUSED[-product, -addend]) for (product, addend), op in FUSED.items()}


class LoweredProgram(NamedTuple):
    """The data of a program: constants, instructions, operands of the outputs, labels and calls of intrinsics."""

    constants: tuple[float, ...]
    code: tuple[Term, ...]
    results: tuple[int, ...]
    labels: tuple[str, ...]
    calls: tuple[IntrinsicCall, ...]


def lower(graph: Graph, outputs: Sequence[object]) -> LoweredProgram:
    """Return the instructions of `outputs`, recorded scalars and numbers of this graph."""
    lowering = _Lowering(graph, outputs)
    lowering.absorb_negations()
    lowering.fuse()
    return lowering.renumbered()


@final
class _Lowering:
    """Builder of the instructions of one program."""

    def __init__(self, graph: Graph, outputs: Sequence[object]) -> None:
        """Make a term of each node that `outputs` depend on."""
        self.graph = graph
        self._pool: list[float] = []
        self._constant_numbers: dict[bytes, int] = {}
        self.outputs = [self._operand(_scalar(x, graph)) for x in outputs]
        self.terms: dict[int, Term] = {}
        self.labels: list[str] = []
        self._label_numbers: dict[str, int] = {}
        self.calls: list[IntrinsicCall] = []
        for node in _live_nodes(graph, outputs):
            self.terms[node.index] = self._term(node)
        self.uses = self._count_uses()

    # ---------------------------------------------------------------- terms of nodes

    def _constant(self, value: float) -> int:
        """Return ~k for a constant; constants with equal bits share an entry of the pool."""
        key = struct.pack("<d", value)
        number = self._constant_numbers.setdefault(key, len(self._pool))
        if number == len(self._pool):
            self._pool.append(value)
        return ~number

    def _operand(self, x: NodeOrConstant) -> int:
        return x.index if isinstance(x, GraphNode) else self._constant(x)

    def _term(self, node: GraphNode) -> Term:
        if node.op in _OPERATIONS_OF_NODES:
            return node.op, node.a.index, node.b.index
        if node.op in _OPERATIONS_OF_CONSTANTS:
            op, a, c = _OPERATIONS_OF_CONSTANTS[node.op], node.a.index, self._constant(node.b)
            return (op, c, a) if node.op in _CONSTANT_FIRST else (op, a, c)
        if node.op in WITH_IMMEDIATE:
            return node.op, node.a.index
        return node.op, *(self._operand(x) for x in _operands(node))

    def _count_uses(self) -> dict[int, int]:
        uses = dict.fromkeys(self.terms, 0)
        for operands in (*self.terms.values(), (None, *self.outputs)):
            for x in operands[1:]:
                if x in uses:
                    uses[x] += 1
        return uses

    # ---------------------------------------------------------------- simplifying

    def absorb_negations(self) -> None:
        """Move every negation into its operand if the operand has no other use."""
        for index, term in list(self.terms.items()):
            if term[0] == NEG and term[1] in self.terms and (negated := self._absorb(term[1])) is not None:
                self.terms[index] = negated

    def _absorb(self, x: int) -> Term | None:
        """Remove term `x` and return its negative if that costs nothing, else None."""
        op, *operands = self.terms[x]
        if self.uses[x] != 1 or op not in (ADD, SUB, MUL, DIV):
            return None
        negative = self._negative(op, *operands) or self._with_negative_factor(op, *operands)
        if negative is not None:
            del self.terms[x]
        return negative

    def _negative(self, op: int, a: int, b: int) -> Term | None:
        """Return the negative of a difference, or of an operation with a constant."""
        if op == SUB:
            return SUB, b, a
        if b < 0:
            return (SUB, self._negative_constant(b), a) if op == ADD else (op, a, self._negative_constant(b))
        return (op, self._negative_constant(a), b) if a < 0 and op != ADD else None

    def _with_negative_factor(self, op: int, a: int, b: int) -> Term | None:
        """Negate a factor, if there is one without another use, in place."""
        for x in (a, b) if op in (MUL, DIV) else ():
            if self.uses.get(x) == 1 and self.terms[x][0] in (SUB, MUL):
                negative = self._negative(*self.terms[x])
                if negative is not None:
                    self.terms[x] = negative
                    return op, a, b
        return None

    def _negative_constant(self, constant: int) -> int:
        return self._constant(-self._pool[~constant])

    def fuse(self) -> None:
        """Fuse products with the one sum or difference that uses them, and negations of the result."""
        for index, term in list(self.terms.items()):
            if term[0] in (ADD, SUB):
                self._fuse_sum(index, *term)
            elif term[0] == NEG and self.uses.get(term[1]) == 1 and self.terms[term[1]][0] in _NEGATED:
                fused = self.terms.pop(term[1])
                self.terms[index] = (_NEGATED[fused[0]], *fused[1:])

    def _fuse_sum(self, index: int, op: int, a: int, b: int) -> None:
        if self._is_lone_product(b):
            _, x, y = self.terms.pop(b)
            self.terms[index] = (_WITH_SECOND[op], x, y, a)
        elif self._is_lone_product(a):
            _, x, y = self.terms.pop(a)
            self.terms[index] = (_WITH_FIRST[op], x, y, b)

    def _is_lone_product(self, x: int) -> bool:
        return self.uses.get(x) == 1 and self.terms[x][0] == MUL

    # ---------------------------------------------------------------- numbering

    def renumbered(self) -> LoweredProgram:
        """Return the program with the final numbers of operands, labels and calls."""
        new_operands = {node.index: node.a for node in self.graph.tables[INPUT].values()}
        new_operands.update({x: self.graph.input_count + k for k, x in enumerate(self.terms)})
        constants: dict[int, int] = {}

        def moved(x: int) -> int:
            return new_operands[x] if x >= 0 else ~constants.setdefault(~x, len(constants))

        code: list[Term] = []
        for index, term in self.terms.items():
            op, operands = term[0], [new_operands[x] if x >= 0 else moved(x) for x in term[1:]]
            code.append(self._instruction(self.graph.order[index], op, operands) if op in _SPECIAL else (op, *operands))
        results = tuple(map(moved, self.outputs))
        pool = tuple(self._pool[k] for k in constants)
        return LoweredProgram(pool, tuple(code), results, tuple(self.labels), tuple(self.calls))

    def _instruction(self, node: GraphNode, op: int, operands: Sequence[int]) -> Term:
        """Return the instruction of a check, a call or a pick, with its indices."""
        if op == PICK:
            return op, *operands, node.b
        if op == POSITIVE:
            return op, *operands, self._label(node.b)
        intrinsic, sizes, labels = node.a
        self.calls.append(IntrinsicCall(intrinsic, sizes, len(self.labels), len(labels)))
        self.labels += labels
        return op, len(self.calls) - 1, *operands

    def _label(self, text: str) -> int:
        """Return the label of a check; calls have labels of their own."""
        number = self._label_numbers.setdefault(text, len(self.labels))
        if number == len(self.labels):
            self.labels.append(text)
        return number


def _scalar(x: object, graph: Graph) -> NodeOrConstant:
    """Return an output as a node of this graph or a float."""
    if isinstance(x, Recorded):
        if x.graph is not graph:
            raise RecordingError("an output was recorded in another graph", scalar=x)
        return x
    value = as_float(x)
    if value is None:
        raise ScalarError(_no_output_message(x), scalar=x, function="Program.of")
    return value


def _no_output_message(x: object) -> str:
    """Return the message for an output that is no number, with what to write for conditions and truth values."""
    if isinstance(x, RecordedCondition):
        return "a condition is no output of a program; write numpy.where(condition, 1.0, 0.0)"
    return f"{type(x).__name__} is no output of a program" + (f"; write {float(x)}" if isinstance(x, bool) else "")


def _operands(node: GraphNode) -> tuple[NodeOrConstant, ...]:
    """Return the nodes and constants that are operands of an operation."""
    if node.op in _OPERATIONS_OF_NODES:
        return node.a, node.b
    if node.op == SELECT:
        return node.a, *node.b
    if node.op == CALL:
        return cast("tuple[NodeOrConstant, ...]", node.b)
    return (node.a,) if node.b is None or node.op in WITH_IMMEDIATE else (node.a, node.b)


def _is_node(x: NodeOrConstant) -> TypeGuard[GraphNode]:
    return isinstance(x, GraphNode)


def _live_nodes(graph: Graph, outputs: Sequence[object]) -> list[GraphNode]:
    """Return the nodes that outputs depend on, without inputs, in recorded order."""
    marked = bytearray(len(graph.order))
    for x in outputs:
        if isinstance(x, GraphNode):
            marked[x.index] = True
    for node in reversed(graph.order):  # whatever needs a node comes after it
        if not marked[node.index]:
            continue
        if node.op in _OPERATIONS_OF_NODES:
            marked[node.a.index] = marked[node.b.index] = True
        else:
            for x in filter(_is_node, _operands(node)):
                marked[x.index] = True
    return [node for node in graph.order if marked[node.index] and node.op != INPUT]
