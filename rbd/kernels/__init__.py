"""Kernels: functions of a state, which the engine of the state evaluates.

An algorithm returns a call of a kernel. The engine of a scalar state runs the source of the kernel, that of a live
state the program recorded from it.

kernel.py            Kernel: the source of an algorithm
cached_pass.py       Pass: a recursion over all bodies, whose result the state caches
calls.py             KernelCall: a kernel with its arguments and the conversion of its result
state_view.py        StateView: the state as a kernel reads it, coordinates and parameters in any scalars
lifting.py           parameters with frames in the scalars of a state
body_fixed_frames.py  frames fixed to bodies, and their transforms to the bodies' default frames
engine_interface.py  Engine: the evaluator of kernels
query_builtins.py    the part of it for framed queries
"""
