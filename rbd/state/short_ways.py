"""What a short way to a whole solution is: machine code that writes into the arrays of a result.

Room: state; may import mechanism and above.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, final

import attrs

from rbd.mechanism import RigidBody
from rbd.scalars import Scalar
from rbd.scalars.arrays import Array
from rbd.spatial import Wrench
from rbd.state.base import StateView
from rbd.state.store.doors import Door
from rbd.state.store.kernels import Entry

BodyWrenchesOf = Callable[[StateView], "tuple[Wrench[Any], ...]"]
"""Makes, for a state, what each joint applies to its body (one wrench per body, in its frame); called when asked."""


LoopWrenchesOf = BodyWrenchesOf
"""Makes, for a state, what each loop joint applies to its successor (one wrench per loop, in the root frame)."""


@final
@attrs.frozen(eq=False)
class LoopReactions:
    """What the loops have to do with one solution."""

    rank: Scalar
    """How many of the constraints are independent."""
    wrenches: LoopWrenchesOf


External = Mapping[RigidBody, Wrench[Any]]
Reading = Callable[..., "tuple[BodyWrenchesOf, LoopReactions | None]"]
"""Makes, of external wrenches (None without) and of what a short way keeps besides q and v, how to find joint wrenches
and loop reactions."""


@final
@attrs.frozen(eq=False)
class ShortWay:
    """How machine code of a kernel of torques, and of external wrenches, fills a result without Python in between."""

    kernel: Callable[..., Any]
    names: tuple[str, ...]
    """The arrays that the kernel's outputs go to."""
    kept: tuple[str, ...]
    """Those of which a copy is kept, out of reach of those who write into the arrays; vd is the first."""
    reading: Reading


@final
@attrs.frozen(eq=False)
class Behind:
    """A short way of a result and what it leads to: machine code, its parameters, what it keeps of a solution."""

    door: Door | None
    door_of: object
    """The doors of the state that it reads."""
    entry: Entry
    parameters: int
    kept: tuple[Array, ...]
    """q, v and what the short way keeps."""
    reading: Reading
