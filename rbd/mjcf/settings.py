"""`<compiler>` and `<option>`: how the rest of the file is meant."""

from __future__ import annotations

import math
import re
from typing import Final, Literal, final

import attrs

from rbd.errors import MjcfRefusedError, MjcfValueError, quoted
from rbd.files.xml import XmlElement
from rbd.mjcf.element import MjcfElement
from rbd.mjcf.pose import Triple
from rbd.mjcf.reading import MjcfReading

_DEGREE: Final = math.pi / 180


@final
@attrs.define
class Settings:
    """What `<compiler>` and `<option>` say, with the defaults of the format."""

    degree: bool = True
    euler: str = "xyz"
    limits_by_range: bool = True
    from_geoms: Literal["true", "false", "auto"] = "auto"
    groups: tuple[float, float] = (0, 5)
    balance: bool = False
    least_mass: float = 0.0
    least_moment: float = 0.0
    total_mass: float = -1.0
    fit_boxes: bool = False
    align_free: bool = False
    strip_path: bool = False
    mesh_directory: str = ""
    gravity: Triple = (0.0, 0.0, -9.81)
    time_step: float = 0.002

    @property
    def angle(self) -> float:
        """The unit of angles in radians."""
        return _DEGREE if self.degree else 1.0


def read_settings(reading: MjcfReading, root: XmlElement) -> Settings:
    """Return the settings; where several elements set the same, the last counts."""
    settings = Settings()
    for node in root.children:
        if node.tag == "compiler":
            _compiler(reading, MjcfElement(reading, node), settings)
    for node in root.children:
        if node.tag == "option":
            _option(reading, MjcfElement(reading, node), settings)
    return settings


def _compiler(reading: MjcfReading, element: MjcfElement, settings: Settings) -> None:
    reading.check_attributes(element.node)
    if element.choice("coordinate", ("local", "global"), "local") == "global":
        message = "coordinate='global' is no longer part of the format; save the file with MuJoCo 2.3.3 or older"
        raise reading.fault(MjcfRefusedError, element.node, message, attribute="coordinate")
    settings.degree = element.choice("angle", ("degree", "radian"), _word(settings.degree)) == "degree"
    settings.euler = _sequence(reading, element, settings.euler)
    settings.limits_by_range = element.flag("autolimits", settings.limits_by_range)
    settings.from_geoms = element.choice("inertiafromgeom", ("true", "false", "auto"), settings.from_geoms)
    low, high = element.vector("inertiagrouprange", settings.groups)
    settings.groups = (low, high)
    settings.balance = element.flag("balanceinertia", settings.balance)
    settings.least_mass = element.quantity("boundmass", settings.least_mass)
    settings.least_moment = element.quantity("boundinertia", settings.least_moment)
    settings.total_mass = element.quantity("settotalmass", settings.total_mass)
    settings.fit_boxes = element.flag("fitaabb", settings.fit_boxes)
    settings.align_free = element.flag("alignfree", settings.align_free)
    settings.strip_path = element.flag("strippath", settings.strip_path)
    settings.mesh_directory = element.text("meshdir") or element.text("assetdir") or settings.mesh_directory


def _word(degree: bool) -> Literal["degree", "radian"]:
    return "degree" if degree else "radian"


def _sequence(reading: MjcfReading, element: MjcfElement, default: str) -> str:
    text = element.text("eulerseq")
    if text is None:
        return default
    if not re.fullmatch("[xyzXYZ]{3}", text):
        message = f"eulerseq: {quoted(text)} is no sequence of three axes, such as xyz or XYZ"
        raise reading.fault(MjcfValueError, element.node, message, attribute="eulerseq", value=text)
    return text


def _option(reading: MjcfReading, element: MjcfElement, settings: Settings) -> None:
    x, y, z = element.vector("gravity", settings.gravity)
    settings.gravity = (x, y, z)
    settings.time_step = element.number("timestep", settings.time_step)
    for attribute in ("density", "viscosity"):
        if element.number(attribute, 0.0) != 0.0:
            reading.doubt(element.node, f"{attribute}: forces of a fluid are not simulated", attribute)
    for child in element.node.children:
        if child.tag == "flag" and not _enabled(MjcfElement(reading, child), "gravity"):
            settings.gravity = (0.0, 0.0, 0.0)


def _enabled(element: MjcfElement, flag: str) -> bool:
    return element.choice(flag, ("enable", "disable"), "enable") == "enable"
