"""Engine of live states: machine code for calls of algorithms and queries.

A call finds its builtin under a key:

fast_path.py          decorator of algorithms: makes the key of a call, calls the builtin found under it
call_arguments.py     arguments of such calls, parsed into a key and arrays

Without one, the engine runs what was recorded (`rbd.recorder`), and makes the builtin:

live_engine.py        LiveEngine: runs the recorded kernel of a call, returns the result of the call
live_buffers.py       coordinates of a live state, its owner and its versions, which machine code reads
fast_path_table.py    FastPathTable: the builtins of a state, by the keys of calls
bound_builtin.py      builtins of recorded kernels, bound to the buffers of a state
coordinate_writer.py  CoordinateWriter: writes q or v, by a builtin after many writes
ownership.py          ownership of states by threads
interpreted.py        blocks in which live states run the Python source

Queries with framed results have builtins of their own:

query_counts.py          counts of queries, which tell when a builtin is worth making
native_queries.py        queries as computations from the results of passes
value_plans.py           instructions for it: numbers of passes, arithmetic, construction of values
pass_values.py           addresses of numbers in the buffers of passes
transform_arithmetic.py  arithmetic of transforms and motions
"""
