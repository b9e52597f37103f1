"""LLVM IR of loops over time steps, the builtins of `StepLoop`; CPython calls them for METH_NOARGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from rbd.native.builtins.context_ir import (
    PROGRAM,
    context_of,
    copy_all,
    leave_unless_guarded,
    leave_unless_owner,
    run_program,
)
from rbd.native.builtins.objects_ir import DECLARATIONS, call_numbers, copy, numbers_function
from rbd.native.builtins.records import INTEGER, POINTER, Fields, Record
from rbd.native.codegen.ir import Writer, hexadecimal

PROGRESS: Final[Fields] = dict.fromkeys(("count", "step", "stage", "has_input", "reason"), INTEGER)
"""The words that callers read and write between runs: how many steps to take, the current step and stage, whether the
vector of the current stage is known (then the callback is not called for it), and why the loop has stopped."""
DONE, CALLBACK_RAISED, NEEDS_CONVERSION, STATE_MODIFIED, NEEDS_FALLBACK, INTERRUPTED = range(6)
"""Why a loop has stopped: all steps are taken; the callback raised; its result must be converted (it is returned); it
changed the state; a guard or a program failed; a signal arrived or there was no memory."""

STAGE_RECORD: Final = {**PROGRAM, "copies": POINTER, "copy_count": INTEGER, "vector": POINTER}
"""A stage: its program, what is copied after it, and the array for the result of the callback."""
MOVING: Final = {"array": POINTER, "bytes": INTEGER, "origin": POINTER, "rows": POINTER}
"""An array that moves, its content at the beginning of the step, and its history (null: none is kept)."""
CONTEXT: Final = {
    "progress": POINTER,
    "times": POINTER,
    "is_called": POINTER,
    "time": POINTER,
    "length": POINTER,
    "fractions": POINTER,
    "stages": POINTER,
    "stage_count": INTEGER,
    "callback": POINTER,
    "state": POINTER,
    "owner": POINTER,
    "q_version": POINTER,
    "v_version": POINTER,
    "guards": POINTER,
    "guard_count": INTEGER,
    "shape": POINTER,
    "vector_bytes": INTEGER,
    "moving": POINTER,
    "moving_count": INTEGER,
}
"""The words of the structure the builtin is bound to:

    progress                     `PROGRESS`
    times                        of the steps: one more than there are
    is_called                    a byte per step: 0 where the callback is not called and its last result stays
    time, length                 receive the time of a stage, and the length of a step
    fractions                    times of the stages as fractions of a step
    stages, stage_count          table of `STAGE_RECORD`
    callback, state              objects; the callback may be null
    owner                        word with the thread that may run the loop
    q_version, v_version         words that count changes of q and v
    guards, guard_count          table of `GUARD`
    shape, vector_bytes          of the callback's result: 1 and its length; its size
    moving, moving_count         table of `MOVING`
