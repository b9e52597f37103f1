"""Parser of XML: elements with line and column, of any format.

The standard library's expat is the only parser. A DOCTYPE is refused, so no entity is ever declared and
no other file ever named; every size is limited while parsing, before the tree is complete.
"""

from __future__ import annotations

import codecs
import contextlib
from typing import TypeVar, final
from xml.parsers import expat

import attrs

from rbd.errors import FileError, printable, quoted
from rbd.files.formats import Format
from rbd.files.limits import FileLimits

_Error = TypeVar("_Error", bound=FileError)
_FOREIGN_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_ENCODINGS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})


@final
@attrs.define(eq=False)
class XmlElement:
    """One element: its attributes, its children and its place (1-based line and column).

    Not frozen, because the parser fills the elements of a file, and the reader of MJCF inserts included ones.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    file: str
    parent: XmlElement | None = None
    children: list[XmlElement] = attrs.field(factory=list["XmlElement"], repr=False)
    text_line: int | None = None
    """The line on which the first stray text inside the element begins, if any."""

    @property
    def title(self) -> str:
        """The element as a message names it: its tag and its name, such as `link 'arm'`."""
        name = self.attributes.get("name")
        shown = self.tag if self.tag.isprintable() and len(self.tag) <= 80 else quoted(self.tag)
        return shown if name is None else f"{shown} {quoted(name)}"

    @property
    def path(self) -> str:
        """The element and those around it, outermost first, without the root."""
        steps = [self.title]
        node = self.parent
        while node is not None and node.parent is not None:
            steps.append(node.title)
            node = node.parent
        return " > ".join(reversed(steps))


def error_in(kind: type[_Error], node: XmlElement, message: str, /, **fields: object) -> _Error:
    """Return an error of `kind` at the place of `node`."""
    text = f"{printable(node.file)}:{node.line}:{node.column}: {node.path}: {message}"
    places: dict[str, object] = {"file": node.file, "line": node.line, "column": node.column}
    return kind(text, **places, element=node.tag, path=node.path, **fields)


def error_at(kind: type[_Error], file: str, line: int, column: int, message: str, /, **fields: object) -> _Error:
    """Return an error of `kind` for a place that is no element."""
    text = f"{printable(file)}:{line}:{column}: {message}"
    fields.setdefault("element", None)
    return kind(text, file=file, line=line, column=column, **fields)


def root_tag(data: bytes) -> str | None:
    """Return the tag of the root element of XML that may be incomplete; None if it is not reached.

    Comments and document type declarations before it are passed over or end the search; nothing is expanded.
    """
    tags: list[str] = []
    parser = expat.ParserCreate("utf-8")

    def stop(tag: str, *rest: object) -> None:
        tags.append(tag)
        raise _RootReached

    def refuse(*declaration: object) -> None:
        raise _RootReached

    parser.StartElementHandler, parser.StartDoctypeDeclHandler = stop, refuse
    with contextlib.suppress(_RootReached, expat.ExpatError):
        parser.Parse(data, False)
    return tags[0] if tags else None


class _RootReached(Exception):
    """Ends the parsing at the root element."""


def parse_xml(data: bytes, *, file: str, limits: FileLimits, file_format: Format) -> XmlElement:
    """Return the root element of `data`, which must be UTF-8.

    Raises the format's syntax error when it is not well-formed XML, and refuses a DOCTYPE or an exceeded limit.
    """
    _check_bytes(data, file, limits, file_format)
    builder = _Builder(file, limits, file_format)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        message = f"not well-formed XML: {reason}"
        raise error_at(file_format.syntax_error, file, error.lineno, error.offset + 1, message, reason=reason) from None
    assert builder.root is not None  # expat refuses a document without an element
    return builder.root


def _check_bytes(data: bytes, file: str, limits: FileLimits, file_format: Format) -> None:
    if len(data) > limits.bytes:
        advice = f"limits={file_format.limits_class}(bytes=...) allows more"
        message = f"the file has more than {limits.bytes} bytes ({advice})"
        raise error_at(file_format.refused_error, file, 1, 1, message, limit="bytes")
    fault_of_text = _fault_of_text(data)
    if fault_of_text is not None:
        index, message, reason = fault_of_text
        raise error_at(file_format.syntax_error, file, *_line_and_column(data, index), message, reason=reason)


def _fault_of_text(data: bytes) -> tuple[int, str, str] | None:
    """Return the offset of bytes that are no UTF-8 text, a message and a short reason; None if all are."""
    if data.startswith(_FOREIGN_MARKS):
        return 0, "the file is UTF-16 or UTF-32; save it as UTF-8", "encoding"
    nul = data.find(b"\0")
    if nul >= 0:
        return nul, "a NUL byte: this is no UTF-8 text file", "NUL"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start, f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8", "encoding"
    return None


def _line_and_column(data: bytes, index: int) -> tuple[int, int]:
    before = data[:index]
    start = before.rfind(b"\n") + 1
    return before.count(b"\n") + 1, len(before[start:].decode("utf-8", "replace")) + 1


@final
class _Builder:
    """Handlers of expat, which build the tree of elements and enforce the limits."""

    def __init__(self, file: str, limits: FileLimits, file_format: Format) -> None:
        self.file = file
        self.format = file_format
        self.limits = limits
        self.root: XmlElement | None = None
        self.parser = expat.ParserCreate("utf-8")
        self._open: list[XmlElement] = []
        self._count = 0
        self._install()

    def _install(self) -> None:
        parser = self.parser
        parser.ordered_attributes = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._doctype

    def _error(self, kind: type[_Error], message: str, /, **fields: object) -> _Error:
        parser = self.parser
        place = (parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        return error_at(kind, self.file, *place, message, **fields)

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in _ENCODINGS:
            raise self._error(
                self.format.syntax_error, f"encoding {quoted(encoding)}; only UTF-8 is read", reason="encoding"
            )

    def _doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        raise self._error(
            self.format.refused_error, "DOCTYPE is refused: robot files need no entities", element="!DOCTYPE"
        )

    def _start(self, tag: str, names_and_values: list[str]) -> None:
        limits = self.limits
        self._count += 1
        if self._count > limits.elements:
            raise self._error(self.format.refused_error, f"more than {limits.elements} elements", limit="elements")
        if len(self._open) >= limits.depth:
            raise self._error(self.format.refused_error, f"elements nested deeper than {limits.depth}", limit="depth")
        if len(names_and_values) > 2 * limits.attributes:
            message = f"{len(names_and_values) // 2} attributes in one element, at most {limits.attributes} are read"
            raise self._error(self.format.refused_error, message, limit="attributes")
        self._add(tag, dict(zip(names_and_values[::2], names_and_values[1::2], strict=True)))

    def _add(self, tag: str, attributes: dict[str, str]) -> None:
        parser, parent = self.parser, self._open[-1] if self._open else None
        node = XmlElement(tag, attributes, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1, self.file, parent)
        if parent is None:
            self.root = node
        else:
            parent.children.append(node)
        self._open.append(node)

    def _end(self, tag: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        node = self._open[-1]
        if node.text_line is None and not text.isspace():
            node.text_line = self.parser.CurrentLineNumber
