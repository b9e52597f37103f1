"""The inverse of the mass matrix."""

from __future__ import annotations

from typing import TypeVar

from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.scalars import Matrix
from rbd.state import ArrayOf, State, StateView, kernel
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path

A = TypeVar("A", bound=ArrayOf)


@kernel(regroup=True)
def inverse_mass_matrix_kernel(state: StateView) -> Matrix:
    """Return the inverse of M from its factor."""
    return factored(state, mass_matrix_kernel(state)).inverse()


@fast_path(out=True)
def inverse_mass_matrix(state: State[A], *, out: A | None = None) -> Call[A]:
    """Return the inverse of the mass matrix, (nv, nv), exactly symmetric.

    Raises SingularError, naming the joint, when there is none.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> bool(np.allclose(rbd.inverse_mass_matrix(state) @ rbd.mass_matrix(state), np.eye(2)))
    True
    """
    nv = state.layout.nv
    return KernelCall(inverse_mass_matrix_kernel, (), {"inverse mass matrix": (nv, nv)}, out=out)
