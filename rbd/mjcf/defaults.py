"""`<default>`: what attributes of an element are when neither it nor a nearer class sets them."""

from __future__ import annotations

from typing import Final, final

from rbd.errors import MjcfValueError, quoted
from rbd.files.names import did_you_mean
from rbd.files.xml import XmlElement
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.schema import DEFAULTS_WITHOUT_EFFECT

MAIN: Final = "main"
ACTUATORS: Final = frozenset(
    {"general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper", "cylinder", "muscle"}
    | {"adhesion", "dcmotor"}
)
_KINDS: Final = frozenset({"mesh", "joint", "geom", "site", "pair", "equality", "tendon", "actuator"})
_Layers = dict[str, tuple[XmlElement, ...]]


@final
class Defaults:
    """The default classes of a file. All actuators share one set of defaults, whatever their tag."""

    def __init__(self, reading: MjcfReading, root: XmlElement) -> None:
        """Read every `<default>` section."""
        self._reading = reading
        self._classes: dict[str, _Layers] = {MAIN: {}}
        for section in root.children:
            if section.tag == "default":
                name = section.attributes.get("class", MAIN)
                if name != MAIN:
                    message = f"the outermost class is called {MAIN!r}, not {quoted(name)}"
                    raise reading.fault(MjcfValueError, section, message, attribute="class")
                self._read(section, self._classes[MAIN])

    def _read(self, section: XmlElement, layers: _Layers) -> None:
        for node in section.children:
            if node.tag == "default":
                continue
            kind = _kind(node.tag)
            if kind in _KINDS:
                self._reading.check(node, kind)
                layers[kind] = (*layers.get(kind, ()), node)
            elif kind in DEFAULTS_WITHOUT_EFFECT:
                self._reading.ignore(node, reason=f"defaults of a {kind}")
            else:
                self._reading.warn_or_refuse(node, f"unknown element {quoted(kind)}{did_you_mean(kind, _KINDS)}")
        for node in section.children:
            if node.tag == "default":
                self._read(node, self._new_class(node, layers))

    def _new_class(self, node: XmlElement, outer: _Layers) -> _Layers:
        name = self._reading.name(node, "class")
        if name in self._classes:
            message = f"a second class {quoted(name)}"
            raise self._reading.fault(MjcfValueError, node, message, attribute="class")
        layers = dict(outer)
        self._classes[name] = layers
        return layers

    def require(self, node: XmlElement, attribute: str) -> str | None:
        """Return the class that an attribute names; None if it is not there. Raises MjcfValueError."""
        name = node.attributes.get(attribute)
        if name is None:
            return None
        if name not in self._classes:
            message = f"{attribute}: there is no default class {quoted(name)}{did_you_mean(name, self._classes)}"
            raise self._reading.fault(MjcfValueError, node, message, attribute=attribute, value=name)
        return name

    def element(self, node: XmlElement, inherited: str = MAIN, kind: str | None = None) -> MjcfElement:
        """Return a node with the defaults of its class, or else of the class `inherited` from around it."""
        layers = self._classes[self.require(node, "class") or inherited]
        return MjcfElement(self._reading, node, layers.get(_kind(kind or node.tag), ()))


def _kind(tag: str) -> str:
    return "actuator" if tag in ACTUATORS else tag
