"""LLVM IR of builtins of compiled programs: from the arguments of a call to the program, and to its results.

One function serves all builtins; it is what CPython calls for METH_FASTCALL | METH_KEYWORDS. It checks the owner, the
guards and the arguments, runs the program, and returns the arrays of the keyword `out`, new arrays, or None. A builtin
with parameters has overloads, one for other options each, which are tried in turn.

Inner functions return null if the arguments are not as they must be, so that another way may be tried, and
NotImplemented, without a reference of its own, if the call is declined. Nothing has been changed then, and new arrays
have been given back; the fallback is called, or NotImplemented returned.
"""

from __future__ import annotations

from collections.abc import Sequence

from rbd.native.builtins.call_context import CONTEXT, MAX_PORTS
from rbd.native.builtins.context_ir import context_of, copy_all, leave_unless_guarded, leave_unless_owner
from rbd.native.builtins.objects_ir import (
    DECLARATIONS,
    WRITE_PACKED,
    call_numbers,
    copy,
    field,
    new_array,
    next_shape,
    numbers_function,
    return_not_implemented,
)
from rbd.native.builtins.parameters_ir import argument_functions
from rbd.native.builtins.records import Record
from rbd.native.builtins.results_ir import ResultArrays, result_functions
from rbd.native.builtins.rollout_ir import rollout_function
from rbd.native.builtins.rows_ir import row_functions
from rbd.native.codegen.ir import Writer
from rbd.native.compiled_program import Entry
from rbd.native.runtime import abi


def builtin_functions() -> str:
    """Return `@builtin(self, args, count, keywords)` and what it calls."""
    inner = result_functions(), row_functions(), rollout_function(), argument_functions(), _one_state(), _call()
    return "".join((DECLARATIONS, numbers_function(), *inner, _builtin()))


def _builtin() -> str:
    """Return `@builtin(self, args, count, keywords)`: the result of a call, or of the fallback."""
    w = Writer()
    w.begin_function("ptr @builtin(ptr %self, ptr %args, i64 %count, ptr %keywords) nounwind")
    context, arguments = context_of(w, "%self", CONTEXT), ("ptr %args", "i64 %count", "ptr %keywords")
    result = w.call("ptr", "@call", f"ptr {context.pointer}", *arguments)
    w.unless(w.test(f"eq ptr {result}, $NotImplemented"), lambda: w.ret(f"ptr {result}"))
    w.leave_if(w.test(f"eq i64 {context['has_fallback']}, 0"), "declined")
    w.ret(f"ptr {w.call('ptr', '$PyObject_Vectorcall', 'ptr %self', *arguments)}")
    return_not_implemented(w, "declined")
    w.add("}")
    return w.text()


def _return_unless_null(w: Writer, result: str) -> None:
    w.unless(w.is_null(result), lambda: w.ret(f"ptr {result}"))


# ---------------------------------------------------------------- arguments


def _call() -> str:
    """Return `@call(context, args, count, keywords)`: the result of a builtin or one of its overloads."""
    w = Writer()
    w.begin_function("internal ptr @call(ptr %context, ptr %args, i64 %count, ptr %keywords) nounwind")
    found, given = w.assign(f"alloca [{MAX_PORTS} x ptr], align 16"), w.assign("alloca ptr, align 8")
    context = Record(w, "%context", CONTEXT)
    owner = context["owner"]
    w.unless(w.is_null(owner), lambda: leave_unless_owner(w, owner, "declined"))
    leave_unless_guarded(w, context, "declined")
    is_complete = w.test(f"eq i64 %count, {context['positional_input_count']}")
    has_parameters = w.test(f"ne ptr {context['parameters']}, null")

    def by_position() -> None:
        _run(w, context, "%args", "null")
        w.unless(has_parameters, lambda: _run_rows(w, context, "%args", "null"))

    def by_name() -> None:
        w.unless(has_parameters, lambda: _call_with_out(w, context, is_complete))

    w.if_(w.all_of(is_complete, w.is_null("%keywords")), by_position, by_name)
    _find_arguments(w, context, found, given)
    array = w.load("ptr", given)
    _run(w, context, found, array)
    _run_rows(w, context, found, array)
    w.begin_block("declined")
    w.end_function("ptr $NotImplemented")
    return w.text()


def _call_with_out(w: Writer, context: Record, is_complete: str) -> None:
    """Write a call without parameters, whose only keyword is the array for the only result."""
    is_single = w.test(f"eq i64 {context['output_count']}, 1")
    w.leave_unless(w.all_of(is_complete, is_single, w.is_null(context["bound_outputs"])), "declined")
    w.leave_if(w.is_null("%keywords"), "declined")
    w.leave_unless(w.test(f"eq i64 {field(w, '%keywords', abi.TUPLE_SIZE, 'i64')}, 1"), "declined")
    w.leave_unless(w.test(f"eq ptr {field(w, '%keywords', abi.TUPLE_ITEMS)}, $out"), "declined")
    array = w.element("%args", "%count")
    _run(w, context, "%args", array)
    _run_rows(w, context, "%args", array)


