"""Compiled programs: machine code of a program for one state, and for rows of a batch."""

from __future__ import annotations

import ctypes
import functools
from array import array
from collections.abc import Callable, Sequence
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from rbd.lazy import lazy
from rbd.native.batch.row_access import array_layouts
from rbd.native.batch.rows import batch
from rbd.native.cached_code import cached_code, code_key
from rbd.native.codegen.declarations import module_declarations
from rbd.native.codegen.function_split import CHUNK
from rbd.native.codegen.inlining import inline_calls
from rbd.native.codegen.ir import Lanes
from rbd.native.codegen.ordering import in_issue_order
from rbd.native.codegen.plan import make_plan
from rbd.native.codegen.program_functions import emit_functions
from rbd.native.codegen.sinking import sink_guarded_code
from rbd.native.codegen.wrappers import single
from rbd.native.runtime import abi, cache
from rbd.native.runtime.jit import Library, host_processor
from rbd.native.runtime.locks import Lock
from rbd.native.runtime.tasks import run_on_threads
from rbd.native.shared_functions import SharedFunctions, shared_rows, shared_sines
from rbd.program.lazy_program import LazyProgram
from rbd.program.outline import Outline
from rbd.program.program import Program
from rbd.program.rolling import THRESHOLD, find_loops
from rbd.scalars.arrays import Array

Codes: TypeAlias = NDArray[np.int64]
"""Status codes of rows; 0 is clean."""
_SINGLE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
_BATCH = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, *([ctypes.c_void_p] * 5))
_WORK = ctypes.CFUNCTYPE(
    *(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64), *([ctypes.c_void_p] * 5)
)
_SINGLE_SYMBOL, _BATCH_SYMBOL = "single", "batch"
_SINGLE_SYMBOLS = (_SINGLE_SYMBOL, "fresh")
_SMALL_BATCH_NUMBERS = 8192
"""Maximum number of inputs and outputs of all rows of a small batch, which takes some microseconds."""
_LARGEST_PIECE = 1024
"""Maximum number of rows that a thread takes at a time."""
OPERATIONS_FOR_THREADS = 4_000_000
"""Minimum number of operations of a batch that uses several threads: some 130 microseconds. Waking a thread and waiting
for it take 35, so that two threads on idle processors are as fast as one at half as many, and slower below."""
_PIECES_PER_THREAD = 8
"""Pieces of a batch for each thread, if there are enough rows, for load balancing."""


def single_module(program: Program, chunk: int = CHUNK, threshold: int = THRESHOLD) -> str:
    """Return the LLVM IR of a program for one state; its angles are packed into vectors."""
    plan, pack = make_plan(program, chunk, 1, threshold), host_processor().lanes
    names, texts = emit_functions(plan, Lanes(1), "one", pack)
    head = [*module_declarations({1, pack}), *shared_sines().declarations]
    return "\n".join([*head, *texts, single(program, plan.slot_count, names)])


def batch_module(program: Program, lanes: int, chunk: int = CHUNK, threshold: int = THRESHOLD) -> str:
    """Return the LLVM IR of a program for rows, `lanes` at a time."""
    program, regions = inline_calls(program) if lanes > 1 else program, tuple[range, ...]()
    if not find_loops(program, threshold):
        program, regions = sink_guarded_code(in_issue_order(program, lanes))
    plan, wide = make_plan(program, chunk, lanes, threshold, regions), Lanes(lanes)
    names, texts = emit_functions(plan, wide, "wide", lanes)
    head = [*module_declarations({1, lanes}), *shared_rows(lanes).declarations]
    return "\n".join([*head, *texts, batch(program, plan.slot_count, names, wide)])


