"""Values of wrong types for all arguments, and the errors they may raise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
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


WRONG: Final[dict[str, Any]] = _numbers() | _collections() | _arrays() | _things() | _elsewhere()
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
