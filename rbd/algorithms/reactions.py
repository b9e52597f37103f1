"""What loop joints apply to the bodies at their ends, and what the tree has to bear of it.

A loop joint pushes its successor with minus its constraint wrenches times their multipliers, and its predecessor with
the opposite.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from rbd.algorithms.external import BodyWrenches, External, ExternalWrenches, held, on_bodies
from rbd.algorithms.loops import closures, reaction
from rbd.algorithms.newton_euler import wrenches_of_motion
from rbd.scalars import Vector
from rbd.spatial import Wrench
from rbd.state import StateView, passes
from rbd.state.solution import BodyWrenchesOf, LoopReactions, SolutionReading

Given = External | ExternalWrenches
"""External wrenches as kernels take them, or as users give them."""


def _as_held(state: StateView, external: Given) -> External:
    return held(state, external) if isinstance(external, Mapping) else external


def _tree_wrenches(external: Given, vd: Vector, state: StateView) -> tuple[Wrench[Any], ...]:
    return wrenches_of_motion(vd, _as_held(state, external), state)


def _loop_wrenches(external: Given, vd: Vector, multipliers: Vector, state: StateView) -> tuple[Wrench[Any], ...]:
    return joint_wrenches_with_loops(vd, _as_held(state, external), multipliers, state)


def _read_tree(external: Given, vd: Vector) -> tuple[BodyWrenchesOf, LoopReactions | None]:
    return partial(_tree_wrenches, external, vd), None


def _read_loops(
    external: Given, vd: Vector, multipliers: Vector, rank: Vector
) -> tuple[BodyWrenchesOf, LoopReactions | None]:
    reactions = LoopReactions(rank[0], partial(loop_wrenches, multipliers))
    return partial(_loop_wrenches, external, vd, multipliers), reactions


TREE_WRENCHES: Final = SolutionReading(("vd",), _read_tree)
"""How joint wrenches follow from a solution of a tree."""
LOOP_WRENCHES: Final = SolutionReading(("vd", "multipliers", "rank"), _read_loops)
"""How joint wrenches and loop reactions follow from a solution of a mechanism with loops."""


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
