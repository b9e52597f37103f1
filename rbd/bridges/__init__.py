"""Compiled functions inside other frameworks: JAX and PyTorch, which are imported when a function is made."""

from rbd.bridges.jax_functions import jax_dynamics, jax_function
from rbd.bridges.torch_functions import torch_dynamics, torch_function, torch_step

__all__ = ["jax_dynamics", "jax_function", "torch_dynamics", "torch_function", "torch_step"]
