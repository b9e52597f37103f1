"""Grids of heights from files: PNG images, and the binary format of MuJoCo.

Of a PNG image the red or grey values count, eight bits of each, as MuJoCo reads them.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias, final

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

Grid: TypeAlias = NDArray[np.float32]
_Bytes: TypeAlias = NDArray[np.uint8]

MAX_GRID_POINTS: Final = 10_000_000
"""Larger grids are refused."""
_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Numbers per pixel of the colour types: grey, red-green-blue, palette, grey and opacity, colour and opacity."""
_DEPTHS: Final = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
_PALETTE: Final = 3
_SUB: Final = 1
_UP: Final = 2
_PAETH: Final = 4


class GridFault(Exception):
    """Why the bytes are no grid of heights."""


def read_png_grid(data: bytes) -> Grid:
    """Return the red or grey values of an image, from the lowest row of pixels up; raise GridFault for what is none."""
    image = _png_image(data)
    rows = _unfiltered(image.header, _decompressed(image.header, image.compressed))
    return _first_channel(image.header, rows, image.palette)[::-1].astype(np.float32)


def read_binary_grid(data: bytes) -> Grid:
    """Return the numbers of a file that has two sizes and so many numbers; raise GridFault for what is none.

    Sizes are 32-bit integers: rows, columns; numbers are floats of single precision, row by row.
    """
    if len(data) < 8:
        raise GridFault("no height field: the file has no header")
    rows, columns = struct.unpack("<ii", data[:8])
    if min(rows, columns) < 0 or len(data) != 8 + 4 * rows * columns:
        raise GridFault(f"no height field: {len(data)} bytes are not those of {rows} x {columns} numbers")
    return np.frombuffer(data, "<f4", rows * columns, 8).reshape(rows, columns)


@final
@attrs.frozen
class _Header:
    width: int
    height: int
    depth: int
    color: int

    @property
    def pixel_bits(self) -> int:
        return self.depth * _CHANNELS[self.color]

    @property
    def row_bytes(self) -> int:
        return (self.width * self.pixel_bits + 7) // 8


class _PngImage(NamedTuple):
    """Header, palette and compressed pixels of an image."""

    header: _Header
    palette: bytes
    compressed: bytes


def _png_image(data: bytes) -> _PngImage:
    chunks = list(_chunks(data))
    if not chunks or chunks[0][0] != b"IHDR":
        raise GridFault("no PNG image: it has no header")
    palette = b"".join(content for kind, content in chunks if kind == b"PLTE")
    compressed = b"".join(content for kind, content in chunks if kind == b"IDAT")
    return _PngImage(_header(chunks[0][1]), palette, compressed)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    if data[:8] != _SIGNATURE:
        raise GridFault("no PNG image: it does not begin as one")
    at = 8
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        end = at + 12 + length
        if end > len(data) or zlib.crc32(data[at + 4 : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
            raise GridFault("the PNG image is damaged")
        yield data[at + 4 : at + 8], data[at + 8 : end - 4]
        at = end


def _header(content: bytes) -> _Header:
    if len(content) != struct.calcsize(">IIBBBBB"):
        raise GridFault("no PNG image: its header has another length")
    width, height, depth, color, compression, filters, interlaced = struct.unpack(">IIBBBBB", content)
    if depth not in _DEPTHS.get(color, ()) or compression or filters:
        raise GridFault(f"no PNG image: colour type {color} with {depth} bits")
    if interlaced:
        raise GridFault("the PNG image is interlaced: save it without")
    if not 0 < width * height <= MAX_GRID_POINTS:
        raise GridFault(f"an image of {width} x {height} pixels, from 1 to {MAX_GRID_POINTS} are read")
    return _Header(width, height, depth, color)


def _decompressed(header: _Header, compressed: bytes) -> bytes:
    wanted = header.height * (1 + header.row_bytes)
    try:
        data = zlib.decompressobj().decompress(compressed, wanted + 1)
    except zlib.error as error:
        raise GridFault(f"the PNG image is damaged: {error}") from None
    if len(data) != wanted:
        raise GridFault("the PNG image is damaged: it has other pixels than its header says")
    return data


def _unfiltered(header: _Header, data: bytes) -> _Bytes:
    """Return the rows of an image: each is stored as differences from its neighbours, in one of five ways."""
    step, length = max(1, header.pixel_bits // 8), header.row_bytes
    stored = np.frombuffer(data, np.uint8).reshape(header.height, 1 + length)
    rows = np.zeros((1 + header.height, length), np.uint8)  # a row of zeros is above the first
    for k in range(header.height):
        rows[k + 1] = _without_filter(int(stored[k, 0]), stored[k, 1:], rows[k], step)
    return rows[1:]


def _without_filter(kind: int, row: _Bytes, above: _Bytes, step: int) -> ArrayLike:
    """Return a row with the predictions added, modulo 256."""
    if kind > _PAETH:
        raise GridFault(f"the PNG image is damaged: there is no filter {kind}")
    if kind == _SUB:
        return np.cumsum(row.reshape(-1, step), axis=0, dtype=np.uint8).ravel()
    if kind == _UP:
        return row + above
    return row if kind == 0 else _predicted(kind == _PAETH, row.tolist(), above.tolist(), step)


def _predicted(paeth: bool, row: list[int], above: list[int], step: int) -> list[int]:
    """Add to each byte what those a pixel to the left, above, and above that one predict."""
    for i in range(len(row)):
        left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
        row[i] += _paeth(left, above[i], corner) if paeth else (left + above[i]) // 2
        row[i] &= 0xFF
    return row


def _paeth(left: int, up: int, corner: int) -> int:
    """Return that of three which is nearest to left + up - corner: the predictor of Paeth."""
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))


def _first_channel(header: _Header, rows: _Bytes, palette: bytes) -> _Bytes:
    """Return the first number of each pixel, eight bits of it."""
    if header.depth >= 8:
        values = rows[:, :: header.pixel_bits // 8]
    else:
        bits = np.unpackbits(rows, axis=1)[:, : header.width * header.depth].reshape(header.height, -1, header.depth)
        values = (bits << np.arange(header.depth)[::-1].astype(np.uint8)).sum(axis=2).astype(np.uint8)
    if header.color != _PALETTE:
        return values
    reds = np.frombuffer(palette, np.uint8)[::3]
    if values.size and int(values.max()) >= len(reds):
        raise GridFault("the PNG image is damaged: its palette has fewer colours than it uses")
    found: _Bytes = reds[values]
    return found
