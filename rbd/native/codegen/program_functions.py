"""The instructions of a program as LLVM IR, for W lanes.

Every function takes the input ports, the output ports, the workspace and the status; a value of lane l is at
[index * W + l].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias, final

from rbd.native.codegen.arithmetic import write_operation
from rbd.native.codegen.calls import calls_text, write_intrinsic_call, write_skipped_call
from rbd.native.codegen.copies import SlotCopies, copy_functions
from rbd.native.codegen.function_split import CHUNK_SIZE, SinCosPair
from rbd.native.codegen.ir import NARROW, Lanes, Writer
from rbd.native.codegen.loops import LoopWriter
from rbd.native.codegen.plan import Plan
from rbd.native.codegen.signature import function_head, write_call
from rbd.native.codegen.sincos import sincos_call
from rbd.native.codegen.statuses import write_positive_check
from rbd.program.opcodes import BY_NUMBER, CONDITIONS, Op, operands_of
from rbd.program.ports import offsets
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK

_ANGLES = 256
"""Angles per function, a multiple of all lane counts."""
_WINDOW_SLOTS = {1: 32, 8: 256}
"""Slots per window of the workspace, by lanes: as many as an instruction can address with an offset of one byte.

Instructions with offsets of four bytes would make up a tenth of the code, which is about as large as the instruction
cache.
"""
_MIN_SLOTS_FOR_WINDOWS = 128
"""Workspaces of at most this many slots have no windows."""
_POINTER_REGISTERS = 12
"""Registers for pointers to ports and windows."""
_SPECIAL: Final = frozenset((Op.SIN, Op.COS, Op.CALL, Op.PICK))
"""Calls, their results, which stay where the calls leave them, and operations that share their computation."""


@final
class FunctionWriter:
    """Writes one function of a program: instructions, loads and stores."""

    def __init__(self, name: str, plan: Plan, lanes: Lanes) -> None:
        """Begin function `name`."""
        self.name, self.plan, self.lanes = name, plan, lanes
        self.program: Program = plan.program
        self.input_size = plan.program.input_size
        self.w = Writer()
        self.w.begin_function(function_head(name, plan.program, lanes))
        self._head = len(self.w.lines)
        """Lines before the windows, which are known at the end."""
        self.values: dict[int, str] = {}
        self.windows: set[int] = set()
        self.tables: list[str] = []
        self.window_slots = _WINDOW_SLOTS.get(lanes.width, 0) if plan.slot_count > _MIN_SLOTS_FOR_WINDOWS else 0
        self.max_windows = max(0, _POINTER_REGISTERS - len(plan.program.inputs) - len(plan.program.outputs))

    def text(self) -> str:
        """End the function; return it with its tables."""
        self.w.lines[self._head : self._head] = [
            line for number in sorted(self.windows) for line in self._window(number)
        ]
        self.w.end_function()
        return "".join(f"{line}\n" for line in self.tables) + self.w.text()

    def _window(self, number: int) -> tuple[str, str]:
        """Return the lines for a pointer into the workspace, opaque to the code generator: it stays in a register."""
        middle = (number * self.window_slots + self.window_slots // 2) * self.lanes.width
        nearby = f"  %near{number} = getelementptr inbounds double, ptr %ws, i64 {middle}"
        return nearby, f'  %ws{number} = call ptr asm "", "=r,0"(ptr %near{number})'

    # --- operands -----------------------------------------------------------------------------------------------------

    def value(self, operand: int) -> str:
        """Return the name of an operand's value; load it at its first use in this function."""
        if operand < 0:
            return self.lanes.double_constant(self.program.constants[~operand])
        known = self.values.get(operand)
        if known is None:
            known = self.values[operand] = self._loaded(operand)
        return known

    def _loaded(self, operand: int) -> str:
        if operand < self.input_size:
            port, index = self.program.input_at(operand)
            return self._load(f"%in{port}", index)
        index = operand - self.input_size
        value = self._load("%ws", self.plan.slots[index])
        if self.program.code[index][0] not in CONDITIONS:
            return value
        return self.w.assign(f"fcmp one {self.lanes.double} {value}, {self.lanes.double_constant(0.0)}")

    def _address(self, base: str, index: int) -> str:
        """Return a pointer to entry `index` from `base` on; in the workspace, relative to the middle of a window."""
        if base != "%ws" or index >= self.max_windows * self.window_slots:
            return self.w.address(base, index * self.lanes.width)
        number = index // self.window_slots
        self.windows.add(number)
        inside = index - number * self.window_slots - self.window_slots // 2
        return self.w.address(f"%ws{number}", inside * self.lanes.width)

    def _load(self, base: str, index: int) -> str:
        pointer = self._address(base, index)
        return self.w.load(self.lanes.double, pointer, self.lanes.alignment)

    def _store(self, base: str, index: int, value: str) -> None:
        pointer = self._address(base, index)
        self.w.store(self.lanes.double, value, pointer, self.lanes.alignment)

    def define(self, index: int, value: str) -> None:
        """Set the value of instruction `index`; store it to its slot, outputs and operands of calls."""
        self.values[self.input_size + index] = value
        slot = self.plan.slots.get(index)
        if slot is not None:
            stored = value
            if self.program.code[index][0] in CONDITIONS:
                stored = self.w.assign(f"uitofp {self.lanes.truth} {value} to {self.lanes.double}")
            self._store("%ws", slot, stored)
        self._store_result(index, value)

    def _store_result(self, index: int, value: str) -> None:
        """Put the value of instruction `index` where outputs are and where calls will look for it."""
        for output in self.plan.stored_outputs.get(index, ()):
            self.store_output(output, value)
        for slot in self.plan.operand_slots.get(index, ()):
            self.store_operand(slot, value)

    def store_output(self, output: int, value: str) -> None:
        """Store a value to an output."""
        port, index = self.program.output_at(output)
        self._store(f"%out{port}", index, value)

    def store_operand(self, slot: int, value: str) -> None:
        """Store a value to a slot of an operand of a call."""
        self._store("%ws", slot, value)

    # --- instructions -------------------------------------------------------------------------------------------------

    def instruction(self, index: int) -> None:
        """Write instruction `index`, unless it is a sine or cosine written before with its partner."""
        instruction = self.program.code[index]
        op = BY_NUMBER[instruction[0]]
        if op not in _SPECIAL:
            self._operation(index, op, instruction)
        elif op in (Op.SIN, Op.COS):
            angle = self.plan.computed_angles.get(index)
            if angle is not None:
                self.angle(angle)
        elif op == Op.CALL:
            for slot, operand in self.plan.late_operand_slots.get(index, ()):
                self.store_operand(slot, self.value(operand))
            self.write_copies(f"{self.name}_{index}", self.plan.copies.get(index, ()), "%ws")
            write_intrinsic_call(self.w, self.lanes, self.plan.calls[index])

    def _operation(self, index: int, op: Op, instruction: tuple[int, ...]) -> None:
        """Write an instruction that is one operation."""
        values = list(map(self.value, operands_of(instruction)))
        if op == Op.POSITIVE:
            write_positive_check(
                self.w, self.lanes, values[0], self.lanes.integer_constant(FIRST_CHECK + instruction[2])
            )
        self.define(index, write_operation(self.w, self.lanes, op, values))

    def guarded(self, index: int, names: Sequence[str]) -> None:
        """Write the calls of the functions of a region, which end with call `index`, or zeros for its results."""
        slots, guard = self.plan.calls[index], self.value(operands_of(self.program.code[index])[-1])
        zero = self.lanes.double_constant(0.0)
        is_needed = self.w.any_lane(self.lanes, self.w.assign(f"fcmp une {self.lanes.double} {guard}, {zero}"))
        self.w.if_(
            is_needed, lambda: self._call_functions(names), lambda: write_skipped_call(self.w, self.lanes, slots)
        )

    def _call_functions(self, names: Sequence[str]) -> None:
        """Write calls of functions of the program."""
        inputs = [f"%in{k}" for k in range(len(self.program.inputs))]
        outputs = [f"%out{k}" for k in range(len(self.program.outputs))]
        for name in names:
            write_call(self.w, name, (*inputs, *outputs, "%ws", "%st"))

    def write_copies(self, name: str, pairs: Sequence[tuple[int, int]], target: str) -> None:
        """Write copies from slots of the workspace."""
        copies = SlotCopies(name, pairs, self.lanes)
        copies.write(self.w, target, "%ws")
        self.tables += copies.text()

    def angle(self, angle: SinCosPair) -> None:
        """Write the sine and cosine of one angle per lane."""
        sine, cosine = sincos_call(self.w, self.lanes, self.value(angle.operand))
        for index, value in ((angle.sine, sine), (angle.cosine, cosine)):
            if index is not None:
                self.define(index, value)

    def packed_angles(self, angles: tuple[SinCosPair, ...], width: int) -> None:
        """Write the sines and cosines of up to `width` angles of one state, packed into lanes."""
        pack = Lanes(width)
        packed = "zeroinitializer"
        for lane, angle in enumerate(angles):
            value = self.value(angle.operand)
            packed = self.w.assign(f"insertelement {pack.double} {packed}, double {value}, i64 {lane}")
        pair = sincos_call(self.w, pack, packed)
        for lane, angle in enumerate(angles):
            for index, whole in zip((angle.sine, angle.cosine), pair, strict=True):
                if index is not None:
                    self.define(index, self.w.assign(f"extractelement {pack.double} {whole}, i64 {lane}"))


