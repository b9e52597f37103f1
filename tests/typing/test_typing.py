"""mypy --strict and pyright (strict) find every planted frame mistake, and accept everything that is right."""

from __future__ import annotations

import pytest

from rbd.errors import FrameMismatchError
from tests.checkers import MUST_FAIL, MUST_PASS, Report

FEWEST_MISTAKES = 100


def marked_lines() -> set[int]:
    lines = MUST_FAIL.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("  # E")}


def test_enough_mistakes_are_planted() -> None:
    assert len(marked_lines()) >= FEWEST_MISTAKES


def test_every_mistake_is_found(type_report: Report) -> None:
    assert marked_lines() - type_report[MUST_FAIL.name].keys() == set()


def test_nothing_else_is_reported(type_report: Report) -> None:
    marked = marked_lines()
    assert {line: said for line, said in type_report[MUST_FAIL.name].items() if line not in marked} == {}
    assert MUST_PASS.name not in type_report


def test_the_examples_run() -> None:
    """What the checkers accept works; the values themselves are tests of their own."""
    from tests.typing import must_pass

    for check in (must_pass.transforms, must_pass.literals, must_pass.points_and_vectors, must_pass.motions):
        check()
    must_pass.forces()
    must_pass.matrices()
    must_pass.comparison()


def test_the_check_at_run_time_sees_what_types_cannot() -> None:
    """Values without tags pass the checkers; their frames are compared all the same."""
    from tests.typing import must_pass

    with pytest.raises(FrameMismatchError):
        must_pass.frames_born_at_run_time(["a", "b", "c"])
