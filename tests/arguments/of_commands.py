"""Valid commands of `rbd`; values are the texts of other values, files go to a folder of their own."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Final

from rbd.cli import main

from .making import Good, Probe, World

RESULT: Final = "result"
"""The argument of `rbd convert` that names the file to write."""
INVALID: Final = 2
"""The exit code for invalid command lines."""
_URDF: Final = """<robot name="arm">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""


def command(name: str, **options: object) -> int:
    """Run a command in an empty folder with one file, and return its exit code; options are --name=value."""
    places = {"file": options["file"], RESULT: options.get(RESULT)}
    words = [f"--{option.replace('_', '-')}={value}" for option, value in options.items() if option not in places]
    named = [str(place) for place in places.values() if place is not None]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), _silence():
        Path("arm.urdf").write_text(_URDF, encoding="utf-8")
        try:
            return main([name, *words, *named])
        except SystemExit as error:  # of argparse, for an invalid command line
            if error.code != INVALID:
                raise AssertionError(f"exit code {error.code}") from error
            return INVALID


@contextlib.contextmanager
def _silence() -> Generator[None, None, None]:
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        yield


def _probe(name: str, good: Good, _: World) -> tuple[Callable[..., object], Good]:
    return partial(command, name), dict(good)


COMMANDS: Final[dict[str, Probe]] = {
    f"rbd {name}": partial(_probe, name, good)
    for name, good in {
        "info": {"file": "arm.urdf", "package": "arm=."},
        "check": {"file": "arm.urdf", "package": "arm=."},
        "simulate": {
            "file": "arm.urdf",
            "time": 0.01,
            "dt": 0.001,
            "set": "shoulder=0.1",
            "speed": "shoulder=0.2",
            "controller": "none",
        },
        "convert": {"file": "arm.urdf", "to": "mjcf", RESULT: "arm.xml"},
        "compile": {"file": "arm.urdf", "functions": "mass_matrix", "prefix": "arm", "dtype": "float64"},
    }.items()
}