_Store: TypeAlias = Callable[[FunctionWriter, int, str], None]
"""Stores a value to a numbered place."""


def program_functions(plan: Plan, lanes: Lanes, prefix: str, pack: int) -> tuple[list[str], list[str]]:
    """Return the names and texts of a program's functions.

    Elementwise loops of intrinsics use vectors of `pack` numbers, sines of one state of at most `NARROW`.
    """
    first = _angle_functions(plan, lanes, f"{prefix}_start", min(pack, NARROW))
    _add_stores(first, plan, lanes, f"{prefix}_direct")
    writers = [*first, *_chunk_functions(plan, lanes, prefix)]
    inner = _guard_regions(writers, plan, lanes, prefix)
    texts = calls_text(plan.program, pack, lanes.width)
    if plan.copies or plan.output_slots:
        texts += copy_functions(lanes)
    if plan.output_slots:
        end = FunctionWriter(f"{prefix}_end", plan, lanes)
        for port, (start, each) in enumerate(offsets(plan.program.outputs)):
            pairs = [
                (output - start, slot) for output, slot in plan.output_slots if start <= output < start + each.size
            ]
            end.write_copies(f"{end.name}_{port}", pairs, f"%out{port}")
        writers.append(end)
    names = [writer.name for writer in writers if writer.name not in inner]
    return names, [*texts, *(writer.text() for writer in writers)]


