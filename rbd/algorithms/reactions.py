"""What loop joints apply to the bodies at their ends, and what the tree has to bear of it.

Room: algorithms; may import state and above. A loop joint pushes its successor with minus its constraint wrenches times
their multipliers, and its predecessor with the opposite.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rbd.algorithms.external import BodyWrenches, External, on_bodies
from rbd.algorithms.loops import closures, reaction
from rbd.algorithms.newton_euler import wrenches_of_motion
from rbd.scalars import Scalar, Vector
from rbd.spatial import Wrench
from rbd.state import StateView, passes
from rbd.state.short_ways import LoopReactions


def reactions(multipliers: Vector, rank: Scalar) -> LoopReactions:
    """Return what a result keeps about the loops of one solution."""
    return LoopReactions(rank, partial(loop_wrenches, multipliers))


def loop_wrenches(multipliers: Vector, state: StateView) -> tuple[Wrench[Any], ...]:
    """Return, per loop, what its joint applies to its successor, in the root frame."""
    poses = passes.to_root(state)
    result: list[Wrench[Any]] = []
    for closure in closures(state):
        end = closure.loop.successor
        to_root = poses[end] @ closure.to_after[end].inverse()
        result.append(reaction(closure, multipliers).transformed(to_root))
    return tuple(result)


def joint_wrenches_with_loops(
    vd: Vector, external: External, multipliers: Vector, state: StateView
) -> tuple[Wrench[Any], ...]:
    """Return what each tree joint applies to its body (body frames), the loops' reactions being borne too."""
    return wrenches_of_motion(vd, with_reactions(state, external, multipliers), state)


def with_reactions(state: StateView, external: External, multipliers: Vector) -> BodyWrenches:
    """Return external wrenches and what loop joints apply to the bodies at their ends, per body."""
    pushes = list(on_bodies(state, external) or (None,) * len(state.layout.bodies))
    for closure in closures(state):
        wrench = reaction(closure, multipliers)
        for end, own in ((closure.loop.successor, wrench), (closure.loop.predecessor, -wrench)):
            here, known = own.transformed(closure.to_after[end].inverse()), pushes[end]
            pushes[end] = here if known is None else known + here
    return tuple(pushes)
