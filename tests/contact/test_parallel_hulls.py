"""Distances of convex hulls whose faces are nearly parallel or whose points nearly coincide; bits; statuses."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

import rbd
from rbd.contact import Box, ConvexHull
from rbd.contact.geometry import convex_features
from rbd.contact.geometry.convex_features import nearest_features
from rbd.contact.geometry.hull_distance import nearest_of_hulls
from rbd.errors import ArgumentError, SolverError
from rbd.native.compiled_program import CompiledProgram
from rbd.program.graph import Graph
from rbd.program.program import Program
from rbd.scalars.arrays import Array
from rbd.viz.shape_surfaces import surface_of
from tests.contact.samples import numbers, rotation
from tests.contact.test_convex_hulls import WEDGE, corners, free_body, vectors
from tests.native.programs import assert_same_bits, native_rows, native_singles, reference

TILTS = [0.0, *(10.0**k for k in range(-16, -3))]
CUBE = corners(np.full(3, 0.2))


def tilted(points: Array, angle: float, rng: np.random.Generator) -> Array:
    """Return points turned by a small angle about a random axis."""
    w = rng.normal(size=3) * angle
    return points + np.cross(w, points) + np.cross(w, np.cross(w, points)) / 2


def above(a: Array, b: Array, gap: float, shift: Array) -> Array:
    """Return b moved, such that its lowest point is a gap above the highest one of a."""
    return b + np.array([*shift, a[:, 2].max() - b[:, 2].min() + gap])


def assert_right(a: Array, b: Array) -> None:
    """The nearest points are in their features; planes at right angles to the normal separate the hulls as far."""
    phi, p_a, p_b, n = numbers(nearest_of_hulls(vectors(a), vectors(b)))
    assert (a @ n).min() - (b @ n).max() == pytest.approx(phi, rel=0, abs=1e-9)
    np.testing.assert_allclose(p_a - p_b, phi * n, rtol=0, atol=1e-12)
    of_a, of_b, count = (np.array(each, dtype=int) for each in nearest_features(vectors(a), vectors(b)))
    corners_of_both = np.vstack([a[of_a[:count]].T, b[of_b[:count]].T, np.ones(count)])
    shares = np.linalg.lstsq(corners_of_both, np.array([*p_a, *p_b, 1.0]), rcond=None)[0]
    np.testing.assert_allclose(corners_of_both @ shares, [*p_a, *p_b, 1.0], rtol=0, atol=1e-12)
    assert shares.min() > -1e-9


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("tilt", TILTS)
def test_nearly_parallel_faces(tilt: float, shifted: bool) -> None:
    rng = np.random.default_rng(4)
    for _ in range(8):
        box, other = (corners(rng.uniform(0.05, 0.5, 3)) for _ in range(2))
        for a, b in ((CUBE, CUBE), (box, box), (box, other), (WEDGE, box), (WEDGE, WEDGE)):
            turn, shift = rotation(rng), rng.uniform(-0.1, 0.1, 2) * shifted
            b = above(a, tilted(b, tilt, rng), 10 ** rng.uniform(-4, -0.5), shift)
            assert_right(a @ turn.T, b @ turn.T)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5])
def test_a_face_above_a_face_is_found_whole(share: float) -> None:
    """Also where the nearest point of the face of the Minkowski difference is a corner or on an edge of a simplex."""
    rng, slid = np.random.default_rng(9), np.array([[0.2 * share, 0], [0, 0.2 * share], [0.2 * share, -0.2 * share]])
    for shift in slid:
        for gap in (1e-3, 0.05, 1.0):
            turn, b = rotation(rng), above(CUBE, CUBE, gap, shift)
            assert nearest_features(vectors(CUBE @ turn.T), vectors(b @ turn.T))[2] == 3


def test_hulls_that_slide_over_each_other_keep_their_distance() -> None:
    """Nearest corners or edges alone would move apart."""
    state, model = free_body(lambda frame: ConvexHull(frame, CUBE, 0.01), lambda root: ConvexHull(root, CUBE, 0.01))
    for x, y in ((0.0, 0.0), (0.01, 0.0), (0.1, 0.1), (-0.05, 0.05)):
        state.set_configuration([1, 0, 0, 0, x, y, 0.221])
        state.set_velocity([0, 0, 2.0, 0.3, 0.2, 0.1])
        assert (model.jacobian(state) @ state.v)[0] == pytest.approx(0.1, abs=1e-12)
        assert model.bias(state)[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("distance", [0.0, *(10.0**k for k in range(-17, -5))])
def test_points_that_nearly_coincide(distance: float) -> None:
    rng = np.random.default_rng(5)
    for aligned in [True, False] * 8:
        a, b = (np.repeat(corners(rng.uniform(0.05, 0.5, 3)), 2, axis=0) for _ in range(2))
        b = b + rng.normal(size=b.shape) * distance
        turn = np.eye(3) if aligned else rotation(rng)
        assert_right(a, above(a, b @ turn.T, 10 ** rng.uniform(-3, -0.5), np.zeros(2)))


def rows_of_poses(count: int) -> list[Array]:
    """Return the corners of cubes, and of cubes above these with tilts of all sizes, every third turned."""
    rng = np.random.default_rng(6)
    tilts = [tilted(CUBE, TILTS[k % len(TILTS)], rng) for k in range(count)]
    turned = [b @ rotation(rng).T if k % 3 == 0 else b for k, b in enumerate(tilts)]
    there = [above(CUBE, b, 0.05, rng.normal(size=2) / 20) for b in turned]
    return [np.tile(CUBE.ravel(), (count, 1)), np.array(there).reshape(count, 24)]


def count_rounds(a: Array, b: Array, monkeypatch: pytest.MonkeyPatch) -> int:
    rounds: list[int] = []
    find = convex_features.find_nearest
    with monkeypatch.context() as patch:
        patch.setattr(convex_features, "find_nearest", lambda w, count: rounds.append(count) or find(w, count))
        nearest_of_hulls(vectors(a.reshape(8, 3)), vectors(b.reshape(8, 3)))
    return len(rounds)


@pytest.mark.optimised
def test_rows_with_different_numbers_of_rounds_have_their_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, count = Graph(), 29
    a, b = graph.input("a", (24,)), graph.input("b", (24,))
    first, second = ([(flat[k], flat[k + 1], flat[k + 2]) for k in range(0, 24, 3)] for flat in (a, b))
    found = nearest_of_hulls(first, second)
    program = Program.of(graph, "tilted", {"phi": (found.phi,), "n": found.n, "p_a": found.p_a})
    arrays = rows_of_poses(count)
    expected = reference(program, arrays, count)
    assert_same_bits(native_singles(CompiledProgram(program, 1), arrays, count), expected)
    for lanes in (2, 8):
        assert_same_bits(native_rows(CompiledProgram(program, lanes), arrays, count), expected)
    assert len({count_rounds(*row, monkeypatch) for row in zip(*arrays, strict=True)}) > 3


def test_distances_that_are_not_sure_have_a_status_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    unused = attrs.evolve(convex_features.FIND_CONVEX_FEATURES)  # numbers of modules stay from the first use on
    monkeypatch.setattr(convex_features, "FIND_CONVEX_FEATURES", unused)
    monkeypatch.setattr(convex_features, "ROUNDS", 1)
    with pytest.raises(SolverError, match="lost to rounding"):
        nearest_of_hulls(vectors(CUBE), vectors(CUBE + [0.1, 0.2, 0.3]))


@pytest.mark.parametrize("distance", [10.0**k for k in range(1, 15)])
def test_hulls_far_apart(distance: float) -> None:
    """A plane at right angles to the normal separates the hulls by the distance."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        a, b = (rng.normal(size=(rng.integers(1, 12), 3)) for _ in range(2))
        direction = rng.normal(size=3)
        b = b + direction / np.linalg.norm(direction) * distance
        found = nearest_of_hulls(vectors(a), vectors(b))
        n = np.array([float(x) for x in found.n])
        apart = float((a @ n).min() - (b @ n).max())
        assert float(found.phi) == pytest.approx(apart, rel=0, abs=1e-13 * max(distance, 10.0))


