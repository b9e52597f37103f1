"""Marks of tests that need what some machines lack."""

from __future__ import annotations

import pytest

from rbd import native
from rbd.native.runtime import abi

needs_builtins = pytest.mark.skipif(
    not (native.available() and abi.is_supported()), reason="no builtins on this interpreter"
)
