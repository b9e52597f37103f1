"""The planted mistakes of `must_fail.py` that are operations raise when they run; the others are annotations."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

import pytest

import rbd
from tests.checkers import MUST_FAIL
from tests.docs.examples import ROOT
from tests.typing import frames, must_fail
from tests.typing.test_typing import marked_lines

SOURCE = MUST_FAIL.read_text(encoding="utf-8")
OPERATIONS = {
    statement.lineno: statement.value
    for function in ast.parse(SOURCE).body
    if isinstance(function, ast.FunctionDef)
    for statement in function.body
    if isinstance(statement, ast.Expr) and statement.lineno in marked_lines()
}


@cache
def namespace() -> dict[str, Any]:
    """Return the names of the module, with a mechanism in which the hand moves in the world."""
    root = rbd.RigidBody("root")
    root.add_frame(rbd.Transform(frames.world, root.default_frame))
    mechanism = rbd.Mechanism(root)
    body = rbd.RigidBody("hand", frames.inertia_h)
    body.add_frame(rbd.Transform(rbd.Frame("hand"), frames.hand))
    mechanism.attach(root, body, rbd.Joint("wrist", rbd.Revolute((0, 0, 1))))
    return {**vars(must_fail), "mechanism": mechanism, "state": rbd.MechanismState(mechanism)}


def test_the_mechanism_has_the_frames() -> None:
    state = namespace()["state"]
    assert isinstance(state.relative_transform(frames.hand, frames.world) @ frames.point_h, rbd.Point)


@pytest.mark.parametrize("line", OPERATIONS)
def test_an_operation_that_the_checkers_report_raises(line: int) -> None:
    code = compile(ast.Expression(OPERATIONS[line]), str(MUST_FAIL), "eval")
    with pytest.raises((rbd.errors.RbdError, TypeError)):
        eval(code, namespace())


def test_most_are_frames_that_differ() -> None:
    raised: list[type[BaseException]] = []
    for expression in OPERATIONS.values():
        try:
            eval(compile(ast.Expression(expression), str(MUST_FAIL), "eval"), namespace())
        except (rbd.errors.RbdError, TypeError) as error:
            raised.append(type(error))
    assert raised.count(rbd.errors.FrameMismatchError) > 60
    assert rbd.errors.UnknownNameError not in raised  # the mechanism has what the lines ask for


def test_the_readme_tells_the_numbers() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    found = re.search(r"all (\d+) mistakes planted .*? The (\d+) of these that are operations", text)
    assert found is not None
    assert tuple(map(int, found.groups())) == (len(marked_lines()), len(OPERATIONS))
