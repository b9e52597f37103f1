"""Architecture rules as data, and functions that check the syntax tree of a module.

`tests/test_architecture.py` applies them. To add a layer, give it its place in `LAYERS`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "rbd"

# A module may import only from layers above its own, and from its own. Layers on one line do not know each other.
LAYERS = [
    ["errors"],
    ["arguments"],
    ["progress", "display", "atomic_files", "atomic_calls", "extras", "lazy_property"],
    ["scalars"],
    ["intrinsics"],
    ["solvers"],
    ["recorded_arrays"],
    ["program"],
    ["native"],
    ["export"],
    ["spatial"],
    ["joints"],
    ["mechanism"],
    ["indexing", "pytrees"],
    ["kernels"],
    ["kinematics"],
    ["scalar_states"],
    ["recorder"],
    ["engine"],
    ["state"],
    ["algorithms"],
    ["array_functions"],
    ["compiled"],
    ["contact"],
    ["rational"],
    ["control"],
    ["simulation"],
    ["rollout"],
    ["files"],
    ["meshes"],
    ["urdf", "mjcf"],
    ["robots"],
    ["gym"],
    ["bridges"],
    ["viz"],
    ["testing"],
    ["bench"],
    ["cli"],
    ["__main__"],
]

# The parts of a package: each may import only from those before it, and from itself. "*" is the package's own list.
PARTS = {
    "contact": ["arguments", "geometry", "model", "dynamics", "stepping", "simulation"],
    "native": [
        *("codegen", "runtime", "batch", "cached_code", "shared_functions"),
        *("compiled_program", "repeat", "builtins", "*", "background_compilation", "executable", "live_executable"),
    ],
    "solvers": [
        *("operands", "row_pattern", "intervals", "scaling", "cholesky", "weighted_factor"),
        *("equations", "quadratic", "projections", "cones", "friction"),
    ],
    "rational": ["polynomials", "coordinates", "pose", "polynomial_kinematics", "bounds", "kinematics"],
}

# The public list imports everything.
EXEMPT = {("__init__", "*")}

# Two classes that make instances of each other: the first imports the second when it does.
MUTUAL = [("rbd.joints.base", "rbd.joints.reversed"), ("rbd.spatial.motion", "rbd.spatial.transform")]

# Parameters of a function or method, at most: `self` and `cls` do not count, `*args` and `**kwargs` are one each. An
# `__init__` that attrs or NamedTuple makes is no function of a source, so that it does not count.
MOST_PARAMETERS = 8

# Public functions with more: all beyond the first eight are options, which are keyword-only. The reason of each.
MANY_OPTIONS = {
    "rbd.compiled.algorithm_methods.AlgorithmMethods.inverse_dynamics": "wrenches, and the four options of every call",
    "rbd.compiled.algorithm_methods.AlgorithmMethods.forward_dynamics": "wrenches, and the four options of every call",
    "rbd.compiled.step_methods.StepMethods.step": "options of the method, and the four options of every call",
    "rbd.compiled.step_methods.StepMethods.rollout": "options of the method, and the four options of every call",
    "rbd.compiled.step_methods.StepMethods.step_derivatives": "options of the method, and the four of every call",
    "rbd.contact.simulation.simulator.ContactSimulator.__init__": "the options of a step with contact",
    "rbd.mechanism.joint.Joint.__init__": "the parameters of a joint, of which most keep their defaults",
    "rbd.mjcf.read.parse_mjcf": "the options of `load_mjcf`, and the name of the file",
    "rbd.rollout.monte_carlo.rollout": "the options of a rollout, and those of its executor",
    "rbd.rollout.worlds.Worlds.__init__": "the options of a step with contact, and of episodes",
    "rbd.simulation.simulate.simulate": "the options of an integrator, of callbacks and of the trajectory",
    "rbd.urdf.read.load_urdf": "what a URDF file leaves open",
    "rbd.urdf.read.parse_urdf": "the options of `load_urdf`, and the name of the file",
}

# All that a module may import when it is itself imported; extras are imported where they are used.
CORE = {"attrs", "llvmlite", "networkx", "numpy", "typing_extensions"}

# Modules whose classes have base classes of an extra: their package raises MissingPackageError.
NEEDS_EXTRA = {"rbd.gym.environments": {"gymnasium"}}


def classes(tree: ast.Module) -> list[str]:
    """Return the names of the classes that a module defines, also inside functions and classes."""
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


_CLOSED_KINDS = {"NamedTuple", "Protocol", "TypedDict", "Enum", "IntEnum", "StrEnum", "Exception"}
_FOR_USERS = {"Tag"}
"""Classes that users derive from, and rbd does not."""


def open_leaves(trees: list[ast.Module]) -> set[str]:
    """Return the classes that none derives from and that are not final; exceptions and structures need not be."""
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {node.name: {name for base in node.bases for name in _names_in(base)} for node in nodes}
    leaves = bases.keys() - {name for names in bases.values() for name in names} - _FOR_USERS
    final = {
        node.name for node in nodes if "final" in {name for mark in node.decorator_list for name in _names_in(mark)}
    }
    return {
        name
        for name in leaves - final
        if not (bases[name] & _CLOSED_KINDS or name.endswith(("Error", "Fault", "Warning")))
    }


def _names_in(expression: ast.expr) -> set[str]:
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(expression)
        if isinstance(node, (ast.Name, ast.Attribute))
    }


def modules() -> list[Path]:
    """Every module of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """Return the path inside the repository."""
    return path.relative_to(ROOT).as_posix()


