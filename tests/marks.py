"""Marks of tests that need what some machines lack."""

from __future__ import annotations

import os
import signal

import pytest

from rbd import native
from rbd.native.runtime import abi

needs_builtins = pytest.mark.skipif(
    not (native.available() and abi.is_supported()), reason="no builtins on this interpreter"
)
needs_llvm = pytest.mark.skipif(not native.available(), reason="no LLVM here")
needs_timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this platform has no timers that interrupt")
needs_forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
