"""Checks of algorithms for trees without compliant contacts."""

from __future__ import annotations

from rbd.errors import TopologyError, quoted
from rbd.indexing.layout import Layout
from rbd.kernels.kernel import require_state
from rbd.kernels.state_view import StateView


def require_tree(state: StateView, operation: str) -> None:
    """Raise TopologyError naming `operation` when the mechanism has loop joints or couplings."""
    require_state(state, operation)
    if state.layout.loops:
        names = ", ".join(loop.joint.name for loop in state.layout.loops)
        raise TopologyError(
            f"{operation} works on trees; this mechanism has the loop joint(s) {names}",
            joint=state.layout.loops[0].joint.name,
        )
    for row in state.layout.couplings:
        coupling = row.coupling
        raise TopologyError(
            f"{operation} works on trees; this mechanism has the coupling {quoted(coupling.name)}; "
            "mechanism.uncouple(...), or couple_joints=False when a file is loaded, makes its joints independent",
            joint=coupling.joint.name,
        )


def require_no_contacts(layout: Layout, operation: str, instead: str) -> None:
    """Raise TopologyError naming `operation` when the mechanism has compliant contacts; `instead` includes them."""
    if layout.contact_pairs:
        raise TopologyError(
            f"{operation} leaves out contact forces, and this mechanism has {len(layout.contact_pairs)} contact(s) of "
            f"points with half-spaces; {instead}"
        )
