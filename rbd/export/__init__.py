"""Recorded programs in other languages. May import everything above it; `RecordedFunction` calls it on request."""

from rbd.export.c import c_source
from rbd.export.jax_functions import jax_dynamics, jax_function
from rbd.export.symbols import sympy_expressions
from rbd.export.torch_functions import torch_dynamics, torch_function, torch_step

__all__ = [
    "c_source",
    "jax_dynamics",
    "jax_function",
    "sympy_expressions",
    "torch_dynamics",
    "torch_function",
    "torch_step",
]
