"""Plans of builtins that return framed values: numbers from the buffers of passes, arithmetic, construction.

Machine code does the operations of the readable source in their order, so results have its bits.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast, final

import attrs
import numpy as np

from rbd.engine.pass_values import PassValues, structural_constant
from rbd.engine.transform_arithmetic import ARITHMETIC, arithmetic_code
from rbd.native.builtins.value_instructions import ARRAY, CALL, FINITE, GATHER, INSTANCE, NUMBER, OBJECT, RETURN, TUPLE
from rbd.native.runtime import abi
from rbd.pytrees.flattening import FlatteningError
from rbd.pytrees.templates import (
    ConstantTemplate,
    InstanceTemplate,
    NumberTemplate,
    Template,
    TupleTemplate,
    VectorTemplate,
)
from rbd.scalars.arrays import Array
from rbd.scalars.registry import ARRAYS
from rbd.spatial import Frame, SpatialAcceleration, Transform, Twist

if TYPE_CHECKING:
    from rbd.engine.live_buffers import LiveBuffers
    from rbd.native.builtins.value_builtin import PassBuffer


@final
@attrs.frozen(eq=False)
class Numbers:
    """Numbers in memory; structural zeros and ones stay Python ints in products."""

    address: int
    structural_constants: tuple[int | None, ...]

    @property
    def samples(self) -> list[float]:
        """The structural constants, and some floats."""
        return [0.5 if each is None else each for each in self.structural_constants]


@final
class PlanBuilder:
    """The instructions of a plan that is being made."""

    def __init__(self) -> None:
        self.arithmetic: list[int] = []
        self.instructions: list[int] = []
        """Those of the construction of the value."""
        self.references: list[object] = []
        """Objects whose addresses are in the instructions."""
        self.buffers: list[PassBuffer] = []
        """Those of the passes that numbers come from."""

    def builtin(self, buffers: LiveBuffers) -> Callable[[], Any] | None:
        """Return the builtin of the plan, for the state with these buffers."""
        from rbd.native.builtins.array_makers import install_array_makers
        from rbd.native.builtins.value_builtin import value_builtin
        from rbd.native.builtins.value_plan import ValuePlan

        plan = ValuePlan(self.arithmetic, [*self.instructions, RETURN], tuple(self.references))
        install_array_makers()  # values make arrays of their numbers when they are asked for
        return value_builtin(buffers.all_words(), buffers.guards(), self.buffers, plan)

    def gather(self, source: PassValues, index: int) -> Numbers:
        """Copy the numbers of a value of a pass."""
        from rbd.native.builtins.context import word_table

        if source.buffer not in self.buffers:
            self.buffers.append(source.buffer)
        constants: list[Array] = []
        addresses, structural_constants = source.addresses(index, constants)
        table, result = word_table(addresses), np.zeros(len(addresses))
        self.references += [source, constants, table, result]
        self.arithmetic += [GATHER, len(addresses), ctypes.addressof(table), abi.data_address(result)]
        return Numbers(abi.data_address(result), structural_constants)

    def constant(self, tf: Transform[Any, Any]) -> Numbers:
        """Return the numbers of a transform."""
        entries = [*(x for row in tf.rotation_components for x in row), *tf.translation_components]
        numbers = np.array(entries, float)
        self.references.append(numbers)
        return Numbers(abi.data_address(numbers), tuple(map(structural_constant, entries)))

    def call(self, name: str, a: Numbers, b: Numbers) -> Numbers:
        """Do arithmetic; return the result."""
        structural_constants = tuple(map(structural_constant, ARITHMETIC[name](a.samples, b.samples)))
        result = np.zeros(len(structural_constants))
        self.references.append(result)
        self.arithmetic += [CALL, arithmetic_code().address(name), a.address, b.address, abi.data_address(result)]
        return Numbers(abi.data_address(result), structural_constants)

    def make_instance(
        self, kind: type[Any], numbers: Numbers, *fields: Frame[Any] | int, is_checked: bool = False
    ) -> None:
        """Make a framed value of its fields in order: frames, or the size of a tuple or a 3x3 matrix of numbers.

        Its numbers must be finite unless `is_checked`.
        """
        self.arithmetic += [] if is_checked else [FINITE, len(numbers.structural_constants), numbers.address]
        start = 0
        for each in fields:
            if isinstance(each, Frame):
                self._push(each)
                continue
            for k in range(start, start + each, 3):
                self._make_vector(numbers, k)
            self.instructions += [TUPLE, 3] if each > 3 else []
            start += each
        offsets = framed_offsets()[kind]
        self.instructions += [INSTANCE, id(kind), len(offsets), *offsets]

    def _make_vector(self, numbers: Numbers, start: int) -> None:
        """Make a tuple of three numbers."""
        for k in range(start, start + 3):
            entry = numbers.structural_constants[k]
            if entry is None:
                self.instructions += [NUMBER, numbers.address + 8 * k]
            else:
                self._push(entry)
        self.instructions += [TUPLE, 3]

    def make_result(self, template: Template | None, output: Array) -> None:
        """Make the result of a kernel: nested tuples, or a value of a template; raises as `make_value`."""
        address = abi.data_address(output)
        if template is not None:
            addresses = iter(range(address, address + output.nbytes, output.itemsize))
            self.make_value(template, template.unflattener()((0.5,) * output.size), addresses)
        elif output.size:
            self.make_numbers(address, output.shape)
        else:
            raise FlatteningError("an array without entries")

    def make_numbers(self, address: int, shape: Sequence[int]) -> None:
        """Make nested tuples of an array."""
        if not shape:
            self.instructions += [NUMBER, address]
            return
        size = 8 * math.prod(shape[1:])
        for k in range(shape[0]):
            self.make_numbers(address + k * size, shape[1:])
        self.instructions += [TUPLE, shape[0]]

    def make_array(self, numbers: Array) -> None:
        """Make a copy of an array, in its order."""
        order = int(not numbers.flags.c_contiguous)
        self.instructions += [ARRAY, abi.data_address(numbers), numbers.nbytes, order, numbers.ndim, *numbers.shape]

    def make_value_of_array(self, value: object, numbers: Array) -> None:
        """Make a value like `value`, which holds `numbers` in a slot: with a copy of them."""
        from rbd.native.builtins.slots import filled_slots

        offsets = filled_slots(value)
        for each in offsets.values():
            if type(each) in ARRAYS and np.shares_memory(cast("Array", each), numbers):
                self.make_array(cast("Array", each))
            else:
                self._push(each)
        self.instructions += [INSTANCE, id(type(value)), len(offsets), *offsets]

    def make_value(self, template: Template, sample: Any, addresses: Iterator[int]) -> None:
        """Make a value of a template, of which `sample` is one; raises FlatteningError for mappings and paths."""
        match template:
            case NumberTemplate():
                self.instructions += [NUMBER, next(addresses)]
            case ConstantTemplate(constant):
                self._push(constant)
            case VectorTemplate(size):
                for _ in range(size):
                    self.instructions += [NUMBER, next(addresses)]
                self.instructions += [TUPLE, size]
            case TupleTemplate(parts) if isinstance(sample, tuple):
                for part, each in zip(parts, cast("Sequence[Any]", sample), strict=True):
                    self.make_value(part, each, addresses)
                self.instructions += [TUPLE, len(parts)]
            case InstanceTemplate(parts, kind):
                self._make_instance_of_class(kind, parts, sample, addresses)
            case _:
                raise FlatteningError(f"a {type(sample).__name__} is made in Python")

    def _make_instance_of_class(
        self, kind: type[Any], parts: Sequence[Template], sample: Any, addresses: Iterator[int]
    ) -> None:
        from rbd.native.builtins.slots import slot_offsets

        offsets = slot_offsets(sample)
        if offsets is None:
            raise FlatteningError(f"a {kind.__name__} has no slots")
        for part, field in zip(parts, attrs.fields(kind), strict=True):
            self.make_value(part, getattr(sample, field.name), addresses)
        self.instructions += [INSTANCE, id(kind), len(offsets), *offsets]

    def _push(self, thing: object) -> None:
        self.references.append(thing)
        self.instructions += [OBJECT, id(thing)]


@cache
def framed_offsets() -> dict[type[Any], tuple[int, ...]]:
    """Return the offsets of the slots of transforms, twists and accelerations; empty where they are not known."""
    from rbd.native.builtins.slots import slot_offsets

    a, b, x = Frame("a"), Frame("b"), (1.0, 2.0, 3.0)
    samples = Transform.identity(a, b), Twist.trusted(a, b, b, x, x), SpatialAcceleration.trusted(a, b, b, x, x)
    found = {type(sample): slot_offsets(sample) for sample in samples}
    return {kind: offsets for kind, offsets in found.items() if offsets is not None}
