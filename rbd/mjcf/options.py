"""`<compiler>` and `<option>`: the settings of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import attrs

from rbd.errors import MjcfRefusedError, quoted
from rbd.files.pose import ZERO
from rbd.files.xml import XmlElement
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.reading import MjcfReading
from rbd.mjcf.schema import ATTRIBUTES
from rbd.mjcf.settings import Settings

_MAX_GROUPS: Final = 30


def read_settings(reading: MjcfReading, root: XmlElement) -> Settings:
    """Return the settings; where several elements set the same, the last counts."""
    settings = Settings()
    for node in root.children:
        if node.tag == "compiler":
            settings = _with_inertias(MjcfElement(reading, node), _with_compiler(MjcfElement(reading, node), settings))
    options = [MjcfElement(reading, node) for node in root.children if node.tag == "option"]
    for element in options:
        settings = _with_option(element, settings)
    _warn_of_fluid(reading, options)
    return settings


def _with_compiler(element: MjcfElement, settings: Settings) -> Settings:
    element.reading.check_attributes(element.node)
    if element.choice("coordinate", ("local", "global"), "local") == "global":
        message = "coordinate='global' is no longer part of the format; save the file with MuJoCo 2.3.3 or older"
        raise element.error("coordinate", message, MjcfRefusedError)
    return attrs.evolve(
        settings,
        angle=element.choice("angle", ("degree", "radian"), settings.angle),
        euler_sequence=_sequence(element, settings.euler_sequence),
        auto_limits=element.flag("autolimits", settings.auto_limits),
        align_free=element.flag("alignfree", settings.align_free),
        strip_path=element.flag("strippath", settings.strip_path),
        mesh_directory=element.text("meshdir") or element.text("assetdir") or settings.mesh_directory,
    )


def _with_inertias(element: MjcfElement, settings: Settings) -> Settings:
    """Return the settings with the attributes of the compiler for masses and inertias."""
    low, high = element.vector("inertiagrouprange", settings.inertia_groups)
    return attrs.evolve(
        settings,
        inertia_from_geoms=element.choice("inertiafromgeom", ("true", "false", "auto"), settings.inertia_from_geoms),
        inertia_groups=(low, high),
        balance_inertia=element.flag("balanceinertia", settings.balance_inertia),
        min_mass=element.quantity("boundmass", settings.min_mass),
        min_moment=element.quantity("boundinertia", settings.min_moment),
        total_mass=element.quantity("settotalmass", settings.total_mass),
        fit_boxes=element.flag("fitaabb", settings.fit_boxes),
    )


def _sequence(element: MjcfElement, default: str) -> str:
    text = element.text("eulerseq")
    if text is None:
        return default
    if not re.fullmatch("[xyzXYZ]{3}", text):
        message = f"eulerseq: {quoted(text)} is no sequence of three axes, such as xyz or XYZ"
        raise element.error("eulerseq", message, value=text)
    return text


def _with_option(element: MjcfElement, settings: Settings) -> Settings:
    reading, groups = element.reading, settings.disabled_groups
    reading.check_attributes(element.node)
    acceleration = element.vector3("gravity", settings.acceleration)
    time_step = element.number("timestep", settings.time_step)
    if element.has("actuatorgroupdisable"):
        groups = frozenset(map(int, element.quantities("actuatorgroupdisable", _MAX_GROUPS)))
    disabled = settings.disabled
    for child in element.node.children:
        if child.tag == "flag":
            disabled = _with_flags(MjcfElement(reading, child), disabled)
    return attrs.evolve(
        settings, acceleration=acceleration, time_step=time_step, disabled=disabled, disabled_groups=groups
    )


def _with_flags(element: MjcfElement, disabled: frozenset[str]) -> frozenset[str]:
    """Return the disabled flags: those of `<flag>`, and those before that it does not name."""
    element.reading.check_attributes(element.node)
    honoured = [flag for flag in element.node.attributes if flag in ATTRIBUTES["flag"]]
    words = {flag: element.choice(flag, ("enable", "disable"), "enable") for flag in honoured}
    return disabled - words.keys() | {flag for flag, word in words.items() if word == "disable"}


def _warn_of_fluid(reading: MjcfReading, options: Sequence[MjcfElement]) -> None:
    """Warn of the forces of a fluid, which are left out; wind alone has none."""
    media = {word: element for word in ("density", "viscosity") for element in options if element.has(word)}
    media = {word: element for word, element in media.items() if element.number(word) != 0.0}
    for word, element in media.items():
        reading.warn_or_refuse(element.node, f"{word}: forces of a fluid are not simulated", attribute=word)
    for element in options:
        if any(element.vector("wind", ZERO)) and not media:
            reading.ignore(element.node, "wind", "without density and viscosity it has no effect")
