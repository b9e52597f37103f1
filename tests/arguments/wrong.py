"""Values of wrong types for all arguments, and the errors they may raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import numpy as np

import rbd
from rbd import Frame, MechanismState, Point, Transform, Twist, Wrench

from .probes import Probe, World


def _elsewhere() -> dict[str, Any]:
    """Return things of a mechanism and of frames that the function under test does not know."""
    mechanism = rbd.robots.chain(3)
    frame, other = Frame("elsewhere"), Frame("nowhere")
    return {
        "another mechanism": mechanism,
        "a state of another mechanism": MechanismState(mechanism),
        "a result of another mechanism": rbd.DynamicsResult(mechanism),
        "a scalar state of another mechanism": MechanismState(mechanism).with_scalars(),
        "a body of another mechanism": mechanism.bodies[1],
        "a joint of another mechanism": mechanism.tree_joints[0],
        "a path of another mechanism": mechanism.path("world", mechanism.bodies[-1]),
        "a frame of another mechanism": mechanism.bodies[1].default_frame,
        "a transform of other frames": Transform(frame, other),
        "a point in another frame": Point(frame, (1, 2, 3)),
        "a wrench in another frame": Wrench(frame, (1, 2, 3), (1, 2, 3)),
        "a twist in another frame": Twist(frame, other, frame, (1, 2, 3), (1, 2, 3)),
        "wrenches of another mechanism": {mechanism.bodies[1]: Wrench(frame, (1, 2, 3), (1, 2, 3))},
        "numbers of another mechanism's joint": {mechanism.tree_joints[0]: [1.0]},
        "a joint type": rbd.Fixed(),
    }


def _numbers() -> dict[str, Any]:
    return {
        "int": 1,
        "negative": -1,
        "float": 1.5,
        "nan": float("nan"),
        "infinity": float("inf"),
        "complex": 1j,
        "bool": True,
        "fraction": Fraction(1, 3),
        "huge int": 10**400,
        "huge fraction": Fraction(10**400),
        "zero-dimensional array": np.array(1.0),
    }


def _collections() -> dict[str, Any]:
    return {
        "empty list": [],
        "empty dict": {},
        "empty set": set(),
        "dict": {"a": 1},
        "dict of None": {None: None},
        "list of None": [None],
        "list of text": ["a"],
        "list of complex": [1j, 2j],
        "list of huge ints": [10**400, 1],
        "list of huge fractions": [-Fraction(10**400), 1.0],
        "list of masked arrays": [np.ma.masked_array([1.0, 2.0], [True, False])] * 2,
        "list of lists of odd lengths": [[1.0], [2.0, 3.0]],
        "long list": [0.0] * 99,
        "list of objects": [object(), object()],
        "set of unhashables": ([], {}),
    }


def _arrays() -> dict[str, Any]:
    return {
        "empty array": np.zeros(0),
        "deep array": np.zeros((2, 3, 4)),
        "nan array": np.array([np.nan, np.nan]),
        "complex array": np.array([1j, 2j]),
        "text array": np.array(["a", "b"]),
        "object array": np.array([None, None], dtype=object),
        "masked array": np.ma.masked_array([1.0, 2.0], [True, False]),
        "dates": np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
        "records": np.zeros(2, dtype=[("a", float)]),
    }


class _Raises:
    """An object one of whose special methods raises an error of its own."""

    def __init__(self, error: type[Exception]) -> None:
        self._error = error

    def _raise(self, *_: object, **__: object) -> Any:
        raise self._error("of the argument's own")


class _BrokenArray(_Raises):
    __array__ = _Raises._raise


class _NoArray:
    """An object whose `__array__` returns none."""

    def __array__(self, dtype: object = None, copy: object = None) -> Any:
        return "no array"


class _BrokenNumber(_Raises):
    __float__ = __index__ = __int__ = __bool__ = __lt__ = __gt__ = __le__ = __ge__ = _Raises._raise


def _broken() -> dict[str, Any]:
    return {
        "broken array": _BrokenArray(KeyError),
        "array that raises OverflowError": _BrokenArray(OverflowError),
        "array that is text": _NoArray(),
        "broken number": _BrokenNumber(RuntimeError),
        "number that raises ZeroDivisionError": _BrokenNumber(ZeroDivisionError),
        "list of broken arrays": [_BrokenArray(KeyError), 1.0],
        "list of broken numbers": [_BrokenNumber(RuntimeError), 1.0],
        "timedelta": timedelta(1),
        "list of timedeltas": [timedelta(1), timedelta(2)],
        "list of pairs of timedeltas": [(timedelta(1), timedelta(2))],
        "timedelta array": np.array([1, 2], dtype="timedelta64[s]"),
        "masked results": np.ma.masked_array(np.zeros(2), [True, False]),
        "masked matrix": np.ma.masked_array(np.zeros((2, 2)), np.eye(2)),
        "number type": float,
        "type of arrays": np.ndarray,
        "strings of digits": np.array(["1", "2"]),
        "half floats": np.array([np.inf, 1.0], dtype=np.float16),
        "list of nothing but lists": [[], []],
        "nested too deep": [[[[1.0]]]],
        "decimal": Decimal("NaN"),
        "surrogate": "\ud800",
        "null character": "a\0b",
        "path that is a directory": Path("/"),
        "negative zero": -0.0,
        "largest float": 1.7e308,
        "list of largest floats": [1.7e308, -1.7e308],
    }


def _things() -> dict[str, Any]:
    return {
        "None": None,
        "text": "x",
        "long text": "no such name " * 20,
        "bytes": b"x",
        "object": object(),
        "class": int,
        "function": lambda *_: None,
        "function of nothing": lambda: None,
        "function that returns text": lambda *_, **__: "x",
        "module": ModuleType("x"),
        "namespace": SimpleNamespace(),
        "generator": (x for x in ()),
        "ellipsis": ...,
        "range": range(2),
    }


WRONG: Final[dict[str, Any]] = _numbers() | _collections() | _arrays() | _broken() | _things() | _elsewhere()
for _value in WRONG.values():
    if isinstance(_value, np.ndarray):
        _value.flags.writeable = False  # or a result written into one would make it right


def outcome(call: Callable[[], object]) -> BaseException | None:
    """Return what `call` raised."""
    try:
        call()
    except Exception as error:  # the point of it: whatever comes out is looked at
        return error
    return None


def pairs_of_complaints(
    probes: Mapping[str, Probe], world: Callable[[], World], rng: np.random.Generator, count: int
) -> Iterator[str]:
    """Call probes with one to three wrong arguments, drawn at random; yield what is not an error of rbd."""
    names, kinds = list(probes), list(WRONG)
    for number in range(count):
        name = names[number % len(names)]
        call, good = probes[name](world())
        chosen = rng.permutation(list(good))[: rng.integers(1, 4)].tolist()
        spoiled = {parameter: kinds[rng.integers(len(kinds))] for parameter in chosen}
        arguments = good | {parameter: WRONG[kind] for parameter, kind in spoiled.items()}
        error = outcome(lambda call=call, arguments=arguments: call(**arguments))
        if error is not None and not isinstance(error, rbd.errors.RbdError):
            shown = ", ".join(f"{parameter} = {kind}" for parameter, kind in spoiled.items())
            yield f"{name}({shown}) raised {type(error).__name__}: {error}"


def complaints(name: str, probe: Probe, world: Callable[[], World]) -> Iterator[str]:
    """Say for each parameter and each wrong value whether something that is not ours came out of the call.

    A call that went through may have changed its world: the next one gets another.
    """
    call, good = probe(world())
    for parameter in good:
        for kind, value in WRONG.items():
            arguments = good | {parameter: value}
            error = outcome(lambda call=call, arguments=arguments: call(**arguments))
            if error is not None and not isinstance(error, rbd.errors.RbdError):
                yield f"{name}({parameter} = {kind}) raised {type(error).__name__}: {error}"
            if error is None:
                call, good = probe(world())
