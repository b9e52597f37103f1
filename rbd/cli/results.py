"""Results of `rbd simulate` as files: NPZ, CSV, pictures."""

# Matplotlib does not type its keyword arguments:
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from rbd.atomic_files import replaced_file
from rbd.errors import ArgumentError, quoted
from rbd.extras import requires_extra

if TYPE_CHECKING:
    from rbd.mechanism import Mechanism
    from rbd.simulation import Trajectory

TRAJECTORIES: Final = (".npz", ".csv")
PICTURES: Final = (".png", ".svg", ".pdf")


def require_suffix(path: Path, kind: str, suffixes: tuple[str, ...]) -> None:
    """Raise ArgumentError unless the name of a file to write has one of the suffixes."""
    if path.suffix.lower() not in suffixes:
        message = f"{quoted(path)} has no suffix of a {kind} file; allowed are {', '.join(suffixes)}"
        raise ArgumentError(message, argument=kind, value=path, allowed=suffixes)


def write_trajectory(path: Path, trajectory: Trajectory, mechanism: Mechanism) -> None:
    """Write a trajectory as NPZ (`Trajectory.load` reads it) or CSV, by the suffix of the name."""
    if path.suffix.lower() == ".npz":
        trajectory.save(path)
        return
    with replaced_file(path) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["t", *columns(mechanism)])
        writer.writerows(np.column_stack([trajectory.t, trajectory.q, trajectory.v]).tolist())


@requires_extra("pictures")
def draw_trajectory(path: Path, trajectory: Trajectory, mechanism: Mechanism) -> None:
    """Plot the robot at the end as a stick figure, and coordinates and velocities over time."""
    from matplotlib.figure import Figure  # not pyplot, which has global state

    from rbd.state import MechanismState
    from rbd.viz import plot_mechanism, plot_trajectory

    figure = Figure(figsize=(12, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 1.4])
    state = MechanismState(mechanism, trajectory.q[-1], trajectory.v[-1])
    plot_mechanism(state, ax=figure.add_subplot(grid[:, 0], projection="3d"))
    for row, quantity in enumerate(("q", "v")):
        plot_trajectory(trajectory, mechanism, quantity=quantity, ax=figure.add_subplot(grid[row, 1]))
    with replaced_file(path) as partial:
        figure.savefig(partial, dpi=100, format=path.suffix[1:])


def columns(mechanism: Mechanism) -> list[str]:
    """Return the names of all coordinates, then all velocities: "q JOINT", or "q JOINT[0]" if there are several.

    >>> import rbd
    >>> columns(rbd.robots.double_pendulum())
    ['q shoulder', 'q elbow', 'v shoulder', 'v elbow']
    """
    joints = mechanism.tree_joints
    sizes = [("q", joint.name, joint.nq) for joint in joints] + [("v", joint.name, joint.nv) for joint in joints]
    return [f"{symbol} {name}" + (f"[{k}]" if size > 1 else "") for symbol, name, size in sizes for k in range(size)]
