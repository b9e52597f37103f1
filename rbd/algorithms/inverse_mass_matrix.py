"""The inverse of the mass matrix.

Room: algorithms; may import state and above.
"""

from __future__ import annotations

from typing import TypeVar

from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.scalars import Matrix
from rbd.state import ArrayOf, State, StateView, kernel
from rbd.state.direct import direct

A = TypeVar("A", bound=ArrayOf)


@kernel(regroup=True)
def inverse_mass_matrix_kernel(state: StateView) -> Matrix:
    """Return the inverse of M from its factor."""
    return factored(state, mass_matrix_kernel(state)).inverse()


@direct(inverse_mass_matrix_kernel)
def inverse_mass_matrix(state: State[A], *, out: A | None = None) -> A:
    """Return the inverse of the mass matrix, (nv, nv), exactly symmetric.

    Raises SingularError, naming the joint, when there is none.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> bool(np.allclose(rbd.inverse_mass_matrix(state) @ rbd.mass_matrix(state), np.eye(2)))
    True
    """
    values = inverse_mass_matrix_kernel(state)
    shape = (state.layout.nv, state.layout.nv)
    return state.pack(values, "inverse mass matrix", shape, out)
