"""Calls of intrinsics in machine code.

Operands are stored to the operand slots of a call as soon as they are computed; results stay in its result slots. With
one lane, or for intrinsics with uniform control flow, one call computes all lanes. Otherwise each lane is copied to a
work area that all calls share, and its results are copied back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Final

from rbd.intrinsics import tree
from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.intrinsics.specialisation import specialised_to
from rbd.native.codegen.call_slots import CallSlots
from rbd.native.codegen.copies import global_table
from rbd.native.codegen.expressions import routine_symbol
from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer, loop_function
from rbd.native.codegen.routine import routine_text
from rbd.program.program import Program
from rbd.program.status import FIRST_CHECK

_ZEROS: Final = 8
"""Zeros that are stored together."""


def calls_text(program: Program, pack: int, lanes: int) -> list[str]:
    """Return the functions that calls need, each once; `pack` numbers fit a register."""
    if not program.calls:
        return []
    used = {_function_name(call): call for call in program.calls}
    texts = [
        routine_text(name, routine, pack, lanes if call.intrinsic.has_uniform_control_flow else 1)
        for name, call in used.items()
        for routine in _routine(call).closure()
    ]
    return [_copy(), _zero(), *texts, *_tables(program)]


def _routine(call: IntrinsicCall) -> tree.Routine:
    """Return the function of a call, written out for its sizes where the intrinsic says so."""
    return specialised_to(call.intrinsic, call.sizes) if call.intrinsic.specialised else call.intrinsic.routine


def _function_name(call: IntrinsicCall) -> str:
    """Return the name of the function of a call: the intrinsic, and its sizes where it is written out."""
    if not call.intrinsic.specialised:
        return call.intrinsic.name
    return f"{call.intrinsic.name}_{hashlib.sha256(repr(call.sizes).encode()).hexdigest()[:20]}"


def _tables(program: Program) -> list[str]:
    """Return the constant tables of calls, each once."""
    tables = dict.fromkeys(table for call in program.calls for table in call.tables.values() if table)
    return [global_table(_table_name(table), "i64", list(map(str, table))) for table in tables]


def _table_name(table: tuple[int, ...]) -> str:
    """Return the name of a table, a hash of its entries."""
    return f"table_{hashlib.sha256(repr(table).encode()).hexdigest()[:20]}"


def write_intrinsic_call(w: Writer, lanes: Lanes, slots: CallSlots) -> None:
    """Write a call in a function with `%ws` and `%st`."""
    pointers = [w.address("%ws", slot * lanes.width) for slot in (slots.operands, slots.results, slots.work)]
    write = _call_all_lanes if slots.all_lanes else _call_each_lane
    write(w, lanes, slots.call, *pointers)


def write_skipped_call(w: Writer, lanes: Lanes, slots: CallSlots) -> None:
    """Write the zeros that are the results of a call that is skipped in all lanes."""
    _write_zero(w, w.address("%ws", slots.results * lanes.width), sum(slots.call.lengths.results) * lanes.width)


def _call_all_lanes(w: Writer, lanes: Lanes, call: IntrinsicCall, operands: str, results: str, work: str) -> None:
    """Write one call for all lanes."""
    width, (n_in, n_out, _) = lanes.width, _sizes(call)
    _write_zero(w, results, n_out * width)

    def call_all() -> None:
        for entries in call.zeroed_work:
            _write_zero(w, w.address(work, entries.start * width), len(entries) * width)
        _invoke(w, call, operands, results, work, "%st", width)

    _if_needed(w, lanes, call, w.address(operands, (n_in - 1) * width), call_all)


def _call_each_lane(w: Writer, lanes: Lanes, call: IntrinsicCall, operands: str, results: str, work: str) -> None:
    """Write a call for each lane, on a copy of its operands."""
    width, (n_in, n_out, n_work) = lanes.width, _sizes(call)
    own_results, own_work = w.address(work, n_in), w.address(work, n_in + n_out)
    if call.intrinsic.guarded:
        _write_zero(w, results, n_out * width)

    def call_one(lane: int) -> None:
        _write_copy(w, work, 1, w.address(operands, lane), width, n_in)
        _write_zero(w, own_results, n_out + n_work)
        _invoke(w, call, work, own_results, own_work, w.address("%st", lane, "i64"))
        _write_copy(w, w.address(results, lane), width, own_results, 1, n_out)

    for lane in range(width):
        _if_needed(w, Lanes(1), call, w.address(operands, (n_in - 1) * width + lane), partial(call_one, lane))


def _sizes(call: IntrinsicCall) -> tuple[int, int, int]:
    """Return the numbers of operands, of results, and of entries to work in."""
    lengths = call.lengths
    return sum(lengths.operands), sum(lengths.results), sum(lengths.work_floats) + sum(lengths.work_ints)


def _if_needed(w: Writer, lanes: Lanes, call: IntrinsicCall, last_operand: str, write: Callable[[], None]) -> None:
    """Write a call for some lanes; a guarded one is skipped where its last operand is zero in all of them."""
    if not call.intrinsic.guarded:
        write()
        return
    value, zero = w.load(lanes.double, last_operand, lanes.alignment), lanes.double_constant(0.0)
    w.if_(w.any_lane(lanes, w.assign(f"fcmp une {lanes.double} {value}, {zero}")), write)


def _invoke(
    w: Writer, call: IntrinsicCall, operands: str, results: str, work: str, status: str, width: int = 1
) -> None:
    """Write the call, and store its status unless an earlier one is set."""
    lengths, intrinsic, tables = call.lengths, call.intrinsic, call.tables.values()
    arrays = [
        [f"@{_table_name(table)}" if table else "null" for table in tables],
        *(_pointers(w, *block, width) for block in ((operands, lengths.operands), (results, lengths.results))),
        _pointers(w, work, (*lengths.work_floats, *lengths.work_ints), width),
    ]
    pointers = [[f"ptr {pointer}" for pointer in block] for block in arrays]
    arguments = intrinsic.call_arguments(call.sizes, "i64 {}", *pointers)
    failed = w.call("i64", f"@{routine_symbol(_function_name(call), _routine(call))}", *arguments)
    if call.label_count:
        _keep_first_status(w, failed, FIRST_CHECK + call.first_label - 1, status)


def _keep_first_status(w: Writer, failed: str, label: int, status: str) -> None:
    """Write the storing of a call's status, counted from a label on, unless an earlier one is set."""
    known = w.load("i64", status)
    number = w.assign(f"add i64 {failed}, {label}")
    first = w.test(f"eq i64 {known}, 0")
    bad = w.test(f"ne i64 {failed}, 0")
    w.store("i64", w.select("i64", w.all_of(first, bad), number, known), status)


