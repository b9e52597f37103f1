"""Configuration and velocity of a mechanism, and the results of dynamics: what users hold.

mechanism_state.py  MechanismState: float64 coordinates, cached passes, machine code
coordinates.py      checks and conversion of coordinates
result.py           DynamicsResult: arrays that `dynamics` fills, framed values made on demand
solution.py         kernels that fill the arrays of a result
saved_state.py      coordinates to return to
callback_guard.py   guards of callbacks that get a state

Queries are in `rbd.kinematics.queries`, machine code comes from `rbd.engine`.
"""

from rbd.engine.fast_path import fast_path
from rbd.engine.interpreted import interpreted
from rbd.kinematics.engine_interface import Call, Done, KernelCall
from rbd.kinematics.kernel import kernel, kernels, require_state
from rbd.kinematics.layout import Layout, Link, LoopLink, PointContact
from rbd.kinematics.queries import A, ArrayOf, State
from rbd.kinematics.scalar_state import ScalarState
from rbd.kinematics.state_view import StateView
from rbd.state.mechanism_state import MechanismState
from rbd.state.result import DynamicsResult

__all__ = [
    "A",
    "ArrayOf",
    "Call",
    "Done",
    "DynamicsResult",
    "KernelCall",
    "Layout",
    "Link",
    "LoopLink",
    "MechanismState",
    "PointContact",
    "ScalarState",
    "State",
    "StateView",
    "fast_path",
    "interpreted",
    "kernel",
    "kernels",
    "require_state",
]
