"""Methods of the comparison of solvers that take contact points as blocks, or rows of two bodies as groups.

Block Gauss-Seidel iterations on the Delassus matrix U U' solve the problem of one contact point exactly, with all other
forces as they are: of four multipliers that are not negative, or of one force in a round cone. They are those of
nonsmooth contact dynamics (Jean 1999) and of projected Gauss-Seidel methods by blocks (Acary, Brémond, Huber 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, combinations
from typing import NamedTuple
from unittest import mock

import numpy as np

from docs.contact_solver_cases import Projection
from docs.contact_solver_outcomes import ACCURATE, SWEEPS, Outcome, newton_cost
from rbd.intrinsics.intrinsic import Intrinsic, NamedSizes
from rbd.scalars import Vector, to_float
from rbd.scalars.arrays import Array
from rbd.solvers.cones.projection import project_on_cones
from rbd.solvers.intervals import NO_INTERVALS
from rbd.solvers.projections import warm_start as warm_start_module
from rbd.solvers.projections.dual_active_set.method import PROJECT_BY_DUAL_ACTIVE_SET, ROUNDS
from rbd.solvers.projections.warm_start import warm_start

BISECTIONS = 60


# --- rbd's method for flat feet ---------------------------------------------------------------------------------------


class _Noting:
    """An intrinsic that notes the rounds and the operations of its last call."""

    def __init__(self, intrinsic: Intrinsic) -> None:
        self.intrinsic, self.rounds, self.operations = intrinsic, 0, 0

    def sizes_of(self, named: NamedSizes) -> tuple[int, ...]:
        return self.intrinsic.sizes_of(named)

    def call(self, sizes: Sequence[int], operands: dict[str, Vector]) -> dict[str, Vector]:
        found: dict[str, Vector] = self.intrinsic.call(sizes, operands)
        self.rounds, self.operations = int(to_float(found["rounds"][0])), self.intrinsic.operation_count(sizes)
        return found


def dual_active_set(problem: Projection) -> Outcome | None:
    """Solve by rbd's dual active-set method in lanes; None without groups, where it is not used."""
    if not problem.groups:
        return None
    scales = np.ones(len(problem.c))
    for group in problem.groups:
        scales[list(group.numbers)] = to_float(group.inverse_length)
    groups = [group.scaled(to_float(group.inverse_length)) for group in problem.groups]
    sides = problem.c * problem.lengths * scales
    size, noting = sides.max(), _Noting(PROJECT_BY_DUAL_ACTIVE_SET)
    with mock.patch.object(warm_start_module, "PROJECT_BY_DUAL_ACTIVE_SET", noting):
        found = warm_start(groups, (sides / size).tolist(), NO_INTERVALS, ())
    z, weights = (size * np.array([to_float(x) for x in part]) for part in (found.point, found.multipliers))
    cost = noting.operations / 2 * noting.rounds / ROUNDS
    return Outcome(z, weights * scales * problem.lengths, noting.rounds, cost / 1e3)


# --- blocks of four rows ----------------------------------------------------------------------------------------------


def block_gauss_seidel(problem: Projection) -> Outcome:
    """Solve by Gauss-Seidel iterations in blocks of the four rows of a contact point."""
    U, c = problem.U, problem.c
    blocks = [_Edges.of(U[k : k + 4], c[k : k + 4]) for k in range(0, len(c), 4)]
    z, weights, count = np.zeros(U.shape[1]), np.zeros(len(c)), 0
    while count < SWEEPS and problem.residual(z, weights) > ACCURATE:
        for k, block in enumerate(blocks):
            own = slice(4 * k, 4 * k + 4)
            after = block.solve(z, weights[own])
            z += (after - weights[own]) @ block.U
            weights[own] = after
        count += 1
    return Outcome(z, weights, count, count * (2 * np.count_nonzero(U) + 60 * len(blocks)) / 1e3)


class _Edges(NamedTuple):
    """The rows of a point, their sides and products, and for every set of active rows what gives their multipliers."""

    U: Array
    c: Array
    G: Array
    inverses: Array

    @classmethod
    def of(cls, U: Array, c: Array) -> _Edges:
        G, sets = U @ U.T, chain.from_iterable(combinations(range(4), size) for size in range(4))
        return cls(U, c, G, np.array([_inverse(G, np.array(active, dtype=int)) for active in sets]))

    def solve(self, z: Array, weights: Array) -> Array:
        """Return the multipliers that solve the problem of this point alone: of the set that violates nothing."""
        side = self.c - self.U @ z + self.G @ weights
        every = self.inverses @ side
        wrong = np.minimum(every.min(axis=1), (every @ self.G - side).min(axis=1))
        return np.maximum(every[wrong.argmax()], 0)


def _inverse(G: Array, active: Array) -> Array:
    """Return the inverse of a part of a matrix, with zeros elsewhere."""
    found = np.zeros_like(G)
    if len(active):
        found[np.ix_(active, active)] = np.linalg.pinv(G[np.ix_(active, active)], rcond=1e-12)
    return found


# --- round cones ------------------------------------------------------------------------------------------------------


