"""Friction problems, violations of Coulomb's law, and all solutions by enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact.dynamics.accelerations.contact_problem import ContactProblem
from rbd.contact.dynamics.accelerations.solve_contact import ProblemTemplate, recorded_fields
from rbd.contact.model.evaluation import as_tuple, evaluate
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.solvers.friction.solve import solve_friction
from tests.plugins.optimisation import cached_by_level

Data = tuple[Array, Array, Array, Array, Array]
"""Matrix, right side, three rows and three bounds per pair, and whether each slides."""
HAND, MODEL = rbd.robots.hand()
SPEEDS = ["fast", "slow", "some", "rest"]
_CORNERS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])


def random_problem(seed: int, n: int, p: int, *, mu: float, sliding: float, drift: float = 0.3) -> Data:
    """Return a random problem whose bounds do not contradict each other, if there are enough coordinates."""
    rng = np.random.default_rng(seed)
    root, rows = rng.normal(size=(n, n)), rng.normal(size=(p, 3, n))
    rows[:, 1:] *= mu
    bounds = drift * rng.normal(size=(p, 3)) * [1, mu, mu]
    bounds[:, 0] -= 0.2
    slides = (rng.random(p) < sliding).astype(np.float64)
    return root @ root.T + 0.3 * np.eye(n), 3 * rng.normal(size=n), rows.reshape(-1, n), bounds.ravel(), slides


def hand_state(seed: int, speed: str) -> tuple[rbd.MechanismState, Array]:
    """Return a hand with its fingers at the palm and a speed of this kind; and torques."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-0.2, 0.2, 13)
    q[[2, 3, 5, 6, 8, 9]] -= 1.2
    some = (rng.random(13) < 0.25) * 10 ** rng.uniform(-2, 0.5)
    scale: Array = {"fast": np.ones(13), "slow": np.full(13, 0.1), "rest": np.zeros(13), "some": some}[speed]
    v = scale * rng.normal(size=13)
    return rbd.MechanismState(HAND, q, v), rng.normal(size=13) * rng.uniform(0.3, 3) - rng.uniform(0, 5)


def hand_problem(seed: int, speed: str, mu: float) -> ContactProblem:
    """Return the problem of such a state as arrays."""
    state, torques = hand_state(seed, speed)
    function, settings = partial(recorded_fields, MODEL.pairs, ProblemTemplate(exact=True, frictional=True)), (0.2, mu)
    found = evaluate(MODEL, state, ("contact problem", True, True), function, torques=torques, settings=settings)
    return ContactProblem(**found)


def data_of(problem: Any) -> Data:
    """Return a problem as operands of the solver."""
    p = len(problem.slides)
    rows = np.stack([problem.J_n, problem.J_t[::2], problem.J_t[1::2]], axis=1)
    bounds = np.stack([problem.bounds, problem.bias_t[::2], problem.bias_t[1::2]], axis=1)
    return problem.M, problem.f, rows.reshape(3 * p, -1), bounds.ravel(), problem.slides


def nested(part: Array) -> Any:
    """Return numbers or rows of them as tuples."""
    return tuple(tuple(row) for row in part.tolist()) if part.ndim == 2 else tuple(part.tolist())


@cached_by_level
def solver(n: int, p: int) -> RecordedFunction:
    """Return the solver for these sizes as machine code."""
    graph, shapes = Graph(), {"m": (n, n), "g": (n,), "rows": (3 * p, n), "bounds": (3 * p,), "slides": (p,)}
    inputs: list[Any] = [graph.input(name, shape) for name, shape in shapes.items()]
    return RecordedFunction(Program.of(graph, "friction", dict(zip("xfh", solve_friction(*inputs), strict=True))))


def solve(data: Data) -> tuple[Array, Array, Array]:
    """Return motion, forces and active flags."""
    x, forces, held = as_tuple(solver(data[1].size, data[4].size)(*data))
    return x, forces, held


