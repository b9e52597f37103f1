"""Context of reading a robot file: strictness, look-ups by name, and errors with file and line."""

from __future__ import annotations

import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, TypeVar

from rbd.arguments import require_kind
from rbd.errors import FileError, RbdError, quoted
from rbd.files import numbers
from rbd.files.formats import Format
from rbd.files.limits import FileLimits
from rbd.files.names import name_problem
from rbd.files.report import FileReport, Finding
from rbd.files.xml import XmlElement, error_in

_Error = TypeVar("_Error", bound=FileError)
_MAX_ERRORS: Final = 100


class FileReading:
    """Context of reading one robot file, and those it includes: options and findings."""

    def __init__(self, file_format: Format, *, strict: bool, limits: FileLimits) -> None:
        """Begin without findings."""
        self.format = file_format
        self.ignored: list[Finding] = []
        self.warnings: list[Finding] = []
        self.strict = strict
        self.limits = limits
        self._errors: dict[str, FileError] = {}
        self._warned: set[Finding] = set()

    def warn(self, node: XmlElement, message: str, *, refused: bool = False, attribute: str | None = None) -> None:
        """Add a warning once, however many elements a default or copies have; `refused` if `strict=True` refuses it."""
        finding = Finding(node.file, node.line, node.path, attribute, message, refused)
        if finding not in self._warned:
            self._warned.add(finding)
            self.warnings.append(finding)

    def ignore(
        self, node: XmlElement, attribute: str | None = None, reason: str = "unknown", line: int | None = None
    ) -> None:
        """List an element or attribute as not honoured."""
        place = node.line if line is None else line
        self.ignored.append(Finding(node.file, place, node.path, attribute, reason))

    def error(self, kind: type[_Error], node: XmlElement, message: str, /, **fields: object) -> _Error:
        """Return an error of `kind` at `node`."""
        return error_in(kind, node, message, **fields)

    def warn_or_refuse(
        self,
        node: XmlElement,
        message: str,
        /,
        *,
        remedy: str | None = None,
        kind: type[FileError] | None = None,
        attribute: str | None = None,
        **fields: object,
    ) -> None:
        """Raise an error when strict, else warn. `remedy` says what is used instead, if anything."""
        if not self.strict:
            text = message if remedy is None else f"{message}; {remedy}"
            self.warn(node, text, refused=True, attribute=attribute)
            return
        advice = "strict=False loads the rest" if remedy is None else f"strict=False: {remedy}"
        error = kind or (self.format.refused_error if remedy is None else self.format.value_error)
        raise self.error(error, node, f"{message} ({advice})", attribute=attribute, **fields)

    def ignore_unknown(
        self, node: XmlElement, attributes: frozenset[str], children: frozenset[str] = frozenset()
    ) -> None:
        """List every attribute, child element and text of `node` that its reader does not know."""
        for attribute in node.attributes:
            if attribute not in attributes and not attribute.startswith("xmlns"):
                self.ignore(node, attribute)
        for child in node.children:
            if child.tag not in children:
                self.ignore(child)
        if node.text_line is not None:
            self.ignore(node, None, "text", node.text_line)

    def single_child(self, node: XmlElement, tag: str) -> XmlElement | None:
        """Return the one child named `tag`, or None; two are refused (strict) or the first is taken."""
        children = [child for child in node.children if child.tag == tag]
        if len(children) > 1:
            message = f"a second <{tag}>; the first is in line {children[0].line}"
            self.warn_or_refuse(children[1], message, remedy="the first is taken")
        return children[0] if children else None

    def number(self, node: XmlElement, attribute: str, default: float | None = None) -> float:
        """Return a number of any magnitude (a bound, a gain)."""
        return numbers.numbers_in(self.format, node, attribute, 1, 1, None if default is None else (default,))[0]

    def quantity(self, node: XmlElement, attribute: str, default: float | None = None) -> float:
        """Return a physical quantity (a mass, a moment), whose magnitude is limited: products must not overflow."""
        return self.quantities(node, attribute, 1, 1, None if default is None else (default,))[0]

    def vector(self, node: XmlElement, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Return as many numbers as `default` has, none larger than the limit."""
        return self.quantities(node, attribute, len(default), len(default), default)

    def quantities(
        self,
        node: XmlElement,
        attribute: str,
        min_count: int,
        max_count: int,
        default: tuple[float, ...] | None = None,
    ) -> tuple[float, ...]:
        """Return `min_count` to `max_count` physical quantities, whose magnitude is limited."""
        values = numbers.numbers_in(self.format, node, attribute, min_count, max_count, default)
        for value in values:
            if abs(value) > self.limits.magnitude:
                message = f"{attribute}: {value!r} is beyond {self.limits.magnitude:g}, no physical quantity"
                raise self.error(self.format.value_error, node, message, attribute=attribute, limit="magnitude")
        return values

    def name(self, node: XmlElement, attribute: str = "name") -> str:
        """Return the name in `attribute`, in Unicode normal form C: printable, not empty, not too long."""
        text = node.attributes.get(attribute)
        if text is None:
            raise self.error(self.format.value_error, node, f"attribute {attribute!r} is missing", attribute=attribute)
        problem = name_problem(text, self.limits.name_length)
        if problem is not None:
            raise self.error(
                self.format.value_error, node, f"{attribute} {quoted(text)} {problem}", attribute=attribute
            )
        return unicodedata.normalize("NFC", text)

    @contextmanager
    def collecting_errors(self) -> Generator[None]:
        """Keep the error of one element until `raise_collected`, so that those of later elements are found, too.

        Syntax errors, refusals and paths that lead nowhere end the reading at once.
        """
        try:
            yield
        except FileError as error:
            if any(error is kept for kept in self._errors.values()):
                raise  # an element inside this one has ended the reading
            self._errors.setdefault(str(error), error)  # replicas repeat theirs
            final = isinstance(error, (self.format.syntax_error, self.format.refused_error, self.format.path_error))
            if final or len(self._errors) >= _MAX_ERRORS:
                self.raise_collected()

    def raise_collected(self) -> None:
        """Raise the first of the errors that were kept; its notes are the others, and the warnings so far."""
        if not self._errors:
            return
        first, *others = self._errors.values()
        for error in others:
            first.add_note(str(error))
        for finding in self.warnings:
            first.add_note(f"{finding.file}:{finding.line}: {finding.element}: {finding.message}")
        raise first

    @contextmanager
    def errors_at(self, node: XmlElement) -> Generator[None]:
        """Turn an error of an inner layer into one at `node`, its cause chained."""
        try:
            yield
        except FileError:
            raise
        except RbdError as error:
            fields = {k: v for k, v in error.fields.items() if k not in {"file", "line", "column", "element", "path"}}
            raise self.error(self.format.value_error, node, str(error), **fields) from error


def check_arguments(
    operation: str, limits: object, limits_kind: type[FileLimits], report: object, report_kind: type[FileReport]
) -> None:
    """Raise ArgumentError for limits or a report of another kind."""
    require_kind(limits, limits_kind, operation=operation, argument="limits")
    if report is not None:
        require_kind(report, report_kind, operation=operation, argument="report")