"""
_TWO_ARGUMENTS: Final = 2 - 2**63
"""Number of arguments of a call; the place before them may be overwritten."""


def loop_functions() -> str:
    """Return `@steps(self, unused)` and what it calls."""
    return DECLARATIONS + numbers_function() + _StepLoopWriter().text()


@final
class _StepLoopWriter:
    """Writer of `@steps`; steps and stages are counted in memory, so that a loop may stop and go on anywhere."""

    def __init__(self) -> None:
        self._w = w = Writer()
        w.begin_function("ptr @steps(ptr %self, ptr %unused) nounwind")
        self._arguments = w.assign("alloca [3 x ptr], align 16")
        self._context = context_of(w, "%self", CONTEXT)
        self._progress = Record(w, self._context["progress"], PROGRESS)
        self._q, self._v = self._context["q_version"], self._context["v_version"]

    def text(self) -> str:
        """Return the function."""
        w = self._w
        w.while_(lambda: w.test(f"slt i64 {self._progress['step']}, {self._progress['count']}"), self._step)
        self._stop(DONE)
        for label, reason in (("changed", STATE_MODIFIED), ("declined", NEEDS_FALLBACK)):
            w.begin_block(label)
            self._stop(reason)
        w.begin_block("return_none")
        w.call("void", "$Py_IncRef", "ptr $None")
        w.ret("ptr $None")
        w.begin_block("raised")
        w.end_function("ptr null")
        return w.text()

    def _set(self, name: str, value: int | str) -> None:
        self._w.store("i64", str(value), self._progress.address(name))

    def _stop(self, reason: int) -> None:
        self._set("reason", reason)
        self._w.leave("return_none")

    def _step(self) -> None:
        """Write a step: the origins, all stages that are left, and the rows of histories."""
        w, context, step = self._w, self._context, self._progress["step"]
        self._set("reason", INTERRUPTED)
        w.leave_unless(w.test(f"eq i32 {w.call('i32', '$PyErr_CheckSignals')}, 0"), "raised")
        times = w.address(context["times"], step)
        start, end = w.element(times, 0, "double"), w.element(times, 1, "double")
        length = w.assign(f"fsub double {end}, {start}")
        w.store("double", length, context["length"])
        w.if_(w.test(f"eq i64 {self._progress['stage']}, 0"), lambda: self._for_each_moving(self._keep_origin))

        def stage() -> None:
            self._stage(step, start, end, length)

        w.while_(lambda: w.test(f"slt i64 {self._progress['stage']}, {context['stage_count']}"), stage)
        following = w.assign(f"add i64 {step}, 1")
        self._for_each_moving(lambda moving: self._append_row(moving, following))
        self._set("step", following)
        self._set("stage", 0)

    def _for_each_moving(self, body: Callable[[Record], None]) -> None:
        w, table = self._w, self._context["moving"]
        w.for_each(self._context["moving_count"], lambda k: body(Record.of_table(w, table, k, MOVING)))

    def _keep_origin(self, moving: Record) -> None:
        copy(self._w, moving["origin"], moving["array"], moving["bytes"])

    def _append_row(self, moving: Record, row: str) -> None:
        """Write the copying of an array to a row of its history, if one is kept."""
        w, rows = self._w, moving["rows"]

        def append() -> None:
            size = moving["bytes"]
            target = w.assign(f"getelementptr i8, ptr {rows}, i64 {w.assign(f'mul i64 {size}, {row}')}")
            copy(w, target, moving["array"], size)

        w.unless(w.is_null(rows), append)

    def _stage(self, step: str, start: str, end: str, length: str) -> None:
        """Write a stage: its time, the callback, the compiled program, copies, and counts of versions."""
        w, context, number = self._w, self._context, self._progress["stage"]
        stage = Record.of_table(w, context["stages"], number, STAGE_RECORD)
        fraction = w.element(context["fractions"], number, "double")
        inside = w.assign(f"fadd double {start}, {w.assign(f'fmul double {fraction}, {length}')}")
        is_end = w.assign(f"fcmp oeq double {fraction}, {hexadecimal(1.0)}")
        time = w.select("double", is_end, end, inside)
        w.store("double", time, context["time"])
        w.if_(self._is_called(step), lambda: self._call_back(stage, time))
        # The callback may have edited the mechanism: guards are looked at after it.
        leave_unless_owner(w, context["owner"], "declined")
        leave_unless_guarded(w, context, "declined")
        run_program(w, stage, "declined")
        copy_all(w, stage["copies"], stage["copy_count"])
        for version in (self._q, self._v):
            w.store("i64", w.assign(f"add i64 {w.load('i64', version)}, 1"), version)
        self._set("stage", w.assign(f"add i64 {number}, 1"))

    def _is_called(self, step: str) -> str:
        """Write whether the callback is called: there is one, it is its turn, and its result is not known."""
        w, context = self._w, self._context
        is_unknown = w.test(f"eq i64 {self._progress['has_input']}, 0")
        self._set("has_input", 0)
        turn = w.load("i8", w.address(context["is_called"], step, "i8"), alignment=1)
        return w.all_of(is_unknown, w.test(f"ne i8 {turn}, 0"), w.test(f"ne ptr {context['callback']}, null"))

    def _call_back(self, stage: Record, time: str) -> None:
        """Write the call of the callback; its result goes to the vector of the stage."""
        w, context = self._w, self._context
        self._set("reason", CALLBACK_RAISED)
        before = [w.load("i64", version) for version in (self._q, self._v)]
        time_object = w.call("ptr", "$PyFloat_FromDouble", f"double {time}")
        w.leave_if(w.is_null(time_object), "raised")
        first = w.address(self._arguments, 1, "ptr")
        w.store("ptr", time_object, first)
        w.store("ptr", context["state"], w.address(first, 1, "ptr"))
        call = f"ptr {context['callback']}", f"ptr {first}", f"i64 {_TWO_ARGUMENTS}", "ptr null"
        result = w.call("ptr", "$PyObject_Vectorcall", *call)
        w.call("void", "$Py_DecRef", f"ptr {time_object}")
        w.leave_if(w.is_null(result), "raised")
        after = [w.load("i64", version) for version in (self._q, self._v)]
        is_same = w.all_of(*(w.test(f"eq i64 {old}, {new}") for old, new in zip(before, after, strict=True)))
        w.unless(is_same, lambda: self._release_and_stop(result))
        w.if_(w.test(f"eq ptr {result}, $None"), lambda: self._zero(stage), lambda: self._take(stage, result))
        w.call("void", "$Py_DecRef", f"ptr {result}")

    def _release_and_stop(self, result: str) -> None:
        self._w.call("void", "$Py_DecRef", f"ptr {result}")
        self._w.leave("changed")

    def _zero(self, stage: Record) -> None:
        arguments = f"ptr {stage['vector']}", "i8 0", f"i64 {self._context['vector_bytes']}", "i1 false"
        self._w.call("void", "@llvm.memset.p0.i64", *arguments)

    def _take(self, stage: Record, result: str) -> None:
        """Write the copying of a result; one that must be converted is returned."""
        w, data = self._w, call_numbers(self._w, result, self._context["shape"])

        def stop() -> None:
            self._set("reason", NEEDS_CONVERSION)
            w.ret(f"ptr {result}")

        w.if_(w.is_null(data), stop)
        copy(w, stage["vector"], data, self._context["vector_bytes"])
