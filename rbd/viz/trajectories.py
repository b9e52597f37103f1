"""Trajectories of simulations with or without contact, as samples of positions and velocities."""

from __future__ import annotations

from typing import TypeAlias

from rbd.arguments import require_kind
from rbd.contact import ContactTrajectory
from rbd.errors import ShapeError
from rbd.mechanism import Mechanism
from rbd.simulation import Trajectory

AnyTrajectory: TypeAlias = "Trajectory | ContactTrajectory"


def as_trajectory(trajectory: AnyTrajectory, operation: str) -> Trajectory:
    """Return a trajectory, or the samples of a contact trajectory; raise ArgumentError for anything else."""
    require_kind(trajectory, Trajectory, ContactTrajectory, operation=operation, argument="trajectory")
    if isinstance(trajectory, Trajectory):
        return trajectory
    return Trajectory(trajectory.t, trajectory.q, trajectory.v)


def require_fitting(trajectory: Trajectory, mechanism: Mechanism) -> None:
    """Raise ArgumentError for anything but a mechanism, ShapeError if it has another number of coordinates."""
    require_kind(mechanism, Mechanism, operation="trajectory", argument="mechanism")
    for name, array, wanted in (("q", trajectory.q, mechanism.nq), ("v", trajectory.v, mechanism.nv)):
        if array.shape[1] != wanted:
            message = f"trajectory.{name} has {array.shape[1]} columns, the mechanism has n{name} = {wanted}"
            raise ShapeError(message, argument="trajectory", expected=(len(trajectory), wanted), actual=array.shape)