def _guard_regions(writers: list[FunctionWriter | LoopWriter], plan: Plan, lanes: Lanes, prefix: str) -> set[str]:
    """Add, behind the functions of each region, the one that calls them if needed; return the names of the former."""
    inner = set[str]()
    for call, numbers in plan.regions.items():
        names = [f"{prefix}_{number}" for number in numbers]
        inner.update(names)
        writer = FunctionWriter(f"{prefix}_guarded_{call}", plan, lanes)
        writer.guarded(call, names)
        place = next(k for k, each in enumerate(writers) if each.name == names[-1])
        writers.insert(place + 1, writer)
    return inner


def _chunk_functions(plan: Plan, lanes: Lanes, prefix: str) -> Iterator[FunctionWriter | LoopWriter]:
    """Yield the functions of straight code and of loops."""
    for number, chunk in enumerate(plan.chunks):
        if number not in plan.loops:
            yield _with_instructions(FunctionWriter(f"{prefix}_{number}", plan, lanes), chunk)
        elif not plan.loops[number].is_empty:
            yield LoopWriter(f"{prefix}_{number}", plan.program, plan.loops[number], lanes)


def _with_instructions(writer: FunctionWriter, chunk: range) -> FunctionWriter:
    """Write the instructions of a function without loops."""
    for index in chunk:
        writer.instruction(index)
    return writer


def _angle_functions(plan: Plan, lanes: Lanes, name: str, pack: int) -> list[FunctionWriter]:
    """Return the functions that compute sines and cosines of inputs."""
    angles, writers = plan.input_angles, list[FunctionWriter]()
    for start in range(0, len(angles), _ANGLES):
        writers.append(FunctionWriter(f"{name}_{start}", plan, lanes))
        _write_angles(writers[-1], angles[start : start + _ANGLES], pack)
    return writers


def _write_angles(writer: FunctionWriter, angles: tuple[SinCosPair, ...], pack: int) -> None:
    if writer.lanes.width == 1 and pack > 1 and len(angles) > 1:
        for start in range(0, len(angles), pack):
            writer.packed_angles(angles[start : start + pack], pack)
    else:
        for angle in angles:
            writer.angle(angle)


def _add_stores(writers: list[FunctionWriter], plan: Plan, lanes: Lanes, name: str) -> None:
    """Add the stores of inputs and constants to outputs, and to operands of calls and loops."""
    first = plan.program.input_size
    outputs = [(output, operand) for output, operand in enumerate(plan.program.results) if operand < first]
    stores: list[tuple[_Store, int, int]] = [(FunctionWriter.store_output, *each) for each in outputs]
    stores += [(FunctionWriter.store_operand, *each) for each in plan.initial_operand_slots]
    for start in range(0, len(stores), CHUNK_SIZE):
        if start or not writers:
            writers.append(FunctionWriter(f"{name}_{start}", plan, lanes))
        for store, place, operand in stores[start : start + CHUNK_SIZE]:
            store(writers[-1], place, writers[-1].value(operand))
