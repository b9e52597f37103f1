"""Problems of flat feet: many contact points of rigid bodies, most of their rows redundant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rbd.scalars import Matrix, Scalar
from rbd.scalars.arrays import Array
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.solvers.intervals import NO_INTERVALS, Intervals
from rbd.solvers.projections.projected_program import ProgramSolution, solve_projected_program
from rbd.solvers.projections.row_groups import RowGroup
from tests.contact.test_projected_program import nested
from tests.contact.test_quadratic_program import Problem

TRUNK = 6


class Feet(NamedTuple):
    """A quadratic program with its rows as products."""

    data: Problem
    groups: list[RowGroup]

    def solve(self, intervals: Intervals = NO_INTERVALS) -> ProgramSolution:
        """Return the solution that begins with the interior point."""
        hessian, linear, rows, bounds = self.data
        factor = Factor.of(nested(hessian), ["pivot"] * len(linear))
        return solve_projected_program(
            nested(hessian), factor, linear.tolist(), nested(rows), bounds.tolist(), intervals, self.groups
        )


def edges_of(points: Array, angles: Array, mu: float) -> Array:
    """Return wrenches along the edges of the friction cones of points on the ground: forces, then moments."""
    found = list[Array]()
    for point, angle in zip(points, angles, strict=True):
        for k in range(4):
            direction = np.array([np.cos(angle + k * np.pi / 2), np.sin(angle + k * np.pi / 2)])
            force = np.array([*(mu * direction), 1.0])
            found.append(np.concatenate([force, np.cross(point, force)]))
    return np.array(found)


def cones(numbers: Sequence[int], W: Array, map_: Matrix) -> RowGroup:
    """Return a group as cones: edges that are opposite to each other are those of a tangent."""
    places = np.reshape(numbers, (-1, 4))[:, [0, 2, 1, 3]]
    one, two, three, four = (W[k::4] for k in range(4))
    tangents = nested((one - three) / 2), nested((two - four) / 2)
    return RowGroup(tuple(places.ravel().tolist()), nested((one + three) / 2), map_, tangents)


def maps(rng: np.random.Generator, feet: int, joints: int, bend: float) -> list[Array]:
    """Return what the trunk and the joints of one leg contribute to the twist of a foot: 6 rows."""
    found = list[Array]()
    for k in range(feet):
        columns = np.zeros((6, TRUNK + feet * joints))
        columns[:, :TRUNK] = np.eye(6) + 0.2 * rng.normal(size=(6, 6))
        columns[:, TRUNK + k * joints : TRUNK + (k + 1) * joints] = bend * rng.normal(size=(6, joints))
        found.append(columns)
    return found


def inertia(rng: np.random.Generator, feet: int, joints: int) -> Array:
    """Return a mass matrix of a trunk with legs, which has the sparsity of the tree."""
    n = TRUNK + feet * joints
    root = np.diag(rng.uniform(0.3, 1.0, n))
    root[:, :TRUNK] += 0.3 * rng.normal(size=(n, TRUNK))
    for k in range(feet):
        leg = slice(TRUNK + k * joints, TRUNK + (k + 1) * joints)
        root[leg, leg] += 0.3 * rng.normal(size=(joints, joints))
    found = root.T @ root
    for k in range(feet):
        leg = slice(TRUNK + k * joints, TRUNK + (k + 1) * joints)
        found[leg, TRUNK : leg.start] = found[TRUNK : leg.start, leg] = 0
    return found + 0.3 * np.eye(n)


def flat_feet(
    seed: int, *, feet: int = 2, joints: int = 3, points: int = 7, unevenness: float = 1e-4, bend: float = 1.0
) -> Feet:
    """Return the step of a robot that is pushed to the ground on flat feet; zero velocity is allowed.

    With a small `bend` the joints hardly move the feet. Rows are those of cones if `seed` is even.
    """
    rng = np.random.default_rng(seed)
    H, groups, rows = inertia(rng, feet, joints), list[RowGroup](), list[Array]()
    for k, T in enumerate(maps(rng, feet, joints, bend)):
        angles = np.linspace(0, 2 * np.pi, points, endpoint=False)
        places = np.stack([0.09 * np.cos(angles), 0.03 * np.sin(angles), 0 * angles], axis=1)
        W = edges_of(places, rng.uniform(0, 1.5, points) * (seed % 3), rng.uniform(0.3, 0.9))
        W[4 * (seed % points)] *= 0 if seed % 2 else 1  # a point that is far
        map_rows: tuple[tuple[Scalar, ...], ...] = tuple(tuple(x or 0 for x in row) for row in T.tolist())
        numbers = range(4 * points * k, 4 * points * (k + 1))
        groups.append(RowGroup(tuple(numbers), nested(W), map_rows) if seed % 2 else cones(numbers, W, map_rows))
        rows.append(W @ T)
    bounds = -unevenness * rng.exponential(size=len(groups) * 4 * points) * rng.choice([0, 1, 100])
    push = np.concatenate([[0, 0, -1], np.zeros(3)]) + 0.3 * rng.normal(size=6)
    linear = np.concatenate([push, 0.1 * rng.normal(size=feet * joints)])
    return Feet((H, linear, np.concatenate(rows), bounds), groups)
