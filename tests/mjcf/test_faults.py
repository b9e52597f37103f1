"""Every faulty model is refused by its own error class, at its line, with the reason in the message."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
import warnings

import pytest

from rbd.errors import MjcfError, MjcfSyntaxError
from rbd.mjcf import MjcfReport, MjcfWarning, parse_mjcf
from tests.counting import calls
from tests.mjcf.faults import FAULTS, STRICT_FAULTS, Fault, section


def refusal(fault: Fault, *, strict: bool = False, report: MjcfReport | None = None) -> MjcfError:
    with pytest.raises(MjcfError) as caught:
        parse_mjcf(fault.text, file="f.xml", strict=strict, report=report)
    return caught.value


def test_there_are_many() -> None:
    assert len(FAULTS) >= 60


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", FAULTS)
def test_refused_with_class_line_and_reason(name: str, strict: bool) -> None:
    fault = FAULTS[name]
    error = refusal(fault, strict=strict)
    assert (type(error).__name__, error.line) == (fault.error, fault.line)
    assert fault.fragment in str(error)
    assert str(error).startswith(f"f.xml:{fault.line}:{error.column}: ")
    assert len(str(error)) < 500
    assert str(error).isprintable()
    for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert (type(copied), str(copied), copied.line) == (type(error), str(error), error.line)


@pytest.mark.parametrize("name", FAULTS)
def test_refused_at_its_element(name: str) -> None:
    fault = FAULTS[name]
    error = refusal(fault)
    if error.element is None:  # refused before elements are there
        assert isinstance(error, MjcfSyntaxError) or error.limit in ("depth", "attributes")
    elif not error.element.startswith("!"):
        assert f"<{error.element}" in fault.text.splitlines()[fault.line - 1]


@pytest.mark.parametrize("name", FAULTS)
def test_refused_with_few_calls_and_little_memory(name: str) -> None:
    refusal(FAULTS[name])  # the first refusal may import SciPy
    tracemalloc.start()
    try:
        count = calls(lambda: refusal(FAULTS[name]))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count < 30_000
    assert most < 4_000_000


@pytest.mark.parametrize("name", FAULTS)
def test_a_refused_file_leaves_the_report_alone(name: str) -> None:
    report = MjcfReport()
    before = repr(vars(report))
    refusal(FAULTS[name], report=report)
    assert repr(vars(report)) == before


@pytest.mark.parametrize("name", STRICT_FAULTS)
def test_a_doubt_is_warned_of_and_refused_when_strict(name: str) -> None:
    fault, report = STRICT_FAULTS[name], MjcfReport()
    with pytest.warns(MjcfWarning, match="^f.xml: . warnings?, the first in line") as caught:
        parse_mjcf(fault.text, file="f.xml", report=report)
    assert len(caught) == 1
    assert [f for f in report.warnings if f.line == fault.line and fault.fragment in f.message]
    error = refusal(fault, strict=True)
    assert (type(error).__name__, error.line) == (fault.error, fault.line)
    assert fault.fragment in str(error)


def test_without_doubts_there_is_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_mjcf("<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>", strict=True)


def test_errors_of_all_sections_are_found_together() -> None:
    error = refusal(
        section(
            "<actuator><motor joint='x'/></actuator>\n<equality><weld body1='y'/><joint joint1='z'/></equality>", "", ""
        )
    )
    assert "no joint 'x'" in str(error)
    assert [note.split(": ")[-1].split(";")[0] for note in error.__notes__] == [
        "there is no body 'y'",
        "there is no joint 'z'",
    ]


def test_errors_of_all_couplings_are_found_together() -> None:
    joint = "<joint joint1='ja' joint2='ja'/>"
    error = refusal(section(f"<equality>\n{joint}\n{joint}</equality>", "", ""))
    assert error.line == 3
    (note,) = error.__notes__
    assert note.startswith("f.xml:4:")


def test_a_refusal_inside_of_nested_bodies_ends_the_reading_and_notes_each_error_once() -> None:
    inner = "<body><joint type='a'/><joint type='b'/><composite/><joint type='c'/></body>"
    text = f"<mujoco><worldbody><body><body>{inner}</body></body><body><joint type='d'/></body></worldbody></mujoco>"
    with pytest.raises(MjcfError, match="'a' is none of") as caught:
        parse_mjcf(text, strict=True)
    first, second = caught.value.__notes__
    assert "'b' is none of" in first
    assert "composites are not supported" in second


def test_an_actuator_finds_a_tendon_whose_spring_is_refused() -> None:
    spring = "<fixed name='t' stiffness='1' springlength='2 1'><joint joint='ja' coef='1'/></fixed>"
    error = refusal(section(f"<tendon>{spring}</tendon><actuator><motor tendon='t'/></actuator>", "", ""))
    assert "springlength: 2 is above 1" in str(error)
    assert not hasattr(error, "__notes__")
