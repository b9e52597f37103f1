"""Compiled functions: functions of a state as functions of arrays, in machine code."""

from rbd.compiled.function import RecordedFunction
from rbd.compiled.record import record
from rbd.compiled.robot import CompiledRobot, compile  # noqa: A004 - rbd.compile is the name users know
from rbd.compiled.status import RowStatus

__all__ = ["CompiledRobot", "RecordedFunction", "RowStatus", "compile", "record"]
