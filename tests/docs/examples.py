"""Find, run and type-check the examples of the documentation.

A page's fenced `python` blocks run in order and share one namespace. What a statement prints stands right below it,
each line behind `#>`; `...` stands for anything, and numbers are compared to the digits shown. Blocks of `>>>` lines
work too. A docstring's `>>>` lines run alone, in a namespace that holds its module's names and nothing else.

    python -m tests.docs.examples docs/frames.md            run a page
    python -m tests.docs.examples --update docs/frames.md   and write what it prints below its statements
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import doctest
import importlib
import io
import linecache
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import attrs
from sybil import Document, Example
from sybil.document import PythonDocStringDocument
from sybil.evaluators.doctest import NUMBER, OutputChecker
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

ROOT = Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | NUMBER
MARK = "#>"
FRAME_ID = re.compile(r"#[0-9a-f]{6}\b")  # random: other in every run
MANY_DIGITS = re.compile(r"-?\b\d+\.\d{9,}(?:e[+-]?\d+)?")


def pages() -> list[Path]:
    """Every page whose examples count: the README and the documentation."""
    built = ROOT / "docs" / "_build"
    return [ROOT / "README.md", *(p for p in sorted(ROOT.glob("docs/**/*.md")) if built not in p.parents)]


def modules() -> list[Path]:
    """Every module of the package."""
    return sorted(ROOT.glob("rbd/**/*.py"))


def name_of(path: Path) -> str:
    """Name a page or module by its path in the repository, for messages and test names."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


# -- pages ------------------------------------------------------------------------------------------------------------


@attrs.frozen
class Outcome:
    """What one statement printed, and what the page says it prints (None: nothing is said)."""

    statement_end: int  # line numbers of the page, from 1
    shown_end: int
    printed: str
    shown: str | None

    @property
    def matches(self) -> bool:
        if self.shown is None:
            return not self.printed
        return OutputChecker().check_output(self.shown, self.printed, FLAGS)

    @property
    def complaint(self) -> str:
        shown = "shows no output" if self.shown is None else f"shows\n{_indented(self.shown)}"
        return f"line {self.statement_end} prints\n{_indented(self.printed or '(nothing)')}\nbut the page {shown}"


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


class PageParser(PythonCodeBlockParser):
    """Sybil's parser of fenced `python` blocks, checking what they print."""

    def __init__(self, outcomes: list[Outcome] | None = None) -> None:
        super().__init__(doctest_optionflags=FLAGS)
        self.outcomes: list[Outcome] = [] if outcomes is None else outcomes
        self.codeblock_parser = CodeBlockParser("python", self.run_block)

    def run_block(self, example: Example) -> str | None:
        for outcome in _run_statements(example):
            self.outcomes.append(outcome)
        wrong = [o for o in self.outcomes if not o.matches]
        return wrong[0].complaint if wrong else None


def _run_statements(example: Example) -> Iterator[Outcome]:
    before = "\n" * (example.line + example.parsed.line_offset)  # so that tracebacks name lines of the page
    source = before + example.parsed
    lines = source.splitlines()
    body = ast.parse(source, example.path).body
    starts = [min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) for node in body]
    for node, following in zip(body, [*starts, len(lines) + 1][1:], strict=True):
        end = node.end_lineno or node.lineno
        code = compile(ast.Module([node], []), example.path, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, example.namespace)
        shown = _shown(lines[end : following - 1])
        yield Outcome(end, end + len(shown), out.getvalue(), "".join(shown) if shown else None)


def _shown(lines: Sequence[str]) -> list[str]:
    shown: list[str] = []
    for line in lines:
        if not line.startswith(MARK):
            break
        shown.append(line.removeprefix(MARK).removeprefix(" ") + "\n")
    return shown


def run_page(path: Path, outcomes: list[Outcome] | None = None) -> dict[str, object]:
    """Run a page's examples in order and return their names; raise at the first that fails, or is to be skipped."""
    document = Document.parse(str(path), PageParser(outcomes), SkipParser())
    linecache.checkcache(str(path))
    with _namespace_module(path) as namespace:
        document.namespace = namespace
        for example in document.examples():
            example.evaluate()
        return dict(namespace)


