"""Mutation testing: change rbd in one place, and see whether its tests fail.

    python scripts/mutate.py spatial joints --count 20 --seed 1

Mutants are drawn at random from all places of a group of packages: comparisons and arithmetic operators swapped,
constants moved by one, conditions negated, statements deleted. Each runs the tests of its group in a copy of the
sources until one fails, those first that name the changed module. Prints those that survive, and a line of totals per
group; `--page` writes the totals into docs/reliability.md, with the commit.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, cast

ROOT = Path(__file__).resolve().parents[1]
_OF_CONTACT = (
    "coulomb",
    "coulomb_native",
    "quadratic_program",
    "projected_program",
    "interval_program",
    "dual_active_set",
    "interior_point",
    "round_cones",
    "cone_projection",
    "operation_bounds",
)
_CONTACT = tuple(f"tests/contact/test_{name}.py" for name in _OF_CONTACT)
GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "spatial": (("spatial",), ("tests/spatial",)),
    "joints": (("joints",), ("tests/joints",)),
    "solvers": (("solvers",), ("tests/scalars", *_CONTACT, "tests/algorithms/loops")),
    "urdf": (("urdf", "files", "meshes"), ("tests/urdf", "tests/files", "tests/meshes")),
    "mjcf": (("mjcf", "files", "meshes"), ("tests/mjcf", "tests/files", "tests/meshes")),
}
"""Packages, and the tests that must find changes of them."""
TIMEOUT = 3600.0
"""Seconds after which tests count as failed: several times what all tests of a group take, so that only hangs do."""
SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.USub: ast.UAdd,
}


class Mutant(NamedTuple):
    """A change of a file: the line, what is there, and the source with the change."""

    path: Path
    line: int
    change: str
    source: str

    @property
    def title(self) -> str:
        """Return where the change is, and what it is."""
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.change}"


def main(arguments: Sequence[str]) -> int:
    """Draw and run mutants; print what survives."""
    options = parse_arguments(arguments)
    rows: list[tuple[str, int, int, str]] = []
    for group in options.groups:
        outcomes = [is_killed(mutant, GROUPS[group][1]) for mutant in draw_mutants(group, options.count, options.seed)]
        score = f"{100 * sum(outcomes) / max(1, len(outcomes)):.0f} %"
        rows.append((f"`{'`, `'.join(GROUPS[group][0])}`", len(outcomes), sum(outcomes), score))
        print(f"{group}: {sum(outcomes)} of {len(outcomes)} mutants found, {score}", flush=True)
    if options.page:
        sys.path.insert(0, str(ROOT))
        from docs.page_tables import commit, known, put, table

        page = ROOT / "docs" / "reliability.md"
        found = {str(row[0]): row for row in (*known(page, "mutants"), *((*row, commit()) for row in rows))}
        heading = ("packages", "mutants", "found", "score", "commit")
        put(page, {"mutants": table(heading, sorted(found.values(), key=str))})
    return 0


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], default=list(GROUPS))
    parser.add_argument("--count", type=int, default=20, help="mutants of each group")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", action="store_true", help="write the totals into docs/reliability.md")
    return parser.parse_args(arguments)


def draw_mutants(group: str, count: int, seed: int) -> list[Mutant]:
    """Draw mutants of a group; every place is equally likely."""
    files = [path for package in GROUPS[group][0] for path in sorted((ROOT / "rbd" / package).rglob("*.py"))]
    places = [(path, number) for path in files for number, _ in enumerate(changes(ast.parse(path.read_text())))]
    chosen = random.Random(seed).sample(places, min(count, len(places)))
    return [make_mutant(path, number) for path, number in chosen]


def make_mutant(path: Path, number: int) -> Mutant:
    """Return the mutant of a file with one of its changes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node, apply = list(changes(tree))[number]
    before = ast.unparse(node)
    apply()
    after = ast.unparse(node)
    if before == after:
        after = "pass" if isinstance(node, ast.stmt) else f"not ({before})"  # `apply` has changed what is around it
    change = f"{before.splitlines()[0]} -> {after}"
    return Mutant(path, getattr(node, "lineno", 0), change[:150], ast.unparse(ast.fix_missing_locations(tree)))


