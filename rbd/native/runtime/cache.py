"""Disk cache of bytes: object code, outlines, digests.

The folder is `rbd` in the user's cache directory, or RBD_CACHE_DIR; RBD_CACHE=0 switches the cache off.

Loaded code is executed, so entries are trusted only if this user wrote them: the folder `objects` and every entry
belong to the user, are not symbolic links and cannot be written by others; this is checked on the open file. An entry
has the hash of its key, and one of key and content. Invalid entries are ignored and overwritten. Nothing here raises:
without a usable folder there is no cache. Entries are written under a temporary name and renamed, so that processes can
share the folder.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import struct
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, Literal, final

CAPACITY: Final = 256 * 1024 * 1024
"""Maximum size of all entries in bytes; above it, the least recently used are removed."""

_FOLDER, _SUFFIX, _TEMPORARY = "objects", ".rbd", ".new"
_MAGIC: Final = b"rbd-object-2\x00\x00\x00\x00"
_HEADER: Final = struct.Struct("<16s32s32sQ")
"""Magic and version, hash of the key, hash of key and content, length of the content."""
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_USED_RECENTLY: Final = 3600.0
"""Seconds until another use updates the time of an entry, and until a temporary file counts as abandoned."""
_SAFE: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY: Final = getattr(os, "O_BINARY", 0)


def load(key: str) -> bytes | None:
    """Return the bytes stored under `key`, or None if there is no valid entry."""
    with suppress(OSError), _opened(create=False) as folder:
        return None if folder is None else folder.read(_digest(key))
    return None


def store(key: str, content: bytes, capacity: int = CAPACITY) -> None:
    """Store bytes under `key`, unless they are larger than a quarter of the capacity."""
    if len(content) > capacity // 4:
        return
    with suppress(OSError), _opened(create=True) as folder:
        if folder is not None:
            folder.write(_digest(key), content)
            folder.shrink(capacity)


def directory(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return the cache folder, which may not exist yet; None if the cache is off or there is no home directory."""
    if environment.get("RBD_CACHE", "1") == "0":
        return None
    chosen = environment.get("RBD_CACHE_DIR", "")
    if chosen:
        return Path(os.path.expanduser(chosen)).absolute()
    base = _user_cache(environment, platform)
    return base / "rbd" if base is not None and base.is_absolute() else None


def _user_cache(environment: Mapping[str, str], platform: str) -> Path | None:
    """Return the user's cache directory on this platform."""
    if platform == "win32":
        local = environment.get("LOCALAPPDATA", "")
        return Path(local) if local else None
    home = Path(environment.get("HOME", "") if "HOME" in environment else os.path.expanduser("~"))
    if platform == "darwin":
        return home / "Library" / "Caches"
    wanted = Path(environment.get("XDG_CACHE_HOME", ""))
    return wanted if wanted.is_absolute() else home / ".cache"


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


# ---------------------------------------------------------------- the folder


@contextmanager
def _opened(*, create: bool) -> Generator[_Folder | None]:
    """Open the folder of entries; yield None if there is none, or if others can write to it."""
    parent = directory()
    if parent is None:
        yield None
        return
    path = parent / _FOLDER
    if create:
        _make_folder(path)
    if os.open not in os.supports_dir_fd:  # Windows: no descriptors of folders, and no modes
        yield None if path.is_symlink() else _Folder(path, None)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _SAFE)
    try:
        yield _Folder(path, descriptor) if _is_ours(os.fstat(descriptor)) else None
    finally:
        os.close(descriptor)


def _make_folder(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)


def _is_ours(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to this user, and others cannot write to it."""
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS_WRITE


@final
class _Folder:
    """The open folder of entries; names are resolved relative to its descriptor."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path, self._descriptor = path, descriptor

    def _path_of(self, name: str) -> str:
        return name if self._descriptor is not None else str(self._path / name)

    def _open(self, name: str, flags: int, mode: Literal["rb", "wb"]) -> BinaryIO:
        """Open an entry; `open` makes its descriptor, so that an interrupt leaves none behind."""

        def opener(path: str, _: int) -> int:
            return os.open(path, flags | _SAFE | _BINARY, 0o600, dir_fd=self._descriptor)

        return open(self._path_of(name), mode, opener=opener)

    def read(self, digest: bytes) -> bytes | None:
        """Return the content of the entry with this digest of its key, or None if it is invalid."""
        name = digest.hex() + _SUFFIX
        if self._descriptor is None and Path(self._path_of(name)).is_symlink():
            return None
        with self._open(name, os.O_RDONLY, "rb") as file:
            status = os.fstat(file.fileno())
            if not (stat.S_ISREG(status.st_mode) and _is_ours(status) and status.st_size <= CAPACITY):
                return None
            code = _content(file.read(CAPACITY + 1), digest)
            if code is not None and time.time() - status.st_mtime > _USED_RECENTLY:
                _note_use(file.fileno())
        return code

    def write(self, digest: bytes, code: bytes) -> None:
        """Write an entry; replace an earlier one."""
        name = digest.hex() + _SUFFIX
        temporary = f"{digest.hex()}.{secrets.token_hex(8)}{_TEMPORARY}"
        try:
            with self._open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, "wb") as file:
                file.write(_HEADER.pack(_MAGIC, digest, _hash(digest, code), len(code)) + code)
            os.replace(
                self._path_of(temporary),
                self._path_of(name),
                src_dir_fd=self._descriptor,
                dst_dir_fd=self._descriptor,
            )
        except BaseException:
            self._remove(temporary)
            raise

    def shrink(self, capacity: int) -> None:
        """Remove abandoned temporary files, and the least recently used entries above the capacity."""
        total, now, entries = 0, time.time(), list[tuple[float, int, str]]()
        for name, status in self._listed():
            if name.endswith(_TEMPORARY) and now - status.st_mtime > _USED_RECENTLY:
                self._remove(name)
            elif name.endswith(_SUFFIX):
                entries.append((status.st_mtime, status.st_size, name))
                total += status.st_size
        for _, size, name in sorted(entries):
            if total <= capacity:
                return
            self._remove(name)
            total -= size

    def _listed(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield names and file status of the entries; other processes may remove entries meanwhile."""
        with os.scandir(self._path if self._descriptor is None else self._descriptor) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    yield entry.name, entry.stat(follow_symlinks=False)

    def _remove(self, name: str) -> None:
        with suppress(OSError):
            os.unlink(self._path_of(name), dir_fd=self._descriptor)


def _note_use(handle: int) -> None:
    with suppress(OSError, NotImplementedError, TypeError):  # not every platform can by descriptor
        os.utime(handle)


def _content(entry: bytes, digest: bytes) -> bytes | None:
    """Return the content of an entry, or None if it is damaged or has another key."""
    if len(entry) < _HEADER.size:
        return None
    magic, made_for, content_hash, length = _HEADER.unpack_from(entry)
    code = entry[_HEADER.size :]
    fits = magic == _MAGIC and made_for == digest and length == len(code)
    return code if fits and _hash(digest, code) == content_hash else None


def _hash(digest: bytes, code: bytes) -> bytes:
    """Return the hash of a key's digest and the content: halves of two entries do not fit together."""
    both = hashlib.sha256(digest)
    both.update(code)
    return both.digest()
