"""Comparison of solvers for time steps with Coulomb friction: the table of contact-solvers.md.

    python docs/contact_solvers.py

Each case is a motion; the quadratic programs of its steps are solved as projections, as in
`rbd.solvers.projections.projected_program`, by each method in NumPy, from no contact forces. Nothing is timed:
operations are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import Box, Capsule, CollisionModel, ContactSimulator, HalfSpace
from rbd.contact.model.evaluation import as_tuple
from rbd.contact.stepping.step_options import MARGIN, ContactStepOptions
from rbd.contact.stepping.step_problem import step_problem
from rbd.scalars import ScalarArray, Vector, to_float
from rbd.scalars.arrays import Array
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program

DT, MU = 2e-3, 0.6
ACCURATE = 1e-9
PENALTY, LARGEST_PENALTY = 1e8, 1e12


class Projection(NamedTuple):
    """The point nearest to zero with U z >= c is asked for."""

    U: Array
    c: Array

    def residual(self, z: Array, weights: Array) -> float:
        """Return the largest violation of the conditions of the minimum."""
        slack = self.U @ z - self.c
        wrong = (-slack.min(), -weights.min(), np.abs(z - self.U.T @ weights).max(), np.abs(slack * weights).max())
        return float(max(wrong))


class Outcome(NamedTuple):
    """Point, multipliers, iterations, and multiply-adds in thousands."""

    z: Array
    weights: Array
    iterations: int
    cost: float


Method = Callable[[Projection], Outcome]
Force = Callable[[float, Array, Array], Array]


# --- cases ------------------------------------------------------------------------------------------------------------


def quadruped(speed: float) -> Iterator[Projection]:
    """Yield the problems of a trot that begins with a fall and a push."""
    mechanism = rbd.robots.quadruped()
    standing = rbd.robots.quadruped_configuration()
    swing = np.repeat([0, np.pi, np.pi, 0], 3)

    def torques(t: float, q: Array, v: Array) -> Array:
        goal = standing[7:] + 0.25 * np.sin(12 * t + swing) * np.tile([0.2, 1, -2], 4)
        return np.concatenate([np.zeros(6), 60 * (goal - q[7:]) - v[6:]])

    q, v = standing + 0.01 * np.eye(19)[6], np.zeros(18)
    v[3:5] = speed
    return problems(rbd.robots.quadruped_collision_model(mechanism), q, v, torques, 400)


def boxes(count: int, push: float) -> Iterator[Projection]:
    """Yield the problems of boxes that fall onto a floor and each other."""
    mechanism = rbd.Mechanism()
    model, root = CollisionModel(mechanism), mechanism.root_frame
    below: HalfSpace | Box = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    q, rng = list[float](), np.random.default_rng(count)
    for k in range(count):
        inertia = rbd.SpatialInertia(rbd.Frame(f"box{k}"), mass=1.5, moment_about_com=np.eye(3) / 100)
        body = rbd.RigidBody(f"box{k}", inertia)
        mechanism.attach(mechanism.root_body, body, rbd.Joint(f"joint{k}", rbd.QuaternionFloating()))
        shape = model.add(body, Box(body.default_frame, (0.3, 0.3, 0.2)))
        model.add_pair(shape, below)
        below, q = shape, [*q, 1, 0, 0, 0, 0, 0, 0.1 + 0.201 * k + 0.001]
    nv = 6 * count
    return problems(model, np.array(q), push * rng.normal(size=nv), lambda t, q, v: np.zeros(nv), 200)


def hand() -> Iterator[Projection]:
    """Yield the problems of fingers that close until they press on the palm."""
    _, model = rbd.robots.hand()
    closed = -2.5 * np.isin(np.arange(13), [2, 3, 5, 6, 8, 9])
    return problems(model, closed * 0.6, np.zeros(13), lambda t, q, v: 10 * (closed - q) - 6.3 * v, 400)


def foot() -> Iterator[Projection]:
    """Yield the problems of a flat foot made of seven capsules that is pushed about on the ground."""
    mechanism = rbd.Mechanism()
    inertia = rbd.SpatialInertia(rbd.Frame("foot"), mass=15.0, moment_about_com=np.diag([0.3, 0.3, 0.2]))
    body = rbd.RigidBody("foot", inertia)
    mechanism.attach(mechanism.root_body, body, rbd.Joint("floating", rbd.QuaternionFloating()))
    model, root = CollisionModel(mechanism), mechanism.root_frame
    ground = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for k in range(-3, 4):
        frame, along_x = rbd.Frame(f"capsule{k}"), [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
        place = rbd.Transform(frame, body.default_frame, rotation=along_x, translation=(0.04, 0.01 * k, -0.3))
        body.add_frame(place)
        model.add_pair(model.add(body, Capsule(frame, length=0.19 - 0.016 * k * k, radius=0.01)), ground)

    def force(t: float, q: Array, v: Array) -> Array:
        angles = np.array([7.0, 9.0, 11.0, 8.0, 10.0, 6.0]) * t
        return np.array([3.0, 3.0, 2.0, 30.0, 30.0, 20.0]) * np.sin(angles) - np.array([4, 4, 4, 10, 10, 0]) * v

    return problems(model, np.array([1, 0, 0, 0, 0, 0, 0.311]), np.zeros(6), force, 200)


def problems(model: CollisionModel, q: Array, v: Array, force: Force, steps: int) -> Iterator[Projection]:
    """Yield the problems of the steps of a motion in which something pushes."""
    mechanism = model.mechanism
    recorded = _recorded(model)
    state = rbd.MechanismState(mechanism, q, v)
    now = [0.0]

    def control(t: float, at: rbd.MechanismState) -> Array:
        return force(now[0], np.array(at.q), np.array(at.v))

    simulator = ContactSimulator(mechanism, model, control, DT, friction=MU)
    for k in range(steps):
        now[0] = k * DT
        found = recorded(state.q, state.v, control(0.0, state))
        M, p, J, b = (np.array(x) for x in as_tuple(found))
        problem = _as_projection(M, p, J, b)
        if problem is not None:
            yield problem
        simulator.run(state, DT)


def _recorded(model: CollisionModel) -> RecordedFunction:
    def problem(state: rbd.ScalarState, torques: ScalarArray) -> dict[str, object]:
        dt, margin, mu = (state.lifted(x) for x in (DT, MARGIN, MU))
        found, _ = step_problem(model.pairs, state, tuple(torques), ContactStepOptions(dt, margin, mu))
        program = found.program
        return {"M": found.M, "p": program.f, "J": program.J, "b": program.bounds}

    return rbd.record(problem, model.mechanism, torques=model.mechanism.nv)


def _as_projection(M: Array, p: Array, J: Array, b: Array) -> Projection | None:
    """Return a step as projection with rows of length one; None if nothing pushes."""
    L = np.linalg.cholesky(M)
    free, white = np.linalg.solve(L, p), np.linalg.solve(L, J.T).T
    lengths = np.linalg.norm(white, axis=1)
    kept = lengths > 1e-14 * lengths.max(initial=0)
    if not kept.any():
        return None
    U = white[kept] / lengths[kept, None]
    c = b[kept] / lengths[kept] - U @ free
    if c.max() <= 0:
        return None
    return Projection(U, c / max(c.max(), 1e-6 * float(np.linalg.norm(free))))


# --- methods ----------------------------------------------------------------------------------------------------------


def active_set(problem: Projection) -> Outcome:
    """Solve by the dual active-set method, rbd's reference."""
    U, c = problem
    n, identity = U.shape[1], np.eye(U.shape[1])
    rows = tuple(tuple(row) for row in U.tolist())
    z, weights, _, rounds = solve_quadratic_program(
        tuple(tuple(row) for row in identity.tolist()), (0.0,) * n, rows, tuple(c.tolist())
    )
    count = int(to_float(rounds))
    cost = count * (len(c) * n + 4 * n * min(n, count)) + 3 * n * n * min(n, count)
    return Outcome(_array(z), _array(weights), count, cost / 1e3)


