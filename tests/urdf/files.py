"""Robot files for the tests: the corpus on disk, and small files put together here."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).parent
BAD: Final = HERE / "bad"
GOOD: Final = HERE / "good"
ARM: Final = GOOD / "arm.urdf"


class Fault(NamedTuple):
    """A faulty file and how it must be refused."""

    name: str
    error: str
    line: int
    fragment: str

    @property
    def path(self) -> Path:
        return BAD / f"{self.name}.urdf"


def faults() -> list[Fault]:
    """The table of the corpus."""
    rows = (line.split("\t") for line in (BAD / "expected.tsv").read_text(encoding="utf-8").splitlines())
    return [Fault(name, error, int(line), fragment) for name, error, line, fragment in rows]


def robot(*parts: str, name: str = "r") -> str:
    """A robot made of parts, one per line: the first part stands in line 2."""
    return "\n".join([f'<robot name="{name}">', *parts, "</robot>"])


def link(name: str, inertial: str = "") -> str:
    return f'<link name="{name}">{inertial}</link>'


def inertial(mass: float = 1.0, moments: tuple[float, float, float] = (1.0, 1.0, 1.0), origin: str = "") -> str:
    xx, yy, zz = moments
    return f'<inertial>{origin}<mass value="{mass}"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}"/></inertial>'


def joint(name: str, parent: str, child: str, kind: str = "continuous", inside: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def pair(kind: str, inside: str = "", child: str = "") -> str:
    """Two links, "base" and "tip", and one joint "j" in line 4."""
    return robot(link("base"), link("tip", child), joint("j", "base", "tip", kind, inside))


def chain(length: int, kind: str = "continuous") -> str:
    joints = (joint(f"j{i}", f"l{i}", f"l{i + 1}", kind, '<origin xyz="0 0 1"/>') for i in range(length - 1))
    return robot(*(link(f"l{i}") for i in range(length)), *joints)


def star(length: int, kind: str = "continuous") -> str:
    joints = (joint(f"j{i}", "l0", f"l{i + 1}", kind) for i in range(length - 1))
    return robot(*(link(f"l{i}") for i in range(length)), *joints)