class _Cones(NamedTuple):
    """Normal and tangents of each point, with sides: s = A z - c has to be in the cone s0 >= |(s1, s2)|."""

    A: Array
    c: Array

    @classmethod
    def of(cls, problem: Projection) -> _Cones:
        """Return the round cones through the edges of a problem; the longest row of a block has length one."""
        A = _axes((problem.U * problem.lengths[:, None]).reshape(-1, 4, problem.U.shape[1]))
        c = _axes((problem.c * problem.lengths).reshape(-1, 4, 1))
        longest = np.linalg.norm(A, axis=2).max(axis=1)[:, None, None]
        return cls(A / longest, (c / longest)[:, :, 0])


def _axes(edges: Array) -> Array:
    """Return the normals and tangents of cones whose edges are n + s, n - s, n + t and n - t."""
    plus, minus, left, right = (edges[:, k] for k in range(4))
    return np.stack([(plus + minus + left + right) / 4, (plus - minus) / 2, (left - right) / 2], axis=1)


def cone_residual(problem: Projection, z: Array, weights: Array) -> float:
    """Return by how much forces are not the projections of forces less rates, or the point not their sum."""
    return _cone_residual(_Cones.of(problem), z, weights.reshape(-1, 3))


def _cone_residual(cones: _Cones, z: Array, forces: Array) -> float:
    off = forces - np.array([_projected(x) for x in forces - (cones.A @ z - cones.c)])
    return float(max(np.abs(off).max(), np.abs(z - np.einsum("kij,ki->j", cones.A, forces)).max()))


def _projected(x: Array) -> Array:
    """Return the point of the cone that is nearest to x."""
    length = float(np.hypot(x[1], x[2]))
    if length <= x[0]:
        return x
    if length <= -x[0]:
        return np.zeros(3)
    share = (x[0] + length) / 2
    return np.array([share, share * x[1] / length, share * x[2] / length])


def cone_newton(problem: Projection) -> Outcome:
    """Solve by rbd's method for round cones: Newton's, then that of multipliers."""
    cones = _Cones.of(problem)
    blocks = [tuple(tuple(x or 0 for x in row) for row in block) for block in cones.A.tolist()]
    found = project_on_cones(blocks, (-cones.c).ravel().tolist())
    z, forces = (np.array([to_float(x) for x in part]) for part in (found.z, found.forces))
    count = int(to_float(found.steps))
    return Outcome(z, forces, count, count * newton_cost(cones.A.reshape(-1, len(z))) / 1e3)


def cone_gauss_seidel(problem: Projection) -> Outcome:
    """Solve by Gauss-Seidel iterations in blocks of the force of a contact point, in its round cone."""
    cones = _Cones.of(problem)
    solvers = [_cone_solver(A) for A in cones.A]
    z, forces, count = np.zeros(problem.U.shape[1]), np.zeros((len(cones.c), 3)), 0
    while count < SWEEPS and _cone_residual(cones, z, forces) > ACCURATE:
        for k, (solve, A) in enumerate(zip(solvers, cones.A, strict=True)):
            after = solve(A @ z - cones.c[k], forces[k])
            z += (after - forces[k]) @ A
            forces[k] = after
        count += 1
    return Outcome(z, forces.ravel(), count, count * (2 * np.count_nonzero(cones.A) + 100 * len(solvers)) / 1e3)


def _cone_solver(A: Array) -> Callable[[Array, Array], Array]:
    """Return a function of the rates of a point and its force, to the force that solves its problem alone.

    With G = A A' and q the rates without this force, sliding is G f + q = a J f for J = diag(1, -1, -1), a > 0, and f
    on the boundary of the cone: a scalar equation for a, since G and J are diagonal together.
    """
    G = A @ A.T
    G += 1e-10 * np.trace(G) * np.eye(3)
    inverse = np.linalg.inv(np.linalg.cholesky(G))
    signs, Q = np.linalg.eigh(inverse @ np.diag([1.0, -1, -1]) @ inverse.T)
    V = inverse.T @ Q

    def solve(rates: Array, force: Array) -> Array:
        q = rates - G @ force
        if q[0] >= np.hypot(q[1], q[2]):
            return np.zeros(3)
        w = V.T @ q
        stuck = -V @ w
        if stuck[0] >= np.hypot(stuck[1], stuck[2]):
            return stuck
        return _sliding(V, signs, w)

    return solve


def _sliding(V: Array, signs: Array, w: Array) -> Array:
    """Return the force -V (w / (1 - a signs)) on the boundary of the cone, by bisection.

    At a = 1 / `signs`[2], the only pole, it is infinite along the column of V that is in the cone, or in its opposite.
    Of the a on the side of the pole at which it is in the cone, those near the pole have it inside.
    """
    beyond, low, high = V[0, 2] * w[2] > 0, 0.0, 1.0
    shares, squares = (-V[0] * w).tolist(), (signs * w * w).tolist()
    turns, pole = signs.tolist(), float(signs[2])
    a = 0.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        a = (1 / middle if beyond else middle) / pole
        inverses = [1 / (1 - a * x) for x in turns]
        normal = sum(x * y for x, y in zip(shares, inverses, strict=True))
        square = sum(x * y * y for x, y in zip(squares, inverses, strict=True))
        low, high = (low, middle) if normal > 0 and square > 0 else (middle, high)
    force = -V @ (w / (1 - a * signs))
    return np.array([np.hypot(force[1], force[2]), force[1], force[2]])
