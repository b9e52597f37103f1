"""Arrays that are not made zero: what intrinsics find in them has no effect, since they write it first."""

from __future__ import annotations

import math
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest

import rbd
from rbd.intrinsics import INTRINSICS, Intrinsic, Workspace
from rbd.intrinsics.workspace import operand, result, scratch
from rbd.solvers.projections.polyhedral_projection import project_on_polyhedron
from tests.contact.flat_feet import edges_of
from tests.contact.test_cone_projection import SparseCones
from tests.contact.test_projected_program import nested
from tests.native.codegen.test_guarded_lanes import solve_flat_feet

FOUND = (math.nan, 0.0, 1.0, -1.0, 1e300, -math.inf)
"""Numbers that memory may hold."""


class Kept(Workspace):
    """An array to work in that is read before it is written."""

    n: int
    x = operand("n")
    kept = scratch("n")
    y = result("n")


def _larger(w: Kept) -> int:
    for i in range(w.n):
        w.y[i] = w.x[i] if w.x[i] > w.kept[i] else w.kept[i]
    return 0


LARGER: Intrinsic = Intrinsic("larger_than_kept", Kept, _larger, lambda n: n)


def with_scratch() -> set[str]:
    """Return the names of rbd's intrinsics with arrays that are not made zero."""
    for module in walk_packages(rbd.solvers.__path__, "rbd.solvers."):
        import_module(module.name)
    ours = [x for x in INTRINSICS.values() if x.function.__module__.startswith("rbd.")]
    return {x.name for x in ours if not all(array.zeroed for array in x.layout.arrays.values())}


def project(seed: int) -> None:
    """Call all of rbd's solvers that have such arrays."""
    rng = np.random.default_rng(seed)
    rows = edges_of(rng.normal(size=(4, 3)), rng.uniform(0, 1.5, 4), 0.5)
    project_on_polyhedron(nested(rows), (rows @ rng.normal(size=6)).tolist())
    SparseCones(seed).solved()
    solve_flat_feet(seed)


Call = tuple[Intrinsic, tuple[int, ...], list[float]]


def observed(seed: int, monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """Return the calls of those solvers with floats."""
    calls, names, run = list[Call](), with_scratch(), Intrinsic.run_on_floats

    def noted(self: Intrinsic, sizes: tuple[int, ...], operands: list[float]) -> tuple[list[float], int]:
        if self.name in names:
            calls.append((self, sizes, operands))
        return run(self, sizes, operands)

    with monkeypatch.context() as patch:
        patch.setattr(Intrinsic, "run_on_floats", noted)
        project(seed)
    assert {call[0].name for call in calls} == names
    return calls


def answers(calls: list[Call], found: float, monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, int]]:
    """Return the bits of all results, and the statuses, where arrays that are not made zero hold a number."""
    with monkeypatch.context() as patch:
        patch.setattr("rbd.intrinsics.workspace.UNWRITTEN", found)
        ran = [intrinsic.run_on_floats(sizes, list(operands)) for intrinsic, sizes, operands in calls]
    return [(np.array(results).tobytes(), status) for results, status in ran]


@pytest.mark.parametrize("seed", range(3))
def test_what_memory_holds_has_no_effect(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = observed(seed, monkeypatch)
    first, *others = (answers(calls, found, monkeypatch) for found in FOUND)
    assert all(other == first for other in others)


def test_what_is_read_before_it_is_written_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Call] = [(LARGER, (2,), [3.0, -4.0])]
    assert len({tuple(answers(calls, found, monkeypatch)) for found in FOUND}) > 1
