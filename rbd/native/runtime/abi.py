"""Memory layout of objects of CPython and NumPy, on interpreters where it is known and verified.

Builtins read the fields of arrays in memory. They are made only on the interpreters of an allowlist, and only after the
fields of sample objects have been compared with their Python attributes. RBD_NATIVE_ENTRY=0 switches them off.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import sys
from collections.abc import Callable
from typing import Any, Final, cast, final

import numpy as np

OBJECT_TYPE: Final = 8
"""Offset in bytes of the pointer to the type; all offsets are from the beginning of the object."""
ARRAY_DATA: Final = 16
ARRAY_NDIM: Final = 24
ARRAY_SHAPE: Final = 32
ARRAY_STRIDES: Final = 40
ARRAY_DTYPE: Final = 56
ARRAY_FLAGS: Final = 64
FLOAT_VALUE: Final = 16
TUPLE_SIZE: Final = 16
TUPLE_ITEMS: Final = tuple.__basicsize__
STRUCTURE_DATA: Final = 16
"""Offset of the pointer to the fields of a ctypes structure."""
REFERENCE_COUNT: Final = 0
"""Offset of the number of references, in 32 bits: the lower ones of the field, since numbers are little-endian."""
_SLOT_DEFINITION: Final = 40
"""Offset of the pointer to the definition of a slot, in the descriptor of the slot."""
_DEFINED_OFFSET: Final = 16
"""Offset, in that definition, of the offset of the slot."""

CONTIGUOUS: Final = 0x1
COLUMN_ORDER: Final = 0x2
ALIGNED: Final = 0x100
WRITEABLE: Final = 0x400
DOUBLE: Final = 12
"""NumPy's number of float64."""

_VERSIONS: Final = ((3, 11), (3, 12), (3, 13), (3, 14))
_GET_ABI_VERSION, _NEW = 0, 93
"""Indices in NumPy's table of C functions."""
_ABI_VERSION: Final = 0x02000000

PYTHON_FUNCTIONS: Final = (
    "PyErr_CheckSignals",
    "PyEval_RestoreThread",
    "PyEval_SaveThread",
    "PyErr_Clear",
    "PyDict_GetItem",
    "PyDict_Size",
    "PyFloat_FromDouble",
    "PyList_GetItem",
    "PyList_SetItem",
    "PyList_Size",
    "PyLong_AsDouble",
    "PyLong_AsLong",
    "PyObject_Vectorcall",
    "PyThread_get_thread_ident",
    "PyTuple_GetItem",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyTuple_Size",
    "PyType_GenericAlloc",
    "PyUnicode_Compare",
    "Py_DecRef",
    "Py_IncRef",
)


@functools.cache
def is_supported() -> bool:
    """Return whether machine code may read objects of this interpreter."""
    return os.environ.get("RBD_NATIVE_ENTRY", "1") != "0" and is_listed() and is_verified()


def is_listed() -> bool:
    """Return whether this interpreter and this NumPy are on the allowlist."""
    return (
        sys.implementation.name == "cpython"
        and sys.version_info[:2] in _VERSIONS
        and sys.platform == "linux"
        and os.uname().machine == "x86_64"
        and struct.calcsize("P") == 8
        and "t" not in sys.abiflags  # free threading
        and object.__basicsize__ == 16
        and np.__version__.startswith("2.")
    )


def is_verified() -> bool:
    """Return whether fields in memory agree with Python attributes, for sample objects."""
    try:
        table = _numpy_table()
        version = ctypes.PYFUNCTYPE(ctypes.c_uint)(table[_GET_ABI_VERSION])()
        return (
            version == _ABI_VERSION
            and all(map(_array_matches, _samples()))
            and _floats_and_structures_match()
            and _reference_counts_match()
            and _slots_match()
            and all(map(_tuple_matches, ((), (1.5,), (0, "a", None))))
            and _array_new_matches()
        )
    except (AttributeError, LookupError, OSError, TypeError, ValueError):
        return False


def symbol_addresses() -> dict[str, int]:
    """Return the addresses of functions, types and objects for machine code, by name."""
    table = {name: _function_address(getattr(ctypes.pythonapi, name)) for name in PYTHON_FUNCTIONS}
    table["PyArray_New"] = _numpy_table()[_NEW]
    table |= {"ndarray": id(np.ndarray), "float64": id(np.dtype(np.float64)), "float": id(float)}
    table |= {"int": id(int), "tuple": id(tuple), "list": id(list), "dict": id(dict), "str": id(str)}
    table["float64_scalar"] = id(np.float64)
    return table | {"out": id(sys.intern("out")), "None": id(None), "NotImplemented": id(NotImplemented)}


def slot_offset(descriptor: object) -> int:
    """Return the offset of a slot from its descriptor."""
    return _word_at(_word(descriptor, _SLOT_DEFINITION) + _DEFINED_OFFSET).value


def data_address(array: np.ndarray[Any, Any]) -> int:
    """Return the address of the numbers of an array, the fastest way."""
    return _word(array, ARRAY_DATA) if is_supported() else array.ctypes.data


def _function_address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