def _find_arguments(w: Writer, context: Record, found: str, given: str) -> None:
    """Write the search of arguments by the parameters; a call that does not fit them goes to the next overload."""
    call = "ptr %args", "i64 %count", "ptr %keywords"
    fits = w.call("i1", "@arguments", f"ptr {context.pointer}", *call, f"ptr {found}", f"ptr {given}")

    def overload() -> None:
        word = context["next_overload"]
        w.leave_if(w.is_null(word), "declined")
        following = w.load("ptr", word)
        w.leave_if(w.is_null(following), "declined")
        w.ret(f"ptr {w.call('ptr', '@call', f'ptr {following}', *call)}")

    w.unless(fits, overload)


def _run(w: Writer, context: Record, objects: str, given: str) -> None:
    """Write the return of the result for one state, or of a rollout, unless it is null."""
    arguments = f"ptr {context.pointer}", f"ptr {objects}"

    def rollout() -> None:
        w.leave_unless(w.is_null(given), "declined")
        _return_unless_null(w, w.call("ptr", "@rollout", *arguments))

    def one_state() -> None:
        _return_unless_null(w, w.call("ptr", "@one_state", *arguments, f"ptr {given}"))

    w.if_(w.test(f"slt i64 {context['series_input']}, 0"), one_state, rollout)


def _run_rows(w: Writer, context: Record, objects: str, given: str) -> None:
    """Write the return of the result for rows; the call is declined where there are none."""
    has_rows, is_call = (
        w.test(f"ne i64 {context['max_small_batch_rows']}, 0"),
        w.test(f"slt i64 {context['series_input']}, 0"),
    )
    w.leave_unless(w.all_of(has_rows, is_call), "declined")
    _return_unless_null(w, w.call("ptr", "@rows", f"ptr {context.pointer}", f"ptr {objects}", f"ptr {given}"))
    w.leave("declined")


# ---------------------------------------------------------------- one state


def _one_state() -> str:
    """Return `@one_state(context, objects, given)`: the result of the program for one state."""
    w = Writer()
    w.begin_function("internal ptr @one_state(ptr %context, ptr %objects, ptr %given) nounwind")
    context, inputs = Record(w, "%context", CONTEXT), w.assign(f"alloca [{MAX_PORTS} x ptr], align 16")
    count = context["output_count"]
    results = ResultArrays(w, count)
    shapes = _take_inputs(w, context, inputs)
    single, in_place = (w.element(context["entries"], entry) for entry in (Entry.SINGLE, Entry.IN_PLACE))
    w.leave_if(w.is_null(single), "declined")
    bound_outputs, is_new = context["bound_outputs"], w.is_null("%given")
    w.unless(w.is_null(bound_outputs), lambda: _run_into_bound_outputs(w, context, single, inputs, bound_outputs))
    w.if_(is_new, lambda: _make_arrays(w, results, count, shapes), lambda: _take_arrays(w, results, count, shapes))
    entry = w.select("ptr", is_new, in_place, single)
    status = w.call("i64", entry, f"ptr {inputs}", f"ptr {results.numbers}")
    results.release_if(w.test(f"ne i64 {status}, 0"), count)
    results.end_function()
    return w.text()


def _take_inputs(w: Writer, context: Record, inputs: str) -> str:
    """Write the addresses of the numbers of all inputs; return the address of the shapes of outputs."""
    copy(w, inputs, context["bound_inputs"], w.assign(f"shl i64 {context['bound_input_count']}, 3"))
    first = w.address(inputs, context["first_argument"], "ptr")

    def take(k: str, shapes: Sequence[str]) -> list[str]:
        data = call_numbers(w, w.element("%objects", k), shapes[0])
        w.leave_if(w.is_null(data), "wrong")
        w.store("ptr", data, w.address(first, k, "ptr"))
        return [next_shape(w, shapes[0])]

    (shapes,) = w.loop(context["argument_count"], take, [("ptr", context["shapes"])])
    return shapes


def _run_into_bound_outputs(w: Writer, context: Record, entry: str, inputs: str, bound_outputs: str) -> None:
    """Write the run into arrays of the context, which returns None."""
    status = w.call("i64", entry, f"ptr {inputs}", f"ptr {bound_outputs}")
    w.leave_unless(w.test(f"eq i64 {status}, 0"), "declined")
    copy_all(w, context["copies"], context["copy_count"])
    counter = context["counter"]
    w.store("i64", w.assign(f"add i64 {w.load('i64', counter)}, 1"), counter)
    w.call("void", "$Py_IncRef", "ptr $None")
    w.ret("ptr $None")


def _make_arrays(w: Writer, results: ResultArrays, count: str, shapes: str) -> None:
    """Write the making of an array for each result."""

    def make(k: str, shape: Sequence[str]) -> list[str]:
        axes = w.assign(f"trunc i64 {w.load('i64', shape[0])} to i32")
        results.add(k, new_array(w, axes, w.address(shape[0], 1, "i64")))
        return [next_shape(w, shape[0])]

    w.loop(count, make, [("ptr", shapes)])


def _take_arrays(w: Writer, results: ResultArrays, count: str, shapes: str) -> None:
    """Write the taking of the given array for each result."""

    def take(k: str, shape: Sequence[str]) -> list[str]:
        array = results.given(k)
        data = call_numbers(w, array, shape[0], WRITE_PACKED)
        results.release_if(w.is_null(data), k)
        lengths = f"ptr {w.address(shape[0], 1, 'i64')}", f"i64 {w.load('i64', shape[0])}"
        results.keep(k, array, data, w.call("i64", "@product", *lengths))
        return [next_shape(w, shape[0])]

    w.loop(count, take, [("ptr", shapes)])