def changes(tree: ast.Module) -> Iterator[tuple[ast.AST, Callable[[], None]]]:
    """Yield nodes, and a function that changes the node or its place in the tree."""
    for node in code(tree):
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.BoolOp)) and type(node.op) in SWAPS:
            yield node, swap_operator(node)
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield node, swap_comparison(node)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            yield node, change_constant(node)
        elif isinstance(node, (ast.If, ast.IfExp)):
            yield node.test, negate(node)
        if not isinstance(node, (ast.ClassDef, ast.Module)):
            for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
                yield from deletions(cast("list[ast.stmt]", body) if isinstance(body, list) else [])


def code(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a module that run: neither annotations, decorators, imports nor blocks for type checkers."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.AnnAssign)) or typing_only(node):
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                waiting.append(node.value)
            continue
        yield node
        skipped = {"annotation", "returns", "decorator_list", "args", "bases", "type_params"}
        if isinstance(node, ast.Call):
            skipped -= {"args"}
        for field, value in ast.iter_fields(node):
            if field not in skipped:
                parts = cast("list[object]", value if isinstance(value, list) else [value])
                waiting += [each for each in parts if isinstance(each, ast.AST)]


def typing_only(node: ast.AST) -> bool:
    """Return whether a node is an overload, or a block of `if TYPE_CHECKING`."""
    if isinstance(node, ast.FunctionDef):
        return any(ast.unparse(each) == "overload" for each in node.decorator_list)
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def swap_operator(node: ast.BinOp | ast.UnaryOp | ast.BoolOp) -> Callable[[], None]:
    """Return a function that replaces an operator."""

    def apply() -> None:
        node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]  # of the same family

    return apply


def swap_comparison(node: ast.Compare) -> Callable[[], None]:
    """Return a function that replaces a comparison."""

    def apply() -> None:
        node.ops[0] = SWAPS[type(node.ops[0])]()  # type: ignore[call-overload]  # a comparison

    return apply


def change_constant(node: ast.Constant) -> Callable[[], None]:
    """Return a function that changes a constant."""

    def apply() -> None:
        node.value = (not node.value) if isinstance(node.value, bool) else int(str(node.value)) + 1

    return apply


def negate(node: ast.If | ast.IfExp) -> Callable[[], None]:
    """Return a function that negates a condition."""

    def apply() -> None:
        node.test = ast.UnaryOp(ast.Not(), node.test)

    return apply


def deletions(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, Callable[[], None]]]:
    """Yield statements, and functions that delete them."""
    for place, statement in enumerate(body):
        text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise)) and not text:
            yield statement, delete(body, place)


def delete(body: list[ast.stmt], place: int) -> Callable[[], None]:
    """Return a function that deletes a statement."""

    def apply() -> None:
        body[place] = ast.Pass()

    return apply


def ordered_tests(mutant: Mutant, tests: Sequence[str]) -> list[str]:
    """Return the files of tests, those first that name the module which the mutant changes."""
    paths = [ROOT / each for each in tests]
    files = [each for path in paths for each in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]
    files.sort(key=lambda each: mutant.path.stem not in each.read_text(encoding="utf-8"))
    return [str(each.relative_to(ROOT)) for each in files]


def is_killed(mutant: Mutant, tests: Sequence[str]) -> bool:
    """Return whether a test fails for a mutant; print it if none does."""
    with tempfile.TemporaryDirectory(prefix="rbd-mutant-") as folder:
        here = Path(folder)
        shutil.copytree(ROOT / "rbd", here / "rbd", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("tests", "docs", "README.md", "SECURITY.md", "pyproject.toml", "scripts", "typings"):
            (here / name).symlink_to(ROOT / name)
        (here / mutant.path.relative_to(ROOT)).write_text(mutant.source, encoding="utf-8")
        cache = f"cache_dir={ROOT / '.pytest_cache'}"  # LLVM's answers: the same text gives the same code
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-o", cache, "-p", "no:randomly"]
        environment = {**os.environ, "PYTHONPATH": folder, "RBD_CACHE_DIR": f"{folder}/cache"}
        try:
            done = subprocess.run(
                [*command, *ordered_tests(mutant, tests)],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            print(f"hangs: {mutant.title}", flush=True)
            return True
    if done.returncode == 0:
        print(f"survived: {mutant.title}", flush=True)
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
