"""Kernels, the source of algorithms: calls of them, interfaces of states and engines, the engine of scalar states.

kernel.py            Kernel: the source of an algorithm
calls.py             KernelCall: a kernel with its arguments and the conversion of its result
state_view.py        StateView: coordinates and parameters of a mechanism, in any scalars
lifting.py           parameters with frames in the scalars of a state
parameters.py        parameters as arrays: inputs of recordings instead of constants
cached_pass.py       passes: recursions over all bodies with cached results
engine_interface.py  Engine: the interface of what runs the kernels of a state
source_engine.py     SourceEngine: runs the source
query_builtins.py    interface of builtins of framed queries; frames attached to bodies
templates.py         templates: nested values without their numbers
value_tree.py        nested values as numbers and a template
unflattening.py      nested values from arrays of numbers
lazy_tuple.py        tuples of values made when asked for
finite.py            whether results are finite
"""
