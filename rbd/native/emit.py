"""The instructions of a program as LLVM IR, for W lanes.

Room: native; knows nothing of robots. May import: errors and scalars. Every function takes the input ports, the block
of all outputs, the workspace and the status; a value of lane l is at [index * W + l].
"""

from __future__ import annotations

from typing import final

from rbd.native.calls import call_lines, calls_text
from rbd.native.ir import ATTRIBUTES, Lanes, Writer
from rbd.native.lower import CHUNK, Angle, Plan, input_count
from rbd.native.trig import sincos_call
from rbd.scalars.opcodes import CONDITIONS, FIRST_CHECK, Op, operands_of
from rbd.scalars.program import Program

_PLAIN: dict[Op, tuple[str, type]] = {
    Op.ADD: ("fadd", float),
    Op.SUB: ("fsub", float),
    Op.MUL: ("fmul", float),
    Op.DIV: ("fdiv", float),
    Op.LESS: ("fcmp olt", float),
    Op.LESS_EQUAL: ("fcmp ole", float),
    Op.AND: ("and", bool),
    Op.OR: ("or", bool),
}
"""What an operation is called in IR, and of what its two operands are."""
_UNARY = {Op.NOT: "not", Op.NEG: "neg", Op.SQRT: "sqrt", Op.ABS: "fabs"}
_FUSED = {Op.FMA: (False, False), Op.FMS: (False, True), Op.FNMA: (True, False), Op.FNMS: (True, True)}
"""Whether the product and whether the addend are negated."""
LIBRARY = {
    Op.TAN: "tan",
    Op.ASIN: "asin",
    Op.ACOS: "acos",
    Op.ATAN2: "atan2",
    Op.EXP: "exp",
    Op.LOG: "log",
    Op.POWER: "pow",
    Op.TANH: "tanh",
}
"""Functions of the C library, called lane by lane."""
ARITY = {"atan2": 2, "pow": 2}


