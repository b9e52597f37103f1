"""Programs and intrinsics as LLVM IR.

A program of many thousand instructions becomes functions of bounded length, which share a workspace in memory:

    inlining.py            calls of small intrinsics, in batches: their operations in place  ┐ program to program,
    ordering.py            instructions in the order of their issue, in batches              │ for rows only
    sinking.py             regions: what only a guarded call needs, skipped with it          ┘
    plan.py                the plan: functions and slots, made by these three:
                             function_split.py   instructions to functions: loops, regions, chunks
                             value_slots.py      slots of values that cross functions
                             call_slots.py       slots of calls: operands, results, work area
    program_functions.py   each function of the plan as text
    entry_points.py        entry points for one state; those for rows are in `batch`

What the functions are made of:

    ir.py                                    writer of IR text: vectors of W lanes, constants, names
    arithmetic.py, sincos.py, software_fma.py  single operations; sine and cosine; fused multiply-add without hardware
    finite.py, bounds.py                     tests for finite numbers; range analysis that makes them unnecessary
    statuses.py                              statuses of lanes: the first check that fails
    signature.py, declarations.py            arguments of functions; what modules declare
    loop_operands.py, loops.py, copies.py    recovered loops and their operands
    calls.py                                 calls of intrinsics
    expressions.py, routine.py               functions of intrinsics: expressions, statements
    column_blocks.py, elementwise_loops.py   their vectorised loops

Words: a *slot* is a place in the workspace for one number per lane; a *chunk* is the instructions of one function; a
*region* is the functions that are skipped with a guarded call; *input angles* are inputs whose sines a first function
computes.
"""
