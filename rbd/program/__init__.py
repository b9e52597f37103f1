"""Recorded scalars and straight-line programs: pure data that is interpreted, differentiated, printed or compiled.

opcodes.py, operation.py       the one table of operations: meaning, derivative, text, LLVM IR, C of each
nodes.py, recorded*.py         recorded scalars, simplified while they are recorded
ports.py                       the named inputs and outputs of a program
graph.py                       a recording: its inputs, and every operation done with them
recording.py                   the context of a recording: a graph that is freed, garbage collection paused meanwhile
lowering.py, program.py        from a graph to a `Program`
outline.py, lazy_program.py     metadata of a program, which cached machine code needs; recording on demand
interpret.py, status.py        running a program on floats; status codes and their errors
replay.py                      evaluating a program on scalars of any family
listing.py                     printing, and counting operations
local_derivatives.py, sweeps.py, differentiate.py   derivatives of programs
rolling.py                     the loops that long programs were unrolled from
"""
