"""Wrong arguments of public functions return a result or raise an error of rbd.

`probes.py` has a right call of each; here every argument in turn is replaced by every value of `wrong.py`. Exceptions
of the user's own functions pass through, as documented: those of callbacks are let by, and so is the file system's.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.errors import ArgumentError
from tests.deep import share

from . import probes
from .wrong import complaints, outcome, pairs_of_complaints

COUNT = share(100_000)
CALLS = {name: probe for group in probes.GROUPS.values() for name, probe in group.items()}

CALLBACKS = {"choose_parent", "control", "external", "progress", "function", "path", "u", "initial_states"}
"""Arguments that are the user's functions, their shapes, or files: what those raise themselves passes through."""
THEIRS = (
    "'MechanismState' object cannot",
    "positional argument",
    "keyword argument",
    "int()",
    "not subscriptable",
    "file",
    "File",
)
OF_GENERATORS = (
    r"TypeError: float\(\) argument must be a string or a real number, not 'numpy\.random\._generator\.Generator'",
    r"TypeError: expected a sequence of integers or a single integer, got 'Generator\(PCG64\) at 0x[0-9A-F]+'",
)
"""What a number type and the type of arrays raise, called with a generator."""


def _is_the_users_own(complaint: str) -> bool:
    call, _, raised = complaint.partition(") raised ")
    spoiled = {each.partition(" = ")[0] for each in call.partition("(")[2].split(", ")}
    known = any(word in raised for word in THEIRS) or any(re.fullmatch(text, raised) for text in OF_GENERATORS)
    return known and not spoiled.isdisjoint(CALLBACKS)


def test_other_exceptions_about_generators_are_not_the_users_own() -> None:
    said = "float() argument must be a string or a real number, not 'numpy.random._generator.Generator'"
    assert _is_the_users_own(f"simulate(control = number type) raised TypeError: {said}")
    assert not _is_the_users_own("simulate(control = int) raised TypeError: 'Generator' object is not iterable")
    assert not _is_the_users_own(f"simulate(events = number type) raised TypeError: {said}")
    assert _is_the_users_own(f"simulate(dt = float, control = number type) raised TypeError: {said}")
    assert not _is_the_users_own("torque(out = int, u = int) raised TypeError: 'int' object is not iterable")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CALLS)
def test_wrong_types_raise_rbd_errors(name: str) -> None:
    found = [c for c in complaints(name, CALLS[name], probes.world) if not _is_the_users_own(c)]
    assert not found, "\n".join(found)


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_calls_with_several_wrong_arguments(
    record_property: Callable[[str, object], None],
) -> None:
    pytest.importorskip("gymnasium", reason="environments need gymnasium")
    from .of_environments import ENVIRONMENTS

    functions = {**CALLS, **ENVIRONMENTS}
    found = pairs_of_complaints(functions, probes.world, np.random.default_rng(), COUNT)
    ours = [c for c in found if not _is_the_users_own(c)]
    record_property("what", f"calls of {len(functions)} public functions with one to three wrong arguments")
    record_property("count", f"{COUNT:,}: {len(ours)} exceptions that are not rbd's")
    assert not ours, "\n".join(ours)


@pytest.mark.parametrize("name", CALLS)
def test_probe_arguments_are_valid(name: str) -> None:
    call, good = CALLS[name](probes.world())
    error = outcome(lambda: call(**good))
    assert error is None or "no such file" in str(error), error


def _public_functions() -> Iterator[str]:
    """Yield every function and class that the public list names, but for those not probed, with the reason."""
    listed = json.loads((Path(__file__).parents[1] / "data" / "public_api.json").read_text())
    yield from (f"rbd.{name}" for name in [*listed["rbd"], *listed["unlisted"]])


NOT_PROBED = {
    "rbd.Tag": "abstract",
    "rbd.JointType": "abstract",
    "rbd.interpreted": "takes nothing",
    "rbd.write_urdf": "writes files; tests/urdf",
    "rbd.write_mjcf": "writes files; tests/mjcf",
    "rbd.HybridDynamics": "a record that rbd fills",
    "rbd.LoopClosure": "a record that rbd fills",
    "rbd.Coupling": "a record that rbd fills",
}


def test_every_public_function_is_probed() -> None:
    names = {name for name in _public_functions() if _takes_something(name)}
    assert not names - CALLS.keys() - NOT_PROBED.keys()


NOT_PROBED_OF_CONTACT = {
    "Shape": "a name for several classes",
    "FrictionCone": "a name for two strings",
    **dict.fromkeys(
        ("Pair", "Distance", "ContactSolution", "ImpactSolution", "ContactStep"), "a record that rbd fills"
    ),
    **dict.fromkeys(("ContactStepDerivatives", "ContactEvent", "ContactTrajectory"), "a record that rbd fills"),
    "QPSolution": "a record that rbd fills",
}


def test_every_public_function_of_contact_is_probed() -> None:
    names = {f"rbd.contact.{name}" for name in rbd.contact.__all__ if name not in NOT_PROBED_OF_CONTACT}
    assert names
    assert not names - CALLS.keys()


def test_every_method_of_a_collision_model_is_probed() -> None:
    methods = {name for name, _ in inspect.getmembers(rbd.contact.CollisionModel, inspect.isfunction)}
    assert not {f"CollisionModel.{name}" for name in methods if not name.startswith("_")} - CALLS.keys()


def _takes_something(name: str) -> bool:
    target = getattr(rbd, name.removeprefix("rbd."), None)
    return target is not None and bool(inspect.signature(target).parameters)


def test_events_must_be_a_sequence() -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="events must be a sequence of events, not 1 of type int") as caught:
        rbd.simulate(state, 0.1, events=1)
    assert (caught.value.argument, caught.value.value) == ("events", 1)