def _array(values: Vector) -> Array:
    return np.array([to_float(x) for x in values])


def gauss_seidel(problem: Projection) -> Outcome:
    """Solve by projected Gauss-Seidel iterations, row by row."""
    U, c = problem
    z, weights, count = np.zeros(U.shape[1]), np.zeros(len(c)), 0
    while count < 2000 and problem.residual(z, weights) > ACCURATE:
        for i, row in enumerate(U):
            change = max(-weights[i], c[i] - row @ z)
            weights[i] += change
            z += change * row
        count += 1
    return Outcome(z, weights, count, count * 2 * np.count_nonzero(U) / 1e3)


def interior_point(problem: Projection) -> Outcome:
    """Solve by Mehrotra's predictor-corrector method; least squares stand for a factor that bears small pivots."""
    U, c = problem
    z, s, weights, count = np.zeros(U.shape[1]), np.maximum(-c, 1.0), np.ones(len(c)), 0
    while count < 60 and problem.residual(z, weights) > ACCURATE:
        gap = s @ weights / len(c)
        _, ds, dw = _central_direction(problem, z, s, weights, -s * weights)
        length = _length_to_boundary(s, ds, weights, dw, 1.0)
        centering = ((s + length * ds) @ (weights + length * dw) / len(c) / gap) ** 3
        dz, ds, dw = _central_direction(problem, z, s, weights, centering * gap - ds * dw - s * weights)
        length = _length_to_boundary(s, ds, weights, dw, 0.995)
        z, s, weights, count = z + length * dz, s + length * ds, weights + length * dw, count + 1
    return Outcome(z, weights, count, count * (_newton_cost(U) + 4 * np.count_nonzero(U)) / 1e3)


