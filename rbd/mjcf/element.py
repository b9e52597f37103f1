"""One element of an MJCF file, with the defaults that its class gives it."""

from __future__ import annotations

from typing import TypeVar, final

from rbd.errors import MjcfValueError, quoted
from rbd.files import numbers
from rbd.files.formats import MJCF
from rbd.files.pose import ZERO, Triple
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
        """Return a number whose size is no matter."""
        return self.reading.number(self.source(attribute) or self.node, attribute, default)

    def quantity(self, attribute: str, default: float | None = None) -> float:
        """Return a number that enters products."""
        return self.reading.quantity(self.source(attribute) or self.node, attribute, default)

    def vector(self, attribute: str, default: tuple[float, ...], min_count: int | None = None) -> tuple[float, ...]:
        """Return as many numbers as `default` has; where an element gives fewer, the rest is that of its class.

        An element must give `min_count` of them, or all.
        """
        values = list(default)
        for node in self.layers:
            if attribute in node.attributes:
                prefix = numbers.values(MJCF, node, attribute, min_count or len(default), len(default))
                values[: len(prefix)] = self.reading.within_magnitude(node, attribute, prefix)
        return tuple(values)

    def triple(self, attribute: str, default: Triple = ZERO) -> Triple:
        """Return three numbers, as `vector` does."""
        x, y, z = self.vector(attribute, default)
        return x, y, z

    def numbers(self, attribute: str, max_count: int) -> tuple[float, ...]:
        """Return as many numbers as there are, at most `max_count`; none if the attribute is not there."""
        node = self.source(attribute)
        if node is None:
            return ()
        return self.reading.within_magnitude(node, attribute, numbers.values(MJCF, node, attribute, 0, max_count))

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
        raise self.reading.error(MjcfValueError, node, message, attribute=attribute, value=text)

    def integer(self, attribute: str, default: int | None = None) -> int:
        """Return a whole number."""
        value = self.number(attribute, default)
        if value != int(value):
            node = self.source(attribute) or self.node
            message = f"{attribute}: {value:g} is no whole number"
            raise self.reading.error(MjcfValueError, node, message, attribute=attribute, value=value)
        return int(value)


def with_defaults(
    reading: MjcfReading, node: XmlElement, inherited: str = MAIN, kind: str | None = None
) -> MjcfElement:
    """Return an element with the defaults of its class, or else of the class `inherited` from around it."""
    name = reading.default_class(node) or inherited
    return MjcfElement(reading, node, reading.defaults.layers(name, kind or node.tag))
