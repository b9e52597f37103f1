"""Plans of builtins that return framed values: numbers from the buffers of passes, arithmetic, construction.

Machine code does the operations of the readable source in their order, so results have its bits.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast, final

import attrs
import numpy as np

from rbd.evaluation.value_tree import Template, UnsuitableError, split
from rbd.native.builtins.value_ir import ARRAY, CALL, FINITE, GATHER, INSTANCE, NUMBER, OBJECT, RETURN, TUPLE
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array
from rbd.scalars.registry import ARRAYS
from rbd.spatial import Frame, SpatialAcceleration, Transform, Twist
from rbd.spatial.linalg import transform_motion

if TYPE_CHECKING:
    from rbd.native.builtins.value_builtin import PassBuffer
    from rbd.native.runtime.jit import Library

_POSE: Final = 12
"""Numbers of a pose: the rows of the rotation, then the translation."""
_MOTION: Final = 6


@final
@attrs.frozen(eq=False)
class PassValues:
    """The buffer of a pass, and where the numbers of its values are."""

    version: int
    buffer: PassBuffer
    parts: tuple[Template, ...]
    starts: tuple[int, ...]

    def leaves(self, index: int, constants: list[Array]) -> tuple[list[int], tuple[int | None, ...]]:
        """Return the addresses of all numbers of a value, and which of them are whole numbers.

        Those of constants are appended to `constants`.
        """
        found, entries = list[int](), tuple(_entries(self.parts[index]))
        numbers = self.buffer.outputs[0]
        place = abi.address(numbers) + numbers.itemsize * self.starts[index]
        for entry in entries:
            if entry is None:
                found.append(place)
                place += numbers.itemsize
            else:
                constants.append(np.array(float(entry)))
                found.append(abi.address(constants[-1]))
        return found, tuple(map(_whole, entries))


def _entries(template: Template) -> Iterator[float | None]:
    """Yield the scalars of a framed value in order: None for a number of the buffer, or the constant."""
    kind, parts = split(template)
    if template is float:
        yield None
    elif type(template) in (int, float):
        yield cast("float", template)
    elif kind is float:
        yield from [None] * parts[0]
    else:
        for part in parts:
            yield from _entries(part)


def _whole(entry: object) -> int | None:
    """Return a number that is an int; structural zeros and ones of poses are, and remain it in products of such."""
    return entry if type(entry) is int else None


@final
@attrs.frozen(eq=False)
class Numbers:
    """Numbers in memory; those that are ints in Python, whatever q and v."""

    address: int
    whole: tuple[int | None, ...]

    @property
    def samples(self) -> list[float]:
        """The ints, and some floats."""
        return [0.5 if each is None else each for each in self.whole]


@final
class PlanBuilder:
    """The words of a plan that is being made."""

    def __init__(self) -> None:
        self.arithmetic: list[int] = []
        self.words: list[int] = []
        """Of the construction."""
        self.kept: list[object] = []
        self.buffers: list[PassBuffer] = []
        """Those of the passes that numbers come from."""

    def gather(self, source: PassValues, index: int) -> Numbers:
        """Copy the numbers of a value of a pass."""
        from rbd.native.builtins.context import word_table

        if source.buffer not in self.buffers:
            self.buffers.append(source.buffer)
        constants: list[Array] = []
        addresses, whole = source.leaves(index, constants)
        table, room = word_table(addresses), np.zeros(len(addresses))
        self.kept += [source, constants, table, room]
        self.arithmetic += [GATHER, len(addresses), ctypes.addressof(table), abi.address(room)]
        return Numbers(abi.address(room), whole)

    def constant(self, tf: Transform[Any, Any]) -> Numbers:
        """Return the numbers of a transform."""
        entries = [*(x for row in tf.rotation_components for x in row), *tf.translation_components]
        numbers = np.array(entries, float)
        self.kept.append(numbers)
        return Numbers(abi.address(numbers), tuple(map(_whole, entries)))

    def call(self, name: str, a: Numbers, b: Numbers) -> Numbers:
        """Do arithmetic; return the result."""
        whole = tuple(map(_whole, _ARITHMETIC[name](a.samples, b.samples)))
        room = np.zeros(len(whole))
        self.kept.append(room)
        self.arithmetic += [CALL, _arithmetic().address(name), a.address, b.address, abi.address(room)]
        return Numbers(abi.address(room), whole)

    def instance(self, kind: type[Any], numbers: Numbers, *fields: Frame[Any] | int, is_checked: bool = False) -> None:
        """Make a framed value of its fields in order: frames, and counts of numbers, rows of three that follow.

        Its numbers must be finite unless `is_checked`.
        """
        self.arithmetic += [] if is_checked else [FINITE, len(numbers.whole), numbers.address]
        k = 0
        for each in fields:
            if isinstance(each, Frame):
                self._push(each)
                continue
            for _ in range(each // 3):
                for entry in numbers.whole[k : k + 3]:
                    if entry is None:
                        self.words += [NUMBER, numbers.address + 8 * k]
                    else:
                        self._push(entry)
                    k += 1
                self.words += [TUPLE, 3]
            self.words += [TUPLE, 3] if each > 3 else []
        offsets = framed_offsets()[kind]
        self.words += [INSTANCE, id(kind), len(offsets), *offsets, RETURN]

    def numbers(self, address: int, shape: Sequence[int]) -> None:
        """Make nested tuples of an array."""
        if not shape:
            self.words += [NUMBER, address]
            return
        size = 8 * math.prod(shape[1:])
        for k in range(shape[0]):
            self.numbers(address + k * size, shape[1:])
        self.words += [TUPLE, shape[0]]

    def array(self, numbers: Array) -> None:
        """Make a copy of an array, in its order."""
        order = int(not numbers.flags.c_contiguous)
        self.words += [ARRAY, abi.address(numbers), numbers.nbytes, order, numbers.ndim, *numbers.shape]

    def value_of_array(self, value: object, numbers: Array) -> None:
        """Make a value like `value`, which holds `numbers` in a slot: with a copy of them."""
        from rbd.native.builtins.value_builtin import filled_slots

        offsets = filled_slots(value)
        for each in offsets.values():
            if type(each) in ARRAYS and np.shares_memory(cast("Array", each), numbers):
                self.array(cast("Array", each))
            else:
                self._push(each)
        self.words += [INSTANCE, id(type(value)), len(offsets), *offsets]

    def value(self, template: Template, sample: Any, addresses: Iterator[int]) -> None:
        """Make a value of a template, of which `sample` is one; raises UnsuitableError for mappings and paths."""
        if template is float:
            self.words += [NUMBER, next(addresses)]
            return
        kind, parts = split(template)
        if kind is None:
            self._push(template)
        elif kind is float:
            for _ in range(parts[0]):
                self.words += [NUMBER, next(addresses)]
            self.words += [TUPLE, parts[0]]
        elif kind is tuple and isinstance(sample, tuple):
            for part, each in zip(parts, cast("Sequence[Any]", sample), strict=True):
                self.value(part, each, addresses)
            self.words += [TUPLE, len(parts)]
        else:
            self._value_of_class(kind, parts, sample, addresses)

    def _value_of_class(
        self, kind: type[Any], parts: Sequence[Template], sample: Any, addresses: Iterator[int]
    ) -> None:
        from rbd.native.builtins.value_builtin import slot_offsets

        offsets = slot_offsets(sample) if attrs.has(kind) else None
        if offsets is None:
            raise UnsuitableError(f"a {kind.__name__} has no slots")
        for part, field in zip(parts, attrs.fields(kind), strict=True):
            self.value(part, getattr(sample, field.name), addresses)
        self.words += [INSTANCE, id(kind), len(offsets), *offsets]

    def _push(self, thing: object) -> None:
        self.kept.append(thing)
        self.words += [OBJECT, id(thing)]


@cache
def framed_offsets() -> dict[type[Any], tuple[int, ...]]:
    """Return where the slots of transforms, twists and accelerations are; empty where that is not known."""
    from rbd.native.builtins.value_builtin import slot_offsets

    a, b, x = Frame("a"), Frame("b"), (1.0, 2.0, 3.0)
    samples = Transform.identity(a, b), Twist.trusted(a, b, b, x, x), SpatialAcceleration.trusted(a, b, b, x, x)
    found = {type(sample): slot_offsets(sample) for sample in samples}
    return {kind: offsets for kind, offsets in found.items() if offsets is not None}


@cache
def _arithmetic() -> Library:
    """Return the arithmetic of transforms as machine code."""
    from rbd.native.builtins.value_builtin import arithmetic_library, arithmetic_text

    motions = _MOTION, _MOTION
    sizes = {"compose": (_POSE, _POSE), "invert": (_POSE, 0), "move": (_POSE, _MOTION), "subtract": motions}
    texts = [arithmetic_text(name, function, *sizes[name]) for name, function in _ARITHMETIC.items()]
    return arithmetic_library(texts, tuple(_ARITHMETIC))


_FRAME: Final = Frame[Any]("symbolic")


def _as_pose(x: Sequence[Any]) -> Transform[Any, Any]:
    rotation = (tuple(x[:3]), tuple(x[3:6]), tuple(x[6:9]))
    return Transform.trusted(_FRAME, _FRAME, cast("Any", rotation), cast("Any", tuple(x[9:])))


def _numbers_of(tf: Transform[Any, Any]) -> Sequence[Any]:
    (a, b, c), p = tf.components
    return (*a, *b, *c, *p)


def _moved(a: Sequence[Any], b: Sequence[Any]) -> Sequence[Any]:
    tf = _as_pose(a)
    angular, linear = transform_motion(tf.rotation_components, tf.translation_components, cast("Any", (b[:3], b[3:])))
    return (*angular, *linear)


_ARITHMETIC: Final[Mapping[str, Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]]] = {
    "compose": lambda a, b: _numbers_of(_as_pose(a) @ _as_pose(b)),
    "invert": lambda a, _: _numbers_of(_as_pose(a).inverse()),
    "move": _moved,
    "subtract": lambda a, b: [-x + y for x, y in zip(a, b, strict=True)],
}
"""The readable source on numbers, which machine code follows."""
