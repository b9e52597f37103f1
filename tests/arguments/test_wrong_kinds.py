"""Wrong arguments of public functions return a result or raise an error of rbd.

`probes.py` has a right call of each; here every argument in turn is replaced by every value of `wrong.py`. Exceptions
of the user's own functions pass through, as documented: those of callbacks are let by, and so is the file system's.
"""

from __future__ import annotations

import builtins
import inspect
import re
from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest

import rbd
from rbd.cli.command_line import COMMANDS
from rbd.errors import ArgumentError
from tests.deep import share

from . import probes
from .public import public_callables
from .wrong import complaints, outcome, pairs_of_complaints

COUNT = share(100_000)
CALLS = {name: probe for group in probes.GROUPS.values() for name, probe in group.items()}

CALLBACKS = {"choose_parent", "control", "external", "progress", "function", "u", "initial_states"}
"""Arguments that are the user's functions, or their shapes: what those raise themselves passes through."""
FILES = {"path", "directory", "folder"}
"""Arguments whose OSError passes through."""
THEIRS = (
    "'MechanismState' object cannot",
    "positional argument",
    "keyword argument",
    "int()",
    "not subscriptable",
)
OF_GENERATORS = (
    r"TypeError: float\(\) argument must be a string or a real number, not 'numpy\.random\._generator\.Generator'",
    r"TypeError: expected a sequence of integers or a single integer, got 'Generator\(PCG64\) at 0x[0-9A-F]+'",
)
"""What a number type and the type of arrays raise, called with a generator."""


def _is_the_users_own(complaint: str) -> bool:
    call, _, raised = complaint.partition(") raised ")
    spoiled = {each.partition(" = ")[0] for each in call.partition("(")[2].split(", ")}
    if not spoiled.isdisjoint(FILES) and issubclass(getattr(builtins, raised.partition(":")[0], object), OSError):
        return True
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


def _is_probed(name: str, probed: set[str]) -> bool:
    return name in probed or (name.startswith("rbd.gym.") and name.rpartition(".")[2] in probed)


def _spoiled() -> dict[str, set[str]]:
    """Return the arguments that probes replace by wrong ones, by the name of the function."""
    pytest.importorskip("gymnasium", reason="environments need gymnasium")
    from .of_environments import ENVIRONMENTS

    found: dict[str, set[str]] = defaultdict(set)
    for name, probe in {**CALLS, **ENVIRONMENTS}.items():
        found[re.split("[ ,]", name)[0]].update(probe(probes.world())[1])
    return found


def test_every_public_function_is_probed() -> None:
    probed = set(_spoiled())
    names = [each.name for each in public_callables()]
    assert len(names) > 350
    missing = {name for name in names if not _is_probed(name, probed)}
    assert {name for name in missing if not {name, name.partition(".")[0]} & NOT_PROBED.keys()} == set()
    needless = {
        name for name in NOT_PROBED if not {name} & missing and not any(m.startswith(f"{name}.") for m in missing)
    }
    assert needless == set()


OF_ROBOTS = [name.removeprefix("CompiledRobot.") for name in CALLS if name.endswith(" of a state, all options")]
NOT_SPOILED = {
    ("CompiledRobot." + name.partition(" ")[0], "parameters"): "by their own names: `gravity`" for name in OF_ROBOTS
}
"""Parameters without probes."""


def test_every_parameter_of_a_public_function_is_spoiled() -> None:
    """No parameter is left out of the probes of its function, whatever their number."""
    spoiled, kept = _spoiled(), set[tuple[str, str]]()
    for each in public_callables():
        name = each.name.rpartition(".")[2] if each.name.startswith("rbd.gym.") else each.name
        if name in spoiled:
            kept |= {(name, parameter) for parameter in each.parameters if parameter not in spoiled[name]}
    assert kept == NOT_SPOILED.keys()


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