@final
class CompiledProgram:
    """Machine code of one program. Arrays must have the types and shapes of its ports; nothing is checked here.

    The code for one state and the code for rows are compiled separately, each at its first use.
    """

    def __init__(
        self, program: Program | LazyProgram, lanes: int | None = None, chunk: int = CHUNK, threshold: int = THRESHOLD
    ) -> None:
        """Prepare `program`; nothing is compiled yet. `lanes` None: those of the processor.

        Straight-line code is split into functions of `chunk` instructions; above `threshold` instructions, loops are
        recovered.
        """
        self._lazy_program = LazyProgram.of(program) if isinstance(program, Program) else program
        self.lanes = host_processor().lanes if lanes is None else lanes
        self._chunk = chunk
        self._threshold = threshold
        self._libraries = dict[str, Library]()
        self.entries = array("q", [0, 0, 0])
        """Addresses of the code for one state, for one state and new arrays, and for rows; 0 before loading."""
        self._lock = Lock()

    @property
    def outline(self) -> Outline:
        """The metadata of the program."""
        return self._lazy_program.outline

    @property
    def program(self) -> Program:
        """The program, recorded now if only its outline is known."""
        return self._lazy_program.program

    def compile_single(self) -> Library:
        """Return the code for one state, compiled at the first call."""
        text = functools.partial(single_module, chunk=self._chunk, threshold=self._threshold)
        code = self._library(_SINGLE_SYMBOLS, text, shared_sines)
        single, fresh = (code.address(symbol) for symbol in _SINGLE_SYMBOLS)
        self.entries[1], self.entries[0] = fresh, single  # in this order: other threads may test the first one
        return code

    def compile_batch(self) -> Library:
        """Return the code for rows, compiled at the first call."""
        text = functools.partial(batch_module, lanes=self.lanes, chunk=self._chunk, threshold=self._threshold)
        code = self._library((_BATCH_SYMBOL,), text, lambda: shared_rows(self.lanes))
        self.entries[2] = code.address(_BATCH_SYMBOL)
        return code

    def load_entries(self) -> None:
        """Load the code for one state, unless code for rows is loaded."""
        if not any(self.entries):
            self.compile_single()

    @lazy
    def small_batch(self) -> int:
        """Maximum number of rows of a small batch, which builtins compute under the interpreter's lock."""
        ports = self.outline
        return max(1, _SMALL_BATCH_NUMBERS // max(1, sum(port.size for port in (*ports.inputs, *ports.outputs))))

    def load_single(self) -> bool:
        """Load the code for one state from the disk cache, without waiting; return whether it is loaded."""
        if _SINGLE_SYMBOL not in self._libraries:
            self._lock.try_run(self._find_single)
        return _SINGLE_SYMBOL in self._libraries

    def _find_single(self) -> None:
        key = self._key(_SINGLE_SYMBOL)
        code = None if key is None else cache.load(key)
        if code is not None and _SINGLE_SYMBOL not in self._libraries:
            self._libraries[_SINGLE_SYMBOL] = Library(code, _SINGLE_SYMBOLS, shared_sines().addresses)

    def _key(self, symbol: str) -> str | None:
        """Return the key of machine code in the disk cache; None if it cannot be cached."""
        return code_key(symbol, self.outline.digest, *map(str, (self.lanes, self._chunk, self._threshold)))

    def _library(
        self, symbols: tuple[str, ...], text: Callable[[Program], str], functions: Callable[[], SharedFunctions]
    ) -> Library:
        """Return loaded machine code, from the disk cache or compiled; loaded once, so its addresses never change."""
        library = self._libraries.get(symbols[0])
        if library is None:
            with self._lock.inner:
                library = self._libraries.get(symbols[0])
                if library is None:
                    code = cached_code(self._key(symbols[0]), lambda: text(self.program))
                    library = Library(code, symbols, functions().addresses)
                    self._libraries[symbols[0]] = library
        return library

    @lazy
    def _cost(self) -> int:
        return self.outline.cost

    @lazy
    def _single(self) -> Callable[..., int]:
        return _SINGLE(self.compile_single().address(_SINGLE_SYMBOL))

    @lazy
    def _batch(self) -> Callable[..., int]:
        return _BATCH(self.compile_batch().address(_BATCH_SYMBOL))

    @lazy
    def _work(self) -> Callable[..., int]:
        work = _WORK(shared_rows(self.lanes).addresses["work"])
        return functools.partial(work, self.compile_batch().address(_BATCH_SYMBOL))

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> int:
        """Compute one state into `outputs`, one C-contiguous float64 array per port; return the status."""
        into, out = _addresses(inputs), _addresses(outputs)
        return self._single(into.buffer_info()[0], out.buffer_info()[0])

    def run_batch(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        count: int,
        threads: int = 1,
        codes: Codes | None = None,
    ) -> tuple[int, int]:
        """Compute `count` rows; arrays have an axis of rows before those of their port, or an input has no such axis.

        Returns the first failed row and its status, or (-1, 0). The result does not depend on `threads`, the maximum.
        `codes`, an array of zeros, receives the status of every row.
        """
        if threads <= 1 or count <= self.lanes or count * self._cost < OPERATIONS_FOR_THREADS:
            return self._rows(self._batch, (0, count), inputs, outputs, codes)
        following, piece = ctypes.c_int64(0), _piece(count, threads, self.lanes)
        start = (ctypes.byref(following), piece, count)
        task = functools.partial(self._rows, self._work, start, inputs, outputs, codes)
        verdicts = run_on_threads(
            task, min(threads, -(-count // piece)), stop=lambda: setattr(following, "value", count)
        )
        return min((each for each in verdicts if each[0] >= 0), default=(-1, 0))

    def _rows(
        self,
        entry: Callable[..., int],
        start: tuple[object, ...],
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        codes: Codes | None,
    ) -> tuple[int, int]:
        """Call machine code for rows; this frame keeps the arrays alive, even if the caller is interrupted."""
        ports = (*self.outline.inputs, *self.outline.outputs)
        layouts, status = array_layouts((*inputs, *outputs), ports), ctypes.c_int64(0)
        tables = (_addresses(inputs), layouts, _addresses(outputs))
        taken = None if codes is None else codes.ctypes.data
        row = entry(*start, *(table.buffer_info()[0] for table in tables), ctypes.byref(status), taken)
        return row, status.value


def _addresses(arrays: Sequence[Array]) -> array[int]:
    """Return the addresses of the numbers of arrays."""
    return array("Q", [abi.address(each) for each in arrays])


def _piece(count: int, threads: int, lanes: int) -> int:
    """Return the number of rows that a thread takes at a time: whole blocks of lanes, so that results do not change."""
    blocks = -(-count // (lanes * threads * _PIECES_PER_THREAD))
    return min(blocks * lanes, _LARGEST_PIECE // lanes * lanes)
