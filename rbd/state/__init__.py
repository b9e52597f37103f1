"""Coordinates of a mechanism, everything derived from them, and the results of dynamics."""

from rbd.state.base import StateView
from rbd.state.interpreted import interpreted
from rbd.state.kernel import kernel, kernels
from rbd.state.layout import Layout, Link, LoopLink, Touch
from rbd.state.mechanism_state import MechanismState
from rbd.state.queries import ArrayOf, State
from rbd.state.result import DynamicsResult
from rbd.state.scalar_state import ScalarState

__all__ = [
    "ArrayOf",
    "DynamicsResult",
    "Layout",
    "Link",
    "LoopLink",
    "MechanismState",
    "ScalarState",
    "State",
    "StateView",
    "Touch",
    "interpreted",
    "kernel",
    "kernels",
]
