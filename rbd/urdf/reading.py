"""What every rule of the reader needs: strictness, the report, and lookups that fail with a place."""

from __future__ import annotations

import unicodedata
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Final, TypeVar, final

from rbd.errors import RbdError, UrdfError, UrdfValueError, quoted
from rbd.urdf import numbers
from rbd.urdf.report import Ignored, UrdfReport, UrdfWarning
from rbd.urdf.xml import Node, UrdfLimits, fault

_Error = TypeVar("_Error", bound=UrdfError)
_NAMES_COMPARED: Final = 500


@final
class Reading:
    """One reading of one file."""

    def __init__(self, file: str, *, strict: bool, snap: bool, limits: UrdfLimits) -> None:
        """Begin with an empty report."""
        self.file = file
        self.strict = strict
        self.snap = snap
        self.limits = limits
        self.report = UrdfReport()

    def fault(self, kind: type[_Error], node: Node, message: str, /, **fields: object) -> _Error:
        """Return an error of `kind` at `node`."""
        return fault(kind, self.file, node, message, **fields)

    def warn(self, node: Node, message: str) -> None:
        """Put a warning in the report."""
        self.report.warnings.append(UrdfWarning(node.path, node.line, message))

    def object_to(
        self, node: Node, message: str, mended: str, /, kind: type[UrdfError] = UrdfValueError, **fields: object
    ) -> None:
        """Refuse when strict; else warn and say how it was mended."""
        if self.strict:
            raise self.fault(kind, node, message, **fields)
        self.warn(node, f"{message}; {mended}")

    def ignore(self, node: Node, attribute: str | None = None, reason: str = "unknown") -> None:
        """List an element or attribute as not honoured."""
        self.report.ignored.append(Ignored(node.path, attribute, node.line, reason))

    def accept(self, node: Node, attributes: frozenset[str], children: frozenset[str] = frozenset()) -> None:
        """List every attribute, child element and text of `node` that its rule does not know."""
        for attribute in node.attributes:
            if attribute not in attributes and not attribute.startswith("xmlns"):
                self.ignore(node, attribute)
        for child in node.children:
            if child.tag not in children:
                self.ignore(child)
        if node.text_line is not None:
            self.report.ignored.append(Ignored(node.path, None, node.text_line, "text"))

    def only(self, node: Node, tag: str) -> Node | None:
        """Return the one child named `tag`, or None; two are refused (strict) or the first is taken."""
        found = [child for child in node.children if child.tag == tag]
        if len(found) > 1:
            message = f"a second <{tag}>; the first is in line {found[0].line}"
            self.object_to(found[1], message, "the first is taken")
        return found[0] if found else None

    def number(self, node: Node, attribute: str, default: float | None = None) -> float:
        """Return a number whose size is no matter (a bound, a gain)."""
        return numbers.number(self.file, node, attribute, default)

    def quantity(self, node: Node, attribute: str, default: float | None = None) -> float:
        """Return a number that enters products (a mass, a moment): not larger than the limit."""
        return self._moderate(node, attribute, (numbers.number(self.file, node, attribute, default),))[0]

    def vector(self, node: Node, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Return as many numbers as `default` has, none larger than the limit."""
        return self._moderate(node, attribute, numbers.vector(self.file, node, attribute, len(default), default))

    def _moderate(self, node: Node, attribute: str, values: tuple[float, ...]) -> tuple[float, ...]:
        for value in values:
            if abs(value) > self.limits.magnitude:
                message = f"{attribute}: {value!r} is beyond {self.limits.magnitude:g}, no physical quantity"
                raise self.fault(UrdfValueError, node, message, attribute=attribute, limit="magnitude")
        return values

    def name(self, node: Node, attribute: str = "name") -> str:
        """Return the name in `attribute`, in Unicode normal form C: printable, not empty, not too long."""
        text = node.attributes.get(attribute)
        if text is None:
            raise self.fault(UrdfValueError, node, f"attribute {attribute!r} is missing", attribute=attribute)
        problem = name_problem(text, self.limits.name_length)
        if problem is not None:
            raise self.fault(UrdfValueError, node, f"{attribute} {quoted(text)} {problem}", attribute=attribute)
        return unicodedata.normalize("NFC", text)

    @contextmanager
    def blaming(self, node: Node) -> Generator[None]:
        """Turn an error of an inner layer into one at `node`, its cause chained."""
        try:
            yield
        except UrdfError:
            raise
        except RbdError as error:
            fields = {k: v for k, v in error.fields.items() if k not in {"file", "line", "column", "element", "path"}}
            raise self.fault(UrdfValueError, node, str(error), **fields) from error


def name_problem(name: str, longest: int) -> str | None:
    """Return what is wrong with a name, or None."""
    if not name or name.isspace():
        return "is empty"
    if len(name) > longest:
        return f"has {len(name)} characters, at most {longest} are read"
    if not name.isprintable():
        return "has control or invisible characters"
    if name != name.strip():
        return "begins or ends with a blank"
    return None


def closest(name: str, known: Iterable[str]) -> str:
    """Return a hint naming the known name closest to `name`, or those that exist."""
    # bounded: names come from strangers, and difflib is quadratic in their length
    candidates = [other for other in known if abs(len(other) - len(name)) <= 8][:_NAMES_COMPARED]
    near = get_close_matches(name, candidates, 1)
    if near:
        return f"did you mean {quoted(near[0])}?"
    shown = candidates[:5]
    return f"there are {', '.join(map(quoted, shown))}{', ...' if len(candidates) > 5 else ''}" if shown else ""
