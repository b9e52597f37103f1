"""Configuration and velocity of a mechanism: the state that users hold.

mechanism_state.py  MechanismState: float64 coordinates, cached passes, machine code
coordinates.py      checks and conversion of coordinates
saved_state.py      coordinates to return to
callback_guard.py   guards of callbacks that get a state

Queries are in `rbd.kinematics.queries`, machine code comes from `rbd.engine`. The list below has names of other layers
for users who write algorithms; rbd itself imports each name from the layer that defines it.
"""

from rbd.engine.fast_path import fast_path
from rbd.engine.interpreted import interpreted
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import State
from rbd.scalar_states.scalar_state import ScalarState
from rbd.state.mechanism_state import MechanismState

__all__ = [
    "Call",
    "KernelCall",
    "MechanismState",
    "ScalarState",
    "State",
    "StateView",
    "fast_path",
    "interpreted",
    "kernel",
]
