"""LLVM IR of array makers, which CPython calls for METH_O: of tuples of numbers, and of matrices in column order.

A tuple of floats and ints becomes an array with one axis, a tuple of such tuples of one length an array with two. A
float64 matrix in column order becomes one in row order. For everything else they return NotImplemented.
"""

from __future__ import annotations

from typing import Final

from rbd.native.builtins.ir_parts import ARRAY_HEAD, IS_ARRAY

ARRAY_TEXT: Final = """
; Copies the numbers of a tuple; false if it is no tuple of this length, or holds something else.
define internal i1 @copy_tuple(ptr %object, i64 %length, ptr %to) nounwind {
begin:
  %type_at = getelementptr i8, ptr %object, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_tuple = icmp eq ptr %type, $tuple
  %size_at = getelementptr i8, ptr %object, i64 $TUPLE_SIZE
  br i1 %is_tuple, label %count, label %refuse
count:
  %size = load i64, ptr %size_at
  %fits = icmp eq i64 %size, %length
  %items = getelementptr i8, ptr %object, i64 $TUPLE_ITEMS
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

define ptr @array(ptr %self, ptr %object) nounwind {
begin:
  %lengths = alloca [2 x i64], align 16
  %type_at = getelementptr i8, ptr %object, i64 $OBJECT_TYPE
  %type = load ptr, ptr %type_at
  %is_tuple = icmp eq ptr %type, $tuple
  br i1 %is_tuple, label %count, label %refuse
count:
  %size_at = getelementptr i8, ptr %object, i64 $TUPLE_SIZE
  %size = load i64, ptr %size_at
  %items = getelementptr i8, ptr %object, i64 $TUPLE_ITEMS
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
  %all = call i1 @copy_tuple(ptr %object, i64 %size, ptr %data)
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

ROW_ORDER_TEXT: Final = f"""
define ptr @row_order(ptr %self, ptr %object) nounwind {{
begin:
{IS_ARRAY}  %flags = or i32 $ALIGNED, $COLUMN_ORDER
  br i1 %is_array, label %look, label %refuse
look:
{ARRAY_HEAD}  %is_matrix = icmp eq i32 %axes_found, 2
  %fit_0 = and i1 %is_double, %flags_fit
  %fit = and i1 %fit_0, %is_matrix
  br i1 %fit, label %make, label %refuse
make:
  %lengths_at = getelementptr i8, ptr %object, i64 $ARRAY_SHAPE
  %lengths = load ptr, ptr %lengths_at
  %width_at = getelementptr i64, ptr %lengths, i64 1
  %height = load i64, ptr %lengths
  %width = load i64, ptr %width_at
  %from_at = getelementptr i8, ptr %object, i64 $ARRAY_DATA
  %from = load ptr, ptr %from_at
  %new = call ptr $PyArray_New(ptr $ndarray, i32 2, ptr %lengths, i32 $DOUBLE, $no_data)
  %no_new = icmp eq ptr %new, null
  br i1 %no_new, label %no_memory, label %fill
fill:
  %to_at = getelementptr i8, ptr %new, i64 $ARRAY_DATA
  %to = load ptr, ptr %to_at
  br label %row
row:
  %i = phi i64 [0, %fill], [%i_next, %row_done]
  %row_to = phi ptr [%to, %fill], [%row_end, %row_done]
  %more_rows = icmp slt i64 %i, %height
  br i1 %more_rows, label %row_begin, label %done
row_begin:
  %row_from = getelementptr double, ptr %from, i64 %i
  br label %entry
entry:
  %j = phi i64 [0, %row_begin], [%j_next, %one]
  %place = phi i64 [0, %row_begin], [%place_next, %one]
  %more = icmp slt i64 %j, %width
  br i1 %more, label %one, label %row_done
one:
  %number_at = getelementptr double, ptr %row_from, i64 %place
  %number = load double, ptr %number_at
  %number_to = getelementptr double, ptr %row_to, i64 %j
  store double %number, ptr %number_to
  %j_next = add i64 %j, 1
  %place_next = add i64 %place, %height
  br label %entry
row_done:
  %i_next = add i64 %i, 1
  %row_end = getelementptr double, ptr %row_to, i64 %width
  br label %row
done:
  ret ptr %new
refuse:
  call void $Py_IncRef(ptr $NotImplemented)
  ret ptr $NotImplemented
no_memory:
  ret ptr null
}}
"""
