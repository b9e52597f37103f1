"""Stages of Runge-Kutta-Munthe-Kaas steps as functions that can be recorded, one function per stage.

They serve controllers that are called between the stages. Together the stages of the classical method compute what
`step_function` computes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, final

import attrs

from rbd.algorithms.external_wrenches import AppliedWrenches, ExternalWrenches, applied_wrenches
from rbd.algorithms.loops.stabilization import STANDARD, LoopGainsPerLoop
from rbd.algorithms.time_steps import stepped
from rbd.compiled.stepping import (
    Rates,
    ended,
    global_coordinates,
    landed,
    moved_along,
    rates_at,
    settled,
)
from rbd.scalars import Scalar, Vector, const
from rbd.scalars.functions import absolute, maximum
from rbd.state import ScalarState

Row = tuple[float, ...]
Loads: TypeAlias = Callable[[ScalarState, Vector], tuple[Vector, AppliedWrenches]]
"""loads(state, tau) -> torques and wrenches: tau and what springs and the like add."""


@final
@attrs.frozen
class Scheme:
    """An explicit Runge-Kutta method: coupling `a`, weights `b`, times `c`, and weights of its error, if estimated."""

    a: tuple[Row, ...]
    b: Row
    c: Row
    error: Row | None = None

    @property
    def stages(self) -> int:
        """The number of stages."""
        return len(self.b)

    @property
    def key(self) -> str:
        """A name that is the same for the same numbers."""
        return hashlib.sha256(repr((self.a, self.b, self.c, self.error)).encode()).hexdigest()[:20]

    def following(self, k: int) -> Row:
        """Return the weights of the rates after stage k: of the next stage, or of the end."""
        return self.a[k + 1] if k + 1 < self.stages else self.b

    def earlier(self, k: int) -> tuple[int, ...]:
        """Return the stages before k whose rates are needed after it."""
        weights = [self.following(k), self.error or ()] if k + 1 == self.stages else [self.following(k)]
        return tuple(j for j in range(k) if any(row[j] for row in weights if row))


CLASSICAL: Final = Scheme(
    ((0, 0, 0, 0), (1 / 2, 0, 0, 0), (0, 1 / 2, 0, 0), (0, 0, 1, 0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), (0, 0.5, 0.5, 1)
)
"""The classical method of fourth order."""


@final
@attrs.frozen(eq=False)
class StageOptions:
    """What enters the dynamics besides torques, contacts and wrenches."""

    gains: LoopGainsPerLoop = STANDARD
    loads: Loads | None = None

    def rates(
        self, start: ScalarState, state: ScalarState, tau: Vector, s: Vector, external: ExternalWrenches | None
    ) -> Rates:
        """Return the rates at `state`, in local coordinates around `start`."""
        torques, applied = self.with_wrenches(state, tau, external)
        return rates_at(start, state, torques, s, self.gains, applied)

    def with_wrenches(
        self, state: ScalarState, tau: Vector, external: ExternalWrenches | None
    ) -> tuple[Vector, AppliedWrenches]:
        """Return all torques and wrenches."""
        applied = applied_wrenches(state, external)
        if self.loads is None:
            return tuple(tau), applied
        torques, more = self.loads(state, tuple(tau))
        return torques, (*applied, *more)


PLAIN: Final = StageOptions()


def stage_function(scheme: Scheme, index: int, options: StageOptions = PLAIN) -> Callable[..., dict[str, Any]]:
    """Return one stage of a step as a function, for controllers that are called between the stages.

    It takes the state and the torques of the stage, and returns its rates and the state of the next stage. The first
    stage also returns the initial values of the step; the last one returns only the end of the step, and the square of
    its error in units of the tolerance if the scheme estimates it: contact states are then not reset.
    """
    last = index + 1 == scheme.stages

    def stage(
        state: ScalarState, tau: Vector, dt: Scalar, external_wrenches: ExternalWrenches | None = None, **known: Any
    ) -> dict[str, Any]:
        s = tuple(known.get("s", ()))
        origin = tuple(known.get("s0", s))
        start = state.with_scalars(tuple(known["q0"]), tuple(known["v0"])) if index else state
        own = options.rates(start, state, tuple(tau), s, external_wrenches)
        rates = {k: _earlier(known, k, len(s)) for k in scheme.earlier(index)} | {index: own}
        if last:
            found = _by_name(("q_next", "v_next", "s_next"), _end(scheme, start, origin, rates, dt))
            error = _error(scheme, start, origin, rates, dt, found, known) if scheme.error else None
            return found if error is None else found | {"error": error}
        phi, v, s_next = _ahead(scheme, index, start, origin, rates, dt)
        found = _by_name(("q_next", "v_next", "s_next"), (global_coordinates(start, phi), v, s_next))
        found |= _by_name((f"phid{index}", f"vd{index}", f"sd{index}"), own)
        began = (start.configuration_scalars(), start.velocity_scalars(), origin)
        return found if index else found | _by_name(("q0", "v0", "s0"), began)

    return stage


def whole_step_function(options: StageOptions) -> Callable[..., dict[str, Vector]]:
    """Return a step of the semi-implicit Euler method as a single stage, a function of (state, tau, dt, s)."""

    def step(
        state: ScalarState,
        tau: Vector,
        dt: Scalar,
        s: Vector = (),
        external_wrenches: ExternalWrenches | None = None,
    ) -> dict[str, Vector]:
        _, vd, sd = options.rates(state, state, tuple(tau), tuple(s), external_wrenches)
        v = stepped(state.velocity_scalars(), vd, dt)
        return _by_name(
            ("q_next", "v_next", "s_next"), settled(state, moved_along(state, v, dt), v, stepped(tuple(s), sd, dt))
        )

    return step


_KnownRates = Mapping[int, Rates]


def _ahead(
    scheme: Scheme, index: int, start: ScalarState, origin: Vector, rates: _KnownRates, dt: Scalar
) -> tuple[Vector, Vector, Vector]:
    """Return local coordinates, velocities and contact states of the stage after `index`."""
    v0 = start.velocity_scalars()
    still = (0,) * len(v0)
    if scheme == CLASSICAL:
        phid, vd, sd = rates[index]
        h = dt if index == scheme.stages - 2 else dt * const(1, 2)
        return stepped(still, phid, h), stepped(v0, vd, h), stepped(origin, sd, h)
    phid, vd, sd = _means(scheme.following(index), rates)
    return stepped(still, phid, dt), stepped(v0, vd, dt), stepped(origin, sd, dt)


def _end(
    scheme: Scheme, start: ScalarState, origin: Vector, rates: _KnownRates, dt: Scalar
) -> tuple[Vector, Vector, Vector]:
    """Return q, v and s at the end of a step."""
    if scheme == CLASSICAL:
        return ended(start, origin, [rates[k] for k in range(scheme.stages)], dt)
    phi, v, s = _ahead(scheme, scheme.stages - 1, start, origin, rates, dt)
    q = landed(start, phi)
    return (q, v, s) if scheme.error else settled(start, q, v, s)


def _means(weights: Row, rates: _KnownRates) -> Rates:
    """Return weighted sums of rates, in the order of the stages."""
    used = [(weights[k], rates[k]) for k in sorted(rates) if weights[k]]
    sizes = [len(part) for part in next(iter(rates.values()))]
    parts = [tuple(_sum([w * rate[part][i] for w, rate in used]) for i in range(n)) for part, n in enumerate(sizes)]
    return parts[0], parts[1], parts[2]


def _sum(terms: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for term in terms:
        total = total + term
    return total


def _error(
    scheme: Scheme,
    start: ScalarState,
    origin: Vector,
    rates: _KnownRates,
    dt: Scalar,
    found: Mapping[str, Vector],
    known: Mapping[str, Any],
) -> Scalar:
    """Return the mean square of the errors of a step; configurations have size 1, other numbers their own size."""
    rtol, atol = known["rtol"], known["atol"]
    phi, v, s = (tuple(dt * rate for rate in part) for part in _means(scheme.error or (), rates))
    pairs = [
        *zip(v, start.velocity_scalars(), found["v_next"], strict=True),
        *zip(s, origin, found.get("s_next", ()), strict=True),
    ]
    errors = [x / (atol + rtol) for x in phi]
    errors += [x / (atol + rtol * maximum(absolute(a), absolute(b))) for x, a, b in pairs]
    return _sum([x * x for x in errors]) * const(1, max(len(errors), 1))


def _earlier(known: Mapping[str, Vector], k: int, ns: int) -> Rates:
    """Return the rates of stage `k` from the inputs of a later stage."""
    return tuple(known[f"phid{k}"]), tuple(known[f"vd{k}"]), tuple(known[f"sd{k}"]) if ns else ()


def _by_name(names: tuple[str, str, str], values: tuple[Vector, Vector, Vector]) -> dict[str, Any]:
    """Return coordinates, velocities and contact states by name, if present."""
    return {name: value for name, value in zip(names, values, strict=True) if value}
