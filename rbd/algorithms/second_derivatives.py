"""Second derivatives of inverse dynamics.

Room: algorithms; may import state and above. The first derivatives, derived by hand, run on dual numbers, one direction
at a time: exact to rounding, for every joint type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar, cast, final

import attrs

from rbd.algorithms.inverse_dynamics import Vd
from rbd.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives_kernel
from rbd.algorithms.spaces import Space, check_space, positions
from rbd.algorithms.trees import require_tree
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.dual import along
from rbd.state import ArrayOf, MechanismState, ScalarState, State

A = TypeVar("A", bound=ArrayOf)


@final
@attrs.frozen(eq=False)
class SecondDerivatives(Generic[A]):
    """Entry [i, j, k] is the derivative of torque i, first by j, then by k; `n` is nv, or nq in coordinates."""

    by_q_and_q: A
    """(nv, n, n). In coordinates symmetric in the last two; along velocities not, where these do not commute."""
    by_q_and_v: A
    """(nv, n, nv)."""
    by_v_and_v: A
    """(nv, nv, nv), symmetric in the last two."""
    by_q_and_vd: A
    """(nv, n, nv): the derivative of the mass matrix, whose entry [i, k] it belongs to."""


def inverse_dynamics_second_derivatives(state: State[A], vd: Vd, *, space: Space = "tangent") -> SecondDerivatives[A]:
    """Return the second derivatives of `inverse_dynamics`; those that are left out are zero.

    `space` and errors as in `inverse_dynamics_derivatives`. Runs the Python source once per direction: meant for arms
    rather than humanoids.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> second = rbd.inverse_dynamics_second_derivatives(state, [0.5, -0.5])
    >>> bool(np.allclose(second.by_q_and_q, second.by_q_and_q.transpose(0, 2, 1)))
    True
    """
    require_tree(state, "inverse_dynamics_second_derivatives")
    check_space(space)
    nv, n = state.layout.nv, positions(state, space)
    rates = state.vector(vd, nv, "vd")
    by_q = [_along_q(state, rates, space, direction) for direction in _directions(state, space)]
    by_v = [_along_v(state, rates, space, k) for k in range(nv)]
    return SecondDerivatives(
        state.pack(_stacked([first for first, _, _ in by_q]), "second derivative by q and q", (nv, n, n)),
        state.pack(_stacked([first for first, _ in by_v]), "second derivative by q and v", (nv, n, nv)),
        state.pack(_stacked([second for _, second in by_v]), "second derivative by v and v", (nv, nv, nv)),
        state.pack(_swapped([third for _, _, third in by_q]), "second derivative by q and vd", (nv, n, nv)),
    )


def _directions(state: State[A], space: Space) -> list[Vector]:
    """Return the directions of q to differentiate along."""
    nq = state.layout.nq
    if space == "coordinates":
        return [tuple(int(i == k) for i in range(nq)) for k in range(nq)]
    directions: list[Vector] = []
    for link in state.links:
        before, behind = (0,) * link.q.start, (0,) * (nq - link.q.stop)
        columns = zip(*link.joint.type.configuration_derivative_jacobian(state.joint_q(link)), strict=True)
        directions += [(*before, *column, *behind) for column in columns]
    return directions


def _along_q(state: State[A], vd: Vector, space: Space, direction: Vector) -> tuple[Matrix, Matrix, Matrix]:
    """Return how the three first derivatives change when q moves."""

    def first(q: Vector) -> Vector:
        return _flat(inverse_dynamics_derivatives_kernel(_at(state, q, state.velocity_scalars()), vd, (), space))

    _, slopes = along(first, state.configuration_scalars(), direction)
    return _unflat(slopes, state.layout.nv, (positions(state, space), state.layout.nv, state.layout.nv))


def _along_v(state: State[A], vd: Vector, space: Space, k: int) -> tuple[Matrix, Matrix]:
    """Return how the first derivatives by q and v change with one velocity."""

    def first(v: Vector) -> Vector:
        return _flat(inverse_dynamics_derivatives_kernel(_at(state, state.configuration_scalars(), v), vd, (), space))

    unit = tuple(int(i == k) for i in range(state.layout.nv))
    _, slopes = along(first, state.velocity_scalars(), unit)
    by_q, by_v, _ = _unflat(slopes, state.layout.nv, (positions(state, space), state.layout.nv, state.layout.nv))
    return by_q, by_v


def _at(state: State[A], q: Vector, v: Vector) -> ScalarState:
    return cast("MechanismState | ScalarState", state).with_scalars(q, v)


def _flat(matrices: Sequence[Matrix]) -> Vector:
    return tuple(x for matrix in matrices for row in matrix for x in row)


def _unflat(flat: Vector, height: int, widths: tuple[int, int, int]) -> tuple[Matrix, Matrix, Matrix]:
    entries = iter(flat)
    a, b, c = (tuple(tuple(next(entries) for _ in range(width)) for _ in range(height)) for width in widths)
    return a, b, c


def _stacked(slopes: Sequence[Matrix]) -> list[list[list[Scalar]]]:
    """Return matrices, one per direction, with the direction as the last axis."""
    if not slopes:
        return []
    return [[[slope[i][j] for slope in slopes] for j in range(len(slopes[0][i]))] for i in range(len(slopes[0]))]


def _swapped(slopes: Sequence[Matrix]) -> list[list[list[Scalar]]]:
    """Return matrices, one per direction, with the direction as the middle axis."""
    return [[list(slope[i]) for slope in slopes] for i in range(len(slopes[0]) if slopes else 0)]
