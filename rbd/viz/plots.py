"""Plots of mechanisms and trajectories with matplotlib (extra `plot`), which is imported by the functions."""

# Matplotlib's 3D axes have no type annotations:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rbd.algorithms import loop_gap
from rbd.arguments import boolean, require_choice, require_kind
from rbd.contact import CollisionModel, ContactTrajectory
from rbd.errors import ArgumentError
from rbd.mechanism import Mechanism
from rbd.scalars.arrays import Array
from rbd.simulation import ForceElement
from rbd.state import MechanismState
from rbd.viz.figures import chart_axes, matplotlib_module, set_limits, space_axes
from rbd.viz.forces import Forces, arrows, scaled
from rbd.viz.poses import body_poses, transformed_points
from rbd.viz.skeleton import Bone, bones, loop_ends
from rbd.viz.trajectories import AnyTrajectory, as_trajectory, require_fitting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BONE, _JOINT, _LOOP, _FORCE = "#3c3c3c", "#d98c14", "#c8102e", "#c8102e"
_AXES: Final = ("#d62728", "#2ca02c", "#1f77b4")
_CURVES_WITH_NAMES: Final = 16
"""More curves have no legend."""


def plot_mechanism(
    state: MechanismState, *, frames: bool = True, names: bool = False, forces: Forces = (), ax: Any = None
) -> Any:
    """Plot a mechanism at `state` as a stick figure, in the root frame; return matplotlib's 3D axes.

    Lines lead from joint to joint and to the most distant frame of the last bodies; dots are joints. `frames` draws the
    axes of the bodies' frames (x red, y green, z blue), `names` their names. Loop joints are red, with a line between
    their sides where the loop is open; crosses are compliant contact points. `forces` are arrows, the largest a third
    of the figure's size long. `ax` are 3D axes to draw into; by default those of a new figure, the `.figure` of the
    result. Raises MissingPackageError without matplotlib (`pip install 'rbd[plot]'`).

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.humanoid())
    >>> picture = rbd.viz.plot_mechanism(state)
    >>> picture.figure.savefig("humanoid.png")        # doctest: +SKIP
    """
    require_kind(state, MechanismState, operation="plot_mechanism", argument="state")
    length, labelled = float(boolean(frames, "frames")), boolean(names, "names")
    pushes, mechanism = arrows(state, forces), state.mechanism
    parts, poses = bones(mechanism), body_poses(state, mechanism.bodies)
    drawn = space_axes(ax, "plot_mechanism")
    ends = _bones(drawn, poses, parts)
    corners = [ends, poses[:, :3, 3], _loops(drawn, state), _contacts(drawn, state)]
    low, high = _extent(np.concatenate(corners))
    size = float(np.linalg.norm(high - low))
    for pose, bone in zip(poses, parts, strict=True):
        _frames(drawn, pose, bone, length * size / 16, labelled)
    tips = _forces(drawn, pushes, size / 3)
    set_limits(
        drawn, np.minimum(low, tips.min(axis=0, initial=np.inf)), np.maximum(high, tips.max(axis=0, initial=-np.inf))
    )
    return drawn


def _bones(axes: Any, poses: Array, parts: Sequence[Bone]) -> Array:
    """Draw the lines and joints of all bodies; return the ends of the lines."""
    lines = np.concatenate([transformed_points(pose, bone.segments) for pose, bone in zip(poses, parts, strict=True)])
    joints = np.concatenate([transformed_points(pose, bone.joints) for pose, bone in zip(poses, parts, strict=True)])
    _lines(axes, lines, _BONE, 2.5)
    axes.scatter(*joints.T, color=_JOINT, s=18, depthshade=False, zorder=5)
    return lines.reshape(-1, 3)


def _extent(points: Array) -> tuple[Array, Array]:
    """Return the corners of the bounding box; flat ones get a depth."""
    low, high = points.min(axis=0), points.max(axis=0)
    least = max(0.4 * float((high - low).max()), 1e-3)
    missing = np.maximum(least - (high - low), 0.0) / 2
    return low - missing, high + missing


