"""Closing of loops: a configuration without errors of loops and couplings, and a velocity that satisfies them.

Damped least squares (Levenberg, 1944; Marquardt, 1963) on the loop errors, in exponential coordinates of the joints.
Coordinates at a bound are fixed for a step that would move them outwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

import attrs
import numpy as np
from numpy.typing import NDArray

from rbd.algorithms.loops.constraints import constraint_error, constraint_jacobian
from rbd.arguments import require_kind, sequence
from rbd.errors import SolverError
from rbd.indexing.layout import TreeNode
from rbd.joints.base import velocity_is_derivative
from rbd.mechanism import Joint
from rbd.scalars.arrays import Array, to_float_array
from rbd.state import MechanismState
from rbd.state.saved_state import restored_on_failure

Mask = NDArray[np.bool_]

_CLOSED_GAP: Final = 1 / 10**10
"""The largest loop error, in m or rad, that counts as closed; one or two steps more usually leave rounding only."""
_RANK_TOLERANCE: Final = 1 / 10**7
_MAX_STEPS: Final = 60
_MAX_ATTEMPTS: Final = 12
_MIN_DAMPING: Final = 1 / 10**12
_MAX_DAMPING: Final = 10**8
_DAMPING_GROWTH: Final = 10
"""Growth of the damping after a step that did not reduce the error; ten times more for each one in a row."""


@final
@attrs.frozen(eq=False)
class LoopClosure:
    """The result of `close_loops`.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.four_bar(), [0.3, 0.5, 0.2])
    >>> closure = rbd.close_loops(state)
    >>> closure.gap < 1e-10, closure.rank, closure.mobility
    (True, 2, 1)
    """

    gap: float
    """The largest loop error left (m or rad)."""
    opening: float
    """The largest rate at which a loop opens (m/s or rad/s)."""
    iterations: int
    """Number of steps tried."""
    rank: int
    """Number of independent constraints in the configuration found."""
    mobility: int
    """Number of degrees of freedom that the loops leave, those of fixed joints included."""


def close_loops(state: MechanismState, *, fixed: Iterable[Joint | str] = ()) -> LoopClosure:
    """Loop closure: move `state` to a configuration in which all loops are closed, with a velocity that keeps them so.

    Couplings are satisfied, too. The search starts at the state's configuration; where it gets stuck it restarts from
    random configurations nearby (the same ones in every run). It stays within the position bounds of joints, but for
    those with more coordinates than velocities (quaternions, sine and cosine). Joints in `fixed` keep configuration and
    velocity; the velocities of the others change as little as possible (in the sum of squares).

    Raises SolverError when the loops cannot be closed, with the remaining `gap` and the `joint` it is at, or when the
    velocities of fixed joints contradict the loops, with the `opening`; UnknownNameError when `fixed` names no tree
    joint. The state is unchanged then.

    >>> import rbd
    >>> linkage = rbd.robots.four_bar()
    >>> state = rbd.MechanismState(linkage, [0.3, 0.5, 0.0], [1.0, 0.0, 0.0])
    >>> closure = rbd.close_loops(state, fixed=["joint1"])
    >>> closure.gap < 1e-10, closure.mobility, float(state.q[0]), float(state.v[0])
    (True, 1, 0.3, 1.0)
    """
    require_kind(state, MechanismState, operation="close_loops", argument="state")
    search = _Search(state, fixed)
    search.find()
    opening, rank = search.project_velocity()
    with restored_on_failure(state):
        state.set_configuration(search.state.q)
        state.set_velocity(search.state.v)
    return LoopClosure(search.gap, opening, search.iterations, rank, state.layout.nv - rank)


@final
@attrs.define(eq=False)
class _Damping:
    """The damping of steps: it falls after each that reduced the error, and grows ever faster after others."""

    value: float = _MIN_DAMPING
    _growth: float = _DAMPING_GROWTH

    def update(self, is_reduced: bool) -> None:
        """Set the damping of the step after one that reduced the error, or did not."""
        if is_reduced:
            self.value, self._growth = max(self.value / _DAMPING_GROWTH, _MIN_DAMPING), _DAMPING_GROWTH
        else:
            self.value, self._growth = self.value * self._growth, _DAMPING_GROWTH * self._growth


@final
class _Search:
    """The search, on a copy of the state."""

    def __init__(self, state: MechanismState, fixed: Iterable[Joint | str]) -> None:
        self.state = MechanismState(state.mechanism, state.q, state.v)
        self.iterations = 0
        self.gap = 0.0
        layout = state.layout
        self._free: Mask = np.ones(layout.nv, dtype=np.bool_)
        for joint in _joints(fixed):
            self._free[layout.node(state.mechanism.joint(joint)).v_slice] = False
        self._bounds = _Bounds(
            [node for node in layout.nodes if node.joint.nv and self._free[node.v_slice.start]], layout.nq
        )
        self._coordinates = _coordinates_of_velocities(layout.nodes)

    # ---------------------------------------------------------------- configuration

    def find(self) -> None:
        """Close the loops, or raise SolverError."""
        start, rng = self.state.q.copy(), np.random.default_rng(0)
        best, worst = np.inf, -1
        for attempt in range(_MAX_ATTEMPTS):
            self._begin(start, attempt, rng)
            error = self._descend()
            self.gap = _largest(error)
            if self.gap <= _CLOSED_GAP:
                return
            if self.gap < best:
                best, worst = self.gap, int(np.argmax(np.abs(error)))
            if not self._free.any():
                break
        joint, constraint = self._constraint_of_row(worst)
        message = f"the loops cannot be closed: a gap of {best:.3g} remains at {constraint}"
        raise SolverError(message, status="open", gap=best, joint=joint, iterations=self.iterations)

    def _begin(self, start: Array, attempt: int, rng: np.random.Generator) -> None:
        """Go to the start, or to a random configuration around it, further away with every attempt."""
        spread = np.where(self._free, attempt * rng.standard_normal(len(self._free)) / 4, 0.0)
        self._move(start, spread)

    def _move(self, start: Array, step: Array) -> None:
        self.state.global_coordinates(start, step)
        inside = self._bounds.clipped(self.state.q)
        if inside is not None:
            self.state.set_configuration(inside, normalize=True)

    def _descend(self) -> Array:
        """Take steps while they reduce the loop errors; return those at the end."""
        damping, error = _Damping(), constraint_error(self.state)
        for _ in range(_MAX_STEPS):
            if not error.any() or damping.value > _MAX_DAMPING:
                break
            after = self._try_step(error, damping.value)
            is_closed, is_reduced = _largest(error) <= _CLOSED_GAP, _square(after) < _square(error)
            is_settled = is_closed and not (is_reduced and _square(after) <= _square(error) / 4)
            if is_reduced:
                error = after
            if is_settled:
                break
            damping.update(is_reduced)
        return error

    def _try_step(self, error: Array, damping: float) -> Array:
        """Take a step unless it does not reduce the error; return the error after it."""
        self.iterations += 1
        before = self.state.q.copy()
        self._move(before, self._step(error, damping))
        after = constraint_error(self.state)
        if not _square(after) < _square(error):
            self.state.set_configuration(before)
        return after

    def _step(self, error: Array, damping: float) -> Array:
        """Return the damped step, of bounded length, with coordinates at their bounds fixed."""
        jacobian = constraint_jacobian(self.state)
        movable: Mask = self._free.copy()
        while True:
            step: Array = np.zeros(len(movable))
            step[movable] = _damped(jacobian[:, movable], -error, damping)
            outwards = self._bounds.outwards(self.state.q, step, self._coordinates)
            if not (outwards & movable).any():
                return step * min(1.0, (1 + _largest(error)) / max(_largest(step), 1.0))
            movable &= ~outwards

    def _constraint_of_row(self, row: int) -> tuple[str, str]:
        """Return the joint of a row of K, of a coupling its first, and the constraint in words."""
        for loop in self.state.layout.loops:
            if row < loop.rows.stop:
                return loop.joint.name, f"joint '{loop.joint.name}'"
        coupling = next(each.coupling for each in self.state.layout.couplings if row < each.rows.stop)
        return coupling.joint.name, f"coupling '{coupling.name}'"

    # ---------------------------------------------------------------- velocity

    def project_velocity(self) -> tuple[float, int]:
        """Project the velocity on the constraints; return the largest rate left, and the rank of K."""
        jacobian = constraint_jacobian(self.state)
        v, opening = self.state.v.copy(), jacobian @ self.state.v
        scale = max(1.0, _largest(opening))
        v[self._free] -= _least_squares(jacobian[:, self._free], opening, _RANK_TOLERANCE)
        left = _largest(jacobian @ v)
        if left > _CLOSED_GAP * scale:
            raise SolverError(
                f"the velocities of the fixed joints contradict the loops, which open at a rate of {left:.3g}",
                status="velocity",
                opening=left,
            )
        self.state.set_velocity(v)
        tolerance = _RANK_TOLERANCE * _norm(jacobian)
        return left, int(np.linalg.matrix_rank(jacobian, tol=tolerance)) if jacobian.size else 0


def _joints(fixed: object) -> Iterable[Joint | str]:
    """Return the fixed joints; raise ArgumentError for anything but names and joints."""
    if isinstance(fixed, (str, Joint)):
        return (fixed,)
    return sequence(fixed, "fixed", "joints")


@final
class _Bounds:
    """The finite position bounds of joints with one coordinate per velocity."""

    def __init__(self, nodes: list[TreeNode], nq: int) -> None:
        self._low, self._high = np.full(nq, -np.inf), np.full(nq, np.inf)
        for node in nodes:
            if node.joint.nq == node.joint.nv:
                bounds = to_float_array(node.joint.position_bounds).reshape(-1, 2)
                self._low[node.q_slice], self._high[node.q_slice] = bounds[:, 0], bounds[:, 1]

    def clipped(self, q: Array) -> Array | None:
        """Return the nearest configuration within the bounds; None when `q` is within."""
        inside = np.clip(q, self._low, self._high)
        return None if (inside == q).all() else inside

    def outwards(self, q: Array, step: Array, coordinates: tuple[int, ...]) -> Mask:
        """Return the velocities of `step` that move a coordinate at a bound outwards."""
        outwards: Mask = np.zeros(len(step), dtype=np.bool_)
        for velocity, coordinate in enumerate(coordinates):
            if coordinate >= 0:
                below, above = q[coordinate] <= self._low[coordinate], q[coordinate] >= self._high[coordinate]
                outwards[velocity] = (below and step[velocity] < 0) or (above and step[velocity] > 0)
        return outwards


def _coordinates_of_velocities(nodes: tuple[TreeNode, ...]) -> tuple[int, ...]:
    """Return, per velocity, the coordinate whose derivative it is; -1 where there is none."""
    result: list[int] = []
    for node in nodes:
        alike = velocity_is_derivative(node.joint.type)
        result += range(node.q_slice.start, node.q_slice.stop) if alike else [-1] * node.joint.nv
    return tuple(result)


def _damped(jacobian: Array, right: Array, damping: float) -> Array:
    """Return the damped least-squares solution."""
    size = jacobian.shape[1]
    weight = np.sqrt(damping) * _norm(jacobian)
    rows, values = np.vstack([jacobian, weight * np.eye(size)]), np.concatenate([right, np.zeros(size)])
    return _least_squares(rows, values, _MIN_DAMPING)


def _least_squares(rows: Array, values: Array, tolerance: float) -> Array:
    """Return the solution of least norm; raise SolverError when numbers are beyond the range of the solver."""
    message = "the loops cannot be closed: their equations leave the range of float64"
    if not (np.isfinite(rows).all() and np.isfinite(values).all()):  # LAPACK would print
        raise SolverError(message, status="range")
    try:
        return np.asarray(np.linalg.lstsq(rows, values, rcond=tolerance)[0], dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise SolverError(message, status="range") from error


def _norm(matrix: Array) -> float:
    return float(np.linalg.norm(matrix))


def _square(error: Array) -> float:
    return float(error @ error)


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))
