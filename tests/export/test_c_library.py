"""C libraries: the bits of the interpreter from every compiler, no calls but of the mathematics library, no state."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import rbd
from rbd.compiled import RecordedFunction
from rbd.errors import ArgumentError
from rbd.export import CLibrary, c_source, write_c_library
from rbd.program.graph import Graph
from rbd.program.opcodes import Op
from rbd.program.program import Program
from rbd.scalars import sincos
from rbd.scalars.arrays import Array

from .building import COMPILERS, LIBM, WARNINGS, built, call, linked, objects, symbols
from .single_precision import interpret, sine_and_cosine

FAST = ("-O3", "-march=native", "-std=gnu17")
OPTIONS = {"-O0": ("-O0",), "-O2": ("-O2", "-march=native"), "-O3 -std=gnu17": FAST}


def _control(state: rbd.ScalarState, goal: Any) -> object:
    wave = np.tanh(goal - state.q) * np.arctan2(state.v, 1 + np.exp(-(state.q**2)))
    return {"tau": rbd.gravity_torques(state) + wave, "power": wave @ state.v}


@pytest.fixture(scope="module")
def functions() -> dict[str, RecordedFunction]:
    """Functions of several robots: with branches, checks, an intrinsic, and functions of the C library."""
    arm, walker = rbd.robots.arm7(), rbd.robots.humanoid()
    found = rbd.compile(arm).functions("inverse_dynamics", "forward_kinematics", "mass_matrix", "forward_dynamics")
    found |= {"controller": rbd.record(_control, arm, goal=7)}
    found |= {"walker_bias": rbd.compile(walker).function("dynamics_bias")}
    found |= {"pendulum_step": rbd.compile(rbd.robots.double_pendulum()).function("step")}
    return found | {"loop_step": rbd.compile(rbd.robots.four_bar()).function("step", integrator="semi-implicit-euler")}


Objects = Callable[[str, str, str], tuple[CLibrary, list[Path]]]


@pytest.fixture(scope="module")
def library_of(functions: dict[str, RecordedFunction], tmp_path_factory: pytest.TempPathFactory) -> Objects:
    """A function of compiler, name of options and type of numbers: the source, and object files, compiled once."""

    @cache
    def made(compiler: str, options: str, dtype: str) -> tuple[CLibrary, list[Path]]:
        folder = tmp_path_factory.mktemp("library")
        written = _written(functions, folder, dtype=dtype)
        return written, objects(compiler, list(written.sources), folder, *OPTIONS[options])

    return made


def _written(functions: Mapping[str, RecordedFunction | Program], folder: Path, **options: Any) -> CLibrary:
    return write_c_library(functions, folder, prefix="our", **options)


def _inputs(program: Program, rng: np.random.Generator) -> list[Array]:
    return [np.asarray(0.3 * rng.standard_normal(port.shape)) for port in program.inputs]


def _results(recorded: RecordedFunction, inputs: list[Array]) -> tuple[Array, ...]:
    return _tuple(recorded.interpret(*inputs))


def _tuple(found: Array | tuple[Array, ...]) -> tuple[Array, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_bits_of_the_interpreter(
    compiler: str, options: str, functions: dict[str, RecordedFunction], library_of: Objects, tmp_path: Path
) -> None:
    (written, files), rng = library_of(compiler, options, "float64"), np.random.default_rng(2)
    library = linked(compiler, files, tmp_path)
    for name, recorded in functions.items():
        workspace = np.full(written.workspaces[f"our_{name}"] + 1, np.nan)
        workspace[-1] = 7.0
        for _ in range(3):
            inputs = _inputs(recorded.program, rng)
            found = [np.zeros(port.shape) for port in recorded.program.outputs]
            assert call(library, f"our_{name}", *inputs, *found, workspace) == 0
            assert workspace[-1] == 7.0  # the workspace is as long as the header says
            for mine, theirs in zip(found, _results(recorded, inputs), strict=True):
                assert mine.tobytes() == theirs.tobytes(), name


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("outputs", [{"y": np.zeros(0)}, {"y": np.zeros((0, 3)), "z": 1.0}, {}])
def test_empty_arrays_compile_without_warnings(compiler: str, outputs: dict[str, Any], tmp_path: Path) -> None:
    graph = Graph()
    graph.input("x", (0,))
    program = Program.of(graph, "empty", outputs)
    (tmp_path / "one.c").write_text(c_source(program, "one"), encoding="ascii")
    sources = [tmp_path / "one.c", *_written({"empty": program}, tmp_path).sources]
    assert len(objects(compiler, sources, tmp_path)) == 2


BUILDS = [
    *((options, "float64") for options in OPTIONS),
    *(pytest.param(options, "float32", marks=pytest.mark.deep) for options in ("-O0", "-O2")),
    ("-O3 -std=gnu17", "float32"),
]
"""Options and types of numbers; the most optimised library calls most: compilers replace loops by calls."""


@pytest.mark.parametrize(("options", "dtype"), BUILDS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_calls_of_the_mathematics_library_only(compiler: str, options: str, dtype: str, library_of: Objects) -> None:
    allowed = LIBM if dtype == "float64" else {f"{name}f" for name in LIBM}
    for file in library_of(compiler, options, dtype)[1]:
        found = symbols(file)
        assert {name for name, kind in found.items() if kind in "Uw"} <= allowed
        assert not {name for name, kind in found.items() if kind in "bBdDcC"}  # no variables outside of functions
        assert [name for name, kind in found.items() if kind == "T"] == [file.stem]


CONTRACTED = {  # options that the files themselves undo
    "gcc": ("-O3", "-march=native", "-ffp-contract=fast", "-std=gnu17"),
    "clang": ("-O3", "-march=native", "-funsafe-math-optimizations", "-std=gnu17"),
}


def _sums(state: rbd.ScalarState) -> object:
    """Return products that are also added: compilers would contract them."""
    products = [a * b for a in state.q for b in state.v]
    return [products, np.cumsum(products), [x / 7 for x in products]]


@pytest.mark.parametrize("compiler", COMPILERS)
def test_options_cannot_change_the_bits(compiler: str, tmp_path: Path) -> None:
    recorded = rbd.record(_sums, rbd.robots.arm7())
    assert Op.ADD in {Op(code[0]) for code in recorded.program.code}
    written = _written({"sums": recorded}, tmp_path)
    library = built(compiler, list(written.sources), tmp_path, *CONTRACTED[compiler])
    inputs = _inputs(recorded.program, np.random.default_rng(5))
    found = [np.zeros(port.shape) for port in recorded.program.outputs]
    assert call(library, "our_sums", *inputs, *found, np.zeros(written.workspaces["our_sums"])) == 0
    for mine, theirs in zip(found, _results(recorded, inputs), strict=True):
        assert mine.tobytes() == theirs.tobytes()


REFUSED = {
    "gcc": ("-ffast-math", "-ffinite-math-only", "-funsafe-math-optimizations", "-freciprocal-math", "-mfpmath=387"),
    "clang": ("-ffast-math", "-ffinite-math-only"),
}


@pytest.mark.parametrize("compiler", COMPILERS)
def test_options_that_break_results_are_refused(compiler: str, tmp_path: Path) -> None:
    (source,) = _written(rbd.compile(rbd.robots.arm7()).functions("mass_matrix"), tmp_path).sources
    for option in REFUSED[compiler]:
        command = [compiler, "-O2", "-c", str(source), option, "-o", str(tmp_path / "x.o")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode != 0, option
        assert "#error" in done.stderr
        assert "compile " in done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_single_precision_has_the_bits_of_its_interpreter(
    compiler: str, functions: dict[str, RecordedFunction], tmp_path: Path
) -> None:
    chosen = {name: each for name, each in functions.items() if not each.program.calls}
    written, rng = _written(chosen, tmp_path, dtype="float32"), np.random.default_rng(2)
    library = built(compiler, list(written.sources), tmp_path, *FAST)
    for name, recorded in chosen.items():
        inputs = [x.astype(np.float32) for x in _inputs(recorded.program, rng)]
        found = [np.zeros(port.shape, np.float32) for port in recorded.program.outputs]
        workspace = np.zeros(written.workspaces[f"our_{name}"], np.float32)
        expected, status = interpret(recorded.program, [float(x) for array in inputs for x in array.flat])
        assert call(library, f"our_{name}", *inputs, *found, workspace) == status == 0
        mine = np.concatenate([array.reshape(-1) for array in found])
        assert mine.tobytes() == np.array(expected, np.float32).tobytes(), name
        exact = np.concatenate([x.reshape(-1) for x in _results(recorded, [x.astype(float) for x in inputs])])
        assert abs(mine - exact).max() < 1e-4 * max(1, abs(exact).max())


def _exact(x: float) -> tuple[Any, Any]:
    library: Any = mp
    return library.sin(x), library.cos(x)


def test_sines_of_single_precision() -> None:
    """Less than one unit in the last place of error, also next to multiples of a right angle."""
    rng = np.random.default_rng(1)
    near = np.array([np.float32(float(k * mp.pi / 2)) for k in rng.integers(1, 6000, 1500)])
    angles = np.concatenate([rng.uniform(-10, 10, 1500), rng.uniform(-1e4, 1e4, 1500), near]).astype(np.float32)
    with mp.workdps(40):
        for x in angles:
            for mine, exact in zip(sine_and_cosine(x), _exact(float(x)), strict=True):
                assert abs(float(mine) - exact) < np.spacing(np.float32(abs(float(exact)))), float(x)
    assert abs(angles).max() <= sincos.SINGLE.limit


@pytest.mark.parametrize("compiler", COMPILERS)
def test_outputs_may_be_inputs_and_are_untouched_on_failure(compiler: str, tmp_path: Path) -> None:
    recorded = rbd.compile(rbd.robots.double_pendulum()).function("step", integrator="semi-implicit-euler")
    written = _written({"step": recorded}, tmp_path)
    library = built(compiler, list(written.sources), tmp_path, "-O2")
    q, v, tau, dt = np.array([0.3, -0.2]), np.array([1.0, 0.5]), np.zeros(2), np.array([0.01])
    workspace, expected = np.zeros(written.workspaces["our_step"]), _results(recorded, [q, v, tau, dt])
    assert call(library, "our_step", q, v, tau, dt, q, v, workspace) == 0
    assert (q.tobytes(), v.tobytes()) == tuple(x.tobytes() for x in expected)
    assert call(library, "our_step", q, v, np.array([np.nan, 0]), dt, q, v, workspace) == 1
    assert call(library, "our_step", q, v, tau, np.array([1e308]), q, v, workspace) == 2
    assert (q.tobytes(), v.tobytes()) == tuple(x.tobytes() for x in expected)


MAIN = """\
#include "our.h"
#include <cstdio>
int main() {
    const double q[7] = {0.1};
    double mass[49], workspace[OUR_MASS_MATRIX_WORKSPACE];
    const int status = our_mass_matrix(q, mass, workspace);
    std::printf("%d %a", status == OUR_OK, mass[48]);
}
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_makefile_and_header_for_cpp(compiler: str, tmp_path: Path) -> None:
    cpp = {"gcc": "g++", "clang": "clang++"}[compiler]
    if shutil.which(cpp) is None or shutil.which("make") is None:
        pytest.skip(f"{cpp} or make is not installed")
    recorded = rbd.compile(rbd.robots.arm7()).function("mass_matrix")
    _written({"mass_matrix": recorded}, tmp_path)
    subprocess.run(["make", "-s", f"CC={compiler}"], cwd=tmp_path, check=True)
    (tmp_path / "main.cpp").write_text(MAIN, encoding="ascii")
    command = [cpp, *WARNINGS[1:], "main.cpp", "libour.a", "-lm", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run([str(tmp_path / "main")], check=True, capture_output=True, text=True).stdout.split()
    expected = np.asarray(recorded.interpret([0.1, 0, 0, 0, 0, 0, 0]))[6, 6]
    assert (said[0], float.fromhex(said[1])) == ("1", expected)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_build_line(compiler: str, tmp_path: Path) -> None:
    written = _written(rbd.compile(rbd.robots.double_pendulum()).functions("mass_matrix", "step"), tmp_path)
    line = written.build_line
    assert line in written.header.read_text(encoding="ascii")
    subprocess.run([compiler, *line.split()[1:]], cwd=tmp_path, check=True)
    assert sorted(path.name for path in tmp_path.glob("*.o")) == ["our_mass_matrix.o", "our_step.o"]


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no mapping": (["step"], {}, "must map names to recorded functions, not a list"),
    "nothing": ({}, {}, "not an empty mapping"),
    "no function": ({"f": 3}, {}, r"functions\['f'\] must be a recorded function.* not 3 of type int"),
    "name": ({"two words": None}, {}, r"functions\['two words'\] must be"),
    "dtype": ({"f": None}, {"dtype": "float16"}, "'float16'; there are float64, float32"),
    "prefix": ({"f": None}, {"prefix": "a-b"}, "'a-b' is no name"),
    "case": (
        dict.fromkeys(("hold", "Hold"), Program.of(Graph(), "f", {"y": (1.0,)})),
        {},
        "'hold' and 'Hold' differ in case only and would share a macro",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_arguments(what: str, tmp_path: Path) -> None:
    functions, options, message = WRONG[what]
    with pytest.raises(ArgumentError, match=message):
        write_c_library(functions, tmp_path / "new", **options)
    assert not (tmp_path / "new").exists()


def test_names_of_functions(tmp_path: Path) -> None:
    robot = rbd.compile(rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="'kinematics'; there are forward_kinematics, inverse_dynamics,"):
        robot.functions("kinematics")
    with pytest.raises(ArgumentError, match=r"robot\.function\('geometric_jacobian', body=\.\.\.\)"):
        robot.functions("geometric_jacobian")
    with pytest.raises(ArgumentError, match="no other function takes a body; step was asked for"):
        robot.function("step", body="lower")
    with pytest.raises(ArgumentError, match="'robot_two words' is no name"):
        write_c_library({"two words": robot.function("step")}, tmp_path)


@pytest.mark.parametrize("name", ["geometric_jacobian", "inverse_dynamics_derivatives", "step", "mass_matrix"])
def test_functions_are_those_of_the_methods(name: str) -> None:
    robot, rng = rbd.compile(rbd.robots.double_pendulum()), np.random.default_rng(4)
    body: dict[str, Any] = {"body": robot.mechanism.bodies[-1]} if name == "geometric_jacobian" else {}
    recorded = robot.function(name, **body)
    inputs = _inputs(recorded.program, rng)
    expected = _tuple(getattr(robot, name)(*inputs, **body))
    for mine, theirs in zip(_results(recorded, inputs), expected, strict=True):
        assert mine.tobytes() == theirs.tobytes()
