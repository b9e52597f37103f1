"""C functions that Python calls, made at run time around compiled programs.

CPython calls machine code directly, as if it were that of an extension module. The `self` of such a builtin is a
*context*: a structure of words that the code reads (addresses of programs, buffers and tables), which also keeps alive
all objects that they belong to. One function serves all builtins of a kind; the context makes the difference. Each kind
has a Python module, which makes contexts, and a module of LLVM IR:

    builtin.py          builtin_ir.py        compiled programs: a single call on arrays, with a fallback
                        rows_ir.py           the same for batches: leading axes of arguments
                        rollout_ir.py        the same for rollouts: each call reads the results of the one before
                        results_ir.py        the arrays of their results
                        call_context.py      their contexts
    parameters.py       parameters_ir.py     arguments by keyword; builtins of a method for other options
    value_builtin.py    value_ir.py          framed values: passes, then a plan; value_plan.py,
                                             value_instructions.py, value_update_ir.py, arithmetic_ir.py, slots.py
    step_loop.py        step_loop_ir.py      loops over time steps with callbacks
    array_makers.py     array_ir.py          arrays of tuples; matrices in row order
    fused.py                                 fused multiply-adds of the interpreter

    context.py          context_ir.py        contexts: owner, guards, copies, and the tables that their words refer to
    records.py                               words in memory that Python writes and machine code reads by name
                        objects_ir.py        fields of objects, arrays and their numbers

The IR uses the layout of CPython's and NumPy's objects (`runtime/abi.py`) and runs before Python has looked at an
argument. It has $names for addresses of this process. All kinds begin alike: is the thread the
owner of the state, and do all guards (an address, and what must be there) hold? If not, or if an argument is not as it
must be, nothing has been changed, and Python takes over.
"""
