"""Double pendulum of `rbd demo`: mechanism, simulation, frames, plots.

A first example, which uses public names only. Matplotlib is optional.
"""

# Matplotlib does not type its keyword arguments:
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rbd.errors import ArgumentError, FrameMismatchError, printable
from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.simulation import Trajectory, simulate
from rbd.spatial import Frame, Point, SpatialInertia, Transform
from rbd.state import MechanismState

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rbd.scalars.arrays import Array

Print = Callable[[str], None]


def build(lengths: tuple[float, float] = (1.0, 0.8), masses: tuple[float, float] = (1.0, 0.7)) -> Mechanism:
    """Return a double pendulum of two rods that turn about y; the frame "tip" is at the lower end.

    >>> from rbd.cli.double_pendulum import build
    >>> build().nv
    2
    """
    mechanism = Mechanism("world", gravity=(0, 0, -9.81))
    carrier, pivot = mechanism.root_body, mechanism.root_frame
    for name, joint_name, length, m in zip(("upper", "lower"), ("shoulder", "elbow"), lengths, masses, strict=True):
        rod = RigidBody(name, rod_inertia(Frame(name), length, m))
        joint = Joint(joint_name, Revolute((0, 1, 0)))
        mechanism.attach(carrier, rod, joint, joint_pose=Transform(joint.frame_before, pivot))
        end = Frame("elbow" if name == "upper" else "tip")
        rod.add_frame(Transform(end, rod.default_frame, translation=(0, 0, -length)))
        carrier, pivot = rod, end
    return mechanism


def rod_inertia(frame: Frame, length: float, mass: float, radius: float = 0.02) -> SpatialInertia:
    """Return the inertia of a rod that hangs down from the origin of `frame`."""
    across, along = mass * (3 * radius**2 + length**2) / 12, mass * radius**2 / 2
    return SpatialInertia(frame, mass=mass, com=(0, 0, -length / 2), moment_about_com=np.diag([across, across, along]))


def run(picture: Path, *, final_time: float = 10.0, progress: bool = False, write: Print = print) -> None:
    """Run the demo: pass lines of text to `write` and write a plot to `picture`."""
    plots = importlib.util.find_spec("matplotlib") is not None
    if plots:
        require_picture(picture)
    mechanism = build()
    bodies = " <- ".join(f"{mechanism.successor(j).name} ({j.name})" for j in mechanism.tree_joints)
    size = f"{mechanism.mass:g} kg, {mechanism.nv} degrees of freedom"
    write(f"A double pendulum: {mechanism.root_body.name} <- {bodies}; {size}")

    state = MechanismState(mechanism, q=[2.0, 1.0], v=[0.0, 0.0])
    trajectory = simulate(state, final_time, dt=2.5e-3, progress=progress)
    write(f"\nSimulated {final_time:g} s in {len(trajectory) - 1} steps (Munthe-Kaas, fourth order). Energies in J:\n")
    print_energies(mechanism, trajectory, write)
    print_frames(mechanism, state, write)
    if not plots:
        write("\nNo plot: matplotlib is not installed. Install it with: pip install 'rbd[plot]'")
        return
    draw(mechanism, trajectory, picture)
    write(f"\nWrote {printable(str(picture))}")


def print_energies(mechanism: Mechanism, trajectory: Trajectory, write: Print) -> None:
    """Print energies over time, and the variation of the total energy."""
    energies = trajectory.energies(mechanism)
    write("    time   kinetic  potential     total")
    stride = max(1, (len(trajectory) - 1) // 5)
    for i in range(0, len(trajectory), stride):
        row = (trajectory.t[i], energies.kinetic[i], energies.potential[i], energies.total[i])
        write("  {:6.2f}  {:8.4f}   {:8.4f}  {:8.4f}".format(*row))
    write(f"\nThe total energy varies by {np.ptp(energies.total):.1e} J.")


def print_frames(mechanism: Mechanism, state: MechanismState, write: Print) -> None:
    """Print the position of the tip, and the error of an operation with wrong frames."""
    tip = Point(mechanism.frame("tip"), (0, 0, 0))
    X_WT = state.transform_to_root(tip.frame)
    write(f"\nPosition of the tip: transform_to_root(tip) @ tip = {_shown((X_WT @ tip).xyz)} in the world")
    X_WU = state.transform_to_root(mechanism.body("upper"))
    write("With a wrong frame, transform_to_root(upper) @ tip raises")
    try:
        write(f"    {X_WU @ tip}")
    except FrameMismatchError as error:
        write(f"    FrameMismatchError: {error}")


def _shown(xyz: Array) -> str:
    return "(" + ", ".join(f"{x:.3f}" for x in xyz) + ")"


# -- plots -----------------------------------------------------------------------------------------------------------


def positions(mechanism: Mechanism, trajectory: Trajectory) -> Array:
    """Return x and z of the elbow and the tip in the world at every sample, as (samples, 2, 2)."""
    state = MechanismState(mechanism)
    frames = [mechanism.frame("elbow"), mechanism.frame("tip")]
    points = np.empty((len(trajectory), 2, 2))
    for i, q in enumerate(trajectory.q):
        state.set_configuration(q)
        for k, frame in enumerate(frames):
            points[i, k] = state.transform_to_root(frame).translation[[0, 2]]
    return points


def require_picture(picture: Path) -> None:
    """Raise ArgumentError unless the suffix of a file is that of a picture."""
    from matplotlib.backend_bases import FigureCanvasBase

    formats = sorted(FigureCanvasBase.get_supported_filetypes())
    if picture.suffix.lstrip(".").lower() not in formats:
        message = f"{picture.name} has no suffix of a picture file; allowed are {', '.join(formats)}"
        raise ArgumentError(message, argument="picture", value=picture, allowed=tuple(formats))


def draw(mechanism: Mechanism, trajectory: Trajectory, picture: Path) -> None:
    """Plot the path of the tip with some poses, and the energies over time."""
    from matplotlib.figure import Figure  # not pyplot, which has global state

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.35])
    _draw_motion(left, positions(mechanism, trajectory))
    _draw_energies(right, mechanism, trajectory)
    figure.savefig(picture, dpi=120)


def _draw_motion(axes: Axes, positions: Array) -> None:
    """Plot the path of the tip, from light to dark, and five poses near the end."""
    tip, pieces = positions[:, 1], 60
    for k in range(pieces):
        first, last = len(tip) * k // pieces, len(tip) * (k + 1) // pieces + 1
        axes.plot(*tip[first:last].T, color="tab:blue", linewidth=1.0, alpha=0.15 + 0.85 * (k + 1) / pieces)
    for fade, i in enumerate(np.linspace(0.93, 1, 5) * (len(positions) - 1)):
        rods = np.vstack([np.zeros((1, 2)), positions[int(i)]])
        axes.plot(*rods.T, "-o", color="black", alpha=0.12 + 0.22 * fade, linewidth=2.5, markersize=5)
    axes.set_aspect("equal")
    axes.set_xlabel("x (m)")
    axes.set_ylabel("z (m)")


def _draw_energies(axes: Axes, mechanism: Mechanism, trajectory: Trajectory) -> None:
    energies = trajectory.energies(mechanism)
    for name in ("kinetic", "potential", "total"):
        axes.plot(trajectory.t, getattr(energies, name), label=name, linewidth=1.4)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("energy (J)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
    axes.margins(x=0)