def missed(data: Data, x: Array, forces: Array) -> float:
    """Return the largest violation of Coulomb's law, relative to forces and rates."""
    matrix, right, rows, bounds, slides = data
    push = rows.T @ forces
    worst = [np.abs(matrix @ x - right - push).max() / (1 + np.abs(right).max() + np.abs(push).max())]
    rates = (rows @ x).reshape(-1, 3) + bounds.reshape(-1, 3) * [-1, 1, 1]
    fast, strong = 1 + np.abs(rows @ x).max() + np.abs(bounds).max(), 1 + np.abs(forces).max()
    for (u, s1, s2), (normal, f1, f2), sliding in zip(rates, forces.reshape(-1, 3), slides, strict=True):
        worst += [-normal / strong, -u / fast, min(abs(normal) / strong, abs(u) / fast)]
        if sliding:
            worst += [abs(f1 + normal) / strong, abs(f2) / strong]
        else:
            braked = f1 * s1 + f2 * s2 + normal * max(abs(s1), abs(s2))
            worst += [(abs(f1) + abs(f2) - normal) / strong, abs(braked) / fast / strong]
    return float(max(worst))


def solutions(data: Data, tolerance: float = 1e-9) -> list[Array]:
    """Return all motions that obey Coulomb's law, trying every pair off, sliding to a corner or an edge, sticking."""
    matrix, _, rows, _, slides = data
    inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    found: list[Array] = []
    touching = [k for k in range(slides.size) if rows[3 * k].any()]
    for choice in product(*(range(2 if slides[k] else 10) for k in touching)):
        x, forces = _with(choice, touching, data, inverse)
        known = (np.abs(x - other).max() < 1e-7 * (1 + np.abs(x).max()) for other in found)
        if missed(data, x, forces) < tolerance and not any(known):
            found.append(x)
    return found


def _with(choice: tuple[int, ...], touching: list[int], data: Data, inverse: Array) -> tuple[Array, Array]:
    """Return motion and forces of one combination of modes, which may violate the law."""
    _, right, rows, bounds, slides = data
    pushes, held, asked = [np.zeros((0, rows.shape[0]))], [np.zeros((0, rows.shape[0]))], [np.zeros(0)]
    for mode, k in zip(choice, touching, strict=True):
        for unit, row, bound in _conditions(mode, bool(slides[k]), bounds[3 * k : 3 * k + 3]):
            spread = np.zeros((2, rows.shape[0]))
            spread[:, 3 * k : 3 * k + 3] = unit, row
            pushes.append(spread[:1])
            held.append(spread[1:])
            asked.append(np.array([bound]))
    push, hold, value = np.concatenate(pushes), np.concatenate(held) @ rows, np.concatenate(asked)
    system = hold @ inverse @ (push @ rows).T
    weights = np.linalg.lstsq(system, value - hold @ inverse @ right, rcond=1e-13)[0]
    forces: Array = push.T @ weights
    return inverse @ (right + rows.T @ forces), forces


def _conditions(mode: int, sliding: bool, bounds: Array) -> Iterator[tuple[Any, Any, float]]:
    """Yield, per unknown force of a pair in a mode, its part in N, f1, f2, the constrained rate, and its value."""
    b, drift = bounds[0], bounds[1:]
    if mode == 0:
        return
    if sliding:
        yield (1, -1, 0), (1, 0, 0), b
    elif mode < 5:
        yield (1, *_CORNERS[mode - 1]), (1, 0, 0), b
    elif mode < 9:
        first, second = _CORNERS[mode - 5], _CORNERS[(mode - 4) % 4]
        yield (1, *first), (1, 0, 0), b
        yield (1, *second), (0, *(first - second)), -(first - second) @ drift
    else:
        yield (1, 0, 0), (1, 0, 0), b
        yield (0, 1, 0), (0, 1, 0), -drift[0]
        yield (0, 0, 1), (0, 0, 1), -drift[1]
