"""Compiled programs: machine code of a program for one state, and for rows of a batch."""

from __future__ import annotations

import ctypes
import functools
from array import array
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from rbd.lazy_property import lazy_property
from rbd.native.batch.row_access import array_layouts
from rbd.native.batch.rows import batch_function
from rbd.native.cached_code import cached_code, code_key
from rbd.native.codegen.declarations import module_declarations
from rbd.native.codegen.entry_points import single_functions
from rbd.native.codegen.function_split import CHUNK_SIZE
from rbd.native.codegen.inlining import inline_calls
from rbd.native.codegen.ir import Lanes
from rbd.native.codegen.ordering import in_issue_order
from rbd.native.codegen.plan import make_plan
from rbd.native.codegen.program_functions import program_functions
from rbd.native.codegen.sinking import sink_guarded_code
from rbd.native.runtime import abi, cache
from rbd.native.runtime.jit import Library, host_processor
from rbd.native.runtime.locks import Lock
from rbd.native.runtime.tasks import run_on_threads
from rbd.native.shared_functions import SharedFunctions, shared_rows, shared_sines
from rbd.program.lazy_program import LazyProgram
from rbd.program.outline import Outline
from rbd.program.program import Program
from rbd.program.rolling import ROLLING_THRESHOLD, find_loops
from rbd.scalars.arrays import Array

Statuses: TypeAlias = NDArray[np.int64]
"""Statuses of rows; 0 is success."""
_SINGLE_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
_BATCH_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, *([ctypes.c_void_p] * 5))
_WORK_PROTOTYPE = ctypes.CFUNCTYPE(
    *(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64), *([ctypes.c_void_p] * 5)
)
_SINGLE_SYMBOL, _BATCH_SYMBOL = "single", "batch"
_SINGLE_SYMBOLS = (_SINGLE_SYMBOL, "in_place")
_SMALL_BATCH_NUMBERS = 8192
"""Maximum number of inputs and outputs of all rows of a small batch, which takes some microseconds."""
_LARGEST_PIECE = 1024
"""Maximum number of rows that a thread takes at a time."""
OPERATIONS_FOR_THREADS = 4_000_000
"""Minimum number of operations of a batch that uses several threads: some 130 microseconds. Waking a thread and waiting
for it take 35, so that two threads on idle processors are as fast as one at half as many, and slower below."""
_PIECES_PER_THREAD = 8
"""Pieces of a batch for each thread, if there are enough rows, for load balancing."""


@final
class Entry(IntEnum):
    """Entry points of machine code: places in a table of addresses."""

    SINGLE = 0
    """One state."""
    IN_PLACE = 1
    """One state whose outputs are new arrays, which nobody sees before the status is known."""
    BATCH = 2
    """Rows."""


def single_module(program: Program, chunk_size: int = CHUNK_SIZE, rolling_threshold: int = ROLLING_THRESHOLD) -> str:
    """Return the LLVM IR of a program for one state; its angles are packed into vectors."""
    plan, pack = make_plan(program, chunk_size, 1, rolling_threshold), host_processor().lanes
    names, texts = program_functions(plan, Lanes(1), "one", pack)
    head = [*module_declarations({1, pack}), *shared_sines().declarations]
    return "\n".join([*head, *texts, single_functions(program, plan.slot_count, names)])


def batch_module(
    program: Program, lanes: int, chunk_size: int = CHUNK_SIZE, rolling_threshold: int = ROLLING_THRESHOLD
) -> str:
    """Return the LLVM IR of a program for rows, `lanes` at a time."""
    regions: tuple[range, ...] = ()
    if lanes > 1:
        program = inline_calls(program)
    if not find_loops(program, rolling_threshold):
        program, regions = sink_guarded_code(in_issue_order(program, lanes))
    plan, wide = make_plan(program, chunk_size, lanes, rolling_threshold, regions), Lanes(lanes)
    names, texts = program_functions(plan, wide, "wide", lanes)
    head = [*module_declarations({1, lanes}), *shared_rows(lanes).declarations]
    return "\n".join([*head, *texts, batch_function(program, plan.slot_count, names, wide)])


