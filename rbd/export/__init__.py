"""Recorded programs in other languages. May import everything above it; `RecordedFunction` calls it on request."""

from rbd.export.c import c_source
from rbd.export.symbols import sympy_expressions

__all__ = ["c_source", "sympy_expressions"]
