"""Builtins of framed queries of live states: poses of frames, twists of bodies, transforms between frames.

The passes fill buffers; from their numbers machine code computes what was asked for, with the operations of the
readable source in their order, and makes the framed value. The results have the bits of the source on floats.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast, final

import attrs
import numpy as np

from rbd.engine.recorded_kernel import RecordedKernel
from rbd.kinematics import passes
from rbd.kinematics.frames import Attachment
from rbd.kinematics.layout import Layout
from rbd.kinematics.state_view import pass_kernel_of
from rbd.kinematics.value_tree import Template, UnsuitableError, count_numbers, split, unflattener
from rbd.native.builtins.value_ir import CALL, FINITE, GATHER, INSTANCE, NUMBER, OBJECT, RETURN, TUPLE
from rbd.native.runtime import abi
from rbd.scalars.arrays import Array
from rbd.spatial import Frame, Transform, Twist
from rbd.spatial.linalg import moved6

if TYPE_CHECKING:
    from rbd.engine.live_engine import LiveEngine
    from rbd.native.builtins.value_builtin import PassBuffer
    from rbd.native.runtime.jit import Library

Builtin = Callable[[], Any]
_POSE: Final = 12
"""Numbers of a pose: the rows of the rotation, then the translation."""
_MOTION: Final = 6


@final
@attrs.frozen(eq=False)
class _Pass:
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
class _Numbers:
    """Numbers in memory; those that are ints in Python, whatever q and v."""

    address: int
    whole: tuple[int | None, ...]

    @property
    def samples(self) -> list[float]:
        """The ints, and some floats."""
        return [0.5 if each is None else each for each in self.whole]


@final
class _PlanBuilder:
    """The words of a plan that is being made."""

    def __init__(self) -> None:
        self.words: list[int] = []
        self.kept: list[object] = []

    def gather(self, source: _Pass, index: int) -> _Numbers:
        """Copy the numbers of a value of a pass."""
        from rbd.native.builtins.context import word_table

        constants: list[Array] = []
        addresses, whole = source.leaves(index, constants)
        table, room = word_table(addresses), np.zeros(len(addresses))
        self.kept += [source, constants, table, room]
        self.words += [GATHER, len(addresses), ctypes.addressof(table), abi.address(room)]
        return _Numbers(abi.address(room), whole)

    def constant(self, tf: Transform[Any, Any]) -> _Numbers:
        """Return the numbers of a transform."""
        entries = [*(x for row in tf.rotation_components for x in row), *tf.translation_components]
        numbers = np.array(entries, float)
        self.kept.append(numbers)
        return _Numbers(abi.address(numbers), tuple(map(_whole, entries)))

    def call(self, name: str, a: _Numbers, b: _Numbers) -> _Numbers:
        """Do arithmetic; return the result."""
        whole = tuple(map(_whole, _ARITHMETIC[name](a.samples, b.samples)))
        room = np.zeros(len(whole))
        self.kept.append(room)
        self.words += [CALL, _arithmetic().address(name), a.address, b.address, abi.address(room)]
        return _Numbers(abi.address(room), whole)

    def instance(self, kind: type[Any], numbers: _Numbers, *fields: Frame[Any] | int) -> None:
        """Make a framed value of its fields in order: frames, and counts of numbers, rows of three that follow."""
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
        offsets = _offsets()[kind]
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
def _offsets() -> dict[type[Any], tuple[int, ...]]:
    """Return where the slots of transforms and twists are; empty where that is not known."""
    from rbd.native.builtins.value_builtin import slot_offsets

    a, b = Frame("a"), Frame("b")
    samples = Transform.identity(a, b), Twist.trusted(a, b, b, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    found = {type(sample): slot_offsets(sample) for sample in samples}
    return {kind: offsets for kind, offsets in found.items() if offsets is not None}


@cache
def _arithmetic() -> Library:
    """Return the arithmetic of transforms as machine code."""
    from rbd.native.builtins.value_builtin import arithmetic_library, arithmetic_text

    sizes = {"compose": (_POSE, _POSE), "invert": (_POSE, 0), "move": (_POSE, _MOTION)}
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
    angular, linear = moved6(tf.rotation_components, tf.translation_components, cast("Any", (b[:3], b[3:])))
    return (*angular, *linear)


_ARITHMETIC: Final[Mapping[str, Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]]]] = {
    "compose": lambda a, b: _numbers_of(_as_pose(a) @ _as_pose(b)),
    "invert": lambda a, _: _numbers_of(_as_pose(a).inverse()),
    "move": _moved,
}
"""The readable source on numbers, which machine code follows."""


def _placed(builder: _PlanBuilder, pose: _Numbers, found: Attachment) -> _Numbers:
    """Return the pose of a frame from that of its body."""
    return pose if found.to_default is None else builder.call("compose", pose, builder.constant(found.to_default))


@final
class NativeQueries:
    """Maker of the builtins of one state."""

    def __init__(self, engine: LiveEngine, layout: Layout) -> None:
        """Start without buffers."""
        self._engine, self._layout = engine, layout
        self._passes: dict[object, _Pass] = {}

    def pose(self, found: Attachment) -> Builtin | None:
        """Return a builtin of the transform from a place to the root frame."""
        poses = self._pass(passes.to_root)
        if poses is None:
            return None
        builder = _PlanBuilder()
        pose = _placed(builder, builder.gather(poses, found.index), found)
        builder.instance(Transform, pose, found.frame, self._layout.root_frame, 9, 3)
        return self._made(builder, [poses.buffer])

    def twist(self, index: int) -> Builtin | None:
        """Return a builtin of the twist of a body in the root frame."""
        poses, twists = self._pass(passes.to_root), self._pass(passes.body_twists)
        if poses is None or twists is None:
            return None
        builder = _PlanBuilder()
        moved = builder.call("move", builder.gather(poses, index), builder.gather(twists, index))
        builder.words += [FINITE, _MOTION, moved.address]
        root = self._layout.root_frame
        builder.instance(Twist, moved, 3, 3, self._layout.bodies[index].default_frame, root, root)
        return self._made(builder, [poses.buffer, twists.buffer])

    def route(self, start: Attachment, end: Attachment) -> Builtin | None:
        """Return a builtin of the transform between two places."""
        apart = bool(start.index and end.index)
        source = self._pass(passes.to_parent if apart else passes.to_root)
        if source is None:
            return None
        builder = _PlanBuilder()
        between = self._between(builder, source, start.index, end.index)
        between = _placed(builder, between, start)
        if end.from_default is not None:
            between = builder.call("compose", builder.constant(end.from_default), between)
        builder.instance(Transform, between, start.frame, end.frame, 9, 3)
        return self._made(builder, [source.buffer])

    def result(self, recorded: RecordedKernel, numbers: Sequence[Array]) -> Builtin | None:
        """Return a builtin of the result of a kernel as it is, for bound `numbers`; None for results of arrays."""
        from rbd.native.builtins.value_builtin import PassBuffer

        code, form, engine = recorded.executable.machine_code, recorded.form, self._engine
        if code is None or len(recorded.executable.outline.outputs) != 1:
            return None
        buffer = PassBuffer(code, (engine.q, engine.v, *numbers, *recorded.parameters), needs_v=True)
        builder, output = _PlanBuilder(), buffer.outputs[0]
        if form.template is None:
            if not output.size:
                return None
            builder.numbers(abi.address(output), output.shape)
        else:
            addresses = iter(range(abi.address(output), abi.address(output) + output.nbytes, output.itemsize))
            try:
                builder.value(form.template, unflattener(form.template)((0.5,) * output.size), addresses)
            except UnsuitableError:
                return None
        builder.words += [RETURN]
        return self._made(builder, [buffer])

    def _between(self, builder: _PlanBuilder, source: _Pass, i: int, j: int) -> _Numbers:
        """Return the transform from body i to body j, by the steps of `passes.between`."""
        if not j:
            return builder.gather(source, i)
        if not i:
            pose = builder.gather(source, j)
            return builder.call("invert", pose, pose)
        links = self._layout.links
        up: _Numbers | None = None
        down: _Numbers | None = None
        while i != j:
            step = builder.gather(source, max(i, j) - 1)
            if i > j:
                up, i = step if up is None else builder.call("compose", step, up), links[i - 1].parent
            else:
                down, j = step if down is None else builder.call("compose", step, down), links[j - 1].parent
        if up is None:
            up = builder.constant(Transform.identity(_FRAME, _FRAME))
        return up if down is None else builder.call("compose", builder.call("invert", down, down), up)

    def _pass(self, look_up: Callable[..., Any]) -> _Pass | None:
        """Return the buffer of a pass; None where its machine code is not there."""
        kernel, depends = pass_kernel_of(look_up)
        version, known = self._engine.versions[1], self._passes.get(kernel)
        if known is not None and known.version == version:
            return known
        recorded = self._engine.recorded(kernel, ()) if len(_offsets()) == 2 else None
        if recorded is None:
            return None
        made = self._recorded_pass(recorded, version, needs_v=depends == "qv")
        if made is not None:
            self._passes[kernel] = made
        return made

    def _recorded_pass(self, recorded: RecordedKernel, version: int, *, needs_v: bool) -> _Pass | None:
        from rbd.native.builtins.value_builtin import PassBuffer

        template, code = recorded.form.template, recorded.executable.machine_code
        parts = tuple(split(template)[1])
        if code is None or not parts or len(recorded.executable.outline.outputs) != 1:
            return None
        sizes = [count_numbers(part) for part in parts]
        starts = tuple(sum(sizes[:k]) for k in range(len(sizes)))
        engine = self._engine
        buffer = PassBuffer(code, (engine.q, engine.v, *recorded.parameters), needs_v=needs_v)
        return _Pass(version, buffer, parts, starts)

    def _made(self, builder: _PlanBuilder, buffers: Sequence[PassBuffer]) -> Builtin | None:
        from rbd.native.builtins.value_builtin import ValuePlan, value_builtin

        words, guards = self._engine.watched()
        return value_builtin(words, guards, buffers, ValuePlan(builder.words, tuple(builder.kept)))
