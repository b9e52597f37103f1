"""Scalar states: coordinates of any scalars. Their engine runs the source of kernels.

scalar_state.py      ScalarState
parameter_arrays.py  parameters of a mechanism as arrays, which a scalar state reads instead of the mechanism's
regroup.py           base parameters: fewer inertial parameters with the same joint torques
source_engine.py     SourceEngine
"""
