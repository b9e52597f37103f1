"""CPython 3.12 and newer: Ctrl-C inside a `with` block or `try ... finally` must not skip what ends the block.

CPython checks for signals at backward jumps. The jump behind a condition (an `if` at the end of a loop, a filter of a
comprehension, the condition of `while`) is missing in the exception tables of 3.12 and 3.13: an interrupt there leaves
the function at once, and a lock stays held for ever (github.com/python/cpython/issues/130279). A loop with such a jump
belongs in a function of its own, which the block calls. CPython 3.11 has no such jumps.
"""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

from tests import architecture

HAS_UNGUARDED_JUMPS = (3, 12) <= sys.version_info < (3, 14)


def unguarded_loops(source: str) -> list[str]:
    """Return the functions, with lines, in which a backward jump inside such a block misses in the exception table."""
    blocks = list(_blocks(ast.parse(source)))
    return [
        f"{code.co_qualname}: line {line}"
        for code in _functions(compile(source, "<source>", "exec"))
        for line in sorted(set(_unguarded_jumps(code)))
        if any(code.co_firstlineno < first <= line <= last for first, last in blocks)
    ]


def _blocks(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of blocks at whose end something is called, however they end."""
    for node in ast.walk(tree):
        if isinstance(node, ast.With) or (isinstance(node, ast.Try) and node.finalbody):
            handled = [] if isinstance(node, ast.With) else [each for h in node.handlers for each in h.body]
            last = [*node.body, *handled][-1]
            yield node.body[0].lineno, last.end_lineno or last.lineno


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Yield all code but generator expressions and lambdas: their loops end with themselves."""
    if code.co_name not in ("<genexpr>", "<lambda>"):
        yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _functions(constant)


def _unguarded_jumps(code: CodeType) -> Iterator[int]:
    guarded = {offset for entry in dis._parse_exception_table(code) for offset in range(entry.start, entry.end)}
    for each in dis.get_instructions(code):
        if each.opname == "JUMP_BACKWARD" and each.offset not in guarded and each.positions and each.positions.lineno:
            yield each.positions.lineno


@pytest.mark.parametrize("path", architecture.modules(), ids=architecture.name_of)
def test_no_interrupt_skips_the_end_of_a_block(path: Path) -> None:
    assert not unguarded_loops(path.read_text(encoding="utf-8"))


LOOPS = (
    "for k in range(9):\n            if k:\n                print(k)",
    "while held:\n            pass",
    "[k for k in range(9) if k]",
)


@pytest.mark.skipif(not HAS_UNGUARDED_JUMPS, reason="this CPython guards all jumps")
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("block", ["with held:\n        {}", "try:\n        {}\n    finally:\n        print()"])
def test_the_rule_finds_unguarded_jumps(block: str, loop: str) -> None:
    inside = block.format(loop)
    assert unguarded_loops(f"def found(held):\n    {inside}\n")
    outside = loop.replace("\n    ", "\n")
    assert not unguarded_loops(
        f"def called(held):\n    {outside}\n\ndef calls(held):\n    {block.format('called(held)')}\n"
    )
