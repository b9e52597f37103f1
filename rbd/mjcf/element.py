"""One element of an MJCF file, with the defaults that its class gives it."""

from __future__ import annotations

from typing import TypeVar, final

from rbd.errors import FileError, MjcfValueError, quoted
from rbd.files.pose import ZERO, FloatVec3
from rbd.files.xml import XmlElement
from rbd.mjcf.defaults import MAIN
from rbd.mjcf.reading import MjcfReading

_Word = TypeVar("_Word", bound=str)


@final
class MjcfElement:
    """An element: its own attributes, and those of its default classes; the nearest class counts.

    Errors have the place of the attribute, which may be in a default class.
    """

    __slots__ = ("layers", "node", "reading")

    def __init__(self, reading: MjcfReading, node: XmlElement, defaults: tuple[XmlElement, ...] = ()) -> None:
        """Take a node, and the nodes of its defaults, outermost class first."""
        self.node = node
        self.reading = reading
        self.layers = (*defaults, node)

    def source(self, attribute: str) -> XmlElement | None:
        """Return the node that sets an attribute."""
        for node in reversed(self.layers):
            if attribute in node.attributes:
                return node
        return None

    def place(self, attribute: str) -> XmlElement:
        """Return the node that sets an attribute, or the element itself, where it is missing."""
        return self.source(attribute) or self.node

    def error(
        self, attribute: str, message: str, kind: type[FileError] = MjcfValueError, **fields: object
    ) -> FileError:
        """Return an error at the place of an attribute."""
        return self.reading.error(kind, self.place(attribute), message, attribute=attribute, **fields)

    def has(self, attribute: str) -> bool:
        """Return whether an attribute is set."""
        return self.source(attribute) is not None

    def text(self, attribute: str) -> str | None:
        """Return the text of an attribute."""
        node = self.source(attribute)
        return None if node is None else node.attributes[attribute]

    def name(self, attribute: str = "name") -> str | None:
        """Return the checked name in an attribute of the element itself; None if it is not there or empty."""
        return self.reading.name(self.node, attribute) if self.node.attributes.get(attribute) else None

    def number(self, attribute: str, default: float | None = None) -> float:
        """Return a number of any magnitude."""
        return self.reading.number(self.place(attribute), attribute, default)

    def quantity(self, attribute: str, default: float | None = None) -> float:
        """Return a physical quantity, whose magnitude is limited."""
        return self.reading.quantity(self.place(attribute), attribute, default)

    def vector(self, attribute: str, default: tuple[float, ...], min_count: int | None = None) -> tuple[float, ...]:
        """Return as many numbers as `default` has; where an element gives fewer, the rest is that of its class.

        An element must give `min_count` of them, or all.
        """
        values = list(default)
        for node in self.layers:
            if attribute in node.attributes:
                prefix = self.reading.quantities(node, attribute, min_count or len(default), len(default))
                values[: len(prefix)] = prefix
        return tuple(values)

    def vector3(self, attribute: str, default: FloatVec3 = ZERO) -> FloatVec3:
        """Return three numbers, as `vector` does."""
        x, y, z = self.vector(attribute, default)
        return x, y, z

    def quantities(self, attribute: str, max_count: int) -> tuple[float, ...]:
        """Return as many physical quantities as there are, at most `max_count`; none if the attribute is not there.

        Their magnitude is limited.
        """
        node = self.source(attribute)
        return () if node is None else self.reading.quantities(node, attribute, 0, max_count)

    def color(self, default: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """Return red, green, blue and opacity, the attribute `rgba`."""
        red, green, blue, opacity = self.vector("rgba", default)
        return red, green, blue, opacity

    def flag(self, attribute: str, default: bool) -> bool:
        """Return a truth value."""
        return self.choice(attribute, ("true", "false"), "true" if default else "false") == "true"

    def choice(self, attribute: str, words: tuple[_Word, ...], default: _Word) -> _Word:
        """Return one of the words that an attribute may be."""
        node = self.source(attribute)
        if node is None:
            return default
        text = node.attributes[attribute].strip()
        for word in words:
            if text == word:
                return word
        message = f"{attribute}: {quoted(text)} is none of {', '.join(words)}"
        raise self.error(attribute, message, value=text)

    def integer(self, attribute: str, default: int | None = None) -> int:
        """Return a whole number."""
        value = self.number(attribute, default)
        if value != int(value):
            raise self.error(attribute, f"{attribute}: {value:g} is no whole number", value=value)
        return int(value)


def with_defaults(
    reading: MjcfReading, node: XmlElement, inherited: str = MAIN, kind: str | None = None
) -> MjcfElement:
    """Return an element with the defaults of its class, or else of the class `inherited` from around it."""
    name = reading.default_class(node) or inherited
    return MjcfElement(reading, node, reading.defaults.layers(name, kind or node.tag))