@functools.cache
def _numpy_table() -> Any:
    """Return NumPy's table of C functions."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    capsule = cast("Any", np)._core._multiarray_umath._ARRAY_API
    return ctypes.cast(prototype(_function_address(pointer))(capsule, None), ctypes.POINTER(ctypes.c_size_t))


# ---------------------------------------------------------------- verification


def _samples() -> list[np.ndarray[Any, Any]]:
    whole = np.arange(60.0).reshape(3, 4, 5)
    fixed = np.ones(3)
    fixed.flags.writeable = False
    shifted = np.frombuffer(bytearray(25), dtype=np.uint8)[1:].view(np.float64)
    samples: list[np.ndarray[Any, Any]] = [
        whole,
        np.asfortranarray(whole),
        whole[0],
        whole[:, 1:3],
        whole.T,
        whole[::-1],
        whole[0, 0, :1],
        fixed,
    ]
    samples += [np.array(1.5), np.empty((0, 7)), np.arange(6), np.arange(6, dtype=">f8"), shifted, np.zeros(3, bool)]
    return samples


def _array_matches(array: np.ndarray[Any, Any]) -> bool:
    """Return whether the fields of an array in memory agree with its attributes."""
    pointer, ndim = _word(array, ARRAY_SHAPE), _read(array, ARRAY_NDIM, ctypes.c_int)
    if ndim != array.ndim:
        return False
    shape = _words(pointer, ndim)
    strides = _words(_word(array, ARRAY_STRIDES), ndim)
    return (
        _word(array, OBJECT_TYPE) == id(type(array))
        and _word(array, ARRAY_DATA) == array.__array_interface__["data"][0]
        and (shape, strides) == (array.shape, array.strides)
        and _word(array, ARRAY_DTYPE) == id(array.dtype)
        and _read(array, ARRAY_FLAGS, ctypes.c_int) == cast("Any", array.flags).num
        and bool(cast("Any", array.flags).num & CONTIGUOUS) == array.flags.c_contiguous
        and bool(cast("Any", array.flags).num & COLUMN_ORDER) == array.flags.f_contiguous
        and bool(cast("Any", array.flags).num & ALIGNED) == array.flags.aligned
        and bool(cast("Any", array.flags).num & WRITEABLE) == array.flags.writeable
    )


def _words(address: int, count: int) -> tuple[int, ...]:
    return tuple((ctypes.c_ssize_t * count).from_address(address)) if count else ()


@final
class _Sample(ctypes.Structure):
    _fields_ = [("value", ctypes.c_double)]


def _floats_and_structures_match() -> bool:
    """Return whether the fields of floats and structures are at their offsets."""
    sample = _Sample(2.5)
    return (
        all(_float_matches(number) for number in (0.1 * 3, np.float64(0.1 * 7)))
        and _word(sample, STRUCTURE_DATA) == ctypes.addressof(sample)
        and np.dtype(np.float64).num == DOUBLE
        and np.empty(3).dtype is np.dtype(np.float64)
    )


def _float_matches(number: float) -> bool:
    return _word(number, OBJECT_TYPE) == id(type(number)) and _read(number, FLOAT_VALUE, ctypes.c_double) == number


def _reference_counts_match() -> bool:
    """Return whether an object's number of references follows those that are made."""
    sample = object()
    before = _read(sample, REFERENCE_COUNT, ctypes.c_int32)
    holder = [sample, sample]
    return bool(_read(sample, REFERENCE_COUNT, ctypes.c_int32) == before + len(holder))


@final
class _Slots:
    """An object with two slots."""

    __slots__ = ("first", "second")

    def __init__(self) -> None:
        self.first, self.second = object(), object()


def _slots_match() -> bool:
    """Return whether the slots of an object are where their descriptors say."""
    sample, descriptors = _Slots(), vars(_Slots)
    offsets = (slot_offset(descriptors[name]) for name in _Slots.__slots__)
    return tuple(_word(sample, offset) for offset in offsets) == (id(sample.first), id(sample.second))


def _tuple_matches(sample: tuple[object, ...]) -> bool:
    """Return whether the number of items of a tuple and the items are at their offsets."""
    items = tuple(map(id, sample))
    return _word(sample, TUPLE_SIZE) == len(items) and _words(id(sample) + TUPLE_ITEMS, len(items)) == items


def _array_new_matches() -> bool:
    """Return whether NumPy's C function for new arrays returns a C-contiguous float64 array."""
    arguments = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * 2)
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, *arguments, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
    new: Callable[..., Any] = prototype(_numpy_table()[_NEW])
    shape, strides = (ctypes.c_ssize_t * 2)(3, 4), (ctypes.c_ssize_t * 2)(8, 24)
    arrays = [
        new(id(np.ndarray), 2, ctypes.addressof(shape), DOUBLE, steps, None, 0, 0, None)
        for steps in (None, ctypes.addressof(strides))
    ]
    good = [type(array) is np.ndarray and array.shape == (3, 4) and _array_matches(array) for array in arrays]
    return all(good) and arrays[0].flags.c_contiguous and arrays[1].flags.f_contiguous


def _read(value: object, offset: int, kind: Any) -> Any:
    return kind.from_address(id(value) + offset).value


_word_at = ctypes.c_size_t.from_address


def _word(value: object, offset: int) -> int:
    return _word_at(id(value) + offset).value
