"""LLVM IR of array makers: builtins that make arrays of tuples of numbers; CPython calls them for METH_O.

A tuple of floats and ints becomes an array with one axis, a tuple of such tuples of one length an array with two. For
everything else it returns NotImplemented.
"""

from __future__ import annotations

from typing import Final

ARRAY_TEXT: Final = """
; Copies the numbers of a tuple; false if it is no tuple of this length, or holds something else.
define internal i1 @copy_tuple(ptr %thing, i64 %length, ptr %to) nounwind {
begin:
  %type_at = getelementptr i8, ptr %thing, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_tuple = icmp eq ptr %type, $tuple
  %size_at = getelementptr i8, ptr %thing, i64 $TUPLE_SIZE
  br i1 %is_tuple, label %count, label %refuse
count:
  %size = load i64, ptr %size_at
  %fits = icmp eq i64 %size, %length
  %items = getelementptr i8, ptr %thing, i64 $TUPLE_ITEMS
  br i1 %fits, label %next, label %refuse
next:
  %k = phi i64 [0, %count], [%k_next, %store]
  %more = icmp slt i64 %k, %length
  br i1 %more, label %item, label %done
item:
  %item_at = getelementptr ptr, ptr %items, i64 %k
  %entry = load ptr, ptr %item_at
  %entry_type_at = getelementptr i8, ptr %entry, i64 $OBJECT_TYPE
  %entry_type = load ptr, ptr %entry_type_at
  %is_float = icmp eq ptr %entry_type, $float
  br i1 %is_float, label %float, label %other
float:
  %value_at = getelementptr i8, ptr %entry, i64 $FLOAT_VALUE
  %value = load double, ptr %value_at
  br label %store
other:
  %is_int = icmp eq ptr %entry_type, $int
  br i1 %is_int, label %int, label %refuse
int:
  %converted = call double $PyLong_AsDouble(ptr %entry)
  %is_doubtful = fcmp oeq double %converted, -1.0
  br i1 %is_doubtful, label %doubtful, label %store
doubtful:
  call void $PyErr_Clear()
  br label %refuse
store:
  %number = phi double [%value, %float], [%converted, %int]
  %number_to = getelementptr double, ptr %to, i64 %k
  store double %number, ptr %number_to
  %k_next = add i64 %k, 1
  br label %next
done:
  ret i1 true
refuse:
  ret i1 false
}

define ptr @array(ptr %self, ptr %thing) nounwind {
begin:
  %lengths = alloca [2 x i64], align 16
  %type_at = getelementptr i8, ptr %thing, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_tuple = icmp eq ptr %type, $tuple
  br i1 %is_tuple, label %count, label %refuse
count:
  %size_at = getelementptr i8, ptr %thing, i64 $TUPLE_SIZE
  %size = load i64, ptr %size_at
  %items = getelementptr i8, ptr %thing, i64 $TUPLE_ITEMS
  store i64 %size, ptr %lengths
  %is_empty = icmp eq i64 %size, 0
  br i1 %is_empty, label %refuse, label %look
look:
  %first = load ptr, ptr %items
  %first_type_at = getelementptr i8, ptr %first, i64 $OBJECT_TYPE
  %first_type = load ptr, ptr %first_type_at
  %is_nested = icmp eq ptr %first_type, $tuple
  br i1 %is_nested, label %nested, label %make
nested:
  %width_at = getelementptr i8, ptr %first, i64 $TUPLE_SIZE
  %width = load i64, ptr %width_at
  %second = getelementptr i64, ptr %lengths, i64 1
  store i64 %width, ptr %second
  br label %make
make:
  %axes = phi i32 [1, %look], [2, %nested]
  %row = phi i64 [0, %look], [%width, %nested]
  %new = call ptr $PyArray_New(ptr $ndarray, i32 %axes, ptr %lengths, i32 $DOUBLE, $no_data)
  %no_new = icmp eq ptr %new, null
  br i1 %no_new, label %no_memory, label %fill
fill:
  %data_at = getelementptr i8, ptr %new, i64 $ARRAY_DATA
  %data = load ptr, ptr %data_at
  br i1 %is_nested, label %next, label %flat
flat:
  %all = call i1 @copy_tuple(ptr %thing, i64 %size, ptr %data)
  br i1 %all, label %done, label %give_back
next:
  %k = phi i64 [0, %fill], [%k_next, %copied]
  %more = icmp slt i64 %k, %size
  br i1 %more, label %copy, label %done
copy:
  %row_at = getelementptr ptr, ptr %items, i64 %k
  %row_of = load ptr, ptr %row_at
  %place = mul i64 %k, %row
  %row_to = getelementptr double, ptr %data, i64 %place
  %good = call i1 @copy_tuple(ptr %row_of, i64 %row, ptr %row_to)
  br i1 %good, label %copied, label %give_back
copied:
  %k_next = add i64 %k, 1
  br label %next
done:
  ret ptr %new
give_back:
  call void $Py_DecRef(ptr %new)
  br label %refuse
refuse:
  call void $Py_IncRef(ptr $NotImplemented)
  ret ptr $NotImplemented
no_memory:
  ret ptr null
}
"""