def _central_direction(
    problem: Projection, z: Array, s: Array, weights: Array, target: Array
) -> tuple[Array, Array, Array]:
    """Return the Newton step towards slacks and multipliers whose products change by `target`."""
    U, c = problem
    ratio, infeasible = np.minimum(weights / s, 1e12), U @ z - s - c
    right = U.T @ (target / s - ratio * infeasible) - (z - U.T @ weights)
    step = np.linalg.lstsq(np.eye(len(z)) + (U.T * ratio) @ U, right, rcond=1e-16)[0]
    slack = U @ step + infeasible
    return step, slack, (target - weights * slack) / s


def _length_to_boundary(s: Array, ds: Array, weights: Array, dw: Array, share: float) -> float:
    return float(min(1.0, share / max(1e-300, (-ds / s).max(), (-dw / weights).max())))


def newton_with_full_steps(problem: Projection) -> Outcome:
    """Solve by the same method without line search: the active set of one iterate is that of the next."""
    return _multipliers(problem, LARGEST_PENALTY, search=False)


def newton_on_multipliers(problem: Projection) -> Outcome:
    """Solve by the method of multipliers with semismooth Newton steps and a line search: the method of rbd."""
    return _multipliers(problem, LARGEST_PENALTY)


def newton_with_one_penalty(problem: Projection) -> Outcome:
    """Solve by the same method with a penalty that does not grow."""
    return _multipliers(problem, PENALTY)


def _multipliers(problem: Projection, largest: float, *, search: bool = True) -> Outcome:
    U, c = problem
    z, weights, rho, last, k = np.zeros(U.shape[1]), np.zeros(len(c)), PENALTY, np.inf, 0
    for k in range(41):  # noqa: B007 - the number of iterations
        residual = problem.residual(z, weights)
        if residual <= 1e-12:
            break
        y = weights + rho * (c - U @ z)
        A = U * (y > 0)[:, None]
        step = np.linalg.solve(np.eye(len(z)) + rho * A.T @ A, U.T @ np.maximum(y, 0) - z)
        rates = U @ step
        if ((y - rho * rates > 0) == (y > 0)).all():
            z, weights = z + step, np.where(y > 0, np.maximum(y - rho * rates, 0), 0)
            now = problem.residual(z, weights)
            if now > 0.1 * last:
                rho = min(100 * rho, largest)
            last = now
        else:
            z = z + (_line_search(z, step, y, rates, rho) if search else 1.0) * step
    return Outcome(z, weights, k, k * (_newton_cost(U) + 4 * len(c)) / 1e3)


