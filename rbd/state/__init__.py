"""Configuration and velocity of a mechanism: the state that users hold.

mechanism_state.py  MechanismState: float64 coordinates, cached passes, machine code
coordinates.py      checks and conversion of coordinates
saved_state.py      coordinates to return to
callback_guard.py   guards of callbacks that get a state

Queries are in `rbd.kinematics.queries`, machine code comes from `rbd.engine`.
"""

from rbd.engine.fast_path import fast_path
from rbd.engine.interpreted import interpreted
from rbd.evaluation.calls import Call, Done, KernelCall
from rbd.evaluation.kernel import kernel, kernels, require_state
from rbd.evaluation.state_view import StateView
from rbd.indexing.layout import ContactPair, Layout, LoopJoint, TreeNode
from rbd.kinematics.queries import A, ArrayOf, State
from rbd.kinematics.scalar_state import ScalarState
from rbd.state.mechanism_state import MechanismState

__all__ = [
    "A",
    "ArrayOf",
    "Call",
    "ContactPair",
    "Done",
    "KernelCall",
    "Layout",
    "LoopJoint",
    "MechanismState",
    "ScalarState",
    "State",
    "StateView",
    "TreeNode",
    "fast_path",
    "interpreted",
    "kernel",
    "kernels",
    "require_state",
]
