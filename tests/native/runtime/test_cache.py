"""The cache of object code: what is stored comes back, what is not ours or not whole does not, and nothing raises."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rbd.native.runtime import cache
from tests.mechanism.interrupts import raise_at

KEY, CODE = "program|machine", bytes(range(256)) * 40
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")
unprivileged = pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")


def entry_of(folder: Path, key: str = KEY) -> Path:
    return folder / "objects" / f"{hashlib.sha256(key.encode()).hexdigest()}.rbd"


@pytest.fixture
def entry(cache_directory: Path) -> Path:
    cache.store(KEY, CODE)
    path = entry_of(cache_directory)
    assert path.is_file()
    return path


# -- the usual case ---------------------------------------------------------------------------------------------------


def test_what_is_stored_comes_back(entry: Path) -> None:
    assert cache.load(KEY) == CODE
    assert cache.load(KEY + "?") is None
    assert cache.load("") is None


def test_nothing_is_made_by_looking(cache_directory: Path) -> None:
    assert cache.load(KEY) is None
    assert not cache_directory.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="open files are listed as Linux lists them")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # traced, a `with` can be left before its end
def test_no_interrupt_leaves_an_entry_open(entry: Path) -> None:
    line, reached = 0, True
    while reached:
        line += 1
        reached = raise_at(line, KeyboardInterrupt, lambda: (cache.load(KEY), cache.store(KEY, CODE)))
        opened = [os.readlink(each) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
        assert not [name for name in opened if name.startswith(str(entry.parent) + os.sep)], line
    assert cache.load(KEY) == CODE


def test_an_empty_content_is_a_content(cache_directory: Path) -> None:
    cache.store(KEY, b"")
    assert cache.load(KEY) == b""


@posix
def test_folder_and_entries_are_for_us_alone(entry: Path) -> None:
    assert entry.parent.stat().st_mode & 0o777 == 0o700
    assert entry.stat().st_mode & 0o777 == 0o600


def test_storing_leaves_nothing_else_behind(entry: Path) -> None:
    cache.store(KEY, CODE)
    assert os.listdir(entry.parent) == [entry.name]


# -- entries that are refused -----------------------------------------------------------------------------------------


def rewritten(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(change(path.read_bytes())) and None


def linked(path: Path) -> None:
    elsewhere = path.parent.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pipe_instead(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def another_key(path: Path) -> None:
    cache.store("another", CODE)
    os.replace(entry_of(path.parent.parent, "another"), path)


def content_of_another(path: Path) -> None:
    """Keep what names the key; all behind it is a whole entry's, hash and length included."""
    cache.store("another", CODE[:-1])
    path.write_bytes(path.read_bytes()[:48] + entry_of(path.parent.parent, "another").read_bytes()[48:])


DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": rewritten(lambda data: b""),
    "half a header": rewritten(lambda data: data[:20]),
    "header only": rewritten(lambda data: data[:88]),
    "cut short": rewritten(lambda data: data[:-1]),
    "too long": rewritten(lambda data: data + b"\x00"),
    "one bit of the content": rewritten(lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]),
    "one bit of the hash": rewritten(lambda data: data[:50] + bytes([data[50] ^ 1]) + data[51:]),
    "another version": rewritten(lambda data: data[:11] + b"0" + data[12:]),
    "another key": another_key,
    "the content of another": content_of_another,
    "noise": rewritten(lambda data: hashlib.sha512(data).digest() * 20),
    "symbolic link": linked,
    "a pipe": pipe_instead,
    "group may write": lambda path: path.chmod(0o620),
    "everybody may write": lambda path: path.chmod(0o602),
}


@posix
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_and_foreign_entries_are_ignored_and_rebuilt(entry: Path, damage: Callable[[Path], None]) -> None:
    damage(entry)
    assert cache.load(KEY) is None
    cache.store(KEY, CODE)
    assert cache.load(KEY) == CODE
    assert entry.is_file()
    assert not entry.is_symlink()


@posix
def test_a_folder_in_an_entrys_place_costs_time_only(entry: Path) -> None:
    folder_instead(entry)
    cache.store(KEY, CODE)
    assert cache.load(KEY) is None
    assert os.listdir(entry.parent) == [entry.name]


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("part", ["entry", "folder"])
def test_what_belongs_to_others_is_refused(entry: Path, part: str) -> None:
    os.chown(entry if part == "entry" else entry.parent, 12345, 12345)
    assert cache.load(KEY) is None


@posix
def test_the_owner_is_asked_of_the_opened_file(entry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54321)
    assert cache.load(KEY) is None
    monkeypatch.undo()


# -- folders that are refused -----------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_folders_others_may_write_are_refused(entry: Path, mode: int) -> None:
    entry.parent.chmod(mode)
    assert cache.load(KEY) is None
    before = entry.read_bytes()
    cache.store(KEY, b"new")
    cache.store("another", b"new")
    assert entry.read_bytes() == before
    assert len(os.listdir(entry.parent)) == 1


