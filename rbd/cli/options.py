"""Types of options, and the options that commands share."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias, TypedDict, cast, final

import attrs
from typing_extensions import override

from rbd.arguments import is_path_text
from rbd.errors import quoted


@final
@attrs.frozen
class Command:
    """A command: its name, what it does, examples for `--help`, its options, and the function that carries it out."""

    name: str
    text: str
    examples: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

    @property
    def settings(self) -> CommandSettings:
        """The settings of the parser of the command."""
        shown = "\n".join(f"  {line}" for line in self.examples.strip().splitlines())
        return {
            "help": self.text,
            "description": f"{self.text[0].upper()}{self.text[1:]}.",
            "epilog": f"examples:\n{shown}",
            "formatter_class": argparse.RawDescriptionHelpFormatter,
        }


class CommandSettings(TypedDict):
    """Settings of the parser of a command."""

    help: str
    description: str
    epilog: str
    formatter_class: type[argparse.HelpFormatter]


def add_file(parser: argparse.ArgumentParser, *, keep_fixed: bool = True) -> None:
    """Add FILE and the options of reading it."""
    parser.add_argument("file", metavar="FILE", help="URDF or MJCF file: a path, or PACKAGE:NAME")
    parser.add_argument("--floating", action="store_true", help="attach the root link with a floating joint (URDF)")
    if keep_fixed:
        parser.add_argument("--keep-fixed", action="store_true", help="keep fixed joints")
    parser.add_argument(
        "--package", action="append", default=[], type=package, metavar="NAME=FOLDER", help="folder of package://NAME"
    )


def add_duration(parser: argparse.ArgumentParser, usual: float) -> None:
    """Add the time that is simulated."""
    text = f"simulated time ({usual:g} s)"
    parser.add_argument("--time", "--duration", type=positive, default=usual, metavar="SECONDS", help=text)


def positive(text: str) -> float:
    """Return a finite number above zero."""
    value = number(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be above zero, not {quoted(text)}")
    return value


def at_least_zero(text: str) -> float:
    """Return a finite number that is not negative."""
    value = number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"must not be negative, is {quoted(text)}")
    return value


def number(text: str) -> float:
    """Return a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"must be a finite number, not {quoted(text)}")
    return value


def file_path(text: str) -> Path:
    """Return the path of a file or folder."""
    if not is_path_text(text):
        raise argparse.ArgumentTypeError(f"must be a path, not {quoted(text)}")
    return Path(text)


def package(text: str) -> tuple[str, str]:
    """Return name and folder of NAME=FOLDER."""
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise argparse.ArgumentTypeError(f"must be NAME=FOLDER, not {quoted(text)}")
    return name, folder


_SEPARATOR: Final = ","
Assignments: TypeAlias = dict[str, tuple[float, ...]]


def assignments(text: str) -> Assignments:
    """Return the values of JOINT=VALUE,JOINT=VALUE; a joint of several coordinates has JOINT=VALUE:VALUE.

    >>> assignments("shoulder=0.5,ball=1:0:0:0")
    {'shoulder': (0.5,), 'ball': (1.0, 0.0, 0.0, 0.0)}
    """
    assigned: Assignments = {}
    for entry in text.split(_SEPARATOR):
        name, equals, values = entry.rpartition("=")
        if not (name and equals):
            raise argparse.ArgumentTypeError(f"must be JOINT=VALUE, not {quoted(entry)}")
        if name.strip() in assigned:
            raise argparse.ArgumentTypeError(f"has {quoted(name.strip())} twice")
        assigned[name.strip()] = tuple(number(value) for value in values.split(":"))
    return assigned


@final
class AddAssignments(argparse.Action):
    """Adds the assignments of an option to those of the same option before it."""

    @override
    def __call__(self, parser: object, namespace: argparse.Namespace, values: object, option: object = None) -> None:
        given, known = cast("Assignments", values), cast("Assignments", getattr(namespace, self.dest))
        twice = sorted(given.keys() & known.keys())
        if twice:
            raise argparse.ArgumentError(self, f"has {quoted(twice[0])} twice")
        setattr(namespace, self.dest, {**known, **given})
