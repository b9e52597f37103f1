"""Compiled functions: functions of a state as functions of arrays, in machine code.

robot.py                CompiledRobot: the algorithms of a mechanism as methods, which builtins replace
robot_algorithms.py     its methods that evaluate an algorithm
robot_steps.py          its methods for time integration
robot_methods.py        base class of these
recorded_algorithms.py  the recorded functions of these methods, each recorded once
recording_specs.py      what each method records
step_derivatives.py     derivatives of steps
trajectory.py           rollouts
wrenches.py             external wrenches as arrays
velocity_map.py         derivatives by q as derivatives along velocities
call_options.py         options that all methods have: out, threads, status, parameters
parameter_checks.py     checks of parameters of a call
method_builtins.py      builtins in the place of methods
record.py               `record`: functions of the user
recorded_controller.py  recorded controllers, checked
function.py             RecordedFunction
evaluation.py           evaluation of its program for one state or many
arguments.py            arrays of its arguments and results
row_status.py           rows that fail: errors, or RowStatus
"""

from rbd.compiled.function import RecordedFunction
from rbd.compiled.record import record
from rbd.compiled.robot import CompiledRobot, compile  # noqa: A004 - rbd.compile is the name users know
from rbd.compiled.row_status import RowStatus
from rbd.compiled.step_derivatives import CompliantStepDerivatives

__all__ = ["CompiledRobot", "CompliantStepDerivatives", "RecordedFunction", "RowStatus", "compile", "record"]
