"""Cached code under random damage: what comes back is what was stored under the key, or nothing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rbd.native.runtime import cache
from tests.deep import share

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes and links are POSIX's")
COUNT = share(20_000)
STORED = {f"program {number}": np.random.default_rng(number).bytes(500 * number) for number in range(5)}
"""Entries: code by key; one is empty."""
Damage = Callable[[Path, Path, np.random.Generator], object]
"""Damages the first file; the second is the entry of another key."""


def path_of(folder: Path, key: str) -> Path:
    return folder / "objects" / f"{hashlib.sha256(key.encode()).hexdigest()}.rbd"


def flipped(path: Path, other: Path, rng: np.random.Generator) -> object:
    data = np.frombuffer(path.read_bytes(), dtype=np.uint8).copy()
    places = rng.integers(len(data), size=rng.integers(1, 5))
    data[places] ^= (1 << rng.integers(8, size=len(places))).astype(np.uint8)
    return path.write_bytes(data.tobytes())


def flipped_header(path: Path, other: Path, rng: np.random.Generator) -> object:
    data = bytearray(path.read_bytes())
    data[rng.integers(88)] ^= 1 << int(rng.integers(8))
    return path.write_bytes(data)


def cut(path: Path, other: Path, rng: np.random.Generator) -> object:
    data = path.read_bytes()
    return path.write_bytes(data[: rng.integers(len(data))])


def longer(path: Path, other: Path, rng: np.random.Generator) -> object:
    return path.write_bytes(path.read_bytes() + rng.bytes(rng.integers(1, 100)))


def cleared(path: Path, other: Path, rng: np.random.Generator) -> object:
    """Write zeros over a part, as a file system does that loses a block."""
    data = bytearray(path.read_bytes())
    begin, length = int(rng.integers(len(data))), int(rng.integers(1, 4096))
    data[begin : begin + length] = bytes(len(data[begin : begin + length]))
    return path.write_bytes(data)


def overlaid(path: Path, other: Path, rng: np.random.Generator) -> object:
    """Write the end of another entry over the end of this one, as two writers without renaming would.

    Every second time the seam is between two fields of the header, or behind it.
    """
    data, foreign = path.read_bytes(), other.read_bytes()
    place = int(rng.choice([16, 48, 80, 88]) if rng.integers(2) else rng.integers(max(len(data), len(foreign))))
    return path.write_bytes(data[:place] + foreign[place:])


def replaced(path: Path, other: Path, rng: np.random.Generator) -> object:
    return path.write_bytes(other.read_bytes())


def noise(path: Path, other: Path, rng: np.random.Generator) -> object:
    return path.write_bytes(path.read_bytes()[: rng.integers(60)] + rng.bytes(rng.integers(2000)))


def removed(path: Path, other: Path, rng: np.random.Generator) -> object:
    return path.unlink()


def linked(path: Path, other: Path, rng: np.random.Generator) -> object:
    path.unlink()
    return path.symlink_to(other)


def writable(path: Path, other: Path, rng: np.random.Generator) -> object:
    return path.chmod(0o600 | int(rng.choice([0o020, 0o002, 0o022])))


DAMAGES: list[Damage] = [
    flipped, flipped_header, cut, longer, cleared, overlaid, replaced, noise, removed, linked, writable
]  # fmt: skip


def attack(folder: Path, count: int, rng: np.random.Generator) -> int:
    """Damage entries, load and store them again; return how many loads found nothing."""
    keys, refused = list(STORED), 0
    for key, code in STORED.items():
        cache.store(key, code)
    for number in range(count):
        key, other = rng.permutation(keys)[:2].tolist()
        damage, path = DAMAGES[number % len(DAMAGES)], path_of(folder, key)
        before = path.read_bytes()
        damage(path, path_of(folder, other), rng)
        loaded = cache.load(key)
        assert loaded in (None, STORED[key]), (damage.__name__, key)
        assert loaded is None or path.read_bytes() == before, damage.__name__
        refused += loaded is None
        assert cache.load(other) == STORED[other], damage.__name__
        cache.store(key, STORED[key])
        assert cache.load(key) == STORED[key], damage.__name__
        assert not path.is_symlink()
    assert {path.name for path in (folder / "objects").iterdir()} == {path_of(folder, key).name for key in keys}
    return refused


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_kind_of_damage_is_refused(
    damage: Damage, cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "DAMAGES", [damage])
    assert attack(cache_directory, 20, np.random.default_rng(3)) >= 8  # zeros and overlays may change nothing


@pytest.mark.deep
def test_random_damage_of_cached_code(cache_directory: Path, record_property: Callable[[str, object], None]) -> None:
    refused = attack(cache_directory, COUNT, np.random.default_rng())
    assert refused > 0.9 * COUNT  # the rest changed no byte
    record_property("what", f"damaged entries of the cache of machine code, {len(DAMAGES)} kinds")
    record_property("count", f"{COUNT:,}: {refused:,} refused, {COUNT - refused:,} without a changed byte")
