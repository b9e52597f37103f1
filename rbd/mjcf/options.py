"""`<compiler>` and `<option>`: the settings of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from rbd.errors import MjcfRefusedError, MjcfValueError, quoted
from rbd.files.pose import ZERO
from rbd.files.xml import XmlElement
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.schema import ATTRIBUTES

_MAX_GROUPS: Final = 30


def read_settings(reading: MjcfReading, root: XmlElement) -> None:
    """Fill the settings; where several elements set the same, the last counts."""
    for node in root.children:
        if node.tag == "compiler":
            _compiler(MjcfElement(reading, node))
    options = [MjcfElement(reading, node) for node in root.children if node.tag == "option"]
    for element in options:
        _option(element)
    _warn_of_fluid(reading, options)


def _compiler(element: MjcfElement) -> None:
    reading, settings = element.reading, element.reading.settings
    reading.check(element.node)
    if element.choice("coordinate", ("local", "global"), "local") == "global":
        message = "coordinate='global' is no longer part of the format; save the file with MuJoCo 2.3.3 or older"
        raise reading.error(MjcfRefusedError, element.node, message, attribute="coordinate")
    settings.degree = element.choice("angle", ("degree", "radian"), _word(settings.degree)) == "degree"
    settings.euler = _sequence(element, settings.euler)
    settings.limits_by_range = element.flag("autolimits", settings.limits_by_range)
    settings.align_free = element.flag("alignfree", settings.align_free)
    settings.strip_path = element.flag("strippath", settings.strip_path)
    settings.mesh_directory = element.text("meshdir") or element.text("assetdir") or settings.mesh_directory
    _compiler_of_masses(element)


def _compiler_of_masses(element: MjcfElement) -> None:
    """Read the attributes of the compiler for masses and inertias."""
    settings = element.reading.settings
    settings.from_geoms = element.choice("inertiafromgeom", ("true", "false", "auto"), settings.from_geoms)
    low, high = element.vector("inertiagrouprange", settings.groups)
    settings.groups = (low, high)
    settings.balance = element.flag("balanceinertia", settings.balance)
    settings.least_mass = element.quantity("boundmass", settings.least_mass)
    settings.least_moment = element.quantity("boundinertia", settings.least_moment)
    settings.total_mass = element.quantity("settotalmass", settings.total_mass)
    settings.fit_boxes = element.flag("fitaabb", settings.fit_boxes)


def _word(degree: bool) -> Literal["degree", "radian"]:
    return "degree" if degree else "radian"


def _sequence(element: MjcfElement, default: str) -> str:
    text = element.text("eulerseq")
    if text is None:
        return default
    if not re.fullmatch("[xyzXYZ]{3}", text):
        message = f"eulerseq: {quoted(text)} is no sequence of three axes, such as xyz or XYZ"
        raise element.reading.error(MjcfValueError, element.node, message, attribute="eulerseq", value=text)
    return text


def _option(element: MjcfElement) -> None:
    reading, settings = element.reading, element.reading.settings
    reading.check(element.node)
    settings.acceleration = element.triple("gravity", settings.acceleration)
    settings.time_step = element.number("timestep", settings.time_step)
    if element.has("actuatorgroupdisable"):
        settings.disabled_groups = frozenset(map(int, element.numbers("actuatorgroupdisable", _MAX_GROUPS)))
    for child in element.node.children:
        if child.tag == "flag":
            _flag(MjcfElement(reading, child))


def _flag(element: MjcfElement) -> None:
    settings = element.reading.settings
    element.reading.check(element.node)
    honoured = [flag for flag in element.node.attributes if flag in ATTRIBUTES["flag"]]
    words = {flag: element.choice(flag, ("enable", "disable"), "enable") for flag in honoured}
    disabled = frozenset(flag for flag, word in words.items() if word == "disable")
    settings.disabled = settings.disabled - words.keys() | disabled


def _warn_of_fluid(reading: MjcfReading, options: Sequence[MjcfElement]) -> None:
    """Warn of the forces of a fluid, which are left out; wind alone has none."""
    media = {word: element for word in ("density", "viscosity") for element in options if element.has(word)}
    media = {word: element for word, element in media.items() if element.number(word) != 0.0}
    for word, element in media.items():
        reading.warn_or_refuse(element.node, f"{word}: forces of a fluid are not simulated", attribute=word)
    for element in options:
        if any(element.vector("wind", ZERO)) and not media:
            reading.ignore(element.node, "wind", "without density and viscosity it has no effect")