@final
class Body:
    """Writes one function of a kernel: instructions, and the loads and stores around them."""

    def __init__(self, name: str, plan: Plan, lanes: Lanes, uses: dict[int, list[int]]) -> None:
        """Begin function `name`; `uses` maps instructions to the outputs they are."""
        self.name, self.plan, self.lanes, self.uses = name, plan, lanes, uses
        self.program: Program = plan.program
        self.inputs = input_count(plan.program)
        self.w = Writer()
        self.values: dict[int, str] = {}
        self.offsets = port_offsets(plan.program)

    def text(self) -> str:
        """Return the whole function."""
        ports = "".join(f"ptr noalias %in{k}, " for k in range(len(self.program.inputs)))
        head = f"define internal void @{self.name}({ports}ptr noalias %out, ptr noalias %ws, ptr noalias %st)"
        return f"{head} noinline {ATTRIBUTES} {{\n{self.w.text()}  ret void\n}}\n"

    # --- operands -----------------------------------------------------------------------------------------------------

    def value(self, operand: int) -> str:
        """Return the name of an operand's value, loading it when this function has not seen it yet."""
        if operand < 0:
            return self.lanes.number(self.program.constants[~operand])
        known = self.values.get(operand)
        if known is None:
            known = self.values[operand] = self._loaded(operand)
        return known

    def _loaded(self, operand: int) -> str:
        if operand < self.inputs:
            port, index = self.offsets[operand]
            return self._load(f"%in{port}", index)
        index = operand - self.inputs
        value = self._load("%ws", self.plan.slots[index])
        if self.program.code[index][0] not in CONDITIONS:
            return value
        return self.w.set(f"fcmp one {self.lanes.double} {value}, {self.lanes.number(0.0)}")

    def _load(self, block: str, index: int) -> str:
        pointer = self.w.element(block, index * self.lanes.width)
        return self.w.load(self.lanes.double, pointer, self.lanes.alignment)

    def _store(self, block: str, index: int, value: str) -> None:
        pointer = self.w.element(block, index * self.lanes.width)
        self.w.store(self.lanes.double, value, pointer, self.lanes.alignment)

    def define(self, index: int, value: str) -> None:
        """Note the value of instruction `index`; put it wherever it is wanted later."""
        self.values[self.inputs + index] = value
        slot = self.plan.slots.get(index)
        if slot is not None:
            stored = value
            if self.program.code[index][0] in CONDITIONS:
                stored = self.w.set(f"uitofp {self.lanes.truth} {value} to {self.lanes.double}")
            self._store("%ws", slot, stored)
        self._hand_out(index, value)

    def _hand_out(self, index: int, value: str) -> None:
        """Put the value of instruction `index` where outputs are and where calls will look for it."""
        for output in self.uses.get(index, ()):
            self._store("%out", output, value)
        for place in self.plan.feeds.get(index, ()):
            self._store("%ws", place, value)

    def store_direct(self, block: str, place: int, operand: int) -> None:
        """Store an input or a constant where it is an output or an operand of a call."""
        self._store(block, place, self.value(operand))

    # --- instructions -------------------------------------------------------------------------------------------------

    def instruction(self, index: int) -> None:
        """Write instruction `index`, unless it is a sine or cosine written before with its partner."""
        code = self.program.code[index]
        op = Op(code[0])
        if op in (Op.SIN, Op.COS):
            angle = self.plan.later_angles.get(index)
            if angle is not None:
                self.angle(angle)
            return
        if op == Op.CALL:
            call_lines(self.w, self.lanes, self.plan.calls[index])
            return
        if op == Op.PICK:
            self._hand_out(index, self.value(self.inputs + index))
            return
        values = [self.value(operand) for operand in operands_of(code)]
        if op == Op.POSITIVE:
            self._check(values[0], FIRST_CHECK + code[2])
            self.define(index, values[0])
        else:
            self.define(index, self._result(op, values))

    def angle(self, angle: Angle) -> None:
        """Write the sine and cosine of one angle, in every lane."""
        sine, cosine = sincos_call(self.w, self.lanes, self.value(angle.operand))
        for index, value in ((angle.sine, sine), (angle.cosine, cosine)):
            if index is not None:
                self.define(index, value)

    def packed_angles(self, angles: tuple[Angle, ...], width: int) -> None:
        """Write the sines and cosines of up to `width` angles of one state, packed into lanes."""
        pack = Lanes(width)
        packed = "zeroinitializer"
        for lane, angle in enumerate(angles):
            value = self.value(angle.operand)
            packed = self.w.set(f"insertelement {pack.double} {packed}, double {value}, i64 {lane}")
        pair = sincos_call(self.w, pack, packed)
        for lane, angle in enumerate(angles):
            for index, whole in zip((angle.sine, angle.cosine), pair, strict=True):
                if index is not None:
                    self.define(index, self.w.set(f"extractelement {pack.double} {whole}, i64 {lane}"))

    def _result(self, op: Op, values: list[str]) -> str:
        """Write an ordinary instruction and return the name of its value."""
        if op in _FUSED:
            return self._fused(values, *_FUSED[op])
        if op in _UNARY:
            return self._unary(op, values[0])
        if op in LIBRARY:
            return self._library(LIBRARY[op], values)
        double, truth = self.lanes.double, self.lanes.truth
        if op == Op.SELECT:
            return self.w.set(f"select {truth} {values[0]}, {double} {values[1]}, {double} {values[2]}")
        name, kind = _PLAIN[op]
        return self.w.set(f"{name} {truth if kind is bool else double} {values[0]}, {values[1]}")

    def _unary(self, op: Op, value: str) -> str:
        double, truth = self.lanes.double, self.lanes.truth
        if op == Op.NOT:
            return self.w.set(f"xor {truth} {value}, {'true' if self.lanes.width == 1 else 'splat (i1 true)'}")
        if op == Op.NEG:
            return self.w.set(f"fneg {double} {value}")
        return self.w.set(f"call {double} {self.lanes.intrinsic(_UNARY[op])}({double} {value})")

    def _fused(self, values: list[str], product_negated: bool, addend_negated: bool) -> str:
        double = self.lanes.double
        a, b, c = values
        if product_negated:
            a = self.w.set(f"fneg {double} {a}")
        if addend_negated:
            c = self.w.set(f"fneg {double} {c}")
        return self.w.set(f"call {double} {self.lanes.intrinsic('fma')}({double} {a}, {double} {b}, {double} {c})")

    def _library(self, function: str, values: list[str]) -> str:
        """Write a call of the C library, lane by lane."""
        symbol, width = f"@{library_symbol(function)}", self.lanes.width
        if width == 1:
            return self.w.set(f"call double {symbol}({', '.join(f'double {value}' for value in values)})")
        result = "poison"
        for lane in range(width):
            parts = [self.w.set(f"extractelement {self.lanes.double} {value}, i64 {lane}") for value in values]
            called = self.w.set(f"call double {symbol}({', '.join(f'double {part}' for part in parts)})")
            result = self.w.set(f"insertelement {self.lanes.double} {result}, double {called}, i64 {lane}")
        return result

    def _check(self, value: str, status: int) -> None:
        """Write a check that `value` is positive; the first one that fails decides the status of its lane."""
        lanes, w = self.lanes, self.w
        good = w.set(f"fcmp ogt {lanes.double} {value}, {lanes.number(0.0)}")
        old = w.load(lanes.integer, "%st", lanes.alignment)
        clean = w.set(f"icmp eq {lanes.integer} {old}, {lanes.whole(0)}")
        found = w.set(f"select {lanes.truth} {clean}, {lanes.integer} {lanes.whole(status)}, {lanes.integer} {old}")
        kept = w.set(f"select {lanes.truth} {good}, {lanes.integer} {old}, {lanes.integer} {found}")
        w.store(lanes.integer, kept, "%st", lanes.alignment)


