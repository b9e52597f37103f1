"""Arguments of calls with fast paths: what is part of the key, the arrays of numbers, the keywords of the builtin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias, final

import attrs

from rbd.engine.external_wrenches import are_in_default_frames, wrench_key_and_components
from rbd.mechanism import RigidBody
from rbd.spatial import Frame

SplitCall: TypeAlias = tuple[tuple[object, ...], tuple[Any, ...], dict[str, Any]]
"""What a call has besides its numbers and its target, its arrays, and the keywords of its builtin."""
WRENCHES: Final = "external_wrenches"
FRAME: Final = "frame"
OUT: Final = "out"
_NO_WRENCHES: Final[tuple[tuple[object, ...], None]] = ((), None)
_NO_KEYWORDS: Final[dict[str, Any]] = {}


@final
@attrs.frozen(eq=False)
class CallArguments:
    """The arguments that a function with fast paths takes after its state or result; see `fast_path`."""

    target: bool
    vectors: int
    wrenches: bool
    frame: bool = False
    out: bool = False
    choices: Mapping[str, Sequence[str]] = MappingProxyType({})

    def split(self, owner: Any, args: tuple[Any, ...], named: dict[str, Any]) -> SplitCall | None:
        """Return the parts of a call; None if it has no fast path."""
        count, external = self.target + self.vectors, None
        if len(args) == count + 1 and self.wrenches:
            external = args[-1]
        elif len(args) != count:
            return None
        elif self.wrenches and WRENCHES in named:
            external, named = named[WRENCHES], {name: value for name, value in named.items() if name != WRENCHES}
        found = _NO_WRENCHES if external is None else wrench_key_and_components(external)
        keywords, chosen = self._keywords(owner, named) if named else (_NO_KEYWORDS, ())
        if found is None or keywords is None:
            return None
        places, numbers = found
        arrays = args[self.target : count]
        return (*places, *chosen), (*arrays, numbers) if places else arrays, keywords

    def have_default_frames(self, owner: Any, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
        """Return whether the external wrenches of a call, if any, are expressed in default frames of bodies."""
        position = self.target + self.vectors
        external = args[position] if len(args) > position else named.get(WRENCHES)
        return not external or are_in_default_frames(owner.engine.layout, external)

    def _keywords(self, owner: Any, named: dict[str, Any]) -> tuple[dict[str, Any] | None, Sequence[object]]:
        """Return the keywords of the builtin (None without a fast path) and those that are part of the key."""
        keywords, chosen = _NO_KEYWORDS, list[object]()
        for name, value in named.items():
            if name == OUT and self.out:
                keywords = {OUT: value}
            elif name in self.choices and type(value) is str:
                chosen += (name, value) if value != self.choices[name][0] else ()
            elif name == FRAME and self.frame and (value is None or type(value) is Frame):
                chosen += () if value is None else (value,)
            elif name == FRAME and self.frame and isinstance(value, (RigidBody, str)):
                layout = getattr(getattr(owner, "engine", None), "layout", None)
                chosen += () if layout is None else (layout.body_and_frame(value, FRAME)[1],)
            else:
                return None, chosen
        return keywords, chosen


def with_zero_torques(state: Any, args: tuple[Any, ...], position: int) -> tuple[Any, ...]:
    """Return the arguments of a call with zero torques for None, or for torques that are missing."""
    if len(args) < position or (len(args) > position and args[position] is not None):
        return args
    zero = getattr(getattr(state, "engine", None), "zero_torques", None)
    return (*args[:position], zero, *args[position + 1 :])
