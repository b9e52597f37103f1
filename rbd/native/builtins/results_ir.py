"""LLVM IR of the arrays of results: those of the keyword `out`, or new ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from rbd.native.builtins.call_context import MAX_PORTS
from rbd.native.builtins.objects_ir import field, has_type
from rbd.native.codegen.ir import Writer, loop_function
from rbd.native.runtime import abi


def result_functions() -> str:
    """Return the functions that `ResultArrays` calls, and `@product(lengths, axes)`."""
    references = _references("hold", "$Py_IncRef"), _references("drop", "$Py_DecRef")
    return "".join((_result_array(), _is_apart(), _product(), _packed(), *references))


@final
class ResultArrays:
    """Writes the arrays of the results of a function; its block `release` gives those made so far back."""

    def __init__(self, w: Writer, count: str) -> None:
        """Write the memory for so many arrays."""
        self._w, self._count = w, count
        self._arrays, self.numbers, self._ends = (w.assign(f"alloca [{MAX_PORTS} x ptr], align 16") for _ in range(3))
        self._held = w.assign("alloca i64, align 8")

    def release_if(self, condition: str, held: str) -> None:
        """Write the jump to `release` if a condition holds; so many arrays are given back."""

        def leave() -> None:
            self._w.store("i64", held, self._held)
            self._w.leave("release")

        self._w.if_(condition, leave)

    def given(self, index: str) -> str:
        """Write the array that %given has for a result."""
        array = self._w.call("ptr", "@result_array", "ptr %given", f"i64 {index}", f"i64 {self._count}")
        self.release_if(self._w.is_null(array), index)
        return array

    def keep(self, index: str, array: str, data: str, size: str) -> None:
        """Write that a given array is a result, unless its numbers overlap those of an earlier one."""
        w, end = self._w, self._w.address(data, size)
        memory = f"ptr {data}", f"ptr {end}", f"ptr {self.numbers}", f"ptr {self._ends}", f"i64 {index}"
        self.release_if(w.negated(w.call("i1", "@is_apart", *memory)), index)
        w.store("ptr", end, w.address(self._ends, index, "ptr"))
        w.call("void", "$Py_IncRef", f"ptr {array}")
        self._store(index, array, data)

    def add(self, index: str, array: str) -> str:
        """Write that a new array is a result, unless it is null; return the address of its numbers."""
        self.release_if(self._w.is_null(array), index)
        data = field(self._w, array, abi.ARRAY_DATA)
        self._store(index, array, data)
        return data

    def _store(self, index: str, array: str, data: str) -> None:
        self._w.store("ptr", array, self._w.address(self._arrays, index, "ptr"))
        self._w.store("ptr", data, self._w.address(self.numbers, index, "ptr"))

    def end_function(self) -> None:
        """Write the return of the results, of NotImplemented in `release` and `declined`, and of null in `wrong`."""
        w, arrays = self._w, f"ptr {self._arrays}"
        result = w.call("ptr", "@packed", arrays, f"i64 {self._count}")
        self.release_if(w.is_null(result), self._count)
        w.ret(f"ptr {result}")
        w.begin_block("release")
        w.call("void", "$PyErr_Clear")  # without memory; whoever is asked next finds out what is wrong
        w.call("void", "@drop", arrays, f"i64 {w.load('i64', self._held)}")
        w.jump("declined")
        w.begin_block("declined")
        w.ret("ptr $NotImplemented")
        w.begin_block("wrong")
        w.end_function("ptr null")


def _references(name: str, change: str) -> str:
    """Return the function that changes the number of references of objects."""

    def change_one(w: Writer, index: str) -> None:
        w.call("void", change, f"ptr {w.element('%objects', index)}")

    return loop_function(name, "ptr %objects, i64 %count", change_one)


def _product() -> str:
    """Return `@product(lengths, axes)`, which multiplies lengths."""
    w = Writer()

    def multiply(axis: str, product: Sequence[str]) -> list[str]:
        return [w.assign(f"mul i64 {product[0]}, {w.element('%lengths', axis, 'i64')}")]

    w.begin_function("internal i64 @product(ptr %lengths, i64 %axes) nounwind")
    (product,) = w.loop("%axes", multiply, [("i64", "1")])
    w.end_function(f"i64 {product}")
    return w.text()


def _is_apart() -> str:
    """Return `@is_apart(start, end, starts, ends, count)`: whether memory lies apart from that of the first arrays."""
    w = Writer()
    w.begin_function("internal i1 @is_apart(ptr %start, ptr %end, ptr %starts, ptr %ends, i64 %count) nounwind")

    def compare(k: str) -> None:
        start, end = w.element("%starts", k), w.element("%ends", k)
        w.leave_unless(w.any_of(w.test(f"ule ptr %end, {start}"), w.test(f"ule ptr {end}, %start")), "overlaps")

    w.for_each("%count", compare)
    w.ret("i1 true")
    w.begin_block("overlaps")
    w.end_function("i1 false")
    return w.text()


def _result_array() -> str:
    """Return `@result_array(given, k, count)`: the array of a result, from what the keyword `out` gives.

    It is the array for a single result, or item `k` of a tuple or list of `count` arrays; else null.
    """
    w = Writer()
    w.begin_function("internal ptr @result_array(ptr %given, i64 %k, i64 %count) nounwind")
    w.if_(w.test("eq i64 %count, 1"), lambda: w.ret("ptr %given"))

    def item(kind: str) -> None:
        size = w.call("i64", f"$Py{kind}_Size", "ptr %given")
        w.leave_unless(w.test(f"eq i64 {size}, %count"), "wrong")
        w.ret(f"ptr {w.call('ptr', f'$Py{kind}_GetItem', 'ptr %given', 'i64 %k')}")

    w.if_(has_type(w, "%given", "tuple"), lambda: item("Tuple"))
    w.if_(has_type(w, "%given", "list"), lambda: item("List"))
    w.jump("wrong")
    w.begin_block("wrong")
    w.end_function("ptr null")
    return w.text()


def _packed() -> str:
    """Return `@packed(arrays, count)`: the only array, or a tuple of all; null without memory.

    The tuple takes over the references.
    """
    w = Writer()
    w.begin_function("internal ptr @packed(ptr %arrays, i64 %count) nounwind")
    w.if_(w.test("eq i64 %count, 1"), lambda: w.ret(f"ptr {w.load('ptr', '%arrays')}"))
    new = w.call("ptr", "$PyTuple_New", "i64 %count")
    w.if_(w.is_null(new), lambda: w.ret("ptr null"))

    def put(k: str) -> None:
        w.call("i32", "$PyTuple_SetItem", f"ptr {new}", f"i64 {k}", f"ptr {w.element('%arrays', k)}")

    w.for_each("%count", put)
    w.end_function(f"ptr {new}")
    return w.text()
