"""What an algorithm for trees says to a mechanism with loops."""

from __future__ import annotations

from rbd.errors import TopologyError
from rbd.state import StateView
from rbd.state.kernel import require_state


def require_tree(state: StateView, operation: str) -> None:
    """Raise TopologyError when the mechanism has loop joints, which `operation` would have to ignore."""
    require_state(state, operation)
    if state.layout.loops:
        names = ", ".join(loop.joint.name for loop in state.layout.loops)
        raise TopologyError(
            f"{operation} works on trees; this mechanism has the loop joint(s) {names}",
            joint=state.layout.loops[0].joint.name,
        )
