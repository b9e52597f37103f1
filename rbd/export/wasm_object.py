"""WebAssembly modules from object files of LLVM.

An object file is a module whose memory and stack pointer are imported, and which exports nothing. `linked` gives it a
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
    """Reads numbers and names of the binary format."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def is_left(self) -> bool:
        return self.at < len(self.data)

    def take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        """Read an unsigned number of variable length (LEB128)."""
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def name(self) -> str:
        return self.take(self.number()).decode()

    def limits(self) -> None:
        for _ in range(1 + self.byte() % 2):
            self.number()


def _number(value: int) -> bytes:
    """Return an unsigned number of variable length."""
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _signed(value: int) -> bytes:
    """Return a positive signed number of variable length: its last byte has a clear sign bit."""
    return _number(value) if value.bit_length() % 7 else _number(value)[:-1] + bytes([_number(value)[-1] | 0x80, 0])


def _name(text: str) -> bytes:
    return _number(len(text.encode())) + text.encode()


def linked(code: bytes, exports: Mapping[str, str], room: int) -> LinkedModule:
    """Return the module of an object file, with `room` bytes of memory behind data and stack.

    `exports` maps names to symbols. Raises RbdError for imports other than of functions of `Math`.
    """
    sections, symbols = _parsed(code)
    imports = _imports(sections[_IMPORT])
    top = -(-_data_end(sections.get(_DATA, _number(0))) // 16) * 16 + STACK
    sections[_IMPORT] = _vector([_name("Math") + _name(name) + bytes([_FUNCTION]) + kind for name, kind in imports])
    sections[_MEMORY] = _vector([bytes([0]) + _number(-(-(top + room) // _PAGE))])
    sections[_GLOBAL] = _vector([bytes([_I32, _MUTABLE, _I32_CONST]) + _signed(top) + bytes([_END])])
    taken = [_name(name) + bytes([_FUNCTION]) + _number(symbols[symbol]) for name, symbol in exports.items()]
    sections[_EXPORT] = _vector([_name("memory") + bytes([_OF_MEMORY, 0]), *taken])
    parts = [
        bytes([number]) + _number(len(sections[number])) + sections[number] for number in _ORDER if number in sections
    ]
    return LinkedModule(_HEADER + b"".join(parts), top, tuple(name for name, _ in imports))


def _parsed(code: bytes) -> tuple[dict[int, bytes], dict[str, int]]:
    """Return the sections by number, and the indices of functions by symbol."""
    sections, symbols = dict[int, bytes](), dict[str, int]()
    for number, content in _sections(code):
        if number == _CUSTOM:
            symbols |= _symbols(content)
        else:
            sections[number] = content
    return sections, symbols


def _vector(entries: list[bytes]) -> bytes:
    return _number(len(entries)) + b"".join(entries)


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the sections: number and content."""
    reader = _Reader(code)
    if reader.take(len(_HEADER)) != _HEADER:
        raise RbdError("the compiler returned no WebAssembly")
    while reader.is_left:
        number = reader.byte()
        yield number, reader.take(reader.number())


def _imports(content: bytes) -> list[tuple[str, bytes]]:
    """Return the imported functions, name and type; memory, stack pointer and an unused table are left out."""
    reader, imports = _Reader(content), list[tuple[str, bytes]]()
    for _ in range(reader.number()):
        _, name, kind = reader.name(), reader.name(), reader.byte()
        if kind == _FUNCTION:
            if not name.startswith("rbd_"):
                raise RbdError(f"WebAssembly has no function {name}")
            imports.append((name.removeprefix("rbd_"), _number(reader.number())))
        elif kind == _OF_GLOBAL:
            reader.take(2)
        else:
            reader.take(int(kind == _TABLE))
            reader.limits()
    return imports


def _data_end(content: bytes) -> int:
    """Return the first address behind the data."""
    reader, end = _Reader(content), 0
    for _ in range(reader.number()):
        if (reader.byte(), reader.byte()) != (0, _I32_CONST):
            raise RbdError("the compiler returned data without an address")
        start = reader.number()
        reader.byte()
        size = reader.number()
        reader.take(size)
        end = max(end, start + size)
    return end


def _symbols(content: bytes) -> dict[str, int]:
    """Return the indices of defined functions, if a custom section has the table of symbols."""
    reader = _Reader(content)
    if reader.name() != "linking":
        return {}
    reader.number()
    while reader.is_left:
        kind, part = reader.byte(), reader.take(reader.number())
        if kind == _SYMBOL_TABLE:
            return dict(_functions(_Reader(part)))
    return {}


def _functions(reader: _Reader) -> Iterator[tuple[str, int]]:
    for _ in range(reader.number()):
        kind, flags = reader.byte(), reader.number()
        defined = not flags & _UNDEFINED
        if kind == _SECTION_SYMBOL:
            reader.number()
        elif kind == _DATA_SYMBOL:
            reader.name()
            for _ in range(3 * defined):
                reader.number()
        else:
            index = reader.number()
            name = reader.name() if defined or flags & _EXPLICIT_NAME else ""
            if kind == 0 and defined:
                yield name, index
