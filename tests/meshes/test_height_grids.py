"""Grids of heights: PNG images of all kinds and filters, binary files, damaged ones."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rbd.meshes.height_grids import GridFault, read_binary_grid, read_png_grid

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
KINDS = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 4), (3, 8), (4, 8), (6, 8), (6, 16)]


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def image(
    width: int, height: int, depth: int, color: int, data: bytes, interlaced: int = 0, more: bytes = b""
) -> bytes:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced))
    return b"\x89PNG\r\n\x1a\n" + header + more + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def packed(pixels: NDArray[np.int64], depth: int) -> NDArray[np.uint8]:
    """Return the rows of bytes of pixels (rows, columns, channels)."""
    flat = pixels.reshape(len(pixels), -1)
    bits = (flat[:, :, None] >> np.arange(depth)[::-1]) & 1
    return np.packbits(bits.reshape(len(pixels), -1).astype(np.uint8), axis=1)


def filtered(rows: NDArray[np.uint8], step: int, kinds: list[int]) -> bytes:
    """Return rows as differences from what a filter predicts, as the specification of PNG defines it."""
    above, out = np.zeros(rows.shape[1], int), b""
    for row, kind in zip(rows.astype(int), kinds, strict=True):
        left = np.concatenate([np.zeros(step, int), row])[: len(row)]
        corner = np.concatenate([np.zeros(step, int), above])[: len(row)]
        a, b, c = (abs(left + above - corner - each) for each in (left, above, corner))
        paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, above, corner))
        predicted = [0 * row, left, above, (left + above) // 2, paeth][kind]
        out += bytes([kind]) + ((row - predicted) % 256).astype(np.uint8).tobytes()
        above = row
    return out


@pytest.mark.parametrize(("color", "depth"), KINDS)
@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 6))
def test_images_of_all_kinds_and_filters_are_read(color: int, depth: int, seed: int, width: int, height: int) -> None:
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 2**depth, (height, width, CHANNELS[color]))
    palette = rng.integers(0, 256, (256, 3)).astype(np.uint8)
    step = max(1, depth * CHANNELS[color] // 8)
    data = filtered(packed(pixels, depth), step, rng.integers(0, 5, height).tolist())
    more = chunk(b"PLTE", palette.tobytes()) if color == 3 else b""
    found = read_png_grid(image(width, height, depth, color, data, more=more))
    first = palette[pixels[:, :, 0], 0] if color == 3 else pixels[:, :, 0] >> max(depth - 8, 0)
    np.testing.assert_array_equal(found, first[::-1])


GOOD = image(2, 2, 8, 0, b"\0\1\2\0\3\4")
DAMAGED = {
    "does not begin as one": b"GIF89a",
    "no header": GOOD[:8],
    "damaged": GOOD[:-20],
    "other pixels than its header says": image(2, 2, 8, 0, b"\0\1\2"),
    "there is no filter 5": image(2, 2, 8, 0, b"\5\1\2\0\3\4"),
    "interlaced": image(2, 2, 8, 0, b"\0\1\2\0\3\4", interlaced=1),
    "colour type 0 with 3 bits": image(2, 2, 3, 0, b"\0\1\0\1"),
    "0 x 2 pixels": image(0, 2, 8, 0, b"\0\0"),
    "100000 x 100000 pixels": image(100_000, 100_000, 8, 0, b"\0"),
    "its palette has fewer colours": image(2, 2, 8, 3, b"\0\1\2\0\3\4", more=chunk(b"PLTE", b"\0\0\0")),
}


@pytest.mark.parametrize("reason", DAMAGED)
def test_damaged_images_raise(reason: str) -> None:
    with pytest.raises(GridFault, match=reason):
        read_png_grid(DAMAGED[reason])


def test_an_image_may_be_a_bomb() -> None:
    """A megabyte that expands to a gigabyte is refused after as many bytes as the header says."""
    with pytest.raises(GridFault, match="other pixels"):
        read_png_grid(image(2, 2, 8, 0, bytes(10**8)))


@given(st.binary(max_size=20), st.integers(0, len(GOOD)), st.integers(0, 8))
def test_mutated_files_are_read_or_refused(inserted: bytes, place: int, removed: int) -> None:
    for read, good in ((read_png_grid, GOOD), (read_binary_grid, struct.pack("<ii4f", 2, 2, 1, 2, 3, 4))):
        try:
            grid = read(good[:place] + inserted + good[place + removed :])
        except GridFault:
            continue
        assert grid.ndim == 2
        assert grid.dtype == np.float32


def test_binary_files_are_read() -> None:
    np.testing.assert_array_equal(read_binary_grid(struct.pack("<ii6f", 2, 3, *range(6))), [[0, 1, 2], [3, 4, 5]])
    for data in (b"", struct.pack("<ii", 2, 3), struct.pack("<ii", -1, -1), struct.pack("<ii5f", 2, 2, *range(5))):
        with pytest.raises(GridFault, match="no height field"):
            read_binary_grid(data)
