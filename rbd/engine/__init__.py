"""Engine of live states: machine code for calls of algorithms and queries.

fast_path.py          decorator of algorithms: makes the key of a call, calls the builtin found under it
live_engine.py        LiveEngine: buffers of a live state; finds what was recorded, runs it, opens fast paths
ownership.py          ownership of states by threads
kernel_cache.py       recorded kernels of a mechanism, by kernel and template of arguments
recorder.py           runs a function of a state on recorded scalars, returns the program
recorded_kernel.py    a kernel with its program, or the error of its recording
result_form.py        results of kernels as outputs of programs, and back
recording_cache.py    recorded programs on disk
fingerprint.py        a hash of all of a mechanism that recordings depend on
parameter_edits.py    edited parameters, which are inputs instead of constants
native_queries.py     builtins of framed queries
value_plans.py        what such builtins do: numbers of passes, arithmetic, construction of values
external_wrenches.py  external wrenches as arguments of machine code
coordinate_writer.py  the program that checks coordinates and writes them
interpreted.py        blocks in which live states run the Python source
"""
