"""Wrong arguments of public functions return a result or raise an error of rbd.

`probes.py` has a right call of each; here every argument in turn is replaced by every value of `wrong.py`. Exceptions
of the user's own functions pass through, as documented: those of callbacks are let by, and so is the file system's.
"""

from __future__ import annotations

import importlib
import inspect
import json
import operator
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import rbd
from rbd.cli.command_line import COMMANDS
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


API = json.loads((Path(__file__).parents[1] / "data" / "public_api.json").read_text(encoding="utf-8"))
RECORD, INTERFACE = "a record that rbd fills", "an interface: its members are the user's, and rbd calls them"
NOT_PROBED = {
    **dict.fromkeys(("rbd.HybridDynamics", "rbd.LoopClosure", "rbd.Coupling"), RECORD),
    **dict.fromkeys(
        (f"rbd.rational.{name}" for name in ("MultilinearPose", "RationalPose", "RationalFunction")), RECORD
    ),
    **dict.fromkeys(("rbd.rational.Polynomial", "rbd.rational.Bounds", "rbd.rollout.Rollouts"), RECORD),
    **dict.fromkeys(("rbd.export.CLibrary", "rbd.export.WasmModule", "rbd.compiled.CompliantStepDerivatives"), RECORD),
    **dict.fromkeys(("rbd.simulation.Energies", "rbd.simulation.Occurrence", "rbd.simulation.Sizes"), RECORD),
    **dict.fromkeys((f"rbd.contact.{name}" for name in ("Distance", "ContactSolution", "ImpactSolution")), RECORD),
    **dict.fromkeys(
        (f"rbd.contact.{name}" for name in ("ContactStep", "ContactStepDerivatives", "QPSolution")), RECORD
    ),
    "rbd.compiled.RecordedFunction": "what `record` returns",
    "rbd.simulation.Rates": RECORD,
    "rbd.simulation.RightHandSide": "a protocol",
    "rbd.viz.Viewer": "tests/viz/test_wrong_arguments.py",
    "JointType": "an interface; functions of recorded scalars, whose arguments are not checked, as its text says",
    **dict.fromkeys(("Integrator", "Sink", "Monitor", "ForceElement"), INTERFACE),
    "Intrinsic": "for the library's own solvers; tests/intrinsics",
}
"""Functions and classes without probes, and classes whose members have none."""


def _public_callables() -> Iterator[str]:
    """Yield everything public that is called with arguments: names of modules, and members as Class.member."""
    at_top = [*API["rbd"], *API["unlisted"]]
    modules: dict[str, list[str]] = {"rbd": at_top, **API["modules"]}
    for module, names in modules.items():
        for name in names:
            if _takes_something(getattr(importlib.import_module(module), name)):
                yield f"rbd.{name}" if name in at_top else f"{module}.{name}"
    for owner, members in API["members"].items():
        kind, short = operator.attrgetter(owner)(rbd), owner.rpartition(".")[2]
        for name in members:
            member = getattr(kind, name, None)
            bound = int(not isinstance(inspect.getattr_static(kind, name, None), classmethod | staticmethod))
            if _takes_something(member, bound):
                yield f"{short}.{name}"


def _takes_something(target: object, bound: int = 0) -> bool:
    """Whether a function takes arguments after the first `bound`, or a class, but for abstract ones and exceptions."""
    if inspect.isclass(target):
        made = not inspect.isabstract(target) and not issubclass(target, BaseException)
        return made and bool(inspect.signature(target).parameters)
    return inspect.isroutine(target) and len(inspect.signature(target).parameters) > bound


def _is_probed(name: str, probed: set[str]) -> bool:
    return name in probed or (name.startswith("rbd.gym.") and name.rpartition(".")[2] in probed)


def test_every_public_function_is_probed() -> None:
    pytest.importorskip("gymnasium", reason="environments need gymnasium")
    from .of_environments import ENVIRONMENTS

    probed = {re.split("[ ,]", name)[0] for name in [*CALLS, *ENVIRONMENTS]}
    names = [*_public_callables()]
    assert len(names) > 350
    missing = {name for name in names if not _is_probed(name, probed)}
    assert {name for name in missing if not {name, name.partition(".")[0]} & NOT_PROBED.keys()} == set()
    needless = {
        name for name in NOT_PROBED if not {name} & missing and not any(m.startswith(f"{name}.") for m in missing)
    }
    assert needless == set()


def test_every_command_is_probed() -> None:
    commands = {f"rbd {command.name}" for command in COMMANDS}
    elsewhere = {"rbd demo", "rbd bench", "rbd view"}  # no arguments but options; tests/viz/test_wrong_arguments.py
    assert commands - CALLS.keys() == elsewhere


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


def test_events_must_be_a_sequence() -> None:
    state = rbd.MechanismState(rbd.robots.double_pendulum())
    with pytest.raises(ArgumentError, match="events must be a sequence of events, not 1 of type int") as caught:
        rbd.simulate(state, 0.1, events=1)
    assert (caught.value.argument, caught.value.value) == ("events", 1)