def layer_of(path: Path) -> str:
    """Return the layer a module belongs to: its folder, or its own name at the top."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def rank(layer: str) -> int:
    """Return a layer's place, counted from the top."""
    return next(i for i, names in enumerate(LAYERS) if layer in names)


def later_parts_imported(path: Path, tree: ast.Module) -> list[str]:
    """Return imports from parts of the same package that stand after the module's own; also for type checkers."""
    parts = path.relative_to(PACKAGE).parts
    package = parts[0]
    order = PARTS.get(package, [])
    own = parts[1].removesuffix(".py") if len(parts) > 1 else "__init__"
    if own not in order:
        return [] if own == "__init__" or not order else [f"{own} is in no list of parts"]
    names = (name.split(".") for _, name in imports(tree) if name.startswith(f"rbd.{package}"))
    found = [name[2] if len(name) > 2 else "*" for name in names]
    return [name for name in found if name not in order or order.index(name) > order.index(own)]


def parameter_counts(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Yield (name in the module, number of parameters, number of those that are positional) of every function."""
    for owner, function in _functions(tree, ""):
        arguments = function.args
        bound = owner and not any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
        positional = len(arguments.posonlyargs) + len(arguments.args) - bool(bound)
        every = positional + len(arguments.kwonlyargs) + bool(arguments.vararg) + bool(arguments.kwarg)
        yield f"{owner}{function.name}", every, positional


def _functions(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the functions inside a node, each with the classes around it; "" for those that are no methods."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield owner, child
        inside = f"{owner}{child.name}." if isinstance(child, ast.ClassDef) else owner
        yield from _functions(child, "" if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else inside)


def many_parameters(path: Path, tree: ast.Module) -> list[str]:
    """Return the functions with more parameters than `MOST_PARAMETERS` whose further ones are no listed options."""
    module = module_name(path)
    return [
        name
        for name, every, positional in parameter_counts(tree)
        if every > MOST_PARAMETERS and (f"{module}.{name}" not in MANY_OPTIONS or positional > MOST_PARAMETERS)
    ]


def foreign_imports(tree: ast.Module) -> set[str]:
    """Return the top-level packages needed to import a module, except the standard library and rbd."""
    needed = {name.split(".")[0] for _, name in imports(top_level(tree))}
    return needed - set(sys.stdlib_module_names) - {"rbd"}


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) of everything imported absolutely, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "rbd":
            yield from ((node.lineno, f"rbd.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def top_level(tree: ast.Module) -> ast.Module:
    """Return what runs when a module is imported: not the bodies of functions, nor what only type checkers read."""
    return ast.Module([n for n in tree.body if not _is_deferred(n)], [])


def module_name(path: Path) -> str:
    """Return the dotted name of a module."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def run_time_imports(tree: ast.Module, modules: set[str]) -> set[str]:
    """Return the modules of rbd that a module imports when it runs: all but what only type checkers read."""
    hidden = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and node not in hidden:
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node not in hidden:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & modules or {node.module}
    return found & modules


def _is_deferred(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def forbidden_imports(path: Path, tree: ast.AST) -> list[str]:
    """Return the imports that point downwards in `LAYERS`."""
    layer = layer_of(path)
    wrong = [f"{line}: relative import {name}" for line, name in imports(tree) if name.startswith(".")]
    for line, name in imports(tree):
        parts = name.split(".")
        if parts[0] == "rbd" and len(parts) > 1 and not _allowed(layer, parts[1]):
            wrong.append(f"{line}: {layer} may not import {name}")
    return wrong


def _allowed(layer: str, imported: str) -> bool:
    if imported.startswith("__") or layer == imported or (layer, "*") in EXEMPT or (layer, imported) in EXEMPT:
        return True
    return rank(imported) < rank(layer)


def imports_past_the_definition(path: Path, tree: ast.AST) -> list[str]:
    """Return names imported from the list of a package that takes them from another layer itself."""
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and path.name != "__init__.py"]
    names = ((node, alias.name, _list_of(node.module or "")) for node in nodes for alias in node.names)
    return [f"{node.lineno}: {name}" for node, name, module in names if name in _names_of_other_layers(module)]


def _list_of(module: str) -> Path:
    return ROOT.joinpath(*module.split("."), "__init__.py")


@cache
def _names_of_other_layers(path: Path) -> set[str]:
    """Return the names that a package's list imports from other layers; rbd itself and modules have none."""
    if PACKAGE not in path.parent.parents or not path.exists():
        return set()
    nodes = (n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.ImportFrom))
    others = (n for n in nodes if not f"{n.module}.".startswith(f"rbd.{layer_of(path)}."))
    return {alias.asname or alias.name for node in others for alias in node.names}


