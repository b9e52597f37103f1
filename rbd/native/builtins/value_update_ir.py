"""Update of the object that a builtin has returned last: numbers are written into it instead of making a new one.

Only if the builtin has the only reference to the object, and the object those to its parts: nobody sees a change. Four
words are one update, which begins at the object and goes from part to part.
"""

from __future__ import annotations

from typing import Final

UPDATES: Final = ("DOWN", "UP", "SET", "COPY_NUMBERS", "EMPTY")
"""Updates, and their arguments; each object on the way must have one reference:

    DOWN offset                     go on to the object in this place
    UP                              go back
    SET offset, at                  write the number of the float in this place
    COPY_NUMBERS offset, at, bytes  write the numbers of the array in this place
    EMPTY offset                    refuse unless nothing is in this place
"""
DOWN, UP, SET, COPY_NUMBERS, EMPTY = range(len(UPDATES))
UPDATE_WORDS: Final = 4
"""Words of an update."""
LEVELS: Final = 8
"""Objects that contain each other, at most."""

UPDATE_TEXT: Final = """\
update:
  %update_words = load i64, ptr %a_at
  %last = call ptr $PyList_GetItem(ptr %memo_list, i64 0)
  %last_references = load i32, ptr %last
  %last_is_ours = icmp eq i32 %last_references, 1
  store ptr %last, ptr %levels
  br i1 %last_is_ours, label %update_next, label %rebuild
update_next:
  %u = phi i64 [0, %update], [%u_next, %down], [%u_next, %up], [%u_next, %write], [%u_next, %write_all],
      [%u_next, %empty]
  %level = phi i64 [0, %update], [%level_down, %down], [%level_up, %up], [%level, %write], [%level, %write_all],
      [%level, %empty]
  %more_updates = icmp slt i64 %u, %update_words
  br i1 %more_updates, label %update_one, label %updated
update_one:
  %u_at = getelementptr i64, ptr %b_at, i64 %u
  %u_next = add i64 %u, 4
  %u_code = load i64, ptr %u_at
  %u_a_at = getelementptr i64, ptr %u_at, i64 1
  %u_b_at = getelementptr i64, ptr %u_at, i64 2
  %u_c_at = getelementptr i64, ptr %u_at, i64 3
  %level_up = sub i64 %level, 1
  %is_up = icmp eq i64 %u_code, $UP
  br i1 %is_up, label %up, label %part_of
up:
  br label %update_next
part_of:
  %here_at = getelementptr ptr, ptr %levels, i64 %level
  %here = load ptr, ptr %here_at
  %u_offset = load i64, ptr %u_a_at
  %child_at = getelementptr i8, ptr %here, i64 %u_offset
  %child = load ptr, ptr %child_at
  %is_empty = icmp eq i64 %u_code, $EMPTY
  br i1 %is_empty, label %empty, label %owned
empty:
  %no_child = icmp eq ptr %child, null
  br i1 %no_child, label %update_next, label %rebuild
owned:
  %references = load i32, ptr %child
  %is_ours = icmp eq i32 %references, 1
  br i1 %is_ours, label %change, label %rebuild
change:
  %u_number = load ptr, ptr %u_b_at
  switch i64 %u_code, label %down [
    i64 $SET, label %write
    i64 $COPY_NUMBERS, label %write_all
  ]
down:
  %level_down = add i64 %level, 1
  %level_at = getelementptr ptr, ptr %levels, i64 %level_down
  store ptr %child, ptr %level_at
  br label %update_next
write:
  %new_number = load double, ptr %u_number
  %float_at = getelementptr i8, ptr %child, i64 $FLOAT_VALUE
  store double %new_number, ptr %float_at
  br label %update_next
write_all:
  %u_bytes = load i64, ptr %u_c_at
  %held_at = getelementptr i8, ptr %child, i64 $ARRAY_DATA
  %held = load ptr, ptr %held_at
  call void @llvm.memcpy.p0.p0.i64(ptr %held, ptr %u_number, i64 %u_bytes, i1 false)
  br label %update_next
updated:
  call void $Py_IncRef(ptr %last)
  store i64 %q_now, ptr %memo
  store i64 %v_now, ptr %memo_v_at
  ret ptr %last
rebuild:
"""
"""UPDATE n, words ...: writes numbers into the object of the last call and returns it; goes on, in the block `rebuild`,
behind its words where that is not possible."""
