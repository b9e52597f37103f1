"""LLVM IR of calls with keywords: arguments of a Python method, found by the parameters of its signature.

A builtin with a table of parameters takes its arguments by position or by name, as a Python function does. A parameter
is an input of the program, a constant, the array or arrays of results, or a dictionary of inputs. A call in which a
constant has another value is left to the next builtin of the method.
"""

from __future__ import annotations

from typing import Final

INPUT, CONSTANT, RESULT, MAPPING = range(4)
"""Kinds of parameters."""
NUMBERS: Final = {"INPUT": INPUT, "CONSTANT": CONSTANT, "RESULT": RESULT, "PARAMETER_WORDS": 4}
"""Numbers in the text. The words of a parameter are its name, its kind, an index and an object:

    INPUT     the index of the input; what None stands for, or null
    CONSTANT  0; the only value
    RESULT    0; null
    MAPPING   the index of the first of its inputs; a tuple of the keys, one per input
"""

FIND_ARGUMENTS: Final = """
; Whether an argument fits a parameter; it is stored among the inputs, or in %given.
define internal i1 @fits(ptr %parameter, ptr %object, ptr %objects, ptr %given) nounwind {
begin:
  %kind_at = getelementptr i64, ptr %parameter, i64 1
  %kind = load i64, ptr %kind_at
  %index_at = getelementptr i64, ptr %parameter, i64 2
  %index = load i64, ptr %index_at
  %value_at = getelementptr i64, ptr %parameter, i64 3
  %value = load ptr, ptr %value_at
  %place = getelementptr ptr, ptr %objects, i64 %index
  %type_at = getelementptr i8, ptr %object, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_none = icmp eq ptr %object, $None
  switch i64 %kind, label %mapping [i64 $INPUT, label %input i64 $CONSTANT, label %constant i64 $RESULT, label %result]
input:
  %no_value = icmp eq ptr %value, null
  %unusable = and i1 %is_none, %no_value
  br i1 %unusable, label %unfit, label %take
take:
  %taken = select i1 %is_none, ptr %value, ptr %object
  store ptr %taken, ptr %place
  ret i1 true
constant:
  %same = icmp eq ptr %object, %value
  br i1 %same, label %fit, label %text
text:
  %value_type_at = getelementptr i8, ptr %value, i64 $OBJECT_TYPE
  %value_type = load ptr, ptr %value_type_at
  %is_text = icmp eq ptr %type, $str
  %same_type = icmp eq ptr %type, %value_type
  %texts = and i1 %is_text, %same_type
  br i1 %texts, label %compare, label %unfit
compare:
  %order = call i32 $PyUnicode_Compare(ptr %object, ptr %value)
  %equal = icmp eq i32 %order, 0
  ret i1 %equal
result:
  %wanted = select i1 %is_none, ptr null, ptr %object
  store ptr %wanted, ptr %given
  ret i1 true
mapping:
  %is_dict = icmp eq ptr %type, $dict
  br i1 %is_dict, label %sized, label %unfit
sized:
  %size = call i64 $PyDict_Size(ptr %object)
  %keys = call i64 $PyTuple_Size(ptr %value)
  %complete = icmp eq i64 %size, %keys
  br i1 %complete, label %key, label %unfit
key:
  %k = phi i64 [0, %sized], [%k_next, %found]
  %more = icmp slt i64 %k, %keys
  br i1 %more, label %find, label %fit
find:
  %key_now = call ptr $PyTuple_GetItem(ptr %value, i64 %k)
  %item = call ptr $PyDict_GetItem(ptr %object, ptr %key_now)
  %missing = icmp eq ptr %item, null
  br i1 %missing, label %unfit, label %found
found:
  %item_place = getelementptr ptr, ptr %place, i64 %k
  store ptr %item, ptr %item_place
  %k_next = add i64 %k, 1
  br label %key
fit:
  ret i1 true
unfit:
  ret i1 false
}

; Whether a call fits the parameters: each once at most, by position or name, and all of those that are required.
define internal i1 @arguments(ptr %context, ptr %args, i64 %count, ptr %keywords, ptr %objects, ptr %given) nounwind {
begin:
"""

MATCH_ARGUMENTS: Final = """
  store ptr null, ptr %given
  %default_bytes = shl i64 %argument_count, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %objects, ptr %defaults, i64 %default_bytes, i1 false)
  %few = icmp ule i64 %count, %positional_count
  %plain = icmp eq ptr %keywords, null
  br i1 %few, label %size, label %unfit
size:
  br i1 %plain, label %argument, label %names
names:
  %names_size_at = getelementptr i8, ptr %keywords, i64 $TUPLE_SIZE
  %names_size = load i64, ptr %names_size_at
  br label %argument
argument:
  %named = phi i64 [0, %size], [%names_size, %names], [%named, %next]
  %k = phi i64 [0, %size], [0, %names], [%k_next, %next]
  %seen = phi i64 [0, %size], [0, %names], [%seen_next, %next]
  %total = add i64 %count, %named
  %more = icmp ult i64 %k, %total
  br i1 %more, label %place, label %complete
place:
  %k_next = add i64 %k, 1
  %by_position = icmp ult i64 %k, %count
  br i1 %by_position, label %known, label %name
name:
  %n = sub i64 %k, %count
  %name_items = getelementptr i8, ptr %keywords, i64 $TUPLE_ITEMS
  %name_at = getelementptr ptr, ptr %name_items, i64 %n
  %wanted = load ptr, ptr %name_at
  br label %search
search:
  %s = phi i64 [0, %name], [%s_next, %other]
  %any_left = icmp ult i64 %s, %parameter_count
  br i1 %any_left, label %look, label %unfit
look:
  %s_words = mul i64 %s, $PARAMETER_WORDS
  %s_at = getelementptr i64, ptr %parameters, i64 %s_words
  %s_name = load ptr, ptr %s_at
  %is_it = icmp eq ptr %s_name, %wanted
  br i1 %is_it, label %known, label %other
other:
  %s_next = add i64 %s, 1
  br label %search
known:
  %index = phi i64 [%k, %place], [%s, %look]
  %index_words = mul i64 %index, $PARAMETER_WORDS
  %parameter = getelementptr i64, ptr %parameters, i64 %index_words
  %bit = shl i64 1, %index
  %before = and i64 %seen, %bit
  %first_time = icmp eq i64 %before, 0
  %seen_next = or i64 %seen, %bit
  br i1 %first_time, label %match, label %unfit
match:
  %object_at = getelementptr ptr, ptr %args, i64 %k
  %object = load ptr, ptr %object_at
  %fits = call i1 @fits(ptr %parameter, ptr %object, ptr %objects, ptr %given)
  br i1 %fits, label %next, label %unfit
next:
  br label %argument
complete:
  %there = and i64 %seen, %required
  %all = icmp eq i64 %there, %required
  ret i1 %all
unfit:
  ret i1 false
}
"""
