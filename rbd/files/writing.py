"""Robot files as text: elements, numbers that read back the same, refusals of what a format cannot express."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from rbd.arguments import kind_error, path_text
from rbd.atomic_files import replaced_file
from rbd.errors import ArgumentError, quoted
from rbd.files.formats import Format
from rbd.files.pose import FloatVec3
from rbd.mechanism import Joint
from rbd.mechanism.joint import USUAL_FRICTION_VELOCITY
from rbd.scalars import Scalar, to_float
from rbd.spatial import SpatialInertia

T = TypeVar("T", bound=tuple[float, ...])

_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
_DIGITS: Final = 15
_MAX_STEPS: Final = 8
_COEFFICIENTS: Final = ("damping", "friction", "armature", "bound_stiffness", "bound_damping")
"""Parameters of joints with a number per velocity."""


def element(tag: str, attributes: Mapping[str, str], *, closed: bool = True) -> str:
    """Return one element as text; `closed` when it has no children."""
    text = "".join(f' {key}="{value.translate(_ESCAPES)}"' for key, value in attributes.items())
    return f"<{tag}{text}{'/' if closed else ''}>"


def numbers_text(values: Sequence[float]) -> str:
    """Return numbers as an attribute has them; they read back the same."""
    return " ".join(repr(value + 0.0) for value in values)  # adding 0.0 makes -0.0 plain


def rounded(value: float, scale: float) -> float:
    """Return `value` to as many decimals as a number of the size of `scale` has with 15 digits.

    Numbers that were given are written exactly; those that had to be computed are rounded, because the noise in their
    last digits would make a file that is read and written again a different one.
    """
    if scale == 0.0:
        return value
    # the small term keeps noise in a round scale from deciding its decade
    return round(value, _DIGITS - 1 - math.floor(math.log10(scale) + 1e-9))


def inertia_numbers(inertia: SpatialInertia) -> tuple[float, list[float], list[float]] | None:
    """Return mass, centre of mass and the six moments about it; None when all are zero."""
    mass = to_float(inertia.mass)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (floats(row) for row in inertia.moment_components)
    a, b, c = floats(inertia.first_moment_components)
    scale = max(xx, yy, zz)
    if mass == 0.0 and scale == 0.0:
        return None
    x, y, z = (entry / mass if mass else 0.0 for entry in (a, b, c))
    moments = [xx - (b * y + c * z), xy + a * y, xz + a * z, yy - (a * x + c * z), yz + b * z, zz - (a * x + b * y)]
    far = max(abs(x), abs(y), abs(z))
    return mass, [rounded(entry, far) for entry in (x, y, z)], [rounded(moment, 10 * scale) for moment in moments]


def rounded_unit(vector: FloatVec3) -> FloatVec3:
    """Return a unit vector rounded but for its largest component, which keeps the length."""
    entries = [rounded(entry, 1.0) for entry in vector]
    largest = max(range(3), key=lambda k: abs(entries[k]))
    others = math.fsum(entry * entry for k, entry in enumerate(entries) if k != largest)
    entries[largest] = math.copysign(math.sqrt(1.0 - others), vector[largest])
    x, y, z = entries
    return x, y, z


def floats(values: Sequence[Scalar]) -> list[float]:
    """Return scalars as floats."""
    return [to_float(value) for value in values]


def refusal(joint: Joint, reason: str) -> ArgumentError:
    """Return the error for a joint that a format cannot express."""
    return ArgumentError(f"joint {quoted(joint.name)}: {reason}", argument="mechanism", joint=joint.name)


def coefficient_attributes(
    joint: Joint, file_format: Format, attributes: Mapping[str, str], *, strict: bool
) -> dict[str, str]:
    """Return the coefficients of a joint that are not zero; `attributes` names those that the format has.

    Raises ArgumentError, if strict, for other coefficients, for those that differ between velocities, and for
    a `friction_velocity` that files do not have.
    """
    found: dict[str, str] = {}
    if strict:
        _require_usual_friction_velocity(joint, file_format)
    for what in _COEFFICIENTS:
        values: list[float] = floats(getattr(joint, what))
        attribute = attributes.get(what)
        if strict and attribute is None and any(values):
            raise refusal(joint, f"{file_format.name} has no {what}; strict=False leaves it out")
        if strict and attribute is not None and len(set(values)) > 1:
            message = f"{file_format.name} has one {attribute} per joint, not {values}; strict=False writes the first"
            raise refusal(joint, message)
        if attribute is not None and values and values[0]:
            found[attribute] = numbers_text(values[:1])
    return found


def _require_usual_friction_velocity(joint: Joint, file_format: Format) -> None:
    """Raise ArgumentError for friction that is smoothed below another speed than that of joints of files."""
    for friction, velocity in zip(floats(joint.friction), floats(joint.friction_velocity), strict=True):
        if friction and velocity != USUAL_FRICTION_VELOCITY:
            message = f"{file_format.name} has no friction_velocity, which is {velocity}; with strict=False it becomes"
            raise refusal(joint, f"{message} {USUAL_FRICTION_VELOCITY}")


def fixed_point(start: T, step: Callable[[T], T]) -> T:
    """Return the numbers that a step, such as reading and writing again, no longer changes.

    Two steps suffice mostly. Roundings that alternate between two results have no such numbers: the smallest of the
    cycle is returned, which is the result from every start in it.
    """
    seen = [start]
    for _ in range(_MAX_STEPS):
        following = step(seen[-1])
        if following in seen:
            return min(seen[seen.index(following) :])
        seen.append(following)
    return seen[-1]


def write_text(path: str | os.PathLike[str], text: str, file_format: Format) -> None:
    """Write a file, which appears complete or not at all.

    Raises ArgumentError for what is no path, the format's path error where it cannot be written.
    """
    name = path_text(path)
    if name is None:
        raise kind_error(path, "str or PathLike", f"write_{file_format.name.lower()}", "path")
    try:
        with replaced_file(Path(name)) as partial:
            partial.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        message = f"cannot write {name!r}: {error.strerror}"
        raise file_format.path_error(message, file=name, line=None, column=None, element=None) from None
