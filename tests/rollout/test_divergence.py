# pyright: basic
"""Rows that are bound to fail: each has a status, and the others finish with the bits they have alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs
import numpy as np
import pytest

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import Box, CollisionModel, ContactSimulator, HalfSpace, Sphere, contact_step
from rbd.contact.model.collision_model import FrictionCone
from rbd.errors import DivergedError, NotFiniteError, RbdError, SingularError, SolverError
from rbd.intrinsics import parser
from rbd.rollout import Worlds, rollout
from rbd.scalars import const, sqrt
from rbd.solvers.projections import projected_program
from rbd.solvers.quadratic import active_set_method, guarded_program
from rbd.solvers.quadratic.active_set_method import QuadraticProgram, _add, _most_violated, _size

COUNT, BAD, STEPS, DT = 7, 4, 60, 1e-3
FAR = 1e308
KINDS = {
    "control that is not a number": ({"action": -1.0}, "left the range of float64"),
    "action that is not a number": ({"action": np.nan}, "action is not finite"),
    "velocity that overflows": ({"v": [1e300]}, "left the range of float64"),
    "impact that overflows": ({"v": [-1e160]}, "left the range of float64"),
    "position that overflows": ({"q": [-FAR], "v": [-FAR]}, "left the range of float64"),
    "mass matrix that is singular": ({"inertia": 0.0}, "the inertia that joint 'up' moves must be positive"),
    "constraints that contradict": ({"v": [-1.0], "q": [0.1]}, "the constraints contradict each other"),
}


def ball_below_a_stop(cone: FrictionCone = "polyhedral") -> tuple[rbd.Mechanism, CollisionModel]:
    """Return a ball on a vertical rail: it bounces off the floor, and its stop is where it touches the floor."""
    mechanism = rbd.Mechanism()
    model, root = CollisionModel(mechanism, friction_cone=cone), mechanism.root_frame
    inertia = rbd.SpatialInertia(rbd.Frame("ball"), mass=1.5, moment_about_com=np.eye(3) / 100)
    ball = rbd.RigidBody("ball", inertia)
    mechanism.attach("world", ball, rbd.Joint("up", rbd.Prismatic([0, 0, 1]), position_bounds=(-np.inf, 0.1)))
    floor = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    model.add_pair(model.add(ball, Sphere(ball.default_frame, 0.1)), floor, restitution=1.0)
    return mechanism, model


MECHANISM, MODEL = ball_below_a_stop()


def push(state: Any, action: Any) -> list[Any]:
    return [sqrt(action)]


CONTROL: RecordedFunction = rbd.record(push, MECHANISM, action=())


def rows(kind: str | None) -> dict[str, Any]:
    """Return the starts of all rows, one of which is bound to fail."""
    inertia = np.array([[[0.01, 0.0, 0.0, 0.01, 0.0, 0.01, 0.0, 0.0, 0.0, 1.5]]]).repeat(COUNT, axis=0)
    found: dict[str, Any] = {
        "q": np.full((COUNT, 1), 0.1),
        "v": np.zeros((COUNT, 1)),
        "action": np.linspace(1.0, 30.0, COUNT),
        "inertia": inertia,
    }
    for name, value in KINDS[kind][0].items() if kind else ():
        found[name][BAD] = value
    return found


def stepped(start: dict[str, Any], keep: slice = slice(None)) -> Worlds:
    """Return worlds after all steps."""
    chosen = {name: value[keep] for name, value in start.items()}
    count = len(chosen["q"])
    worlds = Worlds(
        MECHANISM, MODEL, count=count, dt=DT, control=CONTROL, friction=0.5, parameters=["inertia"], threads=1
    )
    actions = chosen.pop("action")
    worlds.reset(None, **chosen)
    worlds.step(actions, steps=STEPS)
    return worlds


@pytest.mark.optimised
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_that_fails_has_a_status_and_the_others_finish(kind: str) -> None:
    start, clean = rows(kind), stepped(rows(None))
    worlds = stepped(start)
    assert np.flatnonzero(worlds.status).tolist() == [BAD]
    assert KINDS[kind][1] in worlds.explain(BAD)
    assert worlds.explain(BAD).startswith("in step 0: ")
    assert np.array_equal(worlds.q[BAD], start["q"][BAD])  # it stays where it failed
    others = [k for k in range(COUNT) if k != BAD]
    assert np.array_equal(worlds.q[others], clean.q[others])
    assert np.array_equal(worlds.v[others], clean.v[others])
    assert (worlds.t[others] == STEPS * DT).all()
    for k in others[:2]:
        alone = stepped(start, slice(k, k + 1))
        assert np.array_equal(alone.q[0], worlds.q[k])
        assert np.array_equal(alone.v[0], worlds.v[k])


def test_a_row_whose_constraints_contradict_fails_alone_with_round_friction_cones() -> None:
    mechanism, model = ball_below_a_stop("round")
    q, v = np.full((COUNT, 1), 0.1), np.where(np.arange(COUNT) == BAD, -1.0, 0.0)[:, None]
    worlds = Worlds(mechanism, model, count=COUNT, dt=DT, friction=0.5)
    worlds.reset(None, q=q, v=v)
    worlds.step(steps=STEPS)
    assert np.flatnonzero(worlds.status).tolist() == [BAD]
    assert "the constraints contradict each other" in worlds.explain(BAD)
    assert worlds.q[BAD] == 0.1
    alone = Worlds(mechanism, model, count=1, dt=DT, friction=0.5)
    alone.reset(None, q=q[:1], v=v[:1])
    alone.step(steps=STEPS)
    others = [k for k in range(COUNT) if k != BAD]
    assert (worlds.q[others] == alone.q).all()
    assert (worlds.v[others] == alone.v).all()


def box_on_box(cone: FrictionCone = "round") -> tuple[rbd.Mechanism, CollisionModel]:
    """Return a box on a box on a floor."""
    mechanism = rbd.Mechanism()
    model, root = CollisionModel(mechanism, friction_cone=cone), mechanism.root_frame
    below = model.add("world", HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    for name in ("lower", "upper"):
        inertia = rbd.SpatialInertia(rbd.Frame(name), mass=1.0, moment_about_com=np.eye(3) / 50)
        body = rbd.RigidBody(name, inertia)
        mechanism.attach("world", body, rbd.Joint(name, rbd.QuaternionFloating()))
        above = model.add(body, Box(body.default_frame, (0.3, 0.3, 0.2)))
        model.add_pair(above, below)
        below = above
    return mechanism, model


def test_a_row_whose_solver_does_not_end_fails_alone() -> None:
    """A million times heavier box on another: the method for round cones finds no solution, though there is one."""
    mechanism, model = box_on_box()
    q = np.tile([1.0, 0, 0, 0, 0, 0, 0.1, 1, 0, 0, 0, 0.01, 0.02, 0.3], (COUNT, 1))
    inertia = np.tile([0.02, 0, 0, 0.02, 0, 0.02, 0, 0, 0, 1.0], (COUNT, 2, 1))
    inertia[BAD, 1] *= 1e6
    settings: dict[str, Any] = {"dt": DT, "friction": 0.5}
    found = rollout(
        mechanism,
        {"q": q, "inertia": inertia},
        None,
        STEPS * DT,
        seed=0,
        progress=False,
        collision_model=model,
        **settings,
    )
    assert np.flatnonzero(found.status).tolist() == [BAD]
    assert "in step 0: the method for round friction cones did not end" in found.explain(BAD)
    assert found.end_time[BAD] == 0
    worlds = Worlds(mechanism, model, count=COUNT, parameters=["inertia"], **settings)
    worlds.reset(None, q=q, inertia=inertia)
    worlds.step(steps=STEPS)
    assert np.array_equal(worlds.status, found.status)
    assert np.array_equal(worlds.q[BAD], q[BAD])
    alone = Worlds(mechanism, model, count=1, **settings)
    alone.reset(None, q=q[:1])
    alone.step(steps=STEPS)
    others = [k for k in range(COUNT) if k != BAD]
    assert (worlds.q[others] == alone.q).all()
    assert (found.q[others, -1] == alone.q).all()


def _search_for_eighteen_iterations(w: QuadraticProgram) -> int:
    """Run the active-set method, as `_search` of its module, but give up after eighteen iterations."""
    size = _size(w)
    q = 0
    p = _most_violated(w, size)
    while p >= 0:
        q = _add(w, q, p, 18.0)
        if q < 0:
            return q
        p = _most_violated(w, size)
    return q


@pytest.fixture
def eighteen_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the active-set method solve all steps with polyhedral cones, and give up after eighteen iterations."""
    solver = guarded_program.SOLVE_GUARDED_QUADRATIC_PROGRAM
    monkeypatch.setattr(parser, "PARSED", {})
    monkeypatch.setattr(projected_program, "ACCURACY", const(-1, 1))
    monkeypatch.setattr(active_set_method, "_search", _search_for_eighteen_iterations)
    monkeypatch.setattr(guarded_program, "SOLVE_GUARDED_QUADRATIC_PROGRAM", attrs.evolve(solver))