def _pointers(w: Writer, start: str, lengths: tuple[int, ...], width: int) -> list[str]:
    return [w.address(start, sum(lengths[:k]) * width) for k in range(len(lengths))]


def _write_copy(w: Writer, target: str, step: int, source: str, source_step: int, count: int) -> None:
    w.call(
        "void", "@intrinsic_copy", f"ptr {target}", f"i64 {step}", f"ptr {source}", f"i64 {source_step}", f"i64 {count}"
    )


def _write_zero(w: Writer, target: str, count: int) -> None:
    w.call("void", "@intrinsic_zero", f"ptr {target}", f"i64 {count}")


def _copy() -> str:
    """Return the function that copies `count` numbers from one stride to another."""

    def entry(w: Writer, index: str) -> None:
        strides = (("%from", "%from_step"), ("%to", "%step"))
        source, target = (w.address(array, w.assign(f"mul i64 {index}, {step}")) for array, step in strides)
        w.store("double", w.load("double", source), target)

    return loop_function("intrinsic_copy", "ptr %to, i64 %step, ptr %from, i64 %from_step, i64 %count", entry)


def _zero() -> str:
    """Return the function that writes `count` zeros, of doubles or of ints."""
    w, group = Writer(), Lanes(_ZEROS)
    w.begin_function(f"internal void @intrinsic_zero(ptr %to, i64 %count) {ATTRIBUTES}")
    rest = w.for_each_group("0", "%count", group.width, lambda index: _store_zero(w, group, index))
    w.for_each("%count", lambda index: _store_zero(w, Lanes(1), index), start=rest)
    w.end_function()
    return w.text()


def _store_zero(w: Writer, lanes: Lanes, index: str) -> None:
    w.store(lanes.double, lanes.double_constant(0.0), w.address("%to", index))
