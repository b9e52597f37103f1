"""The machine code between the interpreter and a kernel that is bound to memory, as LLVM IR.

One function serves all such kernels. The structure it is bound to begins with these words:

    0 kernel   1 word with the owning thread   2 guards, 3 how many: pairs of an address and what must be there
    4 inputs: their addresses, zero for arguments   5 how many   6 the first argument among them   7 how many arguments
    8 outputs: their addresses, or null for new arrays   9 how many   10 shapes of arguments, then of outputs
    11 copies, 12 how many: triples from, to, words   13 word to count successful calls in   14 kernel for new arrays

Wherever something is not as expected, the answer is NotImplemented, and nothing has been changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from rbd.native.entry_code import NUMBERS, filled, fresh, given


def _word(name: str, number: int, kind: str = "i64") -> str:
    return f"  %{name}_at = getelementptr i64, ptr %context, i64 {number}\n  %{name} = load {kind}, ptr %{name}_at\n"


_BEGIN = (
    """
define ptr @bound(ptr %self, ptr %args, i64 %count, ptr %keywords) nounwind {
begin:
  %into = alloca [$MOST x ptr], align 16
  %out = alloca [$MOST x ptr], align 16
  %made = alloca [$MOST x ptr], align 16
  %context_place = getelementptr i8, ptr %self, i64 $STRUCTURE_DATA
  %context = load ptr, ptr %context_place
"""
    + _word("kernel", 0, "ptr")
    + _word("owner_place", 1, "ptr")
    + _word("guards", 2, "ptr")
    + _word("guard_count", 3)
    + _word("inputs", 4, "ptr")
    + _word("input_count", 5)
    + _word("first_free", 6)
    + _word("free_count", 7)
    + _word("targets", 8, "ptr")
    + _word("outputs", 9)
    + _word("shapes", 10, "ptr")
    + _word("copies", 11, "ptr")
    + _word("copy_count", 12)
    + _word("counter", 13, "ptr")
    + _word("fresh", 14, "ptr")
    + """
  %thread = call i64 $PyThread_get_thread_ident()
  %owner = load i64, ptr %owner_place
  %is_owner = icmp eq i64 %thread, %owner
  %count_fits = icmp eq i64 %count, %free_count
  %may_start = and i1 %is_owner, %count_fits
  br i1 %may_start, label %guard, label %decline
"""
)

_CHECKS = """
guard:
  %g = phi i64 [0, %begin], [%g_next, %guard_holds]
  %more_guards = icmp ult i64 %g, %guard_count
  br i1 %more_guards, label %look, label %started
look:
  %g_twice = shl i64 %g, 1
  %watched_at = getelementptr ptr, ptr %guards, i64 %g_twice
  %watched = load ptr, ptr %watched_at
  %expected_at = getelementptr ptr, ptr %watched_at, i64 1
  %expected = load i64, ptr %expected_at
  %found = load i64, ptr %watched
  %as_expected = icmp eq i64 %found, %expected
  br i1 %as_expected, label %guard_holds, label %decline
guard_holds:
  %g_next = add i64 %g, 1
  br label %guard

started:
  %to_new = icmp eq ptr %targets, null
  %plain = icmp eq ptr %keywords, null
  br i1 %plain, label %bind, label %named
; One keyword is understood: the array for the only result.
named:
  %keyword_count = call i64 $PyTuple_Size(ptr %keywords)
  %one_keyword = icmp eq i64 %keyword_count, 1
  %one_output = icmp eq i64 %outputs, 1
  %both_one = and i1 %one_keyword, %one_output
  %usable = and i1 %both_one, %to_new
  br i1 %usable, label %keyword, label %decline
keyword:
  %name = call ptr $PyTuple_GetItem(ptr %keywords, i64 0)
  %is_out = icmp eq ptr %name, $out
  br i1 %is_out, label %bind, label %decline

bind:
  %b = phi i64 [0, %started], [0, %keyword], [%b_next, %put_bound]
  %more_bound = icmp ult i64 %b, %input_count
  br i1 %more_bound, label %put_bound, label %input
put_bound:
  %bound_from = getelementptr ptr, ptr %inputs, i64 %b
  %bound_to = getelementptr ptr, ptr %into, i64 %b
  %bound_data = load ptr, ptr %bound_from
  store ptr %bound_data, ptr %bound_to
  %b_next = add i64 %b, 1
  br label %bind

input:
  %k = phi i64 [0, %bind], [%k_next, %taken]
  %shape = phi ptr [%shapes, %bind], [%shape_next, %taken]
  %more_inputs = icmp ult i64 %k, %free_count
  br i1 %more_inputs, label %take, label %results
take:
  %thing_at = getelementptr ptr, ptr %args, i64 %k
  %thing = load ptr, ptr %thing_at
  %data = call ptr @numbers(ptr %thing, ptr %shape, i32 $READ)
  %place = add i64 %k, %first_free
  %into_at = getelementptr ptr, ptr %into, i64 %place
  store ptr %data, ptr %into_at
  %no_data = icmp eq ptr %data, null
  br i1 %no_data, label %decline, label %taken
taken:
  %k_next = add i64 %k, 1
  %axes = load i64, ptr %shape
  %shape_skip = add i64 %axes, 1
  %shape_next = getelementptr i64, ptr %shape, i64 %shape_skip
  br label %input
"""

_BOUND = """
results:
  br i1 %to_new, label %to_arrays, label %run_bound
run_bound:
  %status_bound = call i64 %kernel(ptr %into, ptr %targets)
  %clean_bound = icmp eq i64 %status_bound, 0
  br i1 %clean_bound, label %copy, label %decline
copy:
  %c = phi i64 [0, %run_bound], [%c_next, %copied]
  %more_copies = icmp ult i64 %c, %copy_count
  br i1 %more_copies, label %copy_one, label %counted
copy_one:
  %c_thrice = mul i64 %c, 3
  %from_at = getelementptr ptr, ptr %copies, i64 %c_thrice
  %to_at = getelementptr ptr, ptr %from_at, i64 1
  %words_at = getelementptr ptr, ptr %from_at, i64 2
  %from = load ptr, ptr %from_at
  %to = load ptr, ptr %to_at
  %words = load i64, ptr %words_at
  br label %word
word:
  %w = phi i64 [0, %copy_one], [%w_next, %copy_word]
  %more_words = icmp ult i64 %w, %words
  br i1 %more_words, label %copy_word, label %copied
copy_word:
  %word_from = getelementptr i64, ptr %from, i64 %w
  %word_to = getelementptr i64, ptr %to, i64 %w
  %value = load i64, ptr %word_from
  store i64 %value, ptr %word_to
  %w_next = add i64 %w, 1
  br label %word
copied:
  %c_next = add i64 %c, 1
  br label %copy
counted:
  %calls = load i64, ptr %counter
  %calls_next = add i64 %calls, 1
  store i64 %calls_next, ptr %counter
  call void $Py_IncRef(ptr $None)
  ret ptr $None
"""

_TO_ARRAYS = """
to_arrays:
  br i1 %plain, label %output, label %given
"""

_DECLINE = """
decline:
  call void $Py_IncRef(ptr $NotImplemented)
  ret ptr $NotImplemented
}
"""


def bound_module(addresses: Mapping[str, int]) -> str:
    """Return the module; `addresses` are those of `abi.addresses` and of what is added in `bound`."""
    to_arrays = _TO_ARRAYS + given("decline") + fresh("to_arrays", "decline")
    return filled(NUMBERS + _BEGIN + _CHECKS + _BOUND + to_arrays + _DECLINE, addresses)