@pytest.mark.usefixtures("eighteen_iterations")
def test_a_row_whose_active_set_method_does_not_end_fails_alone() -> None:
    """Boxes that rest on each other need twelve iterations or less, those of the row that fails more than eighteen."""
    mechanism, model = box_on_box("polyhedral")
    q = np.tile([1.0, 0, 0, 0, 0, 0, 0.1, 1, 0, 0, 0, 0.01, 0.02, 0.3], (COUNT, 1))
    q[:, 11] += 0.02 * np.arange(COUNT)
    v = np.zeros((COUNT, 12))
    v[BAD] = 0.02 * np.random.default_rng(0).normal(size=12)

    def stepped(count: int, keep: slice, threads: int, **start: np.ndarray) -> Worlds:
        worlds = Worlds(mechanism, model, count=count, dt=DT, friction=0.5, threads=threads)
        worlds.reset(None, **{name: x[keep] for name, x in start.items()})
        worlds.step(steps=STEPS)
        return worlds

    found = stepped(COUNT, slice(None), 1, q=q, v=v)
    assert np.flatnonzero(found.status).tolist() == [BAD]
    assert "the active-set method did not end" in found.explain(BAD)
    threaded = stepped(COUNT, slice(None), 2, q=q, v=v)
    for name in ("q", "v", "status"):
        assert np.array_equal(getattr(threaded, name), getattr(found, name)), name
    for k in range(COUNT):
        alone = stepped(1, slice(k, k + 1), 1, q=q, v=v)
        for name in ("q", "v", "status", "t"):
            assert np.array_equal(getattr(alone, name)[0], getattr(found, name)[k]), (name, k)
    assert found.t[BAD] < STEPS * DT
    assert (np.delete(found.t, BAD) == STEPS * DT).all()


