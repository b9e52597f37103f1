"""Cache of LLVM's output between test runs: the same module for the same processor gives the same object code.

Every test still records, writes its module and loads the code; only LLVM's work on the same text is not repeated. The
caches of rbd itself begin empty in every run, so that they are tested too.

LLVM optimises or not, as a test wants, whatever ran before in the process: `unoptimised`, `optimised`.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import attrs
from llvmlite import binding

from rbd import native
from rbd.engine import value_plans
from rbd.native import repeat
from rbd.native.builtins import builtin, step_loop, value_builtin
from rbd.native.runtime import abi
from rbd.native.runtime.thread_pool import compiler_thread
from rbd.simulation.native import compiled_steps

_AGE = 7 * 24 * 3600.0
"""Seconds after which unused code is deleted."""


def keep_in(folder: Path) -> None:
    """Make LLVM's code generator load object code from `folder`, and store new code there."""
    folder.mkdir(parents=True, exist_ok=True)
    create, emit = binding.Target.create_target_machine, binding.TargetMachine.emit_object
    version, parse = str(binding.llvm_version_info), binding.parse_assembly

    def create_target_machine(self: Any, **options: Any) -> Any:
        made = create(self, **options)
        made.made_from = repr((self.name, sorted(options.items())))
        return made

    def emit_object(self: Any, module: _Module) -> bytes:
        text = "\n".join((version, self.triple, self.made_from, module.triple, module.data_layout, module.text))
        place = folder / hashlib.sha256(text.encode()).hexdigest()
        try:
            code = place.read_bytes()
        except FileNotFoundError:
            code = bytes(emit(self, module.parsed(parse)))
            _write(place, code)
        else:
            os.utime(place)
        return code

    binding.Target.create_target_machine, binding.TargetMachine.emit_object = create_target_machine, emit_object
    binding.parse_assembly = _Module


@attrs.define
class _Module:
    """A module as text, which is parsed only if its code must be made."""

    text: str
    context: binding.ContextRef | None = None
    triple: str = ""
    data_layout: str = ""

    def parsed(self, parse: Callable[..., Any]) -> Any:
        module = parse(self.text, self.context)
        for name in ("triple", "data_layout"):
            if getattr(self, name):
                setattr(module, name, getattr(self, name))
        return module


@contextmanager
def unoptimised() -> Iterator[None]:
    """Compile without LLVM's optimisation, which takes three quarters of its time, for tests of other things.

    The marker `optimised` is for tests of the bits of machine code: they run what users run.
    """
    make_shared_code()
    create, usual = binding.Target.create_target_machine, os.environ["RBD_CACHE_DIR"]

    def create_target_machine(self: Any, **options: Any) -> Any:
        return create(self, **(options | {"opt": 0}))

    finish_background_tasks()
    binding.Target.create_target_machine = create_target_machine
    os.environ["RBD_CACHE_DIR"] = str(Path(usual) / "unoptimised")  # no other test loads this code
    try:
        with _level(0):
            yield
    finally:
        finish_background_tasks()
        binding.Target.create_target_machine, os.environ["RBD_CACHE_DIR"] = create, usual


@contextmanager
def optimised() -> Iterator[None]:
    """Compile as users do, and use no code that was made without optimisation."""
    with _level(1):
        yield


_levels = list[int]()
"""Levels of optimisation of the blocks that are entered."""
_kept = [1]
"""The level of the functions that caches keep."""


@contextmanager
def _level(level: int) -> Iterator[None]:
    """Keep functions of this level in caches, and afterwards those of the block around this one."""
    _levels.append(level)
    _keep_only(level)
    try:
        yield
    finally:
        _levels.pop()
        if _levels:
            _keep_only(_levels[-1])


def _keep_only(level: int) -> None:
    """Forget the compiled functions that caches keep if they have another level."""
    if _kept != [level]:
        _kept[:] = [level]
        compiled_steps._cache.clear()
        for each in caches_of_functions():
            each.cache_clear()


def caches_of_functions() -> list[Any]:
    """Return the caches, of rbd and of tests, whose values are functions with machine code."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] in ("rbd", "tests")]
    functions = [x for module in modules for x in list(vars(module).values()) if hasattr(x, "__wrapped__")]
    cached = [y for x in functions for y in (x, x.__wrapped__) if isinstance(y, _lru_cache_wrapper)]
    return [each for each in cached if "RecordedFunction" in str(each.__annotations__.get("return", ""))]


def make_shared_code() -> None:
    """Make the code that all programs of a process share, with optimisation; if there is some, do nothing."""
    if native.available():
        repeat._code()
        if abi.is_supported():
            for make in (builtin._code, step_loop._code, value_builtin._code, value_plans._arithmetic):
                make()


def finish_background_tasks() -> None:
    """Wait until the background thread, if there is one, has run all its tasks: it compiles with what is set now."""
    if compiler_thread.has_threads:
        done = threading.Event()
        compiler_thread.submit(done.set)
        assert done.wait(120)


def _write(place: Path, code: bytes) -> None:
    unfinished = place.with_suffix(f".{secrets.token_hex(8)}")
    unfinished.write_bytes(code)
    unfinished.replace(place)


def forget_old(folder: Path) -> None:
    """Delete code that was not used for a week."""
    for place in list(folder.iterdir()):
        if time.time() - place.stat().st_mtime > _AGE:
            place.unlink(missing_ok=True)