@pytest.mark.parametrize(("size", "distance"), [(1.0, 1e151), (1.0, 1e308), (1e150, 1.0), (1e160, 1e170)])
def test_hulls_beyond_the_range_do_not_overlap(size: float, distance: float) -> None:
    with pytest.raises(SolverError, match="beyond the range"):
        nearest_of_hulls(vectors(CUBE * size), vectors(CUBE * size + [0.3 * size + distance, 0, 0]))


@pytest.mark.optimised
def test_a_hull_that_overlaps_fails_alone_in_its_batch() -> None:
    _, model = free_body(lambda frame: ConvexHull(frame, WEDGE, 0.02), lambda root: Box(root, (0.3, 0.3, 0.3)))
    rng, count, failed = np.random.default_rng(7), 20, [4, 13]
    q = np.array([[1, *tilt, 0, 0, 0.25] for tilt in rng.normal(size=(count, 3)) / 50])
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    q[failed, 6] = 0.19
    status, distances = rbd.RowStatus(), model.recorded("distances")
    found = distances(q, np.zeros(6), status=status)
    assert np.flatnonzero(status.failed).tolist() == failed
    assert "deeper than their radii" in status.explain(4)
    assert np.isnan(found[failed]).all()
    for k in set(range(count)) - set(failed):
        assert found[k].tobytes() == distances(q[k], np.zeros(6)).tobytes()


def test_radii_below_rounding_are_refused_and_the_least_is_drawn() -> None:
    square, frame = np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0.2, 0.2, 0.0]]), rbd.Frame("flat")
    with pytest.raises(ArgumentError, match="2e-10"):
        ConvexHull(frame, square, 1e-17)
    assert len(surface_of(ConvexHull(frame, square, 3e-10), 1.0).faces) > 0
    assert ConvexHull(frame, square[:1], 1e-17).radius == 1e-17
