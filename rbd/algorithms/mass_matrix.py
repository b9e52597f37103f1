"""The joint-space mass matrix, by composite rigid bodies.

Featherstone (2008), section 6.2, in body frames.
"""

from __future__ import annotations

from typing import TypeVar

from rbd.scalars import Matrix, Scalar
from rbd.solvers.linear import Factor
from rbd.spatial.pairing import pair
from rbd.state import ArrayOf, Link, State, StateView, kernel, passes
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path

A = TypeVar("A", bound=ArrayOf)


@kernel(regroup=True)
def mass_matrix_kernel(state: StateView) -> Matrix:
    """Return M: composite inertias moved along their joint's axes, felt by every joint that carries them."""
    rows: list[list[Scalar]] = [[0] * state.layout.nv for _ in range(state.layout.nv)]
    for link in state.links:
        _add_column(state, link, rows)
        for i, armature in enumerate(state.joint_parameter(link.joint, "armature"), start=link.v.start):
            rows[i][i] = rows[i][i] + armature
    return tuple(tuple(row) for row in rows)


def _add_column(state: StateView, link: Link, rows: list[list[Scalar]]) -> None:
    """Fill the rows and columns of M where `link` meets itself and the joints that carry it."""
    subspaces, steps = passes.subspaces(state), passes.to_parent(state)
    momenta = passes.composite_inertias(state)[link.index] @ subspaces[link.index - 1]
    for carrier in passes.ancestry(state, link):
        block = pair(subspaces[carrier.index - 1], momenta)
        for i, entries in enumerate(block, start=carrier.v.start):
            for j, entry in enumerate(entries, start=link.v.start):
                if carrier is not link or i <= j:
                    rows[i][j] = rows[j][i] = entry
        momenta = momenta.transformed(steps[carrier.index - 1])


def factored(state: StateView, matrix: Matrix) -> Factor:
    """Factor a mass matrix; raise SingularError naming the joint that moves nothing that has inertia."""
    labels = [f"the inertia that joint '{link.joint.name}' moves" for link in state.links for _ in range(link.joint.nv)]
    return Factor.of(matrix, labels)


@fast_path(out=True)
def mass_matrix(state: State[A], *, out: A | None = None) -> Call[A]:
    """Return the mass matrix M(q), full and symmetric, (nv, nv), armatures included.

    Raises StaleStateError after an edit of the mechanism, ShapeError when `out` does not fit.

    >>> import numpy as np, rbd
    >>> M = rbd.mass_matrix(rbd.MechanismState(rbd.robots.double_pendulum()))
    >>> bool(np.all(M == M.T)), bool(np.all(np.linalg.eigvalsh(M) > 0))
    (True, True)
    """
    nv = state.layout.nv
    return KernelCall(mass_matrix_kernel, (), {"mass matrix": (nv, nv)}, out=out)
