"""CPython 3.12 and newer: Ctrl-C inside a `with` block or `try` must not skip `__exit__`, `finally` or `except`.

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
from types import CodeType

import pytest

from tests import architecture

MODULES = architecture.modules()
HAS_UNGUARDED_JUMPS = sys.version_info >= (3, 12)


def unguarded_loops(source: str) -> list[str]:
    """Return functions and lines of backward jumps in such blocks that are missing from exception tables."""
    blocks = list(_blocks(ast.parse(source)))
    return [
        f"{code.co_qualname}: line {line}"
        for code in _functions(compile(source, "<source>", "exec"))
        for line in sorted(set(_unguarded_jumps(code)))
        if any(code.co_firstlineno < first <= line <= last for first, last in blocks)
    ]


def _blocks(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines of blocks behind which something is called, however they end."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            yield _lines(node.body)
        elif isinstance(node, (ast.Try, ast.TryStar)) and node.finalbody:
            yield _lines([*node.body, *(each for handler in node.handlers for each in handler.body), *node.orelse])
        elif isinstance(node, (ast.Try, ast.TryStar)) and any(map(_catches_interrupts, node.handlers)):
            yield _lines(node.body)


def _catches_interrupts(handler: ast.ExceptHandler) -> bool:
    names = "BaseException" if handler.type is None else ast.unparse(handler.type)
    return "BaseException" in names or "KeyboardInterrupt" in names


def _lines(statements: list[ast.stmt]) -> tuple[int, int]:
    return statements[0].lineno, statements[-1].end_lineno or statements[-1].lineno


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


def test_no_interrupt_skips_the_end_of_a_block() -> None:
    found = {architecture.name_of(path): unguarded_loops(path.read_text(encoding="utf-8")) for path in MODULES}
    assert len(found) > 700
    assert {name: loops for name, loops in found.items() if loops} == {}


LOOPS = (
    "for k in range(9):\n            if k:\n                print(k)",
    "while held:\n            pass",
    "[k for k in range(9) if k]",
)
BLOCKS = (
    "with held:\n        {}",
    "try:\n        {}\n    finally:\n        print()",
    "try:\n        {}\n    except BaseException:\n        print()\n        raise",
    "try:\n        print()\n    except ValueError:\n        {}\n    finally:\n        print()",
    "try:\n        print()\n    except ValueError:\n        pass\n    else:\n        {}\n    finally:\n        print()",
)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="what CPython 3.14 guards is not known")
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("block", BLOCKS)
def test_the_rule_finds_unguarded_jumps(block: str, loop: str) -> None:
    inside = block.format(loop)
    assert bool(unguarded_loops(f"def found(held):\n    {inside}\n")) == HAS_UNGUARDED_JUMPS
    outside = loop.replace("\n    ", "\n")
    assert not unguarded_loops(
        f"def called(held):\n    {outside}\n\ndef calls(held):\n    {block.format('called(held)')}\n"
    )
