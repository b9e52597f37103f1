"""One step in time as a function that can be recorded.

Room: compiled; may import algorithms and above. Joint coordinates move through their exponential coordinates around
the beginning of the step, as in `rbd.simulation`: Munthe-Kaas with the classical Runge-Kutta scheme, or semi-implicit
Euler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rbd.algorithms.forward_dynamics import forward_dynamics_kernel
from rbd.algorithms.stabilization import DEFAULT, gains_of_loops
from rbd.errors import ArgumentError
from rbd.scalars import Scalar, Vector, const
from rbd.state import ScalarState

Integrator = Literal["munthe-kaas-rk4", "semi-implicit-euler"]
Step = Callable[..., tuple[Vector, Vector]]


def step_function(integrator: Integrator) -> Callable[..., dict[str, Vector]]:
    """Return a function of (state, tau, dt) that gives the next q and v."""
    if integrator not in _STEPS:
        raise ArgumentError(
            f"unknown integrator {integrator!r}", argument="integrator", value=integrator, allowed=tuple(_STEPS)
        )
    advance = _STEPS[integrator]

    def step(state: ScalarState, tau: Vector, dt: Scalar) -> dict[str, Vector]:
        q, v = advance(state, tuple(tau), dt)
        return {"q_next": q, "v_next": v}

    return step


def _semi_implicit(state: ScalarState, tau: Vector, dt: Scalar) -> tuple[Vector, Vector]:
    """Velocities first, then configurations with the new velocities."""
    v = _moved(state.velocity_scalars(), _accelerations(state, tau), dt)
    still = (0,) * len(v)
    return _global(state, _moved(still, v, dt)), v


def _munthe_kaas(state: ScalarState, tau: Vector, dt: Scalar) -> tuple[Vector, Vector]:
    """Four stages; each sees the configuration through coordinates around the beginning of the step."""
    v0, half = state.velocity_scalars(), dt * const(1, 2)
    still = (0,) * len(v0)
    first = _rates(state, state, tau)
    second = _rates(state, _stage(state, _moved(still, first[0], half), _moved(v0, first[1], half)), tau)
    third = _rates(state, _stage(state, _moved(still, second[0], half), _moved(v0, second[1], half)), tau)
    fourth = _rates(state, _stage(state, _moved(still, third[0], dt), _moved(v0, third[1], dt)), tau)
    phid, vd = (_weighted(*(stage[k] for stage in (first, second, third, fourth))) for k in (0, 1))
    return _global(state, _moved(still, phid, dt)), _moved(v0, vd, dt)


_STEPS: dict[str, Callable[[ScalarState, Vector, Scalar], tuple[Vector, Vector]]] = {
    "munthe-kaas-rk4": _munthe_kaas,
    "semi-implicit-euler": _semi_implicit,
}


def _stage(start: ScalarState, phi: Vector, v: Vector) -> ScalarState:
    return start.with_scalars(_global(start, phi), v)


def _rates(start: ScalarState, state: ScalarState, tau: Vector) -> tuple[Vector, Vector]:
    """Return the derivatives of the coordinates around the beginning of the step, and of v."""
    rates: list[Scalar] = []
    for link in state.links:
        rates += link.joint.type.local_coordinates_rate(start.joint_q(link), state.joint_q(link), state.joint_v(link))
    return tuple(rates), _accelerations(state, tau)


def _accelerations(state: ScalarState, tau: Vector) -> Vector:
    """Return vd; loops are kept, with the default stabilisation."""
    return forward_dynamics_kernel(state, tau, None, gains_of_loops(state, DEFAULT))


def _global(start: ScalarState, phi: Vector) -> Vector:
    q: list[Scalar] = []
    for link in start.links:
        q += link.joint.type.global_coordinates(start.joint_q(link), phi[link.v])
    return tuple(q)


def _moved(start: Vector, rate: Vector, time: Scalar) -> Vector:
    return tuple(x + time * y for x, y in zip(start, rate, strict=True))


def _weighted(a: Vector, b: Vector, c: Vector, d: Vector) -> Vector:
    """Return the mean slope of the classical Runge-Kutta scheme."""
    sixth, third = const(1, 6), const(1, 3)
    rows = zip(a, b, c, d, strict=True)
    return tuple((p + s) * sixth + (q + r) * third for p, q, r, s in rows)
