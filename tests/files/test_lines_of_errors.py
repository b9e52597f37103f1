"""Errors of robot files name a line that the file has, whatever is missing of it and however its lines end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.errors import FileError, MjcfError, UrdfError
from rbd.mjcf import parse_mjcf
from rbd.urdf import parse_urdf
from tests.files.places import assert_line_exists
from tests.mjcf.faults import FAULTS, STRICT_FAULTS
from tests.mjcf.models import MODELS
from tests.urdf.files import ARM, faults

pytestmark = pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning", "ignore::rbd.mjcf.MjcfWarning")
LONGEST = 5000
URDF = [data for data in [ARM.read_bytes(), *(fault.path.read_bytes() for fault in faults())] if len(data) < LONGEST]
MJCF = [
    text.encode()
    for text in [*MODELS.values(), *(fault.text for fault in [*FAULTS.values(), *STRICT_FAULTS.values()])]
    if len(text) < LONGEST
]
ends = st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b"\n\r"])
pieces = st.sampled_from(
    [b"\n", b"\r", b"<!--\n", b"-->", b'"', b"<", b">\n", b"/>", b"</", b"&x;", b"\0", b"\xff", b"7"]
)
changes = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), pieces), max_size=4)
shares = st.floats(0, 1)


def damaged(data: bytes, share: float, end: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """Return a file with other ends of lines, some places replaced, and the rest cut off."""
    data = data.replace(b"\r\n", b"\n").replace(b"\n", end)
    for where, length, piece in edits:
        place = int(where * len(data))
        data = data[:place] + piece + data[place + length :]
    return data[: int(share * len(data))]


def check(read: Callable[[], object], kind: type[FileError], data: bytes) -> None:
    """Read; the error, if there is one, names a line of the file."""
    try:
        read()
    except kind as error:
        assert_line_exists(error, data)


@settings(max_examples=300)
@given(st.sampled_from(URDF), shares, ends, changes, st.booleans())
def test_urdf_errors_never_name_a_line_past_the_end(
    data: bytes, share: float, end: bytes, edits: list[tuple[float, int, bytes]], strict: bool
) -> None:
    data = damaged(data, share, end, edits)
    check(lambda: parse_urdf(data, strict=strict), UrdfError, data)


@settings(max_examples=300)
@given(st.sampled_from(MJCF), shares, ends, changes, st.booleans())
def test_mjcf_errors_never_name_a_line_past_the_end(
    data: bytes, share: float, end: bytes, edits: list[tuple[float, int, bytes]], strict: bool
) -> None:
    data = damaged(data, share, end, edits)
    check(lambda: parse_mjcf(data, strict=strict), MjcfError, data)


@settings(max_examples=300)
@given(st.sampled_from(URDF), st.sampled_from(MJCF), shares, ends)
def test_errors_of_truncated_files_never_name_a_line_past_the_end(
    urdf: bytes, mjcf: bytes, share: float, end: bytes
) -> None:
    """The parser's errors are mostly at the very end."""
    urdf, mjcf = (damaged(data, share, end, []) for data in (urdf, mjcf))
    check(lambda: parse_urdf(urdf), UrdfError, urdf)
    check(lambda: parse_mjcf(mjcf), MjcfError, mjcf)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_truncation_of_a_file_names_a_line_of_it(end: bytes) -> None:
    urdf, mjcf = (damaged(files[0], 1.0, end, []) for files in (URDF, MJCF))
    for count in range(0, len(urdf), 3):
        check(lambda data=urdf[:count]: parse_urdf(data), UrdfError, urdf[:count])  # type: ignore[misc]  # called now
    for count in range(0, len(mjcf), 3):
        check(lambda data=mjcf[:count]: parse_mjcf(data), MjcfError, mjcf[:count])  # type: ignore[misc]  # called now
