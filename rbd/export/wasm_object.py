"""WebAssembly modules from object files of LLVM.

An object file is a module whose memory and stack pointer are imported, and which exports nothing. `link` gives it a
memory and a stack of its own, imports functions of the mathematics library from `Math` of JavaScript, and exports
functions by name. There is one object file, so nothing else is to be linked. See the core specification of WebAssembly,
and its tool conventions for the custom section "linking".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, final

import attrs

from rbd.errors import RbdError

_HEADER: Final = b"\0asm\1\0\0\0"
_CUSTOM, _IMPORT, _MEMORY, _GLOBAL, _EXPORT, _DATA = 0, 2, 5, 6, 7, 11
_FUNCTION, _TABLE, _OF_MEMORY, _OF_GLOBAL = range(4)
"""Kinds of imports and exports."""
_ORDER: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11)
"""Sections in the order of a module; 12 counts the data segments."""
_PAGE: Final = 65536
STACK: Final = 65536
"""Bytes of the stack."""
_SYMBOL_TABLE, _DATA_SYMBOL, _SECTION_SYMBOL = 8, 1, 3
_UNDEFINED, _EXPLICIT_NAME = 0x10, 0x40
_I32, _MUTABLE, _I32_CONST, _END = 0x7F, 1, 0x41, 0x0B


@final
@attrs.frozen
class LinkedModule:
    """A module that needs nothing but functions of `Math`."""

    code: bytes
    heap: int
    """The first address behind data and stack."""
    imports: tuple[str, ...]
    """Functions of `Math` that it calls."""


@final
class _Reader:
    """Reads integers and names of the binary format."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def has_more(self) -> bool:
        return self.at < len(self.data)

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def unsigned(self) -> int:
        """Read an unsigned integer of variable length (LEB128)."""
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def name(self) -> str:
        return self.take(self.unsigned()).decode()

    def skip_limits(self) -> None:
        for _ in range(1 + self.byte() % 2):
            self.unsigned()


def _unsigned(value: int) -> bytes:
    """Return an unsigned integer in the encoding of variable length (LEB128)."""
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _signed(value: int) -> bytes:
    """Return a nonnegative integer as a signed one of variable length: its last byte has a clear sign bit."""
    encoded = _unsigned(value)
    return encoded if value.bit_length() % 7 else encoded[:-1] + bytes([encoded[-1] | 0x80, 0])


def _name(text: str) -> bytes:
    return _unsigned(len(text.encode())) + text.encode()


def link(code: bytes, exports: Mapping[str, str], array_bytes: int) -> LinkedModule:
    """Return the module of an object file, with `array_bytes` bytes of memory behind data and stack.

    `exports` maps names to symbols. Raises RbdError for imports other than of functions of `Math`.
    """
    sections, symbols = _parsed(code)
    imports = _imports(sections[_IMPORT])
    top = -(-_data_end(sections.get(_DATA, _unsigned(0))) // 16) * 16 + STACK
    sections[_IMPORT] = _vector([_name("Math") + _name(name) + bytes([_FUNCTION]) + kind for name, kind in imports])
    sections[_MEMORY] = _vector([bytes([0]) + _unsigned(-(-(top + array_bytes) // _PAGE))])
    sections[_GLOBAL] = _vector([bytes([_I32, _MUTABLE, _I32_CONST]) + _signed(top) + bytes([_END])])
    functions = [_name(name) + bytes([_FUNCTION]) + _unsigned(symbols[symbol]) for name, symbol in exports.items()]
    sections[_EXPORT] = _vector([_name("memory") + bytes([_OF_MEMORY, 0]), *functions])
    ordered = [(section, sections[section]) for section in _ORDER if section in sections]
    parts = [bytes([section]) + _unsigned(len(content)) + content for section, content in ordered]
    return LinkedModule(_HEADER + b"".join(parts), top, tuple(name for name, _ in imports))


def _parsed(code: bytes) -> tuple[dict[int, bytes], dict[str, int]]:
    """Return the sections by number, and the indices of functions by symbol."""
    sections, symbols = dict[int, bytes](), dict[str, int]()
    for section, content in _sections(code):
        if section == _CUSTOM:
            symbols |= _symbols(content)
        else:
            sections[section] = content
    return sections, symbols


def _vector(entries: list[bytes]) -> bytes:
    return _unsigned(len(entries)) + b"".join(entries)


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the sections: number and content."""
    reader = _Reader(code)
    if reader.take(len(_HEADER)) != _HEADER:
        raise RbdError("the compiler returned no WebAssembly")
    while reader.has_more:
        section = reader.byte()
        yield section, reader.take(reader.unsigned())


def _imports(content: bytes) -> list[tuple[str, bytes]]:
    """Return the imported functions, name and type; memory, stack pointer and an unused table are left out."""
    reader, imports = _Reader(content), list[tuple[str, bytes]]()
    for _ in range(reader.unsigned()):
        _, name, kind = reader.name(), reader.name(), reader.byte()
        if kind == _FUNCTION:
            if not name.startswith("rbd_"):
                raise RbdError(f"WebAssembly has no function {name}")
            imports.append((name.removeprefix("rbd_"), _unsigned(reader.unsigned())))
        elif kind == _OF_GLOBAL:
            reader.take(2)
        else:
            reader.take(int(kind == _TABLE))
            reader.skip_limits()
    return imports


def _data_end(content: bytes) -> int:
    """Return the first address behind the data."""
    reader, end = _Reader(content), 0
    for _ in range(reader.unsigned()):
        if (reader.byte(), reader.byte()) != (0, _I32_CONST):
            raise RbdError("the compiler returned data without an address")
        start = reader.unsigned()
        reader.byte()
        size = reader.unsigned()
        reader.take(size)
        end = max(end, start + size)
    return end


def _symbols(content: bytes) -> dict[str, int]:
    """Return the indices of defined functions, if a custom section has the table of symbols."""
    reader = _Reader(content)
    if reader.name() != "linking":
        return {}
    reader.unsigned()
    while reader.has_more:
        kind, part = reader.byte(), reader.take(reader.unsigned())
        if kind == _SYMBOL_TABLE:
            return dict(_functions(_Reader(part)))
    return {}


def _functions(reader: _Reader) -> Iterator[tuple[str, int]]:
    for _ in range(reader.unsigned()):
        kind, flags = reader.byte(), reader.unsigned()
        defined = not flags & _UNDEFINED
        if kind == _SECTION_SYMBOL:
            reader.unsigned()
        elif kind == _DATA_SYMBOL:
            reader.name()
            for _ in range(3 * defined):
                reader.unsigned()
        else:
            index = reader.unsigned()
            name = reader.name() if defined or flags & _EXPLICIT_NAME else ""
            if kind == 0 and defined:
                yield name, index
