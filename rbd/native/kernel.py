"""A program as machine code: compile it, call it for one state or for many."""

from __future__ import annotations

import ctypes
import functools
import hashlib
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, final

from rbd.native import abi, cache
from rbd.native.arithmetic import LIBRARY, declarations, library_symbol
from rbd.native.batch import batch, work
from rbd.native.column_blocks import panel_widths
from rbd.native.elementwise_loops import strip_widths
from rbd.native.emit import functions
from rbd.native.index import python_files
from rbd.native.inlined_calls import unrolled
from rbd.native.ir import Lanes
from rbd.native.jit import Library, assemble, machine
from rbd.native.locks import Lock
from rbd.native.plan import CHUNK, plan
from rbd.native.threads import together
from rbd.native.trig import sincos_function
from rbd.native.wrappers import single
from rbd.program.outline import Outline, Source
from rbd.program.program import Program
from rbd.program.rolling import THRESHOLD
from rbd.scalars.arrays import Array
from rbd.scalars.lazy import lazy

_SINGLE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
_BATCH = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, *([ctypes.c_void_p] * 4))
_WORK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, *([ctypes.c_void_p] * 4))
_SINGLE_SYMBOL, _BATCH_SYMBOL, _WORK_SYMBOL = "single", "batch", "work"
_SINGLE_SYMBOLS = (_SINGLE_SYMBOL, "fresh")
_PIECE = 1024
"""Rows a thread takes at a time, at most."""
_PIECES = 8
"""Pieces per thread, if there are rows enough: one that is late then has little left to do."""
ENGINE = 2
"""Counts changes of what machine code is expected to do; part of the keys it is kept under on disk."""


def single_module(program: Program, chunk: int = CHUNK, threshold: int = THRESHOLD) -> str:
    """Return the IR of a kernel for one state; its angles are packed into as many lanes as the processor has."""
    cut, pack = plan(program, chunk, 1, threshold), machine().lanes
    names, texts = functions(cut, Lanes(1), "one", pack)
    return "\n".join([*_declarations({1, pack}), *texts, single(program, cut.slot_count, names)])


def batch_module(program: Program, lanes: int, chunk: int = CHUNK, threshold: int = THRESHOLD) -> str:
    """Return the IR of a kernel for many rows, `lanes` at a time."""
    program = unrolled(program) if lanes > 1 else program
    cut, wide = plan(program, chunk, lanes, threshold), Lanes(lanes)
    names, texts = functions(cut, wide, "wide", lanes)
    return "\n".join([*_declarations({1, lanes}), *texts, batch(program, cut.slot_count, names, wide), work()])


def _declarations(widths: set[int]) -> list[str]:
    most = max(widths)
    panels = {lanes * columns for lanes in widths for columns in panel_widths(lanes, most)}
    taken = {*widths, *strip_widths(most), *panels}
    lines = [line for width in sorted(taken) for line in declarations(Lanes(width))]
    for function, count in LIBRARY.items():
        lines.append(f"declare double @{library_symbol(function)}({', '.join(['double'] * count)})")
    lines += ["declare ptr @rbd_malloc(i64)", "declare void @rbd_free(ptr)"]
    lines.append("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    lines.append("declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1)")
    return lines + [sincos_function(Lanes(width)) for width in sorted(widths)]


