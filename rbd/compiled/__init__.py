"""Compiled functions: functions of a state as functions of arrays, in machine code."""

from rbd.compiled.function import RecordedFunction
from rbd.compiled.record import record
from rbd.compiled.robot import CompiledRobot, compile  # noqa: A004 - rbd.compile is the name users know
from rbd.compiled.status import RowStatus
from rbd.compiled.step_derivatives import CompliantStepDerivatives

__all__ = ["CompiledRobot", "CompliantStepDerivatives", "RecordedFunction", "RowStatus", "compile", "record"]
