"""LLVM's answers, kept between runs of the tests: the same module for the same processor gives the same object code.

Every test still records, writes its module and loads the code; only what LLVM makes of one text is not asked for again.
The caches of rbd itself are left alone: they begin empty in every run, so that what they answer is tested too.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from llvmlite import binding

_AGE = 7 * 24 * 3600.0
"""Seconds after which an answer nobody asked for is thrown away."""


def keep_in(folder: Path) -> None:
    """Let LLVM's code generator look into `folder` before it works, and leave there what it has made."""
    folder.mkdir(parents=True, exist_ok=True)
    create, emit = binding.Target.create_target_machine, binding.TargetMachine.emit_object
    version = str(binding.llvm_version_info)

    def create_target_machine(self: Any, **options: Any) -> Any:
        made = create(self, **options)
        made.made_from = repr((self.name, sorted(options.items())))
        return made

    def emit_object(self: Any, module: Any) -> bytes:
        text = "\n".join((version, self.triple, self.made_from, str(module)))
        place = folder / hashlib.sha256(text.encode()).hexdigest()
        try:
            code = place.read_bytes()
        except FileNotFoundError:
            code = bytes(emit(self, module))
            _write(place, code)
        else:
            os.utime(place)
        return code

    binding.Target.create_target_machine, binding.TargetMachine.emit_object = create_target_machine, emit_object


@contextmanager
def unoptimised() -> Iterator[None]:
    """Compile without LLVM's optimisation, which takes three quarters of its time, for tests of other things.

    That the usual code has the interpreter's bits is shown by the tests of machine code, for every kernel.
    """
    create, usual = binding.Target.create_target_machine, os.environ["RBD_CACHE_DIR"]

    def create_target_machine(self: Any, **options: Any) -> Any:
        return create(self, **(options | {"opt": 0}))

    binding.Target.create_target_machine = create_target_machine
    os.environ["RBD_CACHE_DIR"] = str(Path(usual) / "unoptimised")  # nobody else gets such code
    try:
        yield
    finally:
        binding.Target.create_target_machine, os.environ["RBD_CACHE_DIR"] = create, usual


def _write(place: Path, code: bytes) -> None:
    unfinished = place.with_suffix(f".{secrets.token_hex(8)}")
    unfinished.write_bytes(code)
    unfinished.replace(place)


def forget_old(folder: Path) -> None:
    """Throw away what was not asked for in a week."""
    for place in list(folder.iterdir()):
        if time.time() - place.stat().st_mtime > _AGE:
            place.unlink(missing_ok=True)
