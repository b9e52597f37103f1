"""LLVM IR of calls with keywords: arguments of a Python method, found by the parameters of its signature.

A builtin with a table of parameters takes its arguments by position or by name, as a Python function does. A parameter
is an input of the program, a constant, the array or arrays of results, or a dictionary of inputs. A call in which a
constant has another value is left to the next builtin of the method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.native.builtins.call_context import CONTEXT
from rbd.native.builtins.objects_ir import copy, field, field_address, has_type
from rbd.native.builtins.records import INTEGER, POINTER, Record
from rbd.native.codegen.ir import Writer
from rbd.native.runtime import abi

INPUT, CONSTANT, RESULT, MAPPING = range(4)
"""Kinds of parameters."""
PARAMETER: Final = {"name": POINTER, "kind": INTEGER, "index": INTEGER, "value": POINTER}
"""A parameter; the index and the value of its kind are:

    INPUT     the index of the input; what None stands for, or null
    CONSTANT  0; the only value
    RESULT    0; null
    MAPPING   the index of the first of its inputs; a tuple of the keys, one per input
"""


def argument_functions() -> str:
    """Return `@arguments(context, args, count, keywords, objects, given)` and what it calls."""
    return _fits() + _parameter_index() + _arguments()


def _fits() -> str:
    """Return `@fits(parameter, object, objects, given)`: whether an argument fits a parameter.

    It is stored among the objects of inputs, or as what is given for results.
    """
    w = Writer()
    w.begin_function("internal i1 @fits(ptr %parameter, ptr %object, ptr %objects, ptr %given) nounwind")
    parameter, is_none = Record(w, "%parameter", PARAMETER), w.test("eq ptr %object, $None")
    value, place = parameter["value"], w.address("%objects", parameter["index"], "ptr")
    kinds = f"i64 {INPUT}, label %input i64 {CONSTANT}, label %constant i64 {RESULT}, label %result"
    w.add(f"  switch i64 {parameter['kind']}, label %mapping [{kinds}]")
    w.begin_block("input")
    taken = w.select("ptr", is_none, value, "%object")
    w.leave_if(w.is_null(taken), "wrong")
    w.store("ptr", taken, place)
    w.ret("i1 true")
    w.begin_block("constant")
    _compare(w, value)
    w.begin_block("result")
    w.store("ptr", w.select("ptr", is_none, "null", "%object"), "%given")
    w.ret("i1 true")
    w.begin_block("mapping")
    _take_items(w, value, place)
    w.begin_block("wrong")
    w.end_function("i1 false")
    return w.text()


def _compare(w: Writer, value: str) -> None:
    """Write the return whether the object is a value, or a text that is equal to it."""
    w.if_(w.test(f"eq ptr %object, {value}"), lambda: w.ret("i1 true"))
    w.leave_unless(w.all_of(has_type(w, "%object", "str"), has_type(w, value, "str")), "wrong")
    order = w.call("i32", "$PyUnicode_Compare", "ptr %object", f"ptr {value}")
    w.ret(f"i1 {w.test(f'eq i32 {order}, 0')}")


def _take_items(w: Writer, keys: str, place: str) -> None:
    """Write the storing of the values of a dictionary with these keys, and no others."""
    w.leave_unless(has_type(w, "%object", "dict"), "wrong")
    size, count = w.call("i64", "$PyDict_Size", "ptr %object"), w.call("i64", "$PyTuple_Size", f"ptr {keys}")
    w.leave_unless(w.test(f"eq i64 {size}, {count}"), "wrong")

    def take(k: str) -> None:
        key = w.call("ptr", "$PyTuple_GetItem", f"ptr {keys}", f"i64 {k}")
        item = w.call("ptr", "$PyDict_GetItem", "ptr %object", f"ptr {key}")
        w.leave_if(w.is_null(item), "wrong")
        w.store("ptr", item, w.address(place, k, "ptr"))

    w.for_each(count, take)
    w.ret("i1 true")


def _parameter_index() -> str:
    """Return `@parameter_index(parameters, count, name)`: the index of the parameter with this name; -1 for none."""
    w = Writer()
    w.begin_function("internal i64 @parameter_index(ptr %parameters, i64 %count, ptr %name) nounwind")

    def compare(k: str) -> None:
        name = Record.of_table(w, "%parameters", k, PARAMETER)["name"]
        w.if_(w.test(f"eq ptr {name}, %name"), lambda: w.ret(f"i64 {k}"))

    w.for_each("%count", compare)
    w.end_function("i64 -1")
    return w.text()


def _arguments() -> str:
    """Return `@arguments(context, args, count, keywords, objects, given)`: whether a call fits the parameters.

    Each is given once at most, by position or name, and all of those that are required.
    """
    w, head = Writer(), "ptr %context, ptr %args, i64 %count, ptr %keywords, ptr %objects, ptr %given"
    w.begin_function(f"internal i1 @arguments({head}) nounwind")
    context = Record(w, "%context", CONTEXT)
    w.leave_unless(w.test(f"ule i64 %count, {context['positional_count']}"), "wrong")
    w.store("ptr", "null", "%given")
    copy(w, "%objects", context["defaults"], w.assign(f"shl i64 {context['argument_count']}, 3"))
    parameters, required = context["parameters"], context["required"]
    has_names = w.test("ne ptr %keywords, null")
    named = w.value_if("i64", has_names, lambda: field(w, "%keywords", abi.TUPLE_SIZE, "i64"), "0")

    def match(k: str, values: Sequence[str]) -> list[str]:
        (seen,) = values
        has_name = w.test(f"uge i64 {k}, %count")
        index = w.value_if("i64", has_name, lambda: _index_by_name(w, context, k), k)
        bit = w.assign(f"shl i64 1, {index}")
        w.leave_unless(w.test(f"eq i64 {w.assign(f'and i64 {seen}, {bit}')}, 0"), "wrong")
        parameter = Record.of_table(w, parameters, index, PARAMETER).pointer
        argument = f"ptr {parameter}", f"ptr {w.element('%args', k)}", "ptr %objects", "ptr %given"
        w.leave_unless(w.call("i1", "@fits", *argument), "wrong")
        return [w.assign(f"or i64 {seen}, {bit}")]

    (seen,) = w.loop(w.assign(f"add i64 %count, {named}"), match, [("i64", "0")])
    given = w.assign(f"and i64 {seen}, {required}")
    w.ret(f"i1 {w.test(f'eq i64 {given}, {required}')}")
    w.begin_block("wrong")
    w.end_function("i1 false")
    return w.text()


def _index_by_name(w: Writer, context: Record, k: str) -> str:
    """Write the index of the parameter of argument number `k`, which has a name."""
    names = field_address(w, "%keywords", abi.TUPLE_ITEMS)
    name = w.element(names, w.assign(f"sub i64 {k}, %count"))
    table = f"ptr {context['parameters']}", f"i64 {context['parameter_count']}"
    index = w.call("i64", "@parameter_index", *table, f"ptr {name}")
    w.leave_if(w.test(f"slt i64 {index}, 0"), "wrong")
    return index
