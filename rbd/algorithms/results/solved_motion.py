"""Motion of a solution: its state, and framed values that are computed when they are asked for."""

from __future__ import annotations

from typing import Any, final

from rbd.algorithms.loops.reactions import tree_wrenches
from rbd.algorithms.results.solution import Solution
from rbd.kinematics import passes
from rbd.lazy_property import lazy_property
from rbd.mechanism import Mechanism
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Vector
from rbd.spatial import SpatialAcceleration, Wrench


@final
class SolvedMotion:
    """The motion of one solution."""

    def __init__(self, mechanism: Mechanism, solution: Solution) -> None:
        """Take the copies of a solution."""
        self.solution = solution
        copies = {name: tuple(each.reshape(-1).tolist()) for name, each in solution.copies.items()}
        self.state = ScalarState(mechanism, copies["q"], copies["v"])
        self.multipliers: Vector | None = copies.get("multipliers")
        """Of the constraints; None for trees."""
        self.contacts = solution.contacts
        self._vd, self._external = copies["vd"], solution.external_wrenches

    @lazy_property
    def accelerations(self) -> tuple[SpatialAcceleration[Any, Any, Any], ...]:
        """The acceleration of each body, in its frame."""
        return passes.accelerations(self.state, self._vd)

    @lazy_property
    def wrenches(self) -> tuple[Wrench[Any], ...]:
        """The wrench of each body's joint on it, in its frame."""
        return tree_wrenches(self.state, self._vd, self._external, self.multipliers or ())