@final
class CompiledProgram:
    """Machine code of one program. Arrays must have the types and shapes of its ports; nothing is checked here.

    The code for one state and the code for rows are compiled separately, each at its first use.
    """

    def __init__(
        self,
        program: Program | LazyProgram,
        lanes: int | None = None,
        chunk_size: int = CHUNK_SIZE,
        rolling_threshold: int = ROLLING_THRESHOLD,
    ) -> None:
        """Prepare `program`; nothing is compiled yet. `lanes` None: those of the processor.

        Straight-line code is split into functions of `chunk_size` instructions; above `rolling_threshold` instructions,
        loops are recovered.
        """
        self._lazy_program = LazyProgram.of(program) if isinstance(program, Program) else program
        self.lanes = host_processor().lanes if lanes is None else lanes
        self._chunk_size = chunk_size
        self._rolling_threshold = rolling_threshold
        self._libraries = dict[str, Library]()
        self.entries = array("q", [0] * len(Entry))
        """Addresses of the entry points, by `Entry`; 0 before loading."""
        self._lock = Lock()

    @property
    def outline(self) -> Outline:
        """The metadata of the program."""
        return self._lazy_program.outline

    @property
    def program(self) -> Program:
        """The program, recorded now if only its outline is known."""
        return self._lazy_program.program

    def address(self, entry: Entry) -> int:
        """Return the address of an entry point, compiled at the first call."""
        if not self.entries[entry]:
            if entry == Entry.BATCH:
                self.compile_batch()
            else:
                self.compile_single()
        return self.entries[entry]

    def compile_single(self) -> Library:
        """Return the code for one state, compiled at the first call."""
        text = functools.partial(single_module, chunk_size=self._chunk_size, rolling_threshold=self._rolling_threshold)
        library = self._library(_SINGLE_SYMBOLS, text, shared_sines)
        self._enter_single(library)
        return library

    def _enter_single(self, library: Library) -> None:
        """Enter the addresses of the code for one state."""
        single, in_place = (library.address(symbol) for symbol in _SINGLE_SYMBOLS)
        self.entries[Entry.IN_PLACE] = in_place
        self.entries[Entry.SINGLE] = single  # last: other threads may test it

    def compile_batch(self) -> Library:
        """Return the code for rows, compiled at the first call."""
        text = functools.partial(
            batch_module, lanes=self.lanes, chunk_size=self._chunk_size, rolling_threshold=self._rolling_threshold
        )
        code = self._library((_BATCH_SYMBOL,), text, lambda: shared_rows(self.lanes))
        self.entries[Entry.BATCH] = code.address(_BATCH_SYMBOL)
        return code

    def has_entry_of(self, *, rows: bool) -> bool:
        """Return whether the code for rows, or that for one state, is loaded."""
        return self.entries[Entry.BATCH if rows else Entry.SINGLE] != 0

    def compile_single_unless_rows(self) -> None:
        """Compile for one state, unless there is code for one state or for rows."""
        if not any(self.entries):
            self.compile_single()

    @lazy_property
    def max_small_batch_rows(self) -> int:
        """Maximum number of rows of a small batch, which builtins compute under the interpreter's lock."""
        ports = self.outline
        return max(1, _SMALL_BATCH_NUMBERS // max(1, sum(port.size for port in (*ports.inputs, *ports.outputs))))

    def load_single(self) -> bool:
        """Load the code for one state from the disk cache, without waiting; return whether it is loaded."""
        if not self.has_entry_of(rows=False):
            self._lock.try_run(self._find_single)
        return self.has_entry_of(rows=False)

    def _find_single(self) -> None:
        library, key = self._libraries.get(_SINGLE_SYMBOL), self._key(_SINGLE_SYMBOL)
        code = cache.load(key) if library is None and key is not None else None
        if code is not None:
            library = self._libraries[_SINGLE_SYMBOL] = Library(code, _SINGLE_SYMBOLS, shared_sines().addresses)
        if library is not None:
            self._enter_single(library)

    def _key(self, symbol: str) -> str | None:
        """Return the key of machine code in the disk cache; None if it cannot be cached."""
        return code_key(symbol, self.outline.digest, *map(str, (self.lanes, self._chunk_size, self._rolling_threshold)))

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

    @lazy_property
    def _cost(self) -> int:
        return self.outline.cost

    @lazy_property
    def _single(self) -> Callable[..., int]:
        return _SINGLE_PROTOTYPE(self.address(Entry.SINGLE))

    @lazy_property
    def _batch(self) -> Callable[..., int]:
        return _BATCH_PROTOTYPE(self.address(Entry.BATCH))

    @lazy_property
    def _work(self) -> Callable[..., int]:
        work = _WORK_PROTOTYPE(shared_rows(self.lanes).addresses["work"])
        return functools.partial(work, self.address(Entry.BATCH))

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
        statuses: Statuses | None = None,
    ) -> tuple[int, int]:
        """Compute `count` rows; arrays have an axis of rows before those of their port, or an input has no such axis.

        Returns the first failed row and its status, or (-1, 0). The result does not depend on `threads`, the maximum.
        `statuses`, an array of zeros, receives the status of every row.
        """
        if threads <= 1 or count <= self.lanes or count * self._cost < OPERATIONS_FOR_THREADS:
            return self._rows(self._batch, (0, count), inputs, outputs, statuses)
        next_row, piece = ctypes.c_int64(0), _piece(count, threads, self.lanes)
        range_words = (ctypes.byref(next_row), piece, count)
        task = functools.partial(self._rows, self._work, range_words, inputs, outputs, statuses)
        verdicts = run_on_threads(
            task, min(threads, -(-count // piece)), stop=lambda: setattr(next_row, "value", count)
        )
        return min((each for each in verdicts if each[0] >= 0), default=(-1, 0))

    def _rows(
        self,
        entry: Callable[..., int],
        range_words: tuple[object, ...],
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        statuses: Statuses | None,
    ) -> tuple[int, int]:
        """Call machine code for rows; this frame keeps the arrays alive, even if the caller is interrupted."""
        ports = (*self.outline.inputs, *self.outline.outputs)
        layouts, status = array_layouts((*inputs, *outputs), ports), ctypes.c_int64(0)
        tables = (_addresses(inputs), layouts, _addresses(outputs))
        status_address = None if statuses is None else statuses.ctypes.data
        row = entry(*range_words, *(table.buffer_info()[0] for table in tables), ctypes.byref(status), status_address)
        return row, status.value


def _addresses(arrays: Sequence[Array]) -> array[int]:
    """Return the addresses of the numbers of arrays."""
    return array("Q", [abi.data_address(each) for each in arrays])


def _piece(count: int, threads: int, lanes: int) -> int:
    """Return the number of rows that a thread takes at a time: whole blocks of lanes, so that results do not change."""
    blocks = -(-count // (lanes * threads * _PIECES_PER_THREAD))
    return min(blocks * lanes, _LARGEST_PIECE // lanes * lanes)
