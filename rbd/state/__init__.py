"""Coordinates of a mechanism, everything derived from them, and the results of dynamics."""

from rbd.state.base import StateView
from rbd.state.engine import Call, Done, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.interpreted import interpreted
from rbd.state.kernel import kernel, kernels, require_state
from rbd.state.layout import Layout, Link, LoopLink, PointContact
from rbd.state.mechanism_state import MechanismState
from rbd.state.queries import A, ArrayOf, State
from rbd.state.result import DynamicsResult
from rbd.state.scalar_state import ScalarState

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