@posix
def test_a_folder_that_is_a_symbolic_link_is_refused(entry: Path) -> None:
    moved = entry.parent.parent / "moved"
    entry.parent.rename(moved)
    entry.parent.symlink_to(moved, target_is_directory=True)
    assert cache.load(KEY) is None
    cache.store("another", b"new")
    assert os.listdir(moved) == [entry.name]


def test_a_file_where_the_folder_should_be_costs_time_only(cache_directory: Path) -> None:
    cache_directory.write_text("not a folder")
    cache.store(KEY, CODE)
    assert cache.load(KEY) is None


@unprivileged
def test_a_folder_that_cannot_be_written_costs_time_only(entry: Path) -> None:
    entry.parent.chmod(0o500)
    cache.store("another", b"new")
    assert cache.load(KEY) == CODE
    assert cache.load("another") is None
    entry.parent.chmod(0o700)


@posix
def test_a_read_only_file_system_costs_time_only(cache_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RBD_CACHE_DIR", "/proc/rbd/cache")
    cache.store(KEY, CODE)
    assert cache.load(KEY) is None


def test_it_can_be_switched_off(entry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RBD_CACHE", "0")
    assert cache.load(KEY) is None
    cache.store("another", CODE)
    monkeypatch.delenv("RBD_CACHE")
    assert cache.load("another") is None
    assert cache.load(KEY) == CODE


# -- where it is ------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"HOME": "/home/ada"}, "linux", "/home/ada/.cache/rbd"),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": "/var/ada"}, "linux", "/var/ada/rbd"),
        ({"HOME": "/home/ada", "XDG_CACHE_HOME": "relative"}, "linux", "/home/ada/.cache/rbd"),
        ({"HOME": "/Users/ada", "XDG_CACHE_HOME": "/var/ada"}, "darwin", "/Users/ada/Library/Caches/rbd"),
        ({"LOCALAPPDATA": "/local"}, "win32", "/local/rbd"),
        ({}, "win32", None),
        ({"HOME": ""}, "linux", None),
        ({"HOME": "relative"}, "linux", None),
        ({"HOME": "/home/ada", "RBD_CACHE_DIR": "/elsewhere"}, "linux", "/elsewhere"),
        ({"HOME": "/home/ada", "RBD_CACHE_DIR": "/elsewhere", "RBD_CACHE": "0"}, "linux", None),
    ],
)
def test_place(environment: dict[str, str], platform: str, expected: str | None) -> None:
    found = cache.directory(environment, platform)
    assert found == (None if expected is None else Path(expected))


@posix
def test_a_tilde_is_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shells leave the tilde of `--env RBD_CACHE_DIR=~/rbd` as it is."""
    monkeypatch.setenv("HOME", "/home/ada")
    assert cache.directory({"RBD_CACHE_DIR": "~/rbd"}, "linux") == Path("/home/ada/rbd")


# -- size -------------------------------------------------------------------------------------------------------------


def test_entries_used_longest_ago_go_first(cache_directory: Path) -> None:
    capacity = 4 * 1100
    for age, key in enumerate("edcba"):
        cache.store(key, bytes(1000), capacity)
        if entry_of(cache_directory, key).exists():
            os.utime(entry_of(cache_directory, key), (1000.0 + age, 1000.0 + age))
    assert [cache.load(key) is not None for key in "edcba"] == [False, True, True, True, True]


def test_using_an_entry_saves_it(cache_directory: Path) -> None:
    capacity = 4 * 1100
    for age, key in enumerate("dcba"):
        cache.store(key, bytes(1000), capacity)
        os.utime(entry_of(cache_directory, key), (1000.0 + age, 1000.0 + age))
    assert cache.load("d") is not None
    cache.store("new", bytes(1000), capacity)
    assert [cache.load(key) is not None for key in "dcba"] == [True, False, True, True]


def test_one_huge_entry_does_not_drive_the_others_out(entry: Path) -> None:
    cache.store("huge", bytes(60_000), 100_000)
    assert cache.load("huge") is None
    assert cache.load(KEY) == CODE


def test_abandoned_work_is_removed_and_strangers_stay(entry: Path) -> None:
    old, fresh, strange = (entry.parent / name for name in ("x.1.new", "y.2.new", "notes.txt"))
    for path in (old, fresh, strange):
        path.write_bytes(b"?")
    os.utime(old, (1000.0, 1000.0))
    os.utime(strange, (1000.0, 1000.0))
    cache.store("another", CODE, 10 * len(CODE))
    assert (old.exists(), fresh.exists(), strange.exists()) == (False, True, True)


# -- several processes ------------------------------------------------------------------------------------------------

WORKER = """
import sys
from rbd.native.runtime import cache
bad = 0
for round in range(60):
    for key in "abc":
        code = (key * 5000).encode()
        found = cache.load(key)
        bad += found is not None and found != code
        cache.store(key, code, 16000 if round % 5 == 0 else 10**6)
sys.exit(bad)
"""


def test_processes_share_the_folder(cache_directory: Path) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", WORKER]) for _ in range(3)]
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    assert all(cache.load(key) in (None, (key * 5000).encode()) for key in "abc")
    assert not [name for name in os.listdir(cache_directory / "objects") if name.endswith(".new")]
