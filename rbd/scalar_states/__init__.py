"""Scalar states: coordinates of any scalars. Their engine runs the source of kernels.

scalar_state.py   ScalarState
source_engine.py  SourceEngine
"""
