"""Rotations and axes a printing error away from coordinate-aligned ones become exact, and stay rotations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rbd.files.pose import FloatMat3, FloatVec3
from rbd.urdf import UrdfReport, parse_urdf
from rbd.urdf.origins import rotation_of_rpy
from rbd.urdf.snapping import TOLERANCE, snapped_angle, snapped_axis, snapped_rotation, snapped_translation
from tests.urdf.files import pair

QUARTERS = [k * math.pi / 2 for k in range(-2, 3)]
angles = st.floats(-math.pi, math.pi)
nearly_aligned = st.builds(lambda a, e: a + e, st.sampled_from(QUARTERS), st.floats(-1e-7, 1e-7))


def is_rotation(rows: FloatMat3) -> bool:
    """Return whether rows are orthonormal, up to four roundings of 1: of the scale, and of each of three squares."""
    matrix = np.array(rows)
    return bool(np.allclose(matrix @ matrix.T, np.eye(3), rtol=0, atol=9e-16) and np.linalg.det(matrix) > 0.99)


def read_rotation(roll: float, pitch: float, yaw: float) -> FloatMat3:
    """The rotation of an origin with these angles, read with snapping."""
    return snapped_rotation(rotation_of_rpy((snapped_angle(roll), snapped_angle(pitch), snapped_angle(yaw))))


@pytest.mark.parametrize("rpy", list(itertools.product(QUARTERS, repeat=3)))
@pytest.mark.parametrize("decimals", [7, 8, 11, 16])
def test_printed_right_angles_become_exact(rpy: FloatVec3, decimals: int) -> None:
    roll, pitch, yaw = (round(a, decimals) for a in rpy)
    rows = read_rotation(roll, pitch, yaw)
    np.testing.assert_array_equal(rows, np.round(rotation_of_rpy(rpy)))
    assert not np.signbit(np.array(rows)[np.array(rows) == 0]).any()


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("others", list(itertools.product(QUARTERS, repeat=2)))
def test_one_free_angle_among_right_ones_keeps_its_value(place: int, others: tuple[float, float]) -> None:
    exact = [*others[:place], 0.3, *others[place:]]
    roll, pitch, yaw = (round(a, 7) if a != 0.3 else a for a in exact)
    rows = read_rotation(roll, pitch, yaw)
    assert is_rotation(rows)
    assert np.count_nonzero(rows) == 5
    np.testing.assert_allclose(rows, rotation_of_rpy((exact[0], exact[1], exact[2])), rtol=0, atol=2e-7)


@given(st.tuples(nearly_aligned | angles, nearly_aligned | angles, nearly_aligned | angles))
def test_the_result_is_a_rotation_next_to_the_given_one(rpy: FloatVec3) -> None:
    rows = rotation_of_rpy(rpy)
    snapped = snapped_rotation(rows)
    assert snapped == rows or is_rotation(snapped)  # what needs no snapping keeps the rounding it came with
    np.testing.assert_allclose(snapped, rows, rtol=0, atol=3 * TOLERANCE)
    assert snapped_rotation(snapped) == snapped


@given(angles, st.floats(0.1, 1.4), st.floats(-1e-9, 1e-9))
def test_a_single_zero_is_kept_exact(yaw: float, pitch: float, roll: float) -> None:
    rows = snapped_rotation(rotation_of_rpy((roll, pitch, yaw)))
    assert rows[2][1] == 0.0
    assert is_rotation(rows)


@pytest.mark.parametrize("error", [1e-7, 1e-6, 1e-4])
def test_what_is_off_by_more_is_left_alone(error: float) -> None:
    for rpy in [(error, 0.0, 0.0), (math.pi / 2 + error, 0.4, 0.2), (0.0, math.pi - error, 0.3)]:
        rows = rotation_of_rpy(rpy)
        np.testing.assert_allclose(snapped_rotation(rows), rows, rtol=0, atol=1e-15)


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: math.hypot(*v) > 0.1))
def test_axes_stay_unit_vectors(vector: tuple[float, ...]) -> None:
    x, y, z = (c / math.hypot(*vector) for c in vector)
    snapped = snapped_axis((x, y, z))
    assert math.hypot(*snapped) == pytest.approx(1.0, abs=4e-16)
    np.testing.assert_allclose(snapped, (x, y, z), rtol=0, atol=2 * TOLERANCE)
    assert all(c == 0 or abs(c) > TOLERANCE for c in snapped)


@pytest.mark.parametrize("turns", [-3, -1, 0, 1, 2, 1000])
def test_angles(turns: int) -> None:
    right = turns * math.pi / 2
    assert snapped_angle(right + 4e-8) == snapped_angle(right - 4e-8) == right
    assert snapped_angle(right + 6e-8) == right + 6e-8


def test_axes() -> None:
    assert snapped_axis((1e-9, -1.0, 9e-9)) == (0.0, -1.0, 0.0)
    assert snapped_axis((0.6, 1e-9, 0.8)) == (0.6, 0.0, 0.8)
    assert snapped_axis((0.6, 1e-7, 0.8)) == (0.6, 1e-7, 0.8)


def test_translations() -> None:
    assert snapped_translation((1e-9, -1e-8, 0.1)) == (0.0, 0.0, 0.1)
    assert snapped_translation((2e-8, -0.0, 1.0)) == (2e-8, 0.0, 1.0)


ORIGIN = '<origin xyz="1e-12 0 1" rpy="1.5707963 0 0"/><axis xyz="0 1e-9 1"/>'


def test_snapping_is_reported_with_old_and_new() -> None:
    report = UrdfReport()
    mechanism = parse_urdf(pair("continuous", ORIGIN), report=report)
    np.testing.assert_array_equal(mechanism.placement("j").rotation, [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    found = {entry.what: entry for entry in report.snapped}
    assert set(found) == {"rotation", "translation", "axis"}
    assert (found["axis"].old, found["axis"].new) == ((0.0, 1e-9, 1.0), (0.0, 0.0, 1.0))
    assert found["rotation"].old[4] == pytest.approx(2.68e-8, rel=1e-2)
    assert found["translation"].new == (0.0, 0.0, 1.0)
    assert all(entry.line == 4 for entry in report.snapped)
    assert found["rotation"].element == "joint 'j' > origin"


def test_snapping_can_be_switched_off() -> None:
    report = UrdfReport()
    mechanism = parse_urdf(pair("continuous", ORIGIN), report=report, snap=False)
    assert report.snapped == []
    assert mechanism.placement("j").rotation[1, 1] == pytest.approx(2.68e-8, rel=1e-2)
    assert mechanism.placement("j").translation[0] == 1e-12


def test_exact_right_angles_are_no_news() -> None:
    report = UrdfReport()
    parse_urdf(pair("continuous", f'<origin rpy="0 {math.pi / 2!r} {math.pi!r}"/>'), report=report)
    assert report.snapped == []
