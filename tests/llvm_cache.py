"""Cache of LLVM's output between test runs: the same module for the same processor gives the same object code.

Every test still records, writes its module and loads the code; only LLVM's work on the same text is not repeated. The
caches of rbd itself begin empty in every run, so that they are tested too.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
from llvmlite import binding

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


def _write(place: Path, code: bytes) -> None:
    unfinished = place.with_suffix(f".{secrets.token_hex(8)}")
    unfinished.write_bytes(code)
    unfinished.replace(place)


def forget_old(folder: Path) -> None:
    """Delete code that was not used for a week."""
    for place in list(folder.iterdir()):
        if time.time() - place.stat().st_mtime > _AGE:
            place.unlink(missing_ok=True)
