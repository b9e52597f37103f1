"""Forces to draw: vectors with points of application, of contacts and of external wrenches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import ArrayLike

from rbd.arguments import require_kind, sequence
from rbd.contact import Distance
from rbd.errors import ShapeError
from rbd.mechanism import RigidBody
from rbd.scalars.arrays import Array, float_array
from rbd.spatial import FreeVector, Point, Wrench
from rbd.state import MechanismState


@final
@attrs.frozen(eq=False)
class Force:
    """A force (N) at a point, each in any frame of the mechanism.

    >>> import rbd
    >>> world = rbd.robots.arm7().root_frame
    >>> push = rbd.viz.Force(rbd.Point(world, (0, 0, 1)), rbd.FreeVector(world, (20, 0, 0)))
    >>> push.vector.norm()
    20.0
    """

    point: Point[Any]
    vector: FreeVector[Any]


Forces: TypeAlias = "Sequence[Force] | Mapping[RigidBody, Wrench[Any]]"
"""Forces at points, or wrenches on bodies, whose forces are drawn on their lines of action."""


def contact_forces(distances: Sequence[Distance[float]], multipliers: ArrayLike) -> list[Force]:
    """Return the normal forces of contacts, at their witness points: those of `distances` with these `multipliers`.

    Zero multipliers give no force. Raises ShapeError unless there is one multiplier per distance.

    >>> import rbd
    >>> robot = rbd.robots.quadruped()
    >>> model = rbd.robots.quadruped_collision_model(robot)
    >>> state = rbd.MechanismState(robot, rbd.robots.quadruped_configuration())
    >>> solution = rbd.contact.solve_contact(state, model, None)
    >>> forces = rbd.viz.contact_forces(model.distances(state), solution.multipliers)
    >>> [force.point.frame.name for force in forces]
    ['world', 'world', 'world', 'world']
    """
    near = checked_distances(distances)
    sizes = float_array(multipliers, (None,), "multipliers")
    if len(sizes) != len(near):
        message = f"multipliers has {len(sizes)} entries, needs one per distance, {len(near)}"
        raise ShapeError(message, argument="multipliers", expected=(len(near),), actual=sizes.shape)
    pairs = zip(near, sizes.tolist(), strict=True)
    return [Force(each.witness_a, each.normal * size) for each, size in pairs if size]


def checked_distances(distances: object) -> tuple[Distance[float], ...]:
    """Return distances as a tuple; raise ArgumentError for anything but a sequence of them."""
    checked = sequence(distances, "distances", "distances")
    for each in checked:
        require_kind(each, Distance, operation="distances", argument="distances")
    return checked


def arrows(state: MechanismState, forces: Forces) -> Array:
    """Return points of application and force vectors in the root frame, (n, 2, 3)."""
    checked = _on_bodies(forces) if isinstance(forces, Mapping) else sequence(forces, "forces", "forces")
    for force in checked:
        require_kind(force, Force, operation="forces", argument="forces")
    rows = [(_in_root(state, force.point).xyz, _in_root(state, force.vector).xyz) for force in checked]
    return np.array(rows, dtype=np.float64).reshape(-1, 2, 3)


def scaled(forces: Array, longest: float) -> Array:
    """Return forces, as `arrows` returns them, with vectors scaled so that the longest has this length."""
    largest = float(np.linalg.norm(forces[:, 1], axis=1).max(initial=0.0))
    factor = longest / largest if largest else 1.0
    return np.asarray(forces * np.array([1.0, factor])[:, None], dtype=np.float64)


def _in_root(state: MechanismState, value: Any) -> Any:
    return state.relative_transform(value.frame, state.mechanism.root_frame) @ value


def _on_bodies(wrenches: Mapping[RigidBody, Wrench[Any]]) -> list[Force]:
    """Return the forces of wrenches, each at the point of its line of action that is nearest to its frame's origin."""
    pushes: list[Force] = []
    for wrench in wrenches.values():
        require_kind(wrench, Wrench, operation="forces", argument="forces")
        f, m = np.asarray(wrench.linear, dtype=np.float64), np.asarray(wrench.angular, dtype=np.float64)
        if f.any():
            point = Point(wrench.frame, np.cross(f, m) / (f @ f))
            pushes.append(Force(point, FreeVector(wrench.frame, f)))
    return pushes
