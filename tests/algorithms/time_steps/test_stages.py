"""Stages of Runge-Kutta steps: which programs equal methods have."""

from __future__ import annotations

import copy
import pickle

import attrs

import rbd
from rbd.algorithms.time_steps.runge_kutta import CLASSICAL, ScalarTableau
from rbd.array_functions.record import record_spec
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.simulation.programs.specs import stage_spec


def digests(tableau: ScalarTableau) -> list[str]:
    mechanism = rbd.robots.double_pendulum()
    specs = [stage_spec(tableau, k, 0) for k in range(tableau.stage_count)]
    return [record_spec(spec, mechanism, "stage").outline.digest for spec in specs]


def test_equal_methods_have_equal_programs() -> None:
    expected = digests(CLASSICAL)
    assert digests(pickle.loads(pickle.dumps(CLASSICAL))) == expected
    assert digests(attrs.evolve(copy.copy(CLASSICAL), c=(0.0, 0.5, 0.5, 1.0))) == expected


def test_kinds_of_inputs_are_their_shapes() -> None:
    spec = RecordingSpec(
        print, "qv", {"stiffness": "v", "q_start": "q", "s": "s", "period": "scalar", "push": "wrench"}
    )
    shapes = spec.shapes(7, 6, 3)
    assert shapes == {"stiffness": (6,), "q_start": (7,), "s": (3,), "period": (), "push": (6,)}


def test_stages_of_the_classical_method_use_the_stage_before_only() -> None:
    """So that `derivatives.step_stages` may differentiate each stage by the stage before."""
    for k, weights in enumerate(CLASSICAL.a):
        others = [weight for j, weight in enumerate(weights) if j != k - 1]
        assert others.count(0) == len(others)
        assert weights[k - 1] == CLASSICAL.c[k]