@contextlib.contextmanager
def _namespace_module(path: Path) -> Iterator[dict[str, object]]:
    """Give a page a real module, so that classes defined in examples pickle and resolve their annotations."""
    module = ModuleType(module_name(path))
    sys.modules[module.__name__] = module
    try:
        yield module.__dict__
    finally:
        del sys.modules[module.__name__]


def module_name(path: Path) -> str:
    """Name the module that holds a page's examples."""
    return "page_" + name_of(path).removesuffix(".md").replace("/", "_").replace("-", "_").lower()


def page_source(path: Path) -> str:
    """Return a page's examples as one module, every statement on its line of the page."""
    lines = [""] * (path.read_text(encoding="utf-8").count("\n") + 1)
    for example in Document.parse(str(path), PageParser()).examples():
        is_doctest = isinstance(example.parsed, doctest.Example)
        source = example.parsed.source if is_doctest else example.parsed
        first = example.line - 1 if is_doctest else example.line
        for offset, line in enumerate(source.splitlines()):
            lines[first + offset] = line
    return "\n".join(lines).rstrip() + "\n"


# -- docstrings -------------------------------------------------------------------------------------------------------


def docstrings(path: Path) -> Iterator[Document]:
    """Yield each docstring of a module that has examples, as a document with the module's line numbers."""
    text = path.read_text(encoding="utf-8")
    parser = DocTestParser(FLAGS)
    for start, end, _ in PythonDocStringDocument.extract_docstrings(text):
        document = Document("\n" * text.count("\n", 0, start) + text[start:end], str(path))
        document.namespace.update(vars(_module(path)))
        for region in parser(document):
            document.add(region)
        if document.regions:
            yield document


def _module(path: Path) -> ModuleType:
    return importlib.import_module(name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."))


def run_docstring(document: Document) -> None:
    """Run a docstring's examples in a namespace of their own."""
    for example in document.examples():
        example.evaluate()


# -- by hand ----------------------------------------------------------------------------------------------------------


def update(path: Path) -> int:
    """Write what a page's statements print below them; return how many places changed."""
    wrong = _wrong_outcomes(path)
    lines = path.read_text(encoding="utf-8").split("\n")
    for outcome in reversed(wrong):
        printed = [f"{MARK} {_lasting(line)}".rstrip() for line in outcome.printed.splitlines()]
        lines[outcome.statement_end : outcome.shown_end] = printed
    path.write_text("\n".join(lines), encoding="utf-8")
    return len(wrong)


def _lasting(line: str) -> str:
    """Return a printed line without what another run or machine prints differently: frame ids, the last digits."""
    return MANY_DIGITS.sub(lambda found: _rounded(float(found[0])), FRAME_ID.sub("#...", line))


def _rounded(x: float) -> str:
    text = f"{x:.6g}"
    return text if "." in text or "e" in text else text + ".0"  # an integer would be compared as text


def _wrong_outcomes(path: Path) -> list[Outcome]:
    """Run a page to its end whatever it prints; return the statements whose output differs."""
    wrong: list[Outcome] = []
    parser = CodeBlockParser("python", lambda e: wrong.extend(o for o in _run_statements(e) if not o.matches))
    document = Document.parse(str(path), parser)
    with _namespace_module(path) as namespace:
        document.namespace = namespace
        for example in document.examples():
            example.evaluate()
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Run or update pages from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.docs.examples", description="Run the pages' examples.")
    parser.add_argument("page", nargs="*", type=Path, default=pages())
    parser.add_argument("--update", action="store_true", help="write what statements print below them")
    options = parser.parse_args(arguments)
    for page in options.page:
        path = page.resolve()
        changed = update(path) if options.update else 0
        run_page(path)
        print(f"{name_of(path)}: ok" + (f", {changed} outputs updated" if changed else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