def _line_search(z: Array, step: Array, y: Array, rates: Array, rho: float) -> float:
    """Return where the slope along the step vanishes: Newton's method inside a bracket."""
    low, high, length = 0.0, np.inf, 1.0
    first = abs(z @ step - rates @ np.maximum(y, 0))
    for _ in range(8):
        at = y - rho * length * rates
        slope = z @ step + length * step @ step - rates @ np.maximum(at, 0)
        if abs(slope) <= 1e-3 * first:
            break
        low, high = (low, length) if slope > 0 else (length, high)
        length -= slope / (step @ step + rho * rates[at > 0] @ rates[at > 0])
        if not low < length < high:
            length = (low + high) / 2 if high < np.inf else 2 * low
    return length


def _newton_cost(U: Array) -> float:
    """Return the multiply-adds of I + A'A, its sparse factor, a solution, and three products with the rows."""
    n = U.shape[1]
    pattern = (np.abs(U.T) @ np.abs(U) > 0) | np.eye(n, dtype=bool)
    cost = 0.0
    for k in reversed(range(n)):
        left = np.flatnonzero(pattern[k, :k])
        pattern[np.ix_(left, left)] = True
        cost += len(left) * (len(left) + 1) / 2 + 2 * len(left)
    entries = np.count_nonzero(U, axis=1)
    return float(cost + (entries * (entries + 1) / 2).sum() + 3 * entries.sum())


# --- table ------------------------------------------------------------------------------------------------------------

METHODS: Mapping[str, Method] = {
    "active set (reference)": active_set,
    "projected Gauss-Seidel": gauss_seidel,
    "interior point": interior_point,
    "Newton, full steps": newton_with_full_steps,
    "Newton, line search, one penalty": newton_with_one_penalty,
    "Newton, line search, growing penalty": newton_on_multipliers,
}
CASES: Mapping[str, Callable[[], Iterator[Projection]]] = {
    "quadruped, trot": lambda: quadruped(0.0),
    "quadruped, sliding": lambda: quadruped(1.5),
    "box, eight corners": lambda: boxes(1, 1.0),
    "stack of three boxes": lambda: boxes(3, 0.0),
    "stack, pushed": lambda: boxes(3, 0.2),
    "jamming hand": hand,
    "foot of capsules": foot,
}


def table(every: int = 4) -> Iterator[str]:
    """Yield the lines of the table, from every fourth problem of each case."""
    yield "| case | method | solved | iterations: median, 95 %, most | 10³ multiply-adds: median, 95 % |"
    yield "|---|---|---|---|---|"
    for case, make in CASES.items():
        given = list(make())[::every]
        sizes = f"{case}: {len(given)} problems, {given[0].U.shape[1]} unknowns, to {max(len(p.c) for p in given)} rows"
        for number, (name, method) in enumerate(METHODS.items()):
            found = [method(problem) for problem in given]
            good = [p.residual(o.z, o.weights) <= ACCURATE for p, o in zip(given, found, strict=True)]
            counts, costs = [o.iterations for o in found], [o.cost for o in found]
            shown = f"{np.median(counts):.0f}, {np.percentile(counts, 95):.0f}, {max(counts)}"
            work = f"{np.median(costs):.3g}, {np.percentile(costs, 95):.3g}"
            yield f"| {'' if number else sizes} | {name} | {100 * np.mean(good):.1f} % | {shown} | {work} |"


if __name__ == "__main__":
    for line in table():
        print(line, flush=True)
