"""Every faulty file is refused: by its own error class, at its line, with the reason in the message."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from rbd.errors import InertiaError, UrdfError
from rbd.urdf import UrdfReport, UrdfWarning, load_urdf, parse_urdf
from tests.urdf.files import ARM, BAD, GOOD, Fault, faults

FAULTS = faults()
# what `strict=False` turns into a warning
MENDED = {
    "axis_twice", "damping_negative", "friction_negative", "inertia_indefinite", "inertia_missing",
    "inertia_negative", "inertia_triangle", "inertia_twice", "inertial_twice", "joint_two_children",
    "limit_missing", "limit_missing_prismatic", "limit_negative_effort", "limit_negative_velocity",
    "limit_reversed", "limit_reversed_by_default", "limit_twice", "limit_without_range", "mass_missing",
    "mass_twice", "mimic_cycle", "mimic_itself", "mimic_missing", "origin_off_unit_quaternion", "origin_twice",
    "shape_box_negative", "shape_negative_radius", "shape_two",
}  # fmt: skip


def refusal(fault: Fault) -> UrdfError:
    with pytest.raises(UrdfError) as caught:
        load_urdf(fault.path, strict=True)
    return caught.value


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_refused_with_class_line_and_reason(fault: Fault) -> None:
    error = refusal(fault)
    assert (type(error).__name__, error.line) == (fault.error, fault.line)
    assert fault.fragment
    assert fault.fragment in str(error)
    assert ("strict=False" in str(error)) == (fault.name in MENDED)
    assert str(error).startswith(f"{fault.path}:{fault.line}:{error.column}: ")
    assert error.file == str(fault.path)
    assert isinstance(error.column, int)
    assert error.column >= 1


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_messages_are_short_printable_and_survive_pickling(fault: Fault) -> None:
    error = refusal(fault)
    message = str(error).removeprefix(str(fault.path))
    assert len(message) < 500
    assert message.isprintable()
    for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert type(copied) is type(error)
        assert (str(copied), copied.line, copied.element) == (str(error), error.line, error.element)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_refused_file_leaves_the_report_alone(fault: Fault) -> None:
    report = UrdfReport()
    before = repr(vars(report))
    with pytest.raises(UrdfError):
        load_urdf(fault.path, strict=True, report=report)
    assert repr(vars(report)) == before


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_lenient_reading_mends_and_warns_or_refuses_in_the_same_place(fault: Fault) -> None:
    report = UrdfReport()
    if fault.name in MENDED:
        with pytest.warns(UrdfWarning, match=re.escape(f"{fault.path}: ")) as told:
            load_urdf(fault.path, report=report)
        assert len(told) == 1
        assert f"{sum(warning.refused for warning in report.warnings)} warning" in str(told[0].message)
        assert told[0].filename == __file__
        assert fault.fragment in " ".join(warning.message for warning in report.warnings)
        assert fault.line in [warning.line for warning in report.warnings]
    else:
        with pytest.raises(UrdfError) as caught:
            load_urdf(fault.path, report=report)
        assert (type(caught.value).__name__, caught.value.line) == (fault.error, fault.line)


def test_the_table_and_the_folder_agree() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names) >= 150
    assert {path.stem for path in BAD.glob("*.urdf")} == set(names)


def test_impossible_inertia_is_chained_to_its_cause() -> None:
    error = refusal(next(fault for fault in FAULTS if fault.name == "inertia_triangle"))
    assert isinstance(error.__cause__, InertiaError)
    assert error.reason == error.__cause__.reason == "triangle inequality"
    assert list(error.principal_moments) == pytest.approx([0.02, 0.02, 0.1])


def test_errors_say_where_in_the_file() -> None:
    error = refusal(next(fault for fault in FAULTS if fault.name == "mass_negative"))
    assert (error.element, error.path) == ("mass", "link 'upper' > inertial > mass")
    assert str(error).endswith(":7:7: link 'upper' > inertial > mass: the mass -2.0 is negative")


def test_a_file_named_in_parse_urdf_is_named_in_errors() -> None:
    with pytest.raises(UrdfError, match=r"^arm, edited:1:1: "):
        parse_urdf("<sdf/>", file="arm, edited")


def test_good_files_are_read_without_complaint() -> None:
    paths = sorted(GOOD.glob("*.urdf"))
    assert ARM in paths
    for path in paths:
        report = UrdfReport()
        assert load_urdf(path, report=report).nv > 0
        assert report.warnings == []