def _lines(axes: Any, segments: Array, color: str, width: float) -> None:
    if len(segments):
        collection = matplotlib_module("mpl_toolkits.mplot3d.art3d").Line3DCollection
        axes.add_collection(collection(segments, colors=color, linewidths=width, zorder=4), autolim=False)


def _frames(axes: Any, pose: Array, bone: Bone, length: float, names: bool) -> None:
    for named in bone.frames:
        own = pose @ named.pose
        for k, color in enumerate(_AXES if length else ()):
            _lines(axes, np.array([[own[:3, 3], own[:3, 3] + length * own[:3, k]]]), color, 1.2)
        if names:
            axes.text(*own[:3, 3], f" {named.name}", fontsize=6, zorder=8)


def _loops(axes: Any, state: MechanismState) -> Array:
    """Draw loop joints; return their points."""
    ends = [
        [transformed_points(state.transform_to_root(body).matrix, point) for body, point in sides]
        for loop in loop_ends(state.mechanism)
        for sides in [((loop.predecessor, loop.before), (loop.successor, loop.after))]
    ]
    points = np.array(ends, dtype=np.float64).reshape(-1, 2, 3)
    if len(points):
        _lines(axes, points, _LOOP, 1.2)
        axes.scatter(*points.reshape(-1, 3).T, color=_LOOP, s=30, depthshade=False, zorder=6)
    return points.reshape(-1, 3)


def _contacts(axes: Any, state: MechanismState) -> Array:
    """Draw compliant contact points; return them."""
    points = [
        (state.transform_to_root(body) @ contact.location).xyz
        for body in state.mechanism.bodies
        for contact in body.contact_points
    ]
    array = np.array(points, dtype=np.float64).reshape(-1, 3)
    if len(array):
        axes.scatter(*array.T, color=_BONE, marker="x", s=22, depthshade=False, zorder=6)
    return array


def _forces(axes: Any, forces: Array, longest: float) -> Array:
    """Draw forces; return the points of their arrows."""
    if not len(forces):
        return np.empty((0, 3))
    starts, vectors = scaled(forces, longest).transpose(1, 0, 2)
    axes.quiver(*starts.T, *vectors.T, color=_FORCE, linewidth=1.6, arrow_length_ratio=0.18, zorder=7)
    return np.concatenate([starts, starts + vectors])


# -------------------------------------------------------------------- curves


def plot_trajectory(
    trajectory: AnyTrajectory, mechanism: Mechanism | None = None, *, quantity: str = "q", ax: Axes | None = None
) -> Axes:
    """Plot the configurations (`quantity="q"`) or velocities ("v") of a trajectory over time; return the axes.

    `mechanism` gives the curves the names of its joints. Raises ShapeError for a mechanism of another size,
    MissingPackageError without matplotlib (`pip install 'rbd[plot]'`).

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> chart = rbd.viz.plot_trajectory(rbd.simulate(state, 1.0, dt=0.01), state.mechanism)
    >>> [curve.get_label() for curve in chart.lines]
    ['shoulder', 'elbow']
    """
    motion = as_trajectory(trajectory, "plot_trajectory")
    require_choice(quantity, ("q", "v"), "quantity", "quantity")
    if mechanism is not None:
        require_fitting(motion, mechanism)
    axes = chart_axes(ax, "plot_trajectory")
    values = motion.q if quantity == "q" else motion.v
    labels = [f"{quantity}[{k}]" for k in range(values.shape[1])] if mechanism is None else _labels(mechanism, quantity)
    return _draw_curves(axes, motion.t, values, labels, quantity)