def inexact_literals(tree: ast.AST) -> list[str]:
    """Return the float and complex literals other than 0 and 1."""
    numbers = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, float | complex))
    return [f"{n.lineno}: {n.value!r}" for n in numbers if n.value not in (0.0, 1.0)]


# What an algorithm must ask the state for, so that a recording may bake it in or make it an input.
PARAMETERS = {"inertia", "placement", "successor_placement", "gravity", "damping", "friction", "friction_velocity"}
PARAMETERS |= {"armature", "bound_stiffness", "bound_damping", "position_bounds"}


def parameters_read_past_the_state(tree: ast.Module) -> list[str]:
    """Return `x.inertia` and the like where x is not a state, as far as names tell, in all that serves a state.

    Functions of a mechanism alone, such as its mass, have no state to ask.
    """
    reads = (n for f in _serving_a_state(tree) for n in ast.walk(f) if isinstance(n, ast.Attribute))
    return [f"{n.lineno}: {ast.unparse(n)}" for n in reads if n.attr in PARAMETERS and _is_structure(n.value)]


def _serving_a_state(tree: ast.Module) -> list[ast.FunctionDef]:
    """Return the functions that take a state, and those of the module that they use."""
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    found = [f for f in functions.values() if any(arg.arg == "state" for arg in f.args.args)]
    for function in found:  # grows while it is walked
        named = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
        found += [functions[name] for name in sorted(named & set(functions)) if functions[name] not in found]
    return found


def _is_structure(node: ast.expr) -> bool:
    """Whether an expression is, by its name, a mechanism, a body, a joint or a joint's type."""
    last = ast.unparse(node).split("(")[0].split(".")[-1].split("[")[0].lstrip("_")
    words = {"mechanism", "body", "joint", "bodies", "joints", "root_body", "successor", "predecessor", "type"}
    return last in words or last.endswith(("_body", "_joint", "joint_type"))


def hidden_tolerances(tree: ast.AST) -> list[str]:
    """Return comparisons that name an absolute tolerance and let NumPy add its relative one of 1e-7."""
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and ast.unparse(n.func).endswith("assert_allclose"))
    named = ((n, {keyword.arg for keyword in n.keywords}) for n in calls if len(n.args) < 3)
    return [f"{n.lineno}: {ast.unparse(n)}" for n, names in named if "atol" in names and "rtol" not in names]


def value_branches(tree: ast.AST) -> list[str]:
    """Return the conditions that compare with a float: only values are floats, structure is counted."""
    tests = (n for n in ast.walk(tree) if isinstance(n, ast.If | ast.IfExp | ast.While))
    compared = ((t.lineno, c) for t in tests for c in ast.walk(t.test) if isinstance(c, ast.Compare))
    return [f"{line}: {ast.unparse(c)}" for line, c in compared if any(_is_float(x) for x in [c.left, *c.comparators])]


def _is_float(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)
