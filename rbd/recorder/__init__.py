"""Recorder: runs kernels and other functions of a state on recorded scalars, and keeps their programs.

record_program.py    runs a function of a state on recorded scalars, returns the program
record_kernel.py     a kernel on recorded scalars: its program, and the form of its result
result_form.py       results of kernels as outputs of programs, and back
recorded_kernel.py   a kernel with its program, or the error of its recording
kernel_cache.py      KernelCache: the recorded kernels of a mechanism, by kernel and template of arguments
parameter_edits.py   edited parameters, which are inputs of later recordings instead of constants
recording_cache.py   recorded programs on disk
fingerprint.py       a hash of all of a mechanism that recordings depend on
coordinate_check.py  program that checks coordinates
"""
