"""Second derivatives of inverse dynamics: forward-mode differentiation of the analytical first derivatives.

The kernel of Singh, Russell and Wensing (2022) runs on dual numbers (Griewank and Walther, 2008, chapter 3) with a
tangent per direction of q, then of v: exact to rounding, for every joint type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Generic, TypeAlias, final

import attrs

from rbd.algorithms.accelerations import Vd
from rbd.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives_kernel
from rbd.algorithms.derivatives.space import Space, check_space, column_count, directions
from rbd.algorithms.trees import require_tree
from rbd.display import fields_repr
from rbd.engine.fast_path import fast_path
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Matrix, Vector
from rbd.scalars.dual import value_and_derivatives
from rbd.scalars.linear_algebra import identity, transpose

Cube: TypeAlias = tuple[Matrix, ...]


@final
@attrs.frozen(eq=False)
class SecondDerivatives(Generic[ArrayT]):
    """Second derivatives: entry [i, j, k] of torque i, first by j, then by k; `n` is nv, or nq in coordinates."""

    by_q_and_q: ArrayT
    """(nv, n, n). In coordinates symmetric in the last two; along velocities not, where these do not commute."""
    by_q_and_v: ArrayT
    """(nv, n, nv)."""
    by_v_and_v: ArrayT
    """(nv, nv, nv), symmetric in the last two."""
    by_q_and_vd: ArrayT
    """(nv, n, nv): the derivative of the mass matrix, whose entry [i, k] it belongs to."""

    __repr__ = fields_repr


@kernel(regroup=True, multiple_outputs=True)
def inverse_dynamics_second_derivatives_kernel(
    state: StateView, vd: Vector, space: Space = "tangent"
) -> tuple[Cube, Cube, Cube, Cube]:
    """Return the second derivatives of M vd + c - passive by q and q, q and v, v and v, and q and vd."""
    q, v = state.configuration_scalars(), state.velocity_scalars()

    def first_derivatives(at: StateView) -> Vector:
        return _flat(inverse_dynamics_derivatives_kernel(at, vd, (), space))

    # q and v separately: what does not depend on one of them stays plain numbers, which simplify further.
    _, by_q = value_and_derivatives(lambda x: first_derivatives(state.with_scalars(x, v)), q, directions(state, space))
    _, by_v = value_and_derivatives(lambda x: first_derivatives(state.with_scalars(q, x)), v, identity(len(v)))
    q_by_q, _, vd_by_q = _unflat(by_q, len(v), column_count(state, space))
    q_by_v, v_by_v, _ = _unflat(by_v, len(v), column_count(state, space))
    return q_by_q, q_by_v, v_by_v, tuple(transpose(row) for row in vd_by_q)


def _flat(matrices: Sequence[Matrix]) -> Vector:
    return tuple(x for matrix in matrices for row in matrix for x in row)


def _unflat(slopes: Matrix, height: int, n: int) -> tuple[Cube, Cube, Cube]:
    """Return the slopes of entries, one after the other, as those of the three matrices they are from."""
    entries = iter(slopes)
    return _cube(entries, height, n), _cube(entries, height, height), _cube(entries, height, height)


def _cube(entries: Iterator[Vector], height: int, width: int) -> Cube:
    return tuple(tuple(islice(entries, width)) for _ in range(height))


@fast_path(vectors=1)
def inverse_dynamics_second_derivatives(
    state: State[ArrayT], vd: Vd, *, space: Space = "tangent"
) -> Call[SecondDerivatives[ArrayT]]:
    """Second derivatives of `inverse_dynamics`; those that are left out are zero.

    `space` and errors as in `inverse_dynamics_derivatives`. What is recorded grows with the third power of the length
    of a chain: 20 000 operations for seven joints in a row. Beyond some twenty the source runs, 0.8 s a call.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> second = rbd.inverse_dynamics_second_derivatives(state, [0.5, -0.5])
    >>> bool(np.allclose(second.by_q_and_q, second.by_q_and_q.transpose(0, 2, 1)))
    True
    """
    require_tree(state, "inverse_dynamics_second_derivatives")
    check_space(space)
    nv, n = state.layout.nv, column_count(state, space)
    args = (state.vector(vd, nv, "vd"), space)
    shapes = {"q and q": (nv, n, n), "q and v": (nv, n, nv), "v and v": (nv, nv, nv), "q and vd": (nv, n, nv)}
    parts = {f"second derivative by {name}": shape for name, shape in shapes.items()}
    return KernelCall(inverse_dynamics_second_derivatives_kernel, args, parts, SecondDerivatives)
