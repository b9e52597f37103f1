"""Functions that the machine code of all programs calls: sines, and the access to rows. They are compiled once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, final

from rbd.native.batch.rows import row_functions
from rbd.native.cached_code import cached_code, code_key
from rbd.native.codegen.declarations import declared, module_declarations
from rbd.native.codegen.ir import NARROW, Lanes
from rbd.native.codegen.sincos import sincos_function
from rbd.native.runtime.jit import Library, host_processor
from rbd.native.runtime.locks import compiler_lock

_NAME: Final = re.compile(r"@(\w+)\(")


@final
class SharedFunctions:
    """The functions of one module, which are loaded at the first use and kept for good."""

    def __init__(self, key: str, widths: set[int], definitions: Sequence[str]) -> None:
        """Set the functions, which use vectors of these widths; `key` names them in the disk cache."""
        self._key, self._widths, self._definitions = key, widths, definitions
        self.declarations = declared(definitions)
        """Declarations for the modules that call the functions."""
        self._library: Library | None = None

    @property
    def addresses(self) -> Mapping[str, int]:
        """The addresses of the functions, by name."""
        with compiler_lock():
            if self._library is None:
                names = tuple(found[1] for line in self.declarations if (found := _NAME.search(line)))
                self._library = Library(cached_code(code_key(self._key), self.text, shared=True), names)
            return self._library.addresses

    def text(self) -> str:
        """Return the module as LLVM IR."""
        return "\n".join((*module_declarations(self._widths), *self._definitions))


_kept: Final = dict[str, SharedFunctions]()
"""All shared functions; `setdefault` gives all threads the same ones."""


def shared_sines() -> SharedFunctions:
    """Return the functions that programs for one state call."""
    return _kept.get("sines") or _kept.setdefault("sines", _sines())


def shared_rows(lanes: int) -> SharedFunctions:
    """Return the functions that programs for `lanes` rows at a time call."""
    key = f"rows|{lanes}"
    return _kept.get(key) or _kept.setdefault(key, _rows(key, lanes))


def _sines() -> SharedFunctions:
    widths = {1, min(host_processor().lanes, NARROW)}
    return SharedFunctions("sines", widths, [sincos_function(Lanes(width)) for width in sorted(widths)])


def _rows(key: str, lanes: int) -> SharedFunctions:
    sines = [sincos_function(Lanes(width)) for width in sorted({1, lanes})]
    return SharedFunctions(key, {1, lanes}, [*sines, *row_functions(Lanes(lanes))])
