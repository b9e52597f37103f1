"""Programs that call the solvers of contacts, as C: the bits of machine code, and its refusals."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.compiled import RecordedFunction
from rbd.contact import CollisionModel, HalfSpace, Sphere, contact_step, impact, solve_contact
from rbd.errors import SolverError
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.solvers.quadratic.quadratic_program import INDEFINITE, INFEASIBLE, STUCK, solve_quadratic_program

from .building import call, compiled_c

N, M = 4, 6


def _quadratic_program() -> RecordedFunction:
    graph = Graph()
    inputs = [graph.input("h", (N, N)), graph.input("g", (N,)), graph.input("a", (M, N)), graph.input("b", (M,))]
    outputs = dict(zip(("x", "multipliers", "active", "rounds"), solve_quadratic_program(*inputs), strict=True))
    return RecordedFunction(Program.of(graph, "qp", outputs))


def _problem(rng: np.random.Generator) -> list[Array]:
    root, rows = rng.normal(size=(N, N)), rng.normal(size=(M, N))
    return [root @ root.T + np.eye(N), rng.normal(size=N), rows, rows @ rng.normal(size=N) - rng.exponential(size=M)]


def _outputs(recorded: RecordedFunction) -> list[Array]:
    return [np.full(port.shape, 7.0) for port in recorded.program.outputs]


def _as_tuple(found: Array | tuple[Array, ...]) -> tuple[Array, ...]:
    return found if isinstance(found, tuple) else (found,)


def test_quadratic_programs(tmp_path: Path) -> None:
    recorded, rng, held = _quadratic_program(), np.random.default_rng(8), 0
    library = compiled_c(recorded.to_c("qp"), tmp_path, "qp")
    for _ in range(50):
        data, found = _problem(rng), _outputs(recorded)
        assert call(library, "qp", *data, *found) == 0
        for a, native, interpreted in zip(found, recorded(*data), recorded.interpret(*data), strict=True):
            assert a.tobytes() == native.tobytes() == interpreted.tobytes()
        held += int(found[2].sum())
    assert held > 50  # or nothing has been decided


def test_refusals_of_quadratic_programs(tmp_path: Path) -> None:
    recorded = _quadratic_program()
    source = recorded.to_c("qp")
    assert all(label in source for label in (INDEFINITE, INFEASIBLE, STUCK))
    library = compiled_c(source, tmp_path, "qp")
    hessian, linear, rows, bounds = _problem(np.random.default_rng(9))
    opposite = np.vstack([rows[0], -rows[0], rows[2:]])
    wrong = {INDEFINITE: (-hessian, linear, rows, bounds), INFEASIBLE: (hessian, linear, opposite, np.ones(M))}
    for label, data in wrong.items():
        found = _outputs(recorded)
        status = call(library, "qp", *(np.ascontiguousarray(x) for x in data), *found)
        assert status == 16 + recorded.program.labels.index(label)
        assert all((x == 7.0).all() for x in found)  # nothing is written
        with pytest.raises(SolverError, match=label):
            recorded(*data)


def _falling() -> tuple[rbd.Mechanism, CollisionModel]:
    """Return a double pendulum with a ball at each end of its lower link, above a floor and beside a wall."""
    mechanism = rbd.robots.double_pendulum()
    model, root, tip = CollisionModel(mechanism), mechanism.root_frame, mechanism.bodies[-1]
    ball = model.add(tip, Sphere(mechanism.frame("tip"), 0.1))
    for point, normal in (((0, 0, -1.9), (0, 0, 1)), ((-0.2, 0, 0), (1, 0, 0))):
        model.add_pair(ball, model.add("world", HalfSpace(rbd.Point(root, point), rbd.FreeVector(root, normal))))
    return mechanism, model


Contacts = Callable[[rbd.ScalarState, CollisionModel, Array], object]
CONTACTS: dict[str, Contacts] = {
    "accelerations": lambda state, model, tau: solve_contact(state, model, tau, threshold=10.0).vd,
    "with friction": lambda state, model, tau: solve_contact(state, model, tau, friction=0.5, threshold=10.0).vd,
    "impacts": lambda state, model, tau: impact(state, model, active=[0, 1]).v,
    "steps": lambda state, model, tau: contact_step(state, model, tau, 0.01, friction=0.5).v,
}


@pytest.mark.parametrize("what", CONTACTS)
def test_contacts_of_a_robot(what: str, tmp_path: Path) -> None:
    mechanism, model = _falling()
    recorded = rbd.record(lambda state, tau: CONTACTS[what](state, model, tau), mechanism, tau=2)
    assert recorded.program.calls
    library, rng, solved = compiled_c(recorded.to_c("contact"), tmp_path, "contact"), np.random.default_rng(4), 0
    for _ in range(20):
        inputs, found = [0.2 * rng.normal(size=2), rng.normal(size=2), 5 * rng.normal(size=2)], _outputs(recorded)
        status = call(library, "contact", *inputs, *found)
        if status:  # friction may have no answer, here as there
            with pytest.raises(SolverError, match=re.escape(recorded.program.labels[status - 16])):
                recorded(*inputs)
            continue
        solved += 1
        for a, native in zip(found, _as_tuple(recorded(*inputs)), strict=True):
            assert a.tobytes() == native.tobytes()
    assert solved > 10
