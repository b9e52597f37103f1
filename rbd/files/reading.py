"""Context of reading a robot file: strictness, look-ups by name, and errors with file and line."""

from __future__ import annotations

import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

from rbd.arguments import require_kind
from rbd.errors import FileError, RbdError, quoted
from rbd.files import numbers
from rbd.files.formats import Format
from rbd.files.names import name_problem
from rbd.files.report import FileReport, Finding
from rbd.files.xml import FileLimits, XmlElement, error_in

_Error = TypeVar("_Error", bound=FileError)
_MAX_ERRORS: Final = 100
Report = TypeVar("Report", bound=FileReport)


class FileReading(Generic[Report]):
    """Context of reading one robot file, and those it includes: options, and the report."""

    def __init__(self, file_format: Format, report: Report, *, strict: bool, limits: FileLimits) -> None:
        """Begin with an empty report."""
        self.format = file_format
        self.report = report
        self.strict = strict
        self.limits = limits
        self._errors: dict[str, FileError] = {}

    def warn(self, node: XmlElement, message: str, *, refused: bool = False, attribute: str | None = None) -> None:
        """Put a warning in the report; `refused` if `strict=True` refuses the file for it."""
        self.report.warnings.append(Finding(node.file, node.line, node.path, attribute, message, refused))

    def ignore(
        self, node: XmlElement, attribute: str | None = None, reason: str = "unknown", line: int | None = None
    ) -> None:
        """List an element or attribute as not honoured."""
        place = node.line if line is None else line
        self.report.ignored.append(Finding(node.file, place, node.path, attribute, reason))

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
        """Return a number whose size is no matter (a bound, a gain)."""
        return numbers.number(self.format, node, attribute, default)

    def quantity(self, node: XmlElement, attribute: str, default: float | None = None) -> float:
        """Return a number that enters products (a mass, a moment): not larger than the limit."""
        return self.within_magnitude(node, attribute, (numbers.number(self.format, node, attribute, default),))[0]

    def vector(self, node: XmlElement, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Return as many numbers as `default` has, none larger than the limit."""
        return self.within_magnitude(
            node, attribute, numbers.vector(self.format, node, attribute, len(default), default)
        )

    def within_magnitude(self, node: XmlElement, attribute: str, values: tuple[float, ...]) -> tuple[float, ...]:
        """Return numbers, none of them larger than the limit."""
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
        for finding in self.report.warnings:
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
