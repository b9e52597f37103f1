"""The quadratic program of a time step with contact and Coulomb friction, on velocities and impulses.

One convex quadratic program per step covers impact, rest and sliding (Anitescu, *Optimization-based simulation of
nonsmooth rigid multibody dynamics*, 2006, a relaxation of the complementarity problems of Stewart, Trinkle 1996 and
Anitescu, Potra 1997): with the free velocity M v_free = M v + dt f,

    minimise 1/2 (v⁺ - v_free)' M (v⁺ - v_free)   subject to   (J_n + J_t) v⁺ >= -phi / dt

for the rows J_t = mu t' J of four tangent directions t: a point may not close more than its gap in one step, whichever
way it slides. Impulses lie in the polyhedral friction cone; two of its edges lie along the sliding direction. Torsional
and rolling friction are rows of the same kind, of the angular velocity; round cones have rows along their axes
(`point_rows.py`), compliant pairs regularised rows (`spring_rows.py`).

Velocities are those in the frames at the beginning of the step; `transport.py` carries them to its end. Positions alone
move out of overlaps (`overlaps.py`). With impulses lam, and bounds b that are not positive,

    1/2 v⁺'M v⁺ - 1/2 v'M v - dt f'v⁺ = lam'b - 1/2 (v⁺ - v)'M (v⁺ - v) <= 0
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import attrs

from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.contact.dynamics.gauss_principle import GaussProgram
from rbd.contact.model.contact_kinematics import contact_points_in_base
from rbd.contact.model.pairs import Pair, have_friction
from rbd.contact.stepping.joint_rows import implicit_dynamics, joint_intervals
from rbd.contact.stepping.options import ContactStepOptions
from rbd.contact.stepping.overlaps import Overlaps, position_metric
from rbd.contact.stepping.point_rows import PointRows, point_rows
from rbd.contact.stepping.row_groups import row_groups
from rbd.contact.stepping.spring_rows import (
    factor_with_unit_masses,
    intervals_without_springs,
    padded,
    with_springs,
    with_unit_masses,
)
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, minimum
from rbd.scalars.linear_algebra import matvec
from rbd.solvers.projections.row_groups import RowGroup
from rbd.spatial.linalg import Vec3


class StepProblem(NamedTuple):
    """The quadratic program of a step, and the overlaps that positions alone remove.

    The matrix of the program is the mass matrix M with implicit damping and gains. The velocities come first among its
    unknowns, those of springs follow.
    """

    program: GaussProgram
    M: Matrix
    v_free: Vector
    overlaps: Overlaps


class StepConstraints(NamedTuple):
    """The rows of all contact points, and the smallest distance of each pair's points."""

    points: tuple[PointRows, ...]
    distances: Vector

    @property
    def rows(self) -> Matrix:
        """The rows of all points."""
        return tuple(row for point in self.points for row in point.rows)

    @property
    def bounds(self) -> Vector:
        """The bound of each row; that of a tangent does not count."""
        return tuple(point.bound for point in self.points for _ in point.rows)

    @property
    def gaps(self) -> Vector:
        """The distance of each row's point."""
        return tuple(point.gap for point in self.points for _ in point.rows)

    @property
    def pair_indices(self) -> tuple[int, ...]:
        """The index of the pair of each row."""
        return tuple(point.pair_index for point in self.points for _ in point.rows)

    @property
    def shares(self) -> tuple[int, ...]:
        """The share of the normal in each row."""
        return tuple(share for point in self.points for share in point.shares)

    @property
    def has_round_cones(self) -> bool:
        """Whether points have round friction cones."""
        return 0 in self.shares

    def groups(self, state: ScalarState) -> tuple[RowGroup, ...]:
        """Return the rows as products; nothing where they are not, or where cones are round."""
        cones = tuple(point.cone for point in self.points)
        return () if self.has_round_cones else row_groups(state, cones)

    @property
    def forces(self) -> tuple[Vec3, ...]:
        """The force of each row's multiplier 1, in the root frame."""
        return tuple(force for point in self.points for force in point.forces)


def step_problem(
    pairs: Sequence[Pair], state: ScalarState, tau: Vector, dt: Scalar, options: ContactStepOptions
) -> tuple[StepProblem, StepConstraints]:
    """Return the quadratic program of a step, and the constraints of contact points, whose rows it has."""
    if options.friction is None and have_friction(pairs):
        options = attrs.evolve(options, friction=state.lifted(0.0))
    v, M = tuple(state.v), mass_matrix_kernel(state)
    mass, momentum = implicit_dynamics(state, options.joints, M, matvec(M, v), tau, dt)
    factor = factored(state, mass)
    v_free = factor.solve(momentum)
    constraints = _constraints(state, pairs, v_free, dt, options)
    if options.friction is None:
        bounds, rates = constraints.bounds, tuple(point.correction_rate for point in constraints.points)
    else:
        bounds, rates = _bounds_without_rise(constraints)
    intervals, return_rates = joint_intervals(state, options.joints, dt)
    normals, groups = tuple(point.normal for point in constraints.points), constraints.groups(state)
    cones = [group.cones for group in groups]
    overlaps = Overlaps(normals, rates, position_metric(state, M), intervals, return_rates, cones)
    hard = GaussProgram(mass, factor, momentum, constraints.rows, bounds, intervals, groups)
    return StepProblem(_with_springs(hard, constraints), M, v_free, overlaps), constraints


def _with_springs(hard: GaussProgram, constraints: StepConstraints) -> GaussProgram:
    """Return the program with an unknown for each compliant point."""
    springs = tuple(point.spring for point in constraints.points)
    point_shares = [(k, share) for k, point in enumerate(constraints.points) for share in point.shares]
    count = sum(factor is not None for factor in springs)
    if not count:
        return hard
    return hard._replace(
        M=with_unit_masses(hard.M, count),
        factor=factor_with_unit_masses(hard.factor, count),
        f=padded(hard.f, count),
        J=with_springs(hard.J, springs, point_shares),
        intervals=intervals_without_springs(hard.intervals, count),
    )


def _constraints(
    state: ScalarState, pairs: Sequence[Pair], v_free: Vector, dt: Scalar, options: ContactStepOptions
) -> StepConstraints:
    rows: list[PointRows] = []
    distances: list[Scalar] = []
    for pair_index, pair in enumerate(pairs):
        points = contact_points_in_base(state, pair)
        distances.append(reduce(minimum, (point.phi for point in points)))
        rows += [point_rows(state, pair_index, pair, point, v_free, dt, options) for point in points]
    return StepConstraints(tuple(rows), tuple(distances))


def _bounds_without_rise(constraints: StepConstraints) -> tuple[Vector, Vector]:
    """Return bounds that let points slide without rising, and the rates at which positions alone remove overlaps.

    Under the relaxation a point that slides at speed s must rise at mu s, so that bodies take off. Subtracting mu s,
    for the speed at the beginning of the step, from the bounds removes that (De Saxcé, Feng 1998). Points that slow
    down within the step sink a little. Velocities remove their overlap, too, as long as no bound becomes positive, and
    no faster than they would approach without contact.
    """
    bounds, correction_rates = list[Scalar](), list[Scalar]()
    for point in constraints.points:
        up = minimum(minimum(point.correction_rate, point.rise_rate), point.approach_rate)
        bounds += [point.bound - (point.rise_rate - up)] * len(point.rows)
        correction_rates.append(point.correction_rate - up)
    return tuple(bounds), tuple(correction_rates)