def plot_energies(
    trajectory: AnyTrajectory,
    mechanism: Mechanism,
    *,
    forces: Sequence[ForceElement] = (),
    collision_model: CollisionModel | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the kinetic, potential, elastic and total energy of a trajectory over time (J); return the axes.

    Elastic energy is that of springs at joint bounds, compliant contacts, the force elements `forces` and compliant
    pairs of `collision_model`; it has no curve where it is zero. Raises ShapeError for a mechanism of another size,
    MissingPackageError without matplotlib.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), q=[0.3, 0.0])
    >>> chart = rbd.viz.plot_energies(rbd.simulate(state, 1.0, dt=0.01), state.mechanism)
    >>> [curve.get_label() for curve in chart.lines]
    ['kinetic', 'potential', 'total']
    """
    motion = as_trajectory(trajectory, "plot_energies")
    require_fitting(motion, mechanism)
    axes = chart_axes(ax, "plot_energies")
    energies = motion.energies(mechanism, forces, collision_model=collision_model)
    shown = [name for name in energies._fields if name != "elastic" or energies.elastic.any()]
    values = np.stack([getattr(energies, name) for name in shown], axis=1)
    return _draw_curves(axes, motion.t, values, shown, "energy (J)")


def plot_gaps(trajectory: AnyTrajectory, mechanism: Mechanism, *, ax: Axes | None = None) -> Axes:
    """Plot the errors of loops and couplings over time (m or rad); return the axes.

    The scale is logarithmic, except with distances: of a contact trajectory, plot those of its pairs at the beginning
    of each step (m), and the loops, if there are any. Raises ArgumentError when there are neither, ShapeError for a
    mechanism of another size, MissingPackageError without matplotlib.

    >>> import rbd
    >>> linkage = rbd.robots.four_bar()
    >>> state = rbd.MechanismState(linkage, rbd.robots.four_bar_configuration(1.0))
    >>> chart = rbd.viz.plot_gaps(rbd.simulate(state, 0.1, dt=0.01), linkage)
    >>> chart.get_yscale()
    'log'
    """
    motion = as_trajectory(trajectory, "plot_gaps")
    require_fitting(motion, mechanism)
    pairs = trajectory.distances if isinstance(trajectory, ContactTrajectory) else np.empty((len(motion), 0))
    has_loops = bool(mechanism.loop_joints or mechanism.couplings)
    if not has_loops and not pairs.shape[1]:
        raise _no_gaps(trajectory)
    axes = chart_axes(ax, "plot_gaps")
    if pairs.shape[1]:
        labels = [f"pair {k}" for k in range(pairs.shape[1])]
        _draw_curves(axes, motion.t[: len(pairs)], pairs, labels, "distance (m)")
    if has_loops:
        gaps = _loop_gaps(motion.q, mechanism)
        _draw_curves(axes, motion.t, np.maximum(gaps, 1e-17)[:, None], ["loops"], "gap (m, rad)")
        axes.set_yscale("log" if not pairs.shape[1] else "linear")
    return axes


def _no_gaps(trajectory: AnyTrajectory) -> ArgumentError:
    message = "trajectory: the mechanism has neither loops nor couplings, and the trajectory no distances"
    return ArgumentError(message, argument="trajectory", value=trajectory)


def _loop_gaps(q: Array, mechanism: Mechanism) -> Array:
    state, gaps = MechanismState(mechanism), np.empty(len(q))
    for k, row in enumerate(q):
        state.set_configuration(row)
        gaps[k] = loop_gap(state)
    return gaps


def _labels(mechanism: Mechanism, quantity: str) -> list[str]:
    """Return a name for every coordinate or velocity: that of the joint, if it has one only."""
    labels: list[str] = []
    for joint in mechanism.tree_joints:
        names = joint.type.position_names if quantity == "q" else joint.type.velocity_names
        labels += [joint.name] if len(names) == 1 else [f"{joint.name} {name}" for name in names]
    return labels


def _draw_curves(axes: Axes, t: Array, values: Array, labels: Sequence[str], ylabel: str) -> Axes:
    """Draw curves over time, with a legend unless there are many; return the axes."""
    colors = matplotlib_module("matplotlib").colormaps["tab10" if len(labels) <= 10 else "turbo"]
    for k, label in enumerate(labels):
        color = colors(k) if len(labels) <= 10 else colors((k + 0.5) / len(labels))
        axes.plot(t, values[:, k], label=label, color=color, linewidth=1.4)
    axes.set(xlabel="time (s)", ylabel=ylabel)
    axes.grid(alpha=0.3)
    if 0 < len(axes.lines) <= _CURVES_WITH_NAMES:
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize="small", frameon=False)
    return axes