def test_a_step_whose_solver_does_not_end_raises_its_error() -> None:
    mechanism, model = box_on_box()
    mechanism.body("upper").set_inertia(
        rbd.SpatialInertia(mechanism.body("upper").default_frame, mass=1e6, moment_about_com=2e4 * np.eye(3))
    )
    state = rbd.MechanismState(mechanism, [1, 0, 0, 0, 0, 0, 0.1, 1, 0, 0, 0, 0.01, 0.02, 0.3])
    before = state.q.copy()
    with pytest.raises(SolverError, match=r"did not end: .* a light body carries a heavy one"):
        contact_step(state, model, None, DT, friction=0.5)
    assert np.array_equal(state.q, before)
    assert not state.v.any()


@pytest.mark.parametrize("executor", ["native", "threads"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "action" not in kind])
def test_cases_of_rollouts_fail_alone(kind: str, executor: str) -> None:
    settings: dict[str, Any] = {"dt": DT, "seed": 0, "chunk": 3, "progress": False}
    settings |= {"collision_model": MODEL, "friction": 0.5}

    def run(start: dict[str, Any]) -> Any:
        if executor == "native":
            return rollout(MECHANISM, start, CONTROL, STEPS * DT, **settings)
        with ThreadPoolExecutor(2) as pool:
            return rollout(MECHANISM, start, CONTROL, STEPS * DT, executor=pool, **settings)

    found, clean = run(rows(kind)), run(rows(None))
    assert np.flatnonzero(found.status).tolist() == [BAD]
    others = [k for k in range(COUNT) if k != BAD]
    assert np.array_equal(found.q[others], clean.q[others])
    assert np.array_equal(found.v[others], clean.v[others])
    assert found.end_time[BAD] == 0


def test_cases_whose_actions_are_not_numbers_are_refused() -> None:
    start = rows("action that is not a number")
    with pytest.raises(NotFiniteError, match=r"action\[4\] is not finite"):
        rollout(MECHANISM, start, CONTROL, DT, dt=DT, seed=0, progress=False, collision_model=MODEL, friction=0.5)


def step_error(q: float, v: float, torque: float) -> RbdError:
    state = rbd.MechanismState(MECHANISM, [q], [v])
    with pytest.raises(RbdError) as caught:
        contact_step(state, MODEL, [torque], DT, friction=0.5)
    assert (state.q[0], state.v[0]) == (q, v)
    return caught.value


def test_single_steps_raise_what_rows_have_as_a_status() -> None:
    assert isinstance(step_error(0.1, 0.0, np.nan), NotFiniteError)
    assert isinstance(step_error(0.1, 1e300, 0.0), NotFiniteError)
    assert isinstance(step_error(-FAR, -FAR, 0.0), NotFiniteError)
    found = step_error(0.1, -1.0, 0.0)
    assert isinstance(found, SolverError)
    assert "contradict" in str(found)
    massless = rbd.Mechanism()
    massless.attach(
        "world",
        rbd.RigidBody("point", rbd.SpatialInertia.zero(rbd.Frame("point"))),
        rbd.Joint("up", rbd.Prismatic([0, 0, 1])),
    )
    with pytest.raises(SingularError, match="'up'"):
        contact_step(rbd.MechanismState(massless), CollisionModel(massless), None, DT)


def test_simulations_say_when_they_diverged() -> None:
    state = rbd.MechanismState(MECHANISM, [0.05], [0.0])
    simulator = ContactSimulator(MECHANISM, MODEL, lambda t, _: [1e290 if t > 0.01 else 0.0], DT, friction=0.5)
    with pytest.raises(DivergedError) as caught:
        simulator.run(state, 1.0)
    assert caught.value.time > 0.01
    assert state.q[0] == 0.05
