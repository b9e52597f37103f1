"""Architecture rules, checked on the syntax trees of the sources. The lists are in tests/architecture.py."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests import architecture as rules

MODULES = rules.modules()
TESTS = Path(__file__).parent
EXACT_LAYERS = {"spatial", "joints", "algorithms"}


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


Paths = list[Path]


def grouped(paths: Iterable[Path], group: Callable[[Path], str]) -> dict[str, Paths]:
    """Return paths by what `group` says of them."""
    groups: dict[str, Paths] = {}
    for path in paths:
        groups.setdefault(group(path), []).append(path)
    return groups


def each(groups: dict[str, Paths]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("paths", groups.values(), ids=groups)


BY_LAYER = grouped(MODULES, rules.layer_of)
each_layer = each(BY_LAYER)
each_exact_layer = each({layer: BY_LAYER[layer] for layer in sorted(EXACT_LAYERS)})
each_test_folder = each(grouped(sorted(TESTS.rglob("*.py")), lambda path: path.parent.relative_to(TESTS).as_posix()))


def faults(paths: Paths, of: Callable[[Path], object]) -> dict[str, object]:
    """Return what `of` finds wrong with a file, by the name of the file; nothing for files without a fault."""
    return {rules.name_of(path): found for path in paths if (found := of(path))}


@each_layer
def test_every_module_has_a_place(paths: Paths) -> None:
    layers = {"__init__"}.union(*rules.LAYERS)
    assert faults(paths, lambda path: rules.layer_of(path) not in layers) == {}


def test_the_design_page_shows_the_layers() -> None:
    page = (rules.ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    table = page.split("| layer | contents |\n|---|---|\n")[1].split("\n\n")[0]
    shown = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines()]
    assert [*shown, ["__main__"]] == rules.LAYERS
    layers = {name for names in rules.LAYERS for name in names}
    assert {rules.layer_of(path) for path in MODULES} == {"__init__", *layers}


def test_no_module_imports_itself_by_others() -> None:
    """There is no circle of imports at run time, also not through functions that import when they are called."""
    names = {rules.module_name(path): path for path in MODULES}
    graph = {name: rules.run_time_imports(parse(path), set(names)) - {name} for name, path in names.items()}
    graph.pop("rbd")  # the public list imports everything
    for one, other in rules.MUTUAL:
        graph[one] -= {other}
    TopologicalSorter({name: targets - {"rbd"} for name, targets in graph.items()}).prepare()


def test_no_two_classes_have_one_name() -> None:
    defined: dict[str, list[str]] = {}
    for path in MODULES:
        for name in rules.classes(parse(path)):
            defined.setdefault(name, []).append(rules.name_of(path))
    assert {name: places for name, places in defined.items() if len(places) > 1} == {}


def test_classes_that_none_derives_from_are_final() -> None:
    assert rules.open_leaves([parse(path) for path in MODULES]) == set()


@each_layer
def test_imports_point_upwards(paths: Paths) -> None:
    assert faults(paths, lambda path: rules.forbidden_imports(path, parse(path))) == {}


@each_layer
def test_names_are_imported_from_the_layer_that_defines_them(paths: Paths) -> None:
    assert faults(paths, lambda path: rules.imports_past_the_definition(path, parse(path))) == {}


@each_layer
def test_parts_of_a_package_import_earlier_parts(paths: Paths) -> None:
    assert faults(paths, lambda path: rules.later_parts_imported(path, parse(path))) == {}


@each_layer
def test_networkx_stays_inside_mechanism(paths: Paths) -> None:
    def imports_networkx(path: Path) -> bool:
        imported = {name.split(".")[0] for _, name in rules.imports(parse(path))}
        return "networkx" in imported and rules.layer_of(path) != "mechanism"

    assert faults(paths, imports_networkx) == {}


@each_layer
def test_importing_needs_only_the_core_dependencies(paths: Paths) -> None:
    def not_allowed(path: Path) -> set[str]:
        return rules.foreign_imports(parse(path)) - rules.CORE - rules.NEEDS_EXTRA.get(rules.module_name(path), set())

    assert faults(paths, not_allowed) == {}


@each_layer
def test_files_stay_short(paths: Paths) -> None:
    assert faults(paths, lambda path: len(path.read_text(encoding="utf-8").splitlines()) > 500) == {}


@each_layer
def test_functions_have_few_parameters(paths: Paths) -> None:
    assert faults(paths, lambda path: rules.many_parameters(path, parse(path))) == {}


def test_functions_with_many_options_are_public_and_exist() -> None:
    found = {
        f"{rules.module_name(path)}.{name}"
        for path in MODULES
        for name, count, _ in rules.parameter_counts(parse(path))
        if count > rules.MOST_PARAMETERS
    }
    assert set(rules.MANY_OPTIONS) - found == set()
    assert [name for name in rules.MANY_OPTIONS if re.search(r"\._(?!_)", name)] == []


@each_layer
def test_every_module_says_what_it_is(paths: Paths) -> None:
    assert faults(paths, lambda path: not ast.get_docstring(parse(path))) == {}


MAPPED = [
    *("algorithms", "array_functions", "bench", "compiled", "contact", "control", "engine", "files"),
    *("indexing", "kernels", "kinematics", "mechanism", "meshes", "mjcf", "native", "pytrees", "rational"),
    *("recorder", "scalar_states", "simulation", "solvers", "state", "viz"),
]


@pytest.mark.parametrize("package", MAPPED)
def test_the_map_of_a_package_shows_every_file(package: str) -> None:
    folder = rules.PACKAGE / package
    text = "".join(ast.get_docstring(parse(path)) or "" for path in folder.rglob("__init__.py"))
    files = {path.name for path in folder.rglob("*.py") if path.name != "__init__.py"}
    assert {name for name in files if name not in text and not name.endswith("_derivative.py")} == set()


@each_exact_layer
def test_constants_are_exact(paths: Paths) -> None:
    assert faults(paths, lambda path: rules.inexact_literals(parse(path))) == {}


def test_constants_of_kernels_are_exact() -> None:
    kernels = [path for path in MODULES if "\n@kernel" in path.read_text(encoding="utf-8")]
    assert {rules.layer_of(path) for path in kernels} >= {"algorithms", "simulation"}
    assert faults(kernels, lambda path: rules.inexact_literals(parse(path))) == {}


def test_algorithms_read_parameters_through_the_state() -> None:
    assert faults(BY_LAYER["algorithms"], lambda path: rules.parameters_read_past_the_state(parse(path))) == {}


def test_nothing_branches_on_a_value() -> None:
    assert faults(BY_LAYER["algorithms"], lambda path: rules.value_branches(parse(path))) == {}


@each_test_folder
def test_tests_say_how_closely_they_compare(paths: Paths) -> None:
    assert faults(paths, lambda path: rules.hidden_tolerances(parse(path))) == {}


@each_test_folder
def test_files_of_tests_stay_short(paths: Paths) -> None:
    assert faults(paths, lambda path: len(path.read_text(encoding="utf-8").splitlines()) > 500) == {}


# -- the rules detect violations ---------------------------------------------------------------------------------------


def test_faults_stand_with_their_files() -> None:
    there = {"tests/architecture.py": [1], "tests/test_architecture.py": []}
    assert faults([rules.ROOT / name for name in there], lambda path: there[rules.name_of(path)]) == {
        "tests/architecture.py": [1]
    }


@pytest.mark.parametrize(
    ("layer", "line", "forbidden"),
    [
        ("spatial", "from rbd.joints import Revolute", True),
        ("spatial", "import rbd.indexing.layout", True),
        ("spatial", "from rbd import joints", True),
        ("spatial", "from . import frame", True),
        ("spatial", "def f():\n    from rbd.state import MechanismState", True),
        ("spatial", "from rbd.scalars import sin", False),
        ("spatial", "from rbd.spatial.frame import Frame", False),
        ("urdf", "from rbd.robots import arm7", True),
        ("compiled", "from rbd.bridges import jax_dynamics", True),
        ("state", "from rbd.algorithms import mass_matrix", True),
    ],
)
def test_import_rule_detects_violations(layer: str, line: str, forbidden: bool) -> None:
    found = rules.forbidden_imports(rules.PACKAGE / layer / "module.py", ast.parse(line))
    assert bool(found) == forbidden


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from rbd.state import MechanismState, StateView", ["1: StateView"]),
        ("def f():\n    from rbd.contact import HalfSpace", ["2: HalfSpace"]),
        ("from rbd.kernels.state_view import StateView", []),
        ("from rbd.simulation.sinks import Sink", []),
        ("from rbd import ScalarState", []),
    ],
)
def test_definition_rule_detects_violations(line: str, found: list[str]) -> None:
    assert rules.imports_past_the_definition(rules.PACKAGE / "viz" / "module.py", ast.parse(line)) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from rbd.contact.dynamics.residuals import summary", ["dynamics"]),
        ("from rbd.contact import CollisionModel", ["*"]),
        ("from rbd.contact.geometry.shapes import Box", []),
    ],
)
def test_parts_rule_detects_violations(line: str, found: list[str]) -> None:
    module = rules.PACKAGE / "contact" / "model" / "module.py"
    assert rules.later_parts_imported(module, ast.parse(line)) == found


NINE = "a, b, c, d, e, f, g, h, i"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (f"def f({NINE}): ...", ["f"]),
        ("def f(a, b, c, d, e, f, g, h): ...", []),
        ("def f(a, b, c, d, e, f, g, h, **i): ...", ["f"]),
        ("def f(*, a, b, c, d, e, f, g, h, i): ...", ["f"]),
        ("class C:\n    def f(self, a, b, c, d, e, f, g, h): ...", []),
        (f"class C:\n    def f(self, {NINE}): ...", ["C.f"]),
        (f"class C:\n    @staticmethod\n    def f({NINE}): ...", ["C.f"]),
        (f"class C:\n    def f(self):\n        async def g({NINE}): ...", ["g"]),
        ("class C(NamedTuple):\n" + "".join(f"    {name}: int\n" for name in NINE.split(", ")), []),
        ("def simulate(a, b, c, *, d, e, f, g, h, i): ...", []),
        (f"def simulate({NINE}): ...", ["simulate"]),
    ],
)
def test_rule_of_parameters_detects_violations(source: str, found: list[str]) -> None:
    module = rules.PACKAGE / "simulation" / "simulate.py"
    assert rules.many_parameters(module, ast.parse(source)) == found


def test_class_rule_detects_violations() -> None:
    nested = "class A:\n    class B: ...\ndef f():\n    class C: ..."
    assert rules.classes(ast.parse(nested)) == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("line", "refused"), [("x = 0.5", 1), ("x = 1e-9 + 2.0", 2), ("x = 2", 0), ("x = 1.0 - 0.0", 0)]
)
def test_literal_rule_detects_violations(line: str, refused: int) -> None:
    assert len(rules.inexact_literals(ast.parse(line))) == refused


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("mechanism.gravity", True),
        ("state.mechanism.gravity", True),
        ("body.inertia", True),
        ("state.mechanism.successor(joint).inertia", True),
        ("state.mechanism.placement(joint)", True),
        ("joint.damping", True),
        ("bodies[0].inertia", True),
        ("state.inertia(body)", False),
        ("state.placement(joint)", False),
        ("state.gravity", False),
    ],
)
def test_parameter_rule_detects_violations(line: str, refused: bool) -> None:
    inside = f"def f(state):\n    return {line}"
    behind = f"def f(state):\n    return g()\ndef g():\n    return {line}"
    beside = f"def f(state):\n    return 0\ndef mass(mechanism):\n    return {line}"
    assert bool(rules.parameters_read_past_the_state(ast.parse(inside))) == refused
    assert bool(rules.parameters_read_past_the_state(ast.parse(behind))) == refused
    assert not rules.parameters_read_past_the_state(ast.parse(beside))


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("np.testing.assert_allclose(a, b, atol=1e-12)", 1),
        ("assert_allclose(a, b, atol=0)", 1),
        ("assert_allclose(a, b, rtol=0, atol=1e-12)", 0),
        ("assert_allclose(a, b, 1e-9, atol=1e-12)", 0),
        ("assert_allclose(a, b)", 0),
    ],
)
def test_tolerance_rule_detects_violations(line: str, refused: int) -> None:
    assert len(rules.hidden_tolerances(ast.parse(line))) == refused


@pytest.mark.parametrize(
    ("source", "open_leaves"),
    [
        ("class A: pass", {"A"}),
        ("class A: pass\n@final\nclass B(A[int]): pass", set()),
        ("class A: pass\nclass B(abc.A): pass", {"B"}),
        ("@attrs.frozen(eq=False)\nclass A: pass", {"A"}),
        ("class A(NamedTuple, Generic[T]): pass", set()),
        ("class _WrongError(Exception): pass", set()),
    ],
)
def test_rule_of_final_classes_detects_violations(source: str, open_leaves: set[str]) -> None:
    assert rules.open_leaves([ast.parse(source)]) == open_leaves


def test_heavy_imports_are_allowed_inside_functions_only() -> None:
    assert rules.foreign_imports(ast.parse("def f():\n    import scipy")) == set()
    assert rules.foreign_imports(ast.parse("try:\n    import scipy\nexcept ImportError:\n    pass")) == {"scipy"}


def test_branch_rule_detects_violations() -> None:
    assert rules.value_branches(ast.parse("y = a if x > 1.0 else b"))
    assert not rules.value_branches(ast.parse("y = a if n > 1 else b"))


def test_the_core_dependencies_are_those_declared() -> None:
    project = tomllib.loads((rules.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {d.split(">")[0] for d in project["dependencies"]}
    assert declared == rules.CORE
