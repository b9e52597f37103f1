"""Engine of live states: machine code for calls of algorithms and queries.

fast_path.py          decorator of algorithms: makes the key of a call, calls the builtin found under it
call_arguments.py     arguments of such calls, parsed into a key and arrays
result_fast_path.py   the same for functions that fill a DynamicsResult
live_engine.py        LiveEngine: finds what was recorded of a kernel, runs it, returns the result of the call
live_buffers.py       coordinates of a live state, its owner and its versions, which machine code reads
fast_path_table.py    FastPathTable: the fast paths of a state, by the keys of calls
bound_builtin.py      builtins of recorded kernels, bound to the buffers of a state
ownership.py          ownership of states by threads
kernel_cache.py       recorded kernels of a mechanism, by kernel and template of arguments
recorder.py           runs a function of a state on recorded scalars, returns the program
recorded_kernel.py    a kernel with its program, or the error of its recording
result_form.py        results of kernels as outputs of programs, and back
recording_cache.py    recorded programs on disk
fingerprint.py        a hash of all of a mechanism that recordings depend on
parameter_edits.py    edited parameters, which are inputs instead of constants
query_counts.py       counts of queries, which tell when a builtin is worth making
native_queries.py     builtins of framed queries
value_plans.py        what such builtins do: numbers of passes, arithmetic, construction of values
coordinate_writer.py  writing of coordinates by machine code
interpreted.py        blocks in which live states run the Python source
"""
