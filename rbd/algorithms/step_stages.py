"""One step in time with its derivatives: the chain rule through the stages of a rule of integration.

The stages are those of compiled robots and of `rbd.simulate`. Everything that moves carries a row per entry for what is
varied: the configuration where the step begins (along velocities), the velocity there, and the torques; nv columns
each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, cast, final, get_args

import attrs

from rbd.algorithms.constrained_derivatives import constrained_derivatives_kernel
from rbd.algorithms.external import HeldWrench, pushes
from rbd.algorithms.forward_dynamics import forward_dynamics_kernel
from rbd.algorithms.forward_dynamics_derivatives import linear_motion
from rbd.algorithms.products import product
from rbd.algorithms.stabilization import STANDARD, LoopGainsPerLoop
from rbd.algorithms.step_charts import Varied, at_start, landed, under_way
from rbd.joints.tuples import identity
from rbd.scalars import Matrix, Scalar, Vector, const
from rbd.state import MechanismState, ScalarState, StateView

StepRule: TypeAlias = Literal["semi-implicit-euler", "munthe-kaas-rk4"]
"""How a step is taken."""
STEP_RULES: tuple[StepRule, ...] = get_args(StepRule)


@final
@attrs.frozen(eq=False)
class Start:
    """Where a step begins, and what pushes all through it."""

    state: StateView
    torques: Vector
    held: Sequence[HeldWrench] = ()
    gains: LoopGainsPerLoop = STANDARD

    @property
    def q(self) -> Matrix:
        """The rows of the configuration."""
        return self._rows(0)

    @property
    def v(self) -> Varied:
        """The velocity."""
        return Varied(self.state.velocity_scalars(), self._rows(1))

    def _rows(self, block: int) -> Matrix:
        """Return the rows of what is varied itself: a block of the identity."""
        nv = self.state.layout.nv
        return identity(3 * nv)[block * nv : (block + 1) * nv]

    @property
    def phi(self) -> Varied:
        """The coordinates around the configuration, which are zero and stay so."""
        nv = self.state.layout.nv
        return Varied((0,) * nv, ((0,) * (3 * nv),) * nv)

    def accelerations(self) -> Varied:
        """Return vd where the step begins."""
        if self.state.layout.loops:
            return self.accelerations_at(self.state, self.q, self.v)
        motion = linear_motion(self.state, self.torques, self.held)
        return Varied(motion.vd, _beside(motion.slopes()))

    def accelerations_at(self, state: StateView, q: Matrix, v: Varied) -> Varied:
        """Return vd at a state that answers what is varied by the rows `q` and `v.rows`; loops are kept."""
        torques = self._rows(2)
        if not state.layout.loops:
            motion = linear_motion(state, self.torques, self.held)
            return Varied(motion.vd, motion.answers(q, v.rows, torques))
        vd = forward_dynamics_kernel(state, self.torques, pushes(state, self.held), self.gains)
        slopes = constrained_derivatives_kernel(state, self.torques, self.held, "tangent", self.gains)[:3]
        return Varied(vd, product(_beside(slopes), (*q, *v.rows, *torques)))


def _beside(slopes: tuple[Matrix, Matrix, Matrix]) -> Matrix:
    return tuple((*a, *b, *c) for a, b, c in zip(*slopes, strict=True))


@final
@attrs.frozen(eq=False)
class Rates:
    """The derivatives of the coordinates around the start, and of v, at a stage."""

    phi: Varied
    v: Varied


def _semi_implicit(start: Start, dt: Scalar) -> tuple[Varied, Varied]:
    """Velocities first, then configurations with the new velocities."""
    v = start.v.moved(start.accelerations(), dt)
    phi = start.phi.moved(at_start(start.state, start.q, v), dt)
    return landed(start.state, start.q, phi), v


def _munthe_kaas(start: Start, dt: Scalar) -> tuple[Varied, Varied]:
    """Four stages; each sees the configuration through coordinates around the beginning of the step."""
    half = dt * const(1, 2)
    first = _first(start)
    second = _stage(start, first, half)
    third = _stage(start, second, half)
    fourth = _stage(start, third, dt)
    stages = (first, second, third, fourth)
    phi = start.phi.moved(_weighted([stage.phi for stage in stages]), dt)
    return landed(start.state, start.q, phi), start.v.moved(_weighted([stage.v for stage in stages]), dt)


RULES: Final[Mapping[StepRule, Callable[[Start, Scalar], tuple[Varied, Varied]]]] = MappingProxyType(
    {"semi-implicit-euler": _semi_implicit, "munthe-kaas-rk4": _munthe_kaas}
)
"""How each rule gives q and v after a step of length dt."""


def _first(start: Start) -> Rates:
    rates = at_start(start.state, start.q, start.v)
    return Rates(rates, start.accelerations())


def _stage(start: Start, before: Rates, ahead: Scalar) -> Rates:
    """Return the rates where those of the stage before lead."""
    v = start.v.moved(before.v, ahead)
    q, rates = under_way(start.state, start.q, start.phi.moved(before.phi, ahead), v)
    there = cast("MechanismState | ScalarState", start.state).with_scalars(q.value, v.value)
    return Rates(rates, start.accelerations_at(there, q.rows, v))


def _weighted(rates: Sequence[Varied]) -> Varied:
    """Return the mean slope of the classical Runge-Kutta scheme."""
    a, b, c, d = rates
    rows = zip(a.rows, b.rows, c.rows, d.rows, strict=True)
    return Varied(_mean(a.value, b.value, c.value, d.value), tuple(_mean(*each) for each in rows))


def _mean(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector:
    sixth, third = const(1, 6), const(1, 3)
    return tuple((p + s) * sixth + (q + r) * third for p, q, r, s in zip(a, b, c, d, strict=True))
