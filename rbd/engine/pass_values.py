"""Values of a pass: addresses of their numbers in the buffer that the pass fills."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, cast, final

import attrs
import numpy as np

from rbd.native.runtime import abi
from rbd.pytrees.flattening import FlatteningError
from rbd.pytrees.templates import CompositeTemplate, ConstantTemplate, Template, TupleTemplate
from rbd.scalars.arrays import Array

if TYPE_CHECKING:
    from rbd.native.builtins.value_builtin import PassBuffer


@final
@attrs.frozen(eq=False)
class PassValues:
    """The buffer of a pass, and where the numbers of its values are."""

    version: int
    """The version of the mechanism's parameters."""
    buffer: PassBuffer
    parts: tuple[Template, ...]
    """The templates of the values, one per body."""
    starts: tuple[int, ...]
    """The index of the first number of each value in the buffer."""

    @classmethod
    def of(cls, version: int, buffer: PassBuffer, template: Template | None) -> PassValues:
        """Return the values of a pass with a result of this template; raises FlatteningError unless it is a tuple."""
        if not isinstance(template, TupleTemplate) or not template.parts or len(buffer.outputs) != 1:
            raise FlatteningError("the pass has no values, or several arrays")
        parts = template.parts
        return cls(version, buffer, parts, tuple(accumulate((part.count for part in parts[:-1]), initial=0)))

    def addresses(self, index: int, constants: list[Array]) -> tuple[list[int], tuple[int | None, ...]]:
        """Return the addresses of all numbers of a value, and which of them are structural constants.

        Arrays of constants are appended to `constants`.
        """
        found, entries = list[int](), tuple(_entries(self.parts[index]))
        numbers = self.buffer.outputs[0]
        place = abi.data_address(numbers) + numbers.itemsize * self.starts[index]
        for entry in entries:
            if entry is None:
                found.append(place)
                place += numbers.itemsize
            else:
                constants.append(np.array(float(entry)))
                found.append(abi.data_address(constants[-1]))
        return found, tuple(map(structural_constant, entries))


def _entries(template: Template) -> Iterator[float | None]:
    """Yield the scalars of a framed value in order: None for a number of the buffer, or the constant."""
    match template:
        case ConstantTemplate(value):
            if type(value) in (int, float):
                yield cast("float", value)
        case CompositeTemplate(parts):
            for part in parts:
                yield from _entries(part)
        case _:
            yield from [None] * template.count


def structural_constant(entry: object) -> int | None:
    """Return a structural zero or one, which is an int; products of such ints are ints. None for floats."""
    return entry if type(entry) is int else None
