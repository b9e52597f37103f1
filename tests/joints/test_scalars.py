"""Joints on numbers that are no floats: exact, symbolic, interval and complex ones."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from rbd.joints import (
    JointType,
    MRPFloating,
    Planar,
    Prismatic,
    QuaternionFloating,
    QuaternionSpherical,
    Revolute,
    Screw,
    SinCosRevolute,
    Universal,
)
from rbd.scalars import Scalar, Vector
from rbd.scalars.counting import CountingScalar, OperationCount
from tests.joints.samples import AFTER, BEFORE, JOINTS


def flat(values: object) -> list[object]:
    return [x for value in values for x in flat(value)] if isinstance(values, tuple) else [values]


def fractions(*values: tuple[int, int]) -> Vector:
    return tuple(Fraction(n, d) for n, d in values)


EXACT: list[tuple[JointType, Vector, Vector]] = [
    (Prismatic((0, 3, 4)), fractions((1, 3)), fractions((2, 7))),
    (QuaternionSpherical(), fractions((1, 2), (1, 3), (1, 5), (1, 7)), fractions((1, 2), (2, 3), (1, 7))),
    (
        QuaternionFloating(),
        fractions((1, 2), (1, 3), (1, 5), (1, 7), (1, 11), (2, 3), (1, 6)),
        fractions((1, 2), (2, 3), (1, 7), (1, 5), (3, 7), (1, 9)),
    ),
    (
        MRPFloating(),
        fractions((1, 2), (1, 3), (1, 5), (1, 11), (2, 3), (1, 6)),
        fractions((1, 2), (2, 3), (1, 7), (1, 5), (3, 7), (1, 9)),
    ),
    (SinCosRevolute((0, 0, 1)), fractions((3, 5), (4, 5)), fractions((1, 3))),
]


@pytest.mark.parametrize(("joint", "q", "v"), EXACT)
def test_fractions_stay_exact(joint: JointType, q: Vector, v: Vector) -> None:
    after, before = AFTER, BEFORE
    rotation = joint.transform(q, after, before).rotation_components
    found = flat(
        (
            rotation,
            joint.transform(q, after, before).translation_components,
            joint.configuration_derivative(q, v),
            joint.twist(q, v, after, before).components,
            joint.position_subspace(q, after, before).columns,
        )
    )
    assert all(isinstance(x, int | Fraction) for x in found), found
    assert joint.velocity(q, joint.configuration_derivative(q, v)) == v
    product = [[sum(a * b for a, b in zip(r, s, strict=True)) for s in rotation] for r in rotation]
    assert product == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_symbols_give_formulas() -> None:
    q, v, x, y = sympy.symbols("q v x y", real=True)
    rotation = Revolute((0, 0, 1)).transform((q,), AFTER, BEFORE).rotation_components
    assert sympy.Matrix(rotation) == sympy.Matrix(
        [[sympy.cos(q), -sympy.sin(q), 0], [sympy.sin(q), sympy.cos(q), 0], [0, 0, 1]]
    )
    screw = Screw((0, 1, 0), 0.5).transform((q,), AFTER, BEFORE)
    assert sympy.simplify(screw.translation_components[1] - q / 2) == 0
    rates = Planar((1, 0, 0), (0, 1, 0)).configuration_derivative((x, y, q), (v, 0, 0))
    assert [sympy.simplify(r) for r in rates] == [v * sympy.cos(q), v * sympy.sin(q), 0]
    quaternion = sympy.symbols("a:d", real=True)
    ball = QuaternionSpherical().transform(quaternion, AFTER, BEFORE).rotation_components
    assert sympy.simplify(sympy.Matrix(ball).det() - 1) == 0


@pytest.mark.parametrize("joint", JOINTS, ids=repr)
def test_intervals_enclose_the_float_result(joint: JointType) -> None:
    q = joint.random(np.random.default_rng(0))
    wide: tuple[Scalar, ...] = tuple(mpmath.iv.mpf([c - 1e-6, c + 1e-6]) for c in q)
    exact = flat(joint.transform(q, AFTER, BEFORE).components)
    enclosing = flat(joint.transform(wide, AFTER, BEFORE).components)
    for x, interval in zip(exact, enclosing, strict=True):
        found = mpmath.iv.mpf(interval)
        assert found.a - 1e-15 <= x <= found.b + 1e-15
        assert found.delta < 1e-4


def test_nothing_is_multiplied_by_the_zeros_of_a_coordinate_axis() -> None:
    """What a recording has to simplify: only products with zero and one, never sums of angles' functions."""
    count = OperationCount()
    q = (CountingScalar(0.3, count),)
    Revolute((0, 0, 1)).transform(q, AFTER, BEFORE)
    assert count.breakdown["sin"] == count.breakdown["cos"] == 1
    count.reset()
    Universal((1, 0, 0), (0, 1, 0)).transform((*q, *q), AFTER, BEFORE)
    assert count.breakdown["sin"] == count.breakdown["cos"] == 2
    count.reset()
    QuaternionFloating().transform((*q,) * 7, AFTER, BEFORE)
    assert "sqrt" not in count.breakdown
