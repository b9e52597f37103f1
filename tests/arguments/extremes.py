"""Calls with extreme numbers: arguments replaced by tiny and huge ones, or by values that were made with such."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import numpy as np

import rbd

from .making import Good, Probe
from .probes import world

EXTREMES: Final = (5e-324, 1e-300, 1e-160, 1e-155, 1e155, 1e160, 1e300, 1.7e308, -1e-300, -1.7e308, 1e16, -0.0)
_KEPT: Final = 60
_UNSHARED: Final = (rbd.Mechanism, rbd.MechanismState)


def _items(value: object) -> list[tuple[Any, Any]] | None:
    """Return the keys and values of a collection; None of anything else."""
    if isinstance(value, dict):
        return list(cast("dict[Any, Any]", value).items())
    if isinstance(value, list | tuple):
        return list(enumerate(cast("list[Any]", value)))
    return None


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths to all numbers in a value."""
    if (items := _items(value)) is not None:
        for key, each in items:
            yield from places(each, (*path, key))
    elif isinstance(value, np.ndarray):
        array = cast("np.ndarray[Any, Any]", value)
        yield from ((*path, index) for index in np.ndindex(array.shape) if array.dtype.kind == "f")
    elif isinstance(value, float | int) and not isinstance(value, bool):
        yield path


def replaced(value: Any, path: tuple[Any, ...], number: float) -> Any:
    """Return a copy of a value with another number at a path."""
    if not path:
        return number
    fixed = type(value) is tuple
    changed: Any = [*value] if fixed else value.copy()
    changed[path[0]] = replaced(changed[path[0]], path[1:], number)
    return tuple(changed) if fixed else changed


def finite(value: object) -> bool:
    """Return whether the numbers of a result are finite; those of an object that says so itself."""
    if (items := _items(value)) is not None:
        return all(finite(each) for _, each in items)
    if isinstance(value, np.ndarray):
        array = cast("np.ndarray[Any, Any]", value)
        return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())
    return math.isfinite(value) if isinstance(value, float) else bool(getattr(value, "is_finite", True))


def _failed_rows(arguments: Good) -> bool:
    """Return whether a call received a status and reported rows that failed, whose results are NaN."""
    status = arguments.get("status")
    return isinstance(status, rbd.RowStatus) and bool(status.failed.any())


class Spoiler:
    """Calls of probes with extreme numbers; what they return takes the place of arguments of its type later."""

    def __init__(self, probes: Mapping[str, Probe], rng: np.random.Generator) -> None:
        self._probes, self._rng = probes, rng
        self._made: defaultdict[type[Any], list[object]] = defaultdict(list)

    def complaints(self, count: int) -> Iterator[str]:
        """Make calls; yield those that raise what is not an error of rbd, or return numbers that are not finite."""
        names = list(self._probes)
        for number in range(count):
            name = names[number % len(names)]
            call, good = self._probes[name](world())
            spoiled = self._spoiled(good)
            shown = f"{name}({', '.join(f'{key} = {value}' for key, value in spoiled.items())})"
            try:
                result = call(**(good | spoiled))
            except rbd.errors.RbdError:
                continue
            except Exception as error:
                yield f"{shown} raised {type(error).__name__}: {error}"
                continue
            if not finite(result) and not _failed_rows(good | spoiled):
                yield f"{shown} returned {result}"
            self._keep(result)

    def _spoiled(self, good: Good) -> Good:
        """Return one or two arguments, each with one or two extreme numbers, or made by an earlier call."""
        names = self._rng.permutation(list(good))[: self._rng.integers(1, 3)].tolist()
        return {name: self._extreme(good[name]) for name in names}

    def _extreme(self, value: Any) -> Any:
        made = self._made[type(value)]
        if made and self._rng.random() < 0.5:
            return made[self._rng.integers(len(made))]
        paths = list(places(value))
        for _ in range(self._rng.integers(1, 3) if paths else 0):
            value = replaced(value, paths[self._rng.integers(len(paths))], float(self._rng.choice(EXTREMES)))
            paths = list(places(value))
        return value

    def _keep(self, result: object) -> None:
        kind = type(result)
        if kind.__module__.startswith("rbd.") and not isinstance(result, _UNSHARED):
            kept = self._made[kind]
            kept.append(result)
            del kept[: self._rng.integers(2) if len(kept) > _KEPT else 0]
