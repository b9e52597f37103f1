"""Results of `rbd simulate` as files: NPZ, CSV."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from rbd.atomic_files import replaced_file
from rbd.errors import ArgumentError, quoted

if TYPE_CHECKING:
    from rbd.mechanism import Mechanism
    from rbd.simulation import Trajectory

ENDINGS: Final = (".npz", ".csv")


def require_ending(path: Path) -> None:
    """Raise ArgumentError unless a trajectory can be written to a file of that name."""
    if path.suffix.lower() not in ENDINGS:
        message = f"{quoted(path)} has no ending of a trajectory; there are {', '.join(ENDINGS)}"
        raise ArgumentError(message, argument="out", value=path, allowed=ENDINGS)


def write_trajectory(path: Path, trajectory: Trajectory, mechanism: Mechanism) -> None:
    """Write a trajectory as NPZ (`Trajectory.load` reads it) or CSV, by the ending of the name."""
    if path.suffix.lower() == ".npz":
        trajectory.save(path)
        return
    with replaced_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["t", *columns(mechanism)])
        writer.writerows(np.column_stack([trajectory.t, trajectory.q, trajectory.v]).tolist())


def columns(mechanism: Mechanism) -> list[str]:
    """Return the names of all coordinates, then all velocities: "q JOINT", or "q JOINT[0]" if there are several.

    >>> import rbd
    >>> columns(rbd.robots.double_pendulum())
    ['q shoulder', 'q elbow', 'v shoulder', 'v elbow']
    """
    joints = mechanism.tree_joints
    sizes = [("q", joint.name, joint.nq) for joint in joints] + [("v", joint.name, joint.nv) for joint in joints]
    return [f"{what} {name}" + (f"[{k}]" if size > 1 else "") for what, name, size in sizes for k in range(size)]