def library_symbol(function: str) -> str:
    """Return the name under which a kernel calls a function of the C library."""
    return f"rbd_{function}"


def port_offsets(program: Program) -> list[tuple[int, int]]:
    """Return (port, index in it) of every flat input scalar."""
    return [(number, index) for number, port in enumerate(program.inputs) for index in range(port.size)]


def functions(plan: Plan, lanes: Lanes, prefix: str, pack: int) -> tuple[list[str], list[str]]:
    """Return the names and texts of a kernel's functions; angles of one state are packed `pack` at a time."""
    uses: dict[int, list[int]] = {}
    inputs = input_count(plan.program)
    for output, operand in enumerate(plan.program.results):
        if operand >= inputs:
            uses.setdefault(operand - inputs, []).append(output)
    bodies = [_first(plan, lanes, f"{prefix}_start", uses, pack), *_direct(plan, lanes, f"{prefix}_direct", uses)]
    for number, chunk in enumerate(plan.chunks):
        body = Body(f"{prefix}_{number}", plan, lanes, uses)
        for index in chunk:
            body.instruction(index)
        bodies.append(body)
    return [body.name for body in bodies], [*calls_text(plan.program), *(body.text() for body in bodies)]


def _first(plan: Plan, lanes: Lanes, name: str, uses: dict[int, list[int]], pack: int) -> Body:
    """Return the function that takes sines and cosines of inputs."""
    body = Body(name, plan, lanes, uses)
    angles = plan.first_angles
    if lanes.width == 1 and pack > 1 and len(angles) > 1:
        for start in range(0, len(angles), pack):
            body.packed_angles(angles[start : start + pack], pack)
    else:
        for angle in angles:
            body.angle(angle)
    return body


def _direct(plan: Plan, lanes: Lanes, name: str, uses: dict[int, list[int]]) -> list[Body]:
    """Return functions that store outputs and operands of calls that need no computing."""
    inputs = input_count(plan.program)
    stores = [("%out", output, operand) for output, operand in enumerate(plan.program.results) if operand < inputs]
    stores += [("%ws", place, operand) for place, operand in plan.first_feeds]
    bodies: list[Body] = []
    for start in range(0, len(stores), CHUNK):
        bodies.append(Body(f"{name}_{start}", plan, lanes, uses))
        for store in stores[start : start + CHUNK]:
            bodies[-1].store_direct(*store)
    return bodies
