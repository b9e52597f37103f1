"""Whatever the bytes, reading ends in a mechanism or in one of our errors."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbd.errors import MjcfError
from rbd.meshes.mesh_files import MeshFault, read_mesh
from rbd.mjcf import parse_mjcf
from rbd.mjcf.mesh_inertias import mesh_inertia
from tests.files.places import assert_line_exists
from tests.mjcf.faults import FAULTS, STRICT_FAULTS
from tests.mjcf.models import MODELS, write_meshes

pytestmark = pytest.mark.filterwarnings("ignore::rbd.mjcf.MjcfWarning")
SEEDS = [text.encode() for text in MODELS.values()]
ALL = [
    *SEEDS,
    *(fault.text.encode() for fault in [*FAULTS.values(), *STRICT_FAULTS.values()] if len(fault.text) < 2000),
]
WORDS = [
    b"<body>", b"</body>", b"<joint/>", b"<geom", b"/>", b">", b'"', b"<", b"&", b"<!DOCTYPE m>", b"<!--", b"\0",
    b"\xff", b"1e308", b"-1e308", b"1e30", b"nan", b"-0", b"1e-320", b"0", b"1", b"-1", b"world", b'name="a"',
    b'class="main"', b"<freejoint/>", b'type="ball"', b'type="free"', b'quat="0 0 0 0"', b"<frame>", b"</frame>",
    b"<replicate count='2'>", b"</replicate>", b"<inertial pos='0 0 0' mass='1'/>", b'mesh="m"',
    b"<default class='x'/>", b"<include file='x'/>", b"<equality><weld body1='a'/></equality>",
    b"<keyframe><key qpos='0'/></keyframe>",
    b"<compiler angle='radian'/>", b"\xc3\xa9", b"&#x202e;", b"euler='1 2 3'", b"fromto='0 0 0 0 0 1'", b"size='0'",
    b"count='1e9'", b"scale='-1 1 1'",
]  # fmt: skip
change = st.tuples(st.floats(0, 1), st.integers(0, 30), st.sampled_from(WORDS) | st.binary(max_size=4))
edits = st.lists(change, min_size=1, max_size=6)
sizes = st.sampled_from(["0", "-1", "1e30", "-1e30", "1e-320", "1e200", "7"])


def mutated(data: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    for share, length, replacement in changes:
        place = int(share * len(data))
        data = data[:place] + replacement + data[place + length :]
    return data


def check(data: bytes, *, strict: bool = False) -> None:
    """Read; an error must be ours and say where."""
    refusal, mechanism = None, None
    try:
        mechanism = parse_mjcf(data, strict=strict)
    except MjcfError as error:
        refusal = error
    if refusal is not None:
        assert len(str(refusal)) < 700
        assert str(refusal).isprintable()
        assert_line_exists(refusal, data)
    for body in () if mechanism is None else mechanism.bodies[1:]:
        assert body.inertia is not None
        assert np.isfinite(body.inertia.matrix).all()


@settings(max_examples=300)
@given(st.sampled_from(SEEDS), edits, st.booleans())
def test_mutated_models_are_read_or_refused(seed: bytes, changes: list[tuple[float, int, bytes]], strict: bool) -> None:
    check(mutated(seed, changes), strict=strict)


@settings(max_examples=200)
@given(st.sampled_from(SEEDS), sizes, st.integers(0, 500))
def test_numbers_of_any_size_are_read_or_refused(seed: bytes, number: str, place: int) -> None:
    words = seed.replace(b'"', b' " ').split(b" ")
    numbers = [k for k, word in enumerate(words) if word.replace(b".", b"").replace(b"-", b"").isdigit()]
    if numbers:
        words[numbers[place % len(numbers)]] = number.encode()
    check(b" ".join(words).replace(b' " ', b'"'))


@settings(max_examples=300)
@given(st.sampled_from(["slab.stl", "slab.obj", "slab.msh"]), edits, st.sampled_from(["legacy", "exact", "shell"]))
def test_mutated_meshes_are_weighed_or_refused(
    meshes: Path, name: str, changes: list[tuple[float, int, bytes]], way: str
) -> None:
    data, found = mutated((meshes / "meshes" / name).read_bytes(), changes), None
    with contextlib.suppress(MeshFault):
        found = mesh_inertia(*read_mesh(data, Path(name).suffix), way)  # type: ignore[arg-type]  # one of the ways
    if found is not None:
        assert found.volume > 0
        assert np.isfinite(found.moment).all()


@pytest.fixture(scope="module")
def meshes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("meshes")
    write_meshes(folder)
    return folder


@pytest.mark.deep
def test_spliced_and_mutated_models_for_two_minutes(record_property: Callable[[str, object], None]) -> None:
    rng, end, count = random.Random(0), time.monotonic() + 120, 0
    while time.monotonic() < end:
        first, second = rng.choice(ALL), rng.choice(ALL)
        data = first[: rng.randrange(len(first) + 1)] + second[rng.randrange(len(second) + 1) :]
        count_of_changes = rng.randrange(5)
        changes = [(rng.random(), rng.randrange(30), rng.choice(WORDS)) for _ in range(count_of_changes)]
        check(mutated(rng.choice([first, data]), changes), strict=rng.random() < 0.3)
        count += 1
    assert count > 100
    record_property("what", "MJCF models, spliced and mutated")
    record_property("count", f"{count:,} in 120 s")
