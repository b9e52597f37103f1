"""Storage of results: in memory, or in a folder with one HDF5 file per chunk.

A file appears whole or not at all, so that a study that was killed continues with the chunks that are missing.
"""

from __future__ import annotations

import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

import numpy as np
from typing_extensions import override

from rbd.atomic_files import replaced_file
from rbd.errors import ArgumentError
from rbd.extras import requires_extra
from rbd.rollout.chunks import ChunkResults
from rbd.scalars.arrays import Array

_DESCRIPTION = "study.json"
_MESSAGES, _START = "messages", "start"
"""Names in a file: messages as JSON, and the group of the starts."""


class Storage(ABC):
    """Results of chunks by number."""

    @abstractmethod
    def __contains__(self, chunk: int) -> bool:
        """Return whether the results of a chunk are there."""

    @abstractmethod
    def require_starts(self, chunk: int, starts: Mapping[str, Array]) -> None:
        """Raise ArgumentError if a chunk that is there was started with other numbers."""

    @abstractmethod
    def put(self, chunk: int, starts: Mapping[str, Array], results: ChunkResults) -> None:
        """Keep the results of a chunk, and the starts of its cases."""

    @abstractmethod
    def get(self, chunk: int) -> ChunkResults:
        """Return the results of a chunk."""


@final
class Memory(Storage):
    """Results in memory."""

    def __init__(self) -> None:
        self._known = dict[int, ChunkResults]()

    @override
    def __contains__(self, chunk: int) -> bool:
        return chunk in self._known

    @override
    def require_starts(self, chunk: int, starts: Mapping[str, Array]) -> None:
        """Do nothing: all chunks are of the study that is run."""

    @override
    def put(self, chunk: int, starts: Mapping[str, Array], results: ChunkResults) -> None:
        self._known[chunk] = results

    @override
    def get(self, chunk: int) -> ChunkResults:
        return self._known[chunk]


@final
class Folder(Storage):
    """Results in files: `cases-000000.h5` has the arrays of the first chunk, and the starts of its cases."""

    def __init__(self, path: Path, description: Mapping[str, object]) -> None:
        """Open or make the folder; raise ArgumentError if it holds another study."""
        with requires_extra("rollouts in a folder"):
            self._h5py: Any = importlib.import_module("h5py")
        self._path = path
        path.mkdir(parents=True, exist_ok=True)
        file, expected = path / _DESCRIPTION, json.dumps(dict(description), indent=1)
        if not file.exists():
            with replaced_file(file) as partial:
                partial.write_text(expected, encoding="utf-8")
        stored = file.read_text(encoding="utf-8", errors="replace")
        if stored != expected:
            with _damage_named(file):
                known = dict[str, object](json.loads(stored))
            raise _another_study(path, known, description)

    @override
    def __contains__(self, chunk: int) -> bool:
        return self._file(chunk).exists()

    @override
    def put(self, chunk: int, starts: Mapping[str, Array], results: ChunkResults) -> None:
        with replaced_file(self._file(chunk)) as partial, self._h5py.File(partial, "w") as file:
            for name, value in results.arrays.items():
                file[name] = value
            file[_MESSAGES] = json.dumps(results.messages)
            for name, value in starts.items():
                file[f"{_START}/{name}"] = value

    @override
    def get(self, chunk: int) -> ChunkResults:
        path = self._file(chunk)
        with _damage_named(path), self._h5py.File(path, "r") as file:
            arrays = {name: file[name][()] for name in _result_names(file)}
            messages = json.loads(file[_MESSAGES][()])
            _require_results(arrays)
            return ChunkResults(arrays, {int(row): message for row, message in messages.items()})

    @override
    def require_starts(self, chunk: int, starts: Mapping[str, Array]) -> None:
        path = self._file(chunk)
        with _damage_named(path), self._h5py.File(path, "r") as file:
            _require_results({name: file[name] for name in _result_names(file)})
            stored = {name: np.asarray(file[f"{_START}/{name}"]) for name in file[_START]}
        if set(stored) != set(starts) or any(not np.array_equal(stored[name], x) for name, x in starts.items()):
            message = f"{path} has cases with other initial states; give another folder"
            raise ArgumentError(message, argument="folder", value=str(self._path))

    def _file(self, chunk: int) -> Path:
        return self._path / f"cases-{chunk:06d}.h5"


@contextmanager
def _damage_named(file: Path) -> Generator[None, None, None]:
    """Raise ArgumentError for errors of readers of damaged files, which are of many kinds.

    Errors of the operating system, such as those of locked files, have an `errno`; those of HDF5 about contents do not.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        message = f"{file} is damaged: {error}; remove it, and call rollout again"
        raise ArgumentError(message, argument="folder", value=str(file.parent)) from error


def _result_names(file: Mapping[str, Any]) -> list[str]:
    """Return the names of the results in a file."""
    return [name for name in file if name not in {_MESSAGES, _START}]


def _require_results(arrays: Mapping[str, Any]) -> None:
    """Raise ValueError unless all results are there, with a row per case."""
    axes = {"q": 3, "v": 3, "steps": 1, "status": 1, "stopped": 1}
    wrong = [name for name, count in axes.items() if name not in arrays or len(arrays[name].shape) != count]
    if wrong or len({len(arrays[name]) for name in axes}) != 1:
        raise ValueError(f"{', '.join(wrong) or 'the number of rows'} is not what rollout writes")


def _another_study(path: Path, stored: Mapping[str, object], expected: Mapping[str, object]) -> ArgumentError:
    different = sorted(name for name in {*stored, *expected} if stored.get(name) != expected.get(name))
    message = f"{path} holds another study, which differs in {', '.join(different)}; give another folder"
    return ArgumentError(message, argument="folder", value=str(path))
