"""Compiled robots: the algorithms of a mechanism as functions of arrays.

robot.py              CompiledRobot; builtins replace its methods that are called often
algorithm_methods.py  its methods that evaluate an algorithm
step_methods.py       its methods for time integration
step_options.py       types of their options
method_base.py        base class of these methods: options of calls, calls of recorded functions
function_table.py     FunctionTable: the recorded functions of a robot, each recorded once
specs.py              specifications of recordings: a function of a state for each method
step_derivatives.py   derivatives of steps
rollout.py            rollouts: many steps in a row
method_builtins.py    signatures and guards of builtins in the place of methods

A call such as `robot.mass_matrix(q)` gets the recorded function from the table, which records its specification at the
first call; the function evaluates its program on the arrays. After ten calls for one state a builtin takes the place of
the method.

`rbd.array_functions` has the recorded functions themselves; names of it are in the list below for users.
"""

from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.record import record
from rbd.array_functions.row_status import RowStatus
from rbd.compiled.robot import CompiledRobot, compile  # noqa: A004 - rbd.compile is the name users know
from rbd.compiled.step_derivatives import CompliantStepDerivatives

__all__ = ["CompiledRobot", "CompliantStepDerivatives", "RecordedFunction", "RowStatus", "compile", "record"]
