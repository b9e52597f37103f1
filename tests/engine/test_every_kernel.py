"""All kernels as live states record them: machine code, interpreter and source agree.

Machine code and interpreter agree to the last bit, for one state and for rows, however they are cut into lanes,
functions and threads; the source on floats agrees to rounding.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rbd
import rbd.testing
from rbd import MechanismState
from rbd.contact import HalfSpace
from rbd.kernels.kernel import kernels
from rbd.native.compiled_program import CompiledProgram
from rbd.program.program import Program
from rbd.recorder.kernel_cache import RecordedKernel, kernel_cache
from rbd.recorder.record_program import record_program

from ..algorithms.catalog import EVERYTHING, arguments, flat
from ..algorithms.helpers import JOINT_TYPES, RANDOM, Case, case, close, set_passive
from ..algorithms.loops.mechanisms import looped
from ..native.programs import assert_same_bits, native_rows, native_singles, random_inputs, reference
from .derivatives import pushes

ROWS = 11
CUTS = ((1, 1000), (2, 300), (4, 100), (8, 700))
"""Lanes, and the instructions in a function."""
RUBBER = rbd.SoftContact(rbd.HuntCrossley.hertz(), rbd.ViscoelasticCoulomb(0.5, 20e3, 200.0))


def touching() -> Case:
    """Return a case with two points that may touch the ground."""
    a_case = case("tree", 7, bodies=4, passive=True)
    body, root = a_case.mechanism.bodies[-1], a_case.mechanism.root_frame
    for place in ((0.1, 0.2, 0.3), (-0.3, 0.2, 0.1)):
        body.add_contact_point(rbd.Point(body.default_frame, place), RUBBER)
    a_case.mechanism.add_half_space(HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1))))
    state = MechanismState(a_case.mechanism, a_case.state.q, a_case.state.v)
    return Case(a_case.mechanism, state, a_case.rng)


def linkage() -> Case:
    """Return a case with a loop and few joints."""
    state = MechanismState(rbd.robots.four_bar(), [0.3, 0.4, -0.2])
    return Case(state.mechanism, state, np.random.default_rng(1))


def few_joints() -> Case:
    """Return a case whose second derivatives are a program of moderate length."""
    mechanism = RANDOM["chain"]([JOINT_TYPES["universal oblique"], rbd.Revolute((0, 1, 0))], np.random.default_rng(2))
    return Case(mechanism, MechanismState(mechanism, [0.3, 0.4, -0.2], [1.0, 2.0, 3.0]), np.random.default_rng(1))


def in_contact(name: str) -> Callable[[Any], Any]:
    return lambda s: kernels()[name](s, tuple(0.01 * k - 0.02 for k in range(s.layout.ns)))


def of_loops(name: str) -> Callable[[Any], Any]:
    return lambda s: kernels()[name](s, tuple(arguments(s)[1]))


TREES = {
    **EVERYTHING,
    "mass_moment": lambda s: kernels()["mass_moment"](s, (1, 2)),
    "pushed inverse dynamics": lambda s: rbd.inverse_dynamics(s, arguments(s)[0], pushes(s)),
    "pushed forward dynamics": lambda s: rbd.forward_dynamics(s, arguments(s)[1], pushes(s)),
}
LOOPS: dict[str, Callable[[Any], Any]] = {
    "dynamics": lambda s: rbd.dynamics(rbd.DynamicsResult(s.mechanism), s, arguments(s)[1]).vd,
    "constraint_jacobian": rbd.constraint_jacobian,
    "constraint_bias": rbd.constraint_bias,
    "constraint_error": rbd.constraint_error,
    "loop_gap": rbd.loop_gap,
    "constrained_dynamics": of_loops("constrained_dynamics"),
    "constrained_inverse_dynamics": of_loops("constrained_inverse_dynamics"),
    "least_inverse_dynamics": lambda s: rbd.inverse_dynamics(s, arguments(s)[1], pushes(s)),
}
FEW_JOINTS = {"constrained_derivatives": of_loops("constrained_derivatives")}
CONTACT = {
    "contact_forces": in_contact("contact_forces"),
    "reset_contacts": in_contact("reset_contacts"),
    "elastic_energy": in_contact("elastic_energy"),
}


def variational_step(s: MechanismState) -> None:
    copy = MechanismState(s.mechanism, s.q, s.v)
    rbd.simulate(copy, 1e-3, dt=1e-3, integrator="variational-midpoint")


SECOND = {"second": lambda s: rbd.inverse_dynamics_second_derivatives(s, arguments(s)[0]).by_q_and_q}
SAMPLES: tuple[tuple[Callable[[], Case], dict[str, Callable[[Any], Any]]], ...] = (
    (lambda: case("tree", 1157, bodies=4, passive=True), TREES),
    (lambda: looped("universal oblique", 3), LOOPS),
    (linkage, FEW_JOINTS),
    (few_joints, {**SECOND, "variational step": variational_step}),
    (touching, CONTACT),
)


@functools.cache
def programs() -> dict[Callable[..., Any], list[Program]]:
    """Return the programs that live states have recorded of all kernels and passes, by their sources."""
    found: dict[Callable[..., Any], list[Program]] = {}
    for make, algorithms in SAMPLES:
        state = make().state
        for algorithm in algorithms.values():
            algorithm(state)
        for key, entry in kernel_cache(state.mechanism)._kernels.items():
            assert type(entry) is RecordedKernel, key
            programs = found.setdefault(key[0], [])
            if entry.executable.program.digest not in {program.digest for program in programs}:
                programs.append(entry.executable.program)
    return found


def assert_code_is_the_interpreter(program: Program, *cuts: tuple[int | None, int]) -> None:
    arrays = random_inputs(program, ROWS, seed=1)
    first, last = (array.reshape(ROWS, -1) for array in (arrays[0], arrays[-1]))
    first[3, -1], last[5, 0] = 1e300, np.nan  # far away, and no number
    expected = reference(program, arrays, ROWS)
    for lanes, chunk in cuts:
        kernel = CompiledProgram(program, lanes=lanes, chunk_size=chunk)
        for threads in (1, 3):
            assert_same_bits(native_rows(kernel, arrays, ROWS, threads), expected)
        assert_same_bits(native_singles(kernel, arrays, ROWS), expected)


KERNELS = [pytest.param(name, marks=[pytest.mark.optimised] if k % 4 == 0 else []) for k, name in enumerate(kernels())]
"""One in four is compiled as users compile it, the others without optimisation; `pytest -m deep` optimises all."""


@pytest.mark.parametrize("name", KERNELS)
def test_machine_code_of_kernels_equals_the_interpreter(name: str) -> None:
    """Every kernel; the cuts take turns, so that each is met by many programs."""
    for program in programs()[kernels()[name]]:
        assert_code_is_the_interpreter(program, *CUTS[len(name) % 2 :: 2])


@pytest.mark.deep
@pytest.mark.optimised
@pytest.mark.parametrize("name", kernels())
def test_optimised_code_of_kernels_equals_the_interpreter(name: str) -> None:
    test_machine_code_of_kernels_equals_the_interpreter(name)


@pytest.mark.optimised
def test_machine_code_of_passes_equals_the_interpreter() -> None:
    algorithms = set(kernels().values())
    passes = [program for kernel, found in programs().items() if kernel not in algorithms for program in found]
    assert len(passes) >= 8
    for program in passes:
        assert_code_is_the_interpreter(program, (8, 200))


def everything(state: Any, algorithms: dict[str, Callable[[Any], Any]]) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(flat(algorithm(state))) for name, algorithm in algorithms.items()}


def record_everything(kind: str) -> tuple[MechanismState, Program]:
    """Return a state of a mechanism with two joints, and all algorithms together as one long program."""
    rng = np.random.default_rng(5)
    mechanism = RANDOM["chain"]([rbd.Revolute((0, 1, 0)), JOINT_TYPES[kind]], rng)
    for joint in mechanism.tree_joints:
        set_passive(joint, rng, on=True)
    state = MechanismState(mechanism)
    state.randomize(rng)
    program = record_program(
        lambda recording: everything(recording, EVERYTHING),
        mechanism,
        "everything",
        lambda graph: ((), {}),
        lambda found: found,
    )
    return state, program


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_type(kind: str) -> None:
    state, program = record_everything(kind)
    with rbd.interpreted():
        expected = everything(state, EVERYTHING)
    found = program.interpret(q=state.q, v=state.v)
    for name, value in expected.items():
        close(list(found[name].reshape(-1)), [float(x) for x in value], 1e-12, scale=1e-2)
    assert_code_is_the_interpreter(program, (None, 1000))


@pytest.mark.deep
@pytest.mark.optimised
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_optimised_code_of_every_joint_type_equals_the_interpreter(kind: str) -> None:
    assert_code_is_the_interpreter(record_everything(kind)[1], (None, 1000))
