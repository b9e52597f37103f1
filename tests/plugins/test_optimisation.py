"""Levels of LLVM's optimisation: what runs without it and what does not."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from rbd.contact import solve_qp
from rbd.engine import transform_arithmetic
from rbd.native import repeat, shared_functions
from rbd.native.builtins import builtin, step_loop, value_builtin
from rbd.native.runtime import jit
from rbd.native.runtime.thread_pool import ThreadPool
from tests.plugins import optimisation
from tests.plugins.optimisation import use_level

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def levels(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The levels of optimisation of the code that is made from now on; none comes from disk."""
    found, native_code = list[int](), jit.native_code

    def noted(text: str, level: int) -> bytes:
        found.append(level)
        return native_code(text, level)

    monkeypatch.setenv("RBD_CACHE", "0")
    monkeypatch.setattr(jit, "native_code", noted)
    yield found
    use_level(1)


def test_kept_functions_have_the_level_of_the_test(levels: list[int]) -> None:
    """A function that was made without optimisation is made again with it, and the other way round."""

    def new_levels() -> set[int]:
        levels.clear()
        solve_qp(np.eye(2), [1.0, 2.0], [[1.0, 1.0]], [4.0])
        return set(levels)

    new_levels()  # makes the code that all programs share
    for _ in range(2):  # the second time, functions of both levels were made before
        for level in (0, 1):
            use_level(level)
            assert (new_levels(), new_levels()) == ({level}, set())
            use_level(level)
            assert new_levels() == set()


@pytest.mark.parametrize(
    ("file", "marker", "level"),
    [
        ("tests/contact/test_x.py", None, 0),
        ("tests/contact/test_x.py", pytest.mark.optimised, 1),
        ("tests/contact/test_x.py", pytest.mark.optimised(False), 0),
        ("tests/native/test_x.py", None, 1),
        ("tests/native/codegen/test_x.py", None, 0),
    ],
)
def test_folder_and_marker_decide_the_level(file: str, marker: pytest.MarkDecorator | None, level: int) -> None:
    mark = None if marker is None else marker.mark
    item = SimpleNamespace(nodeid=f"{file}::test_x", get_closest_marker={"optimised": mark}.get)
    assert optimisation.level_of(cast("pytest.Item", item)) == level


def test_caches_of_compiled_functions_are_emptied_with_all_others() -> None:
    """A function of rbd that caches what has machine code is a `function_cache`; one of tests is `cached_by_level`."""
    found = set[str]()
    for path in (*ROOT.glob("rbd/**/*.py"), *ROOT.glob("tests/**/*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        functions = (node for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.FunctionDef))
        found |= {f"{module}.{each.name}" for each in functions if is_cache_of_functions(each)}
    assert found == set()


def is_cache_of_functions(function: ast.FunctionDef) -> bool:
    decorators = " ".join(map(ast.unparse, function.decorator_list))
    is_cached = re.search(r"\b(lru_)?cache\b", decorators) is not None
    return is_cached and "RecordedFunction" in ast.unparse(function.returns or ast.Constant(None))


def test_cached_by_level_calls_once_for_each_level(monkeypatch: pytest.MonkeyPatch) -> None:
    levels = list[int]()

    @optimisation.cached_by_level
    def made(number: int) -> int:
        levels.append(jit.OPTIMISATION_LEVEL)
        return number

    for _ in range(2):
        monkeypatch.setattr(jit, "OPTIMISATION_LEVEL", 0)
        assert (made(1), made(2), made(number=1)) == (1, 2, 1)
        monkeypatch.setattr(jit, "OPTIMISATION_LEVEL", 1)
        assert made(1) == 1
    assert levels == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "make",
    [
        *(module._code.__wrapped__ for module in (repeat, builtin, step_loop, value_builtin)),
        lambda: shared_functions._sines().addresses,
        transform_arithmetic.arithmetic_code.__wrapped__,
    ],
)
def test_code_that_all_programs_share_is_optimised(make: Callable[[], object], levels: list[int]) -> None:
    use_level(0)
    made = make()
    assert set(levels) == {1}
    assert made


def test_background_tasks_end_before_the_level_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    found, mine = list[int](), ThreadPool("mine", 1)
    monkeypatch.setattr(optimisation, "compiler_thread", mine)

    def compile_slowly() -> None:
        time.sleep(0.1)
        found.append(jit.OPTIMISATION_LEVEL)

    for level in (0, 1):
        mine.submit(compile_slowly)
        use_level(level)
    assert found == [1, 0]
    mine.end()
