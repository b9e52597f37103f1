"""Words of the contexts of builtins of compiled programs, and the limits of what they take."""

from __future__ import annotations

from typing import Final

from rbd.native.builtins.records import INTEGER, POINTER

CONTEXT: Final = {
    "entries": POINTER,
    "max_small_batch_rows": INTEGER,
    "owner": POINTER,
    "guards": POINTER,
    "guard_count": INTEGER,
    "bound_inputs": POINTER,
    "bound_input_count": INTEGER,
    "shapes": POINTER,
    "first_argument": INTEGER,
    "argument_count": INTEGER,
    "bound_outputs": POINTER,
    "output_count": INTEGER,
    "copies": POINTER,
    "copy_count": INTEGER,
    "counter": POINTER,
    "has_fallback": INTEGER,
    "positional_input_count": INTEGER,
    "parameters": POINTER,
    "parameter_count": INTEGER,
    "positional_count": INTEGER,
    "required": INTEGER,
    "defaults": POINTER,
    "next_overload": POINTER,
    "series_input": INTEGER,
}
"""The words of the structure a builtin is bound to:

    entries                          addresses of the entry points of the program, by `Entry`; null until it is there
    max_small_batch_rows             rows that are computed under the interpreter's lock; 0: no batches are taken
    owner                            word with the thread that may call; null for any thread
    guards, guard_count              table of `GUARD`
    bound_inputs, bound_input_count  addresses of inputs, null for arguments; the count is 0 where all are arguments
    shapes                           of arguments, then of outputs: the number of axes, then the length of each
    first_argument, argument_count   which inputs are arguments; they follow each other
    bound_outputs, output_count      addresses of outputs; null for new arrays
    copies, copy_count               table of `COPIED`
    counter                          word that counts successful calls with bound outputs
    has_fallback                     whether the structure itself, which is callable, takes what is declined
    positional_input_count           inputs of a call that gives all by position and no keywords; -1 if none may
    parameters, parameter_count      table of `PARAMETER`; without it the only keyword is `out`, of a single result
    positional_count, required       how many of them may be positional; the bits of those that must be given
    defaults                         objects of inputs that are not given; null for those that must be
    next_overload                    address of the word with the structure of the next builtin of the method, or null
    series_input                     the input of a rollout that may have a row per call (`rollout_ir.py`); -1: one call
"""
MAX_PORTS: Final = 64
"""Inputs and outputs, each; their pointers go on the stack."""
MAX_AXES: Final = 64
"""Axes of an array, at most."""
MAX_LAYOUT_WORDS: Final = 512
"""Entries of the layouts of all arrays, at most; see `row_access.py`."""
