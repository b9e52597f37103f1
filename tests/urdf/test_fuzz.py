"""Whatever the bytes, reading ends in a mechanism or in one of our errors."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.errors import UrdfError
from rbd.urdf import format_urdf, parse_urdf
from tests.files.places import assert_line_exists
from tests.urdf.files import ARM, faults

pytestmark = pytest.mark.filterwarnings("ignore::rbd.urdf.UrdfWarning")
SEED = ARM.read_bytes()
WORDS = [
    b"<link", b"<joint", b"/>", b">", b'"', b"<", b"&", b"<!DOCTYPE r>", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"\0",
    b"\xff", b"\xef\xbb\xbf", b"1e308", b"-1e308", b"1e30", b"nan", b"-0", b"1e-320", b"0", b"1", b"-1", b"world",
    b"base", b"upper", b"lower", b"elbow", b"shoulder", b"fixed", b"planar", b"floating", b"prismatic", b"revolute",
    b"<mimic joint='elbow'/>", b"<limit/>", b"<origin rpy='1 2 3'/>", b"<origin quat_xyzw='0 0 1 0'/>", b"<axis/>",
    b"<link name='base'/>", b"<inertial><mass value='1'/></inertial>", b"base_to_world", b"\xc3\xa9", b"e\xcc\x81",
    b"<xacro:if/>", b"<mesh filename='../../x'/>", b"&#x202e;", b"&lt;", b" name=''",
]  # fmt: skip
edits = st.lists(
    st.tuples(st.integers(0, len(SEED)), st.integers(0, 30), st.sampled_from(WORDS) | st.binary(max_size=4)),
    min_size=1, max_size=6,
)  # fmt: skip


def mutated(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    for place, length, replacement in changes:
        data = data[:place] + replacement + data[place + length :]
    return data


def refusal(data: bytes, **options: bool) -> UrdfError | None:
    """Read; return the error, if it is one of ours."""
    try:
        parse_urdf(data, **options)  # all of them are booleans
    except UrdfError as error:
        return error
    return None


def assert_presentable(error: UrdfError, data: bytes) -> None:
    assert len(str(error)) < 600
    assert str(error).isprintable()
    assert_line_exists(error, data)


@settings(max_examples=400)
@given(edits, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_mutated_files_are_read_or_refused(
    changes: list[tuple[int, int, bytes]], floating: bool, merged: bool, strict: bool, snap: bool
) -> None:
    data = mutated(SEED, changes)
    error = refusal(data, floating=floating, remove_fixed_joints=merged, strict=strict, snap=snap)
    if error is not None:
        assert_presentable(error, data)


@given(edits)
def test_what_is_read_can_be_written_and_is_read_again(changes: list[tuple[int, int, bytes]]) -> None:
    data = mutated(SEED, changes)
    if refusal(data) is None:
        text = format_urdf(parse_urdf(data))
        assert format_urdf(parse_urdf(text)) == text


@settings(max_examples=200)
@given(st.binary(max_size=200) | st.lists(st.sampled_from(WORDS), max_size=20).map(b" ".join))
def test_noise_is_refused(data: bytes) -> None:
    with pytest.raises(UrdfError) as caught:
        parse_urdf(data)
    assert_presentable(caught.value, data)


tokens = st.sampled_from(["0", "1", "-1", "1e30", "-1e30", "1e-30", "1e-320", "1e308", "0.5", "3.14159265", "1e16"])


@settings(max_examples=300)
@given(st.lists(tokens, min_size=24, max_size=24), st.sampled_from(["revolute", "prismatic", "planar", "floating"]))
def test_extreme_numbers_give_finite_mechanisms_or_errors(numbers: list[str], kind: str) -> None:
    n = iter(numbers)
    text = f"""<robot name="r"><link name="a"/><link name="b"><inertial>
      <origin xyz="{next(n)} {next(n)} {next(n)}" rpy="{next(n)} {next(n)} {next(n)}"/><mass value="{next(n)}"/>
      <inertia ixx="{next(n)}" iyy="{next(n)}" izz="{next(n)}" ixy="{next(n)}"/></inertial></link><link name="c"/>
      <joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="{next(n)} {next(n)} {next(n)}"/>
      <origin xyz="{next(n)} {next(n)} {next(n)}" rpy="{next(n)} {next(n)} {next(n)}"/>
      <limit lower="{next(n)}" upper="{next(n)}"/></joint>
      <joint name="k" type="fixed"><parent link="b"/><child link="c"/><origin xyz="{next(n)} 0 0"/></joint></robot>"""
    for strict in (True, False):
        if refusal(text.encode(), strict=strict) is not None:
            continue
        mechanism = parse_urdf(text, strict=strict)
        inertia = mechanism.body("b").inertia
        assert inertia is not None
        for array in (inertia.matrix, mechanism.placement("j").matrix):
            assert abs(array).max() < float("inf")


def test_spliced_corpus_files_are_read_or_refused() -> None:
    rng = random.Random(7)
    files = [fault.path.read_bytes() for fault in faults()]
    small = [data for data in files if len(data) < 4000]
    for _ in range(300):
        first, second = rng.choice(small), rng.choice(small)
        data = first[: rng.randrange(len(first) + 1)] + second[rng.randrange(len(second) + 1) :]
        error = refusal(data, strict=False)
        if error is not None:
            assert_presentable(error, data)