@final
class NativeKernel:
    """Machine code of one program. Arrays handed to it must be what the program says; nothing is checked here.

    The code for one state and the code for batches are made separately, each when it is first needed.
    """

    def __init__(self, program: Program | Source, lanes: int, chunk: int = CHUNK, threshold: int = THRESHOLD) -> None:
        """Prepare `program` for `lanes` lanes; nothing is compiled yet."""
        self._source = Source.of(program) if isinstance(program, Program) else program
        self.lanes = lanes
        self._chunk = chunk
        self._threshold = threshold
        self._libraries = dict[str, Library]()
        self._lock = Lock()

    @property
    def outline(self) -> Outline:
        """What is known of the program without recording it."""
        return self._source.outline

    @property
    def program(self) -> Program:
        """The program, recorded now if machine code was all there was of it."""
        return self._source.program

    @property
    def single_library(self) -> Library:
        """The code for one state."""
        return self._library(_SINGLE_SYMBOLS, lambda: single_module(self.program, self._chunk, self._threshold))

    @property
    def batch_library(self) -> Library:
        """The code for many rows."""
        return self._library(
            (_BATCH_SYMBOL, _WORK_SYMBOL),
            lambda: batch_module(self.program, self.lanes, self._chunk, self._threshold),
        )

    def load_single(self) -> bool:
        """Load the code for one state if it was made before; return whether it is there, without waiting for it."""
        if _SINGLE_SYMBOL not in self._libraries:
            self._lock.run_if_free(self._find_single)
        return _SINGLE_SYMBOL in self._libraries

    def _find_single(self) -> None:
        code = cache.load(self._key(_SINGLE_SYMBOL))
        if code is not None and _SINGLE_SYMBOL not in self._libraries:
            self._libraries[_SINGLE_SYMBOL] = Library(code, _SINGLE_SYMBOLS)

    def _key(self, symbol: str) -> str:
        """Return what machine code of this program is kept under."""
        sizes = (self.lanes, self._chunk, self._threshold)
        return "|".join((symbol, self.outline.digest, *map(str, sizes), engine(), machine().key))

    def _library(self, symbols: tuple[str, ...], text: Callable[[], str]) -> Library:
        """Return loaded machine code: made once, from disk if it was made before; its address never changes."""
        found = self._libraries.get(symbols[0])
        if found is None:
            with self._lock.inner:
                found = self._libraries.get(symbols[0])
                if found is None:
                    found = self._libraries[symbols[0]] = self._made(symbols, text)
        return found

    def _made(self, symbols: tuple[str, ...], text: Callable[[], str]) -> Library:
        key = self._key(symbols[0])
        code = cache.load(key)
        if code is None:
            code = assemble(text())
            cache.store(key, code)
        return Library(code, symbols)

    @lazy
    def _single(self) -> Callable[..., int]:
        return _SINGLE(self.single_library.address(_SINGLE_SYMBOL))

    @lazy
    def _batch(self) -> Callable[..., int]:
        return _BATCH(self.batch_library.address(_BATCH_SYMBOL))

    @lazy
    def _work(self) -> Callable[..., int]:
        return _WORK(self.batch_library.address(_WORK_SYMBOL))

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> int:
        """Compute one state into `outputs`, one C-contiguous float64 array per port; return the status."""
        into, out = _addresses(inputs), _addresses(outputs)
        return self._single(into.buffer_info()[0], out.buffer_info()[0])

    def run_batch(
        self, inputs: Sequence[Array], strides: Sequence[int], outputs: Sequence[Array], count: int, threads: int = 1
    ) -> tuple[int, int]:
        """Compute `count` rows; `strides` are doubles from row to row of each input, 0 for one row for all.

        Returns the first bad row and its status, (-1, 0) when all are clean. The result does not depend on `threads`.
        """
        if threads <= 1 or count <= self.lanes:
            return self._rows(self._batch, (0, count), inputs, strides, outputs)
        following, piece = ctypes.c_int64(0), _piece(count, threads, self.lanes)
        start = (ctypes.byref(following), piece, count)
        task = functools.partial(self._rows, self._work, start, inputs, strides, outputs)
        found = together(task, min(threads, -(-count // piece)), stop=lambda: setattr(following, "value", count))
        return min((each for each in found if each[0] >= 0), default=(-1, 0))

    def _rows(
        self,
        entry: Callable[..., int],
        start: tuple[object, ...],
        inputs: Sequence[Array],
        strides: Sequence[int],
        outputs: Sequence[Array],
    ) -> tuple[int, int]:
        """Call machine code for rows; whoever holds this call holds the arrays, even if its caller is interrupted."""
        tables, status = (_addresses(inputs), array("q", strides), _addresses(outputs)), ctypes.c_int64(0)
        row = entry(*start, *(table.buffer_info()[0] for table in tables), ctypes.byref(status))
        return row, status.value


def _addresses(arrays: Sequence[Array]) -> array[int]:
    """Return where the numbers of arrays are."""
    return array("Q", [abi.address(each) for each in arrays])


def _piece(count: int, threads: int, lanes: int) -> int:
    """Return how many rows a thread takes at a time: whole blocks of lanes, so that cutting changes no result."""
    blocks = -(-count // (lanes * threads * _PIECES))
    return min(blocks * lanes, _PIECE // lanes * lanes)


PACKAGES: Final = ("intrinsics", "native", "program", "scalars", "solvers")
"""What of `rbd` makes machine code of a program."""


@functools.cache
def engine() -> str:
    """Return what stands for the code that makes machine code: it changes with every change of its sources."""
    digest, folders = hashlib.sha256(), [Path(__file__).parents[1] / package for package in PACKAGES]
    for name, path in (each for folder in folders if folder.is_dir() for each in python_files(str(folder))):
        content = Path(path).read_bytes()
        digest.update(f"{len(name)} {len(content)} {name}".encode() + content)
    return f"{ENGINE}-{digest.hexdigest()}"


def compile_program(
    program: Program | Source, *, lanes: int | None = None, chunk: int = CHUNK, threshold: int = THRESHOLD
) -> NativeKernel:
    """Return `program` as machine code; `lanes` None takes what the processor has.

    Straight code is cut into functions of `chunk` instructions; loops are rolled beyond `threshold` instructions.
    """
    return NativeKernel(program, machine().lanes if lanes is None else lanes, chunk, threshold)
