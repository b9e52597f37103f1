"""The words of a format, for fuzzers."""

from __future__ import annotations

from rbd.mjcf.schema import ATTRIBUTES, SECTIONS

URDF = """robot link joint inertial visual collision origin mass inertia geometry box cylinder sphere capsule mesh
parent child axis limit dynamics mimic material color texture name type revolute continuous prismatic fixed floating
planar xyz rpy quat_xyzw value ixx ixy ixz iyy iyz izz size radius length filename scale lower upper velocity effort
damping friction multiplier offset rgba loop_joint"""
VALUES = "hinge slide ball free true false auto radian plane enable disable include frame default"
NUMBERS = ("0", "1", "-1", "1e30", "-1e-320", "1e308", "nan", "0 0 0", "1 0 0 0", "1 2 3 4 5 6")


def words(name: str) -> list[str]:
    """Return tags, attributes, values and numbers."""
    found = set(URDF.split())
    if name == "mjcf":
        found = {*SECTIONS, *(word for kind in ATTRIBUTES for word in kind.split())}
        found |= {attribute for attributes in ATTRIBUTES.values() for attribute in attributes}
        found |= set(VALUES.split())
    return [*sorted(found), *NUMBERS, "<", "/>", "</", "=\\x22", "\\x22 ", "<!--", "<!DOCTYPE"]
