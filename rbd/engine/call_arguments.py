"""Arguments of calls with fast paths, parsed into a key, arrays, and keywords of the builtin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast, final

import attrs
import numpy as np

from rbd.indexing.layout import Layout
from rbd.mechanism import RigidBody, TreePath
from rbd.spatial import Frame, Wrench

KeyParts: TypeAlias = Sequence[object]
"""Parts of the key of a call."""
TORQUES: Final = "torques"
WRENCHES: Final = "external_wrenches"
FRAME: Final = "frame"
OUT: Final = "out"
_NO_KEYWORDS: Final[Mapping[str, object]] = {}
_NO_WRENCHES: Final[Mapping[Any, Wrench[Any]]] = {}
_FLOATS: Final = frozenset((float,))


@final
@attrs.define(eq=False)
class ParsedCall:
    """Parsed arguments of a call that may have a fast path.

    All calls with wrenches on the same bodies in the same frames have one key. Frames are in it by their identities: a
    fast path has default frames of bodies only, which live as long as its layout.
    """

    key: object
    """All of it but its numbers."""
    arrays: tuple[object, ...]
    """Its numbers; those of external wrenches are last, and None unless all are floats."""
    keywords: Mapping[str, object] = _NO_KEYWORDS
    """Those of the builtin."""
    external_wrenches: Mapping[Any, Wrench[Any]] = _NO_WRENCHES
    """Its external wrenches, by bodies or their names."""

    def add_wrenches(self, external_wrenches: object) -> KeyParts | None:
        """Add external wrenches; return what they add to the key, None if there is no fast path with them."""
        if type(external_wrenches) is not dict:
            return () if external_wrenches is None else None
        parts: list[object] = []
        numbers: list[object] = []
        for body, wrench in cast("Mapping[object, object]", external_wrenches).items():
            if type(wrench) is not Wrench:
                return None
            parts += (body, id(wrench.frame))
            numbers += wrench.angular_components
            numbers += wrench.linear_components
        if parts:
            self.external_wrenches = cast("Mapping[Any, Wrench[Any]]", external_wrenches)
            self.arrays = (*self.arrays, np.array(numbers) if _FLOATS.issuperset(map(type, numbers)) else None)
        return parts

    def may_open(self, layout: Layout) -> bool:
        """Return whether a fast path may be opened: kernels take wrenches in default frames without a transform."""
        frames = {id(body.default_frame) for body in layout.bodies}
        return all(id(wrench.frame) in frames for wrench in self.external_wrenches.values())


@final
@attrs.frozen(eq=False)
class CallArguments:
    """The arguments that a function with fast paths takes after its state.

    A target is part of the key; then follow vectors of numbers, and external wrenches by position or by name.
    """

    target: bool = False
    vectors: int = 0
    torques: bool = False
    """Whether the first of the vectors is zero if it is None or missing."""
    wrenches: bool = False
    frame: bool = False
    out: bool = False
    choices: Mapping[str, str] = MappingProxyType({})
    """Keywords whose values are names, with their defaults."""

    @classmethod
    def of(cls, function: Callable[..., object], *, target: bool, vectors: int, out: bool) -> CallArguments:
        """Return the arguments of a function, by their names and defaults."""
        parameters = signature(function).parameters
        return cls(
            target=target,
            vectors=vectors,
            torques=TORQUES in parameters,
            wrenches=WRENCHES in parameters,
            frame=FRAME in parameters,
            out=out,
            choices={each.name: each.default for each in parameters.values() if type(each.default) is str},
        )

    def parse(self, plain: object, state: object, args: tuple[Any, ...], named: Mapping[str, Any]) -> ParsedCall | None:
        """Return the parts of a call; None if it has no fast path. `plain` is the key of a call of numbers alone."""
        count = self.target + self.vectors
        if self.torques and (not args or args[0] is None):
            args = (getattr(getattr(state, "engine", None), "zero_torques", None), *args[1:])
        if not count <= len(args) <= count + self.wrenches:
            return None
        parsed = ParsedCall(plain, args[self.target : count])
        parts = [plain, *_target_parts(args[0])] if self.target else [plain]
        if len(args) > count:
            if WRENCHES in named or (added := parsed.add_wrenches(args[count])) is None:
                return None
            parts += added
        for name, value in named.items():
            if (added := self._parse_keyword(parsed, state, name, value)) is None:
                return None
            parts += added
        if len(parts) > 1:
            parsed.key = tuple(parts)
        return parsed

    def _parse_keyword(self, parsed: ParsedCall, state: object, name: str, value: Any) -> KeyParts | None:
        """Return the part of the key for a keyword, nothing for its default; None if there is no fast path with it."""
        if name == OUT and self.out:
            parsed.keywords = {OUT: value}
            return ()
        if name == WRENCHES and self.wrenches:
            return parsed.add_wrenches(value)
        if name == FRAME and self.frame:
            return _frame_parts(state, value)
        if name in self.choices and type(value) is str:
            return (name, value) if value != self.choices[name] else ()
        return None


def _target_parts(target: object) -> KeyParts:
    return (target.source, target.target, *target) if type(target) is TreePath else (target,)


def _frame_parts(state: object, value: object) -> KeyParts | None:
    if value is None:
        return ()
    if isinstance(value, (RigidBody, str)):
        layout = getattr(getattr(state, "engine", None), "layout", None)
        return () if layout is None else (layout.body_and_frame(value, FRAME)[1],)
    return (value,) if type(value) is Frame else None
