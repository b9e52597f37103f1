"""Functions of a state as native functions of arrays."""

from rbd.compiled.function import RecordedFunction
from rbd.compiled.record import record
from rbd.compiled.robot import CompiledRobot, compile  # noqa: A004 - rbd.compile is the name users know

__all__ = ["CompiledRobot", "RecordedFunction", "compile", "record"]
