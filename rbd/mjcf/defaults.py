"""`<default>`: default attributes of elements, by class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, final

from rbd.errors import MjcfValueError, quoted
from rbd.files.names import did_you_mean
from rbd.files.xml import XmlElement
from rbd.mjcf.schema import DEFAULTS_WITHOUT_EFFECT

if TYPE_CHECKING:
    from rbd.mjcf.reading import MjcfReading

MAIN: Final = "main"
ACTUATORS: Final = frozenset(
    {"general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper", "cylinder", "muscle"}
    | {"adhesion", "dcmotor"}
)
_KINDS: Final = frozenset({"mesh", "joint", "geom", "site", "pair", "equality", "tendon", "actuator"})
_Layers = dict[str, tuple[XmlElement, ...]]
"""Elements by kind, those of the outermost class first."""


@final
class Defaults:
    """The default classes of a file, by name. All actuators share one set of defaults, whatever their tag."""

    def __init__(self) -> None:
        """Begin with the outermost class, which is empty."""
        self._classes: dict[str, _Layers] = {MAIN: {}}

    def __iter__(self) -> Iterator[str]:
        """Return the names of the classes."""
        return iter(self._classes)

    def __contains__(self, name: object) -> bool:
        """Return whether there is a class of this name."""
        return name in self._classes

    def add_class(self, name: str, outer: str) -> None:
        """Add a class inside another one, from which it inherits."""
        self._classes[name] = dict(self._classes[outer])

    def add_element(self, name: str, node: XmlElement) -> None:
        """Add an element to a class."""
        layers, kind = self._classes[name], _kind(node.tag)
        layers[kind] = (*layers.get(kind, ()), node)

    def layers(self, name: str, tag: str) -> tuple[XmlElement, ...]:
        """Return the elements of a class for a tag, those of outer classes first."""
        return self._classes[name].get(_kind(tag), ())


def _kind(tag: str) -> str:
    """Return the kind of an element, of which all have the same defaults."""
    return "actuator" if tag in ACTUATORS else tag


def read_defaults(reading: MjcfReading, root: XmlElement) -> Defaults:
    """Return the default classes of every `<default>` section."""
    defaults = Defaults()
    for section in root.children:
        if section.tag == "default":
            name = section.attributes.get("class", MAIN)
            if name != MAIN:
                message = f"the outermost class is called {MAIN!r}, not {quoted(name)}"
                raise reading.error(MjcfValueError, section, message, attribute="class")
            _read_class(reading, defaults, section, MAIN)
    return defaults


def _read_class(reading: MjcfReading, defaults: Defaults, section: XmlElement, name: str) -> None:
    """Add the elements of a class, then the classes inside it."""
    for node in section.children:
        if node.tag != "default":
            _read_element(reading, defaults, node, name)
    for node in section.children:
        if node.tag == "default":
            _read_class(reading, defaults, node, _inner_class(reading, defaults, node, name))


def _inner_class(reading: MjcfReading, defaults: Defaults, node: XmlElement, outer: str) -> str:
    """Begin a class inside another one; return its name."""
    name = reading.name(node, "class")
    if name in defaults:
        raise reading.error(MjcfValueError, node, f"a second class {quoted(name)}", attribute="class")
    defaults.add_class(name, outer)
    return name


def _read_element(reading: MjcfReading, defaults: Defaults, node: XmlElement, name: str) -> None:
    kind = _kind(node.tag)
    if kind in _KINDS:
        reading.check_attributes(node, kind)
        defaults.add_element(name, node)
    elif kind in DEFAULTS_WITHOUT_EFFECT:
        reading.ignore(node, reason=f"defaults of a {kind}")
    else:
        reading.warn_or_refuse(node, f"unknown element {quoted(kind)}{did_you_mean(kind, _KINDS)}")
