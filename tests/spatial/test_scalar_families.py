"""One definition serves every kind of scalar: counted, complex, exact, symbolic, interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy

from rbd.errors import ScalarError
from rbd.scalars import Scalar
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.spatial import (
    FreeVector,
    GeometricJacobian,
    MomentumMatrix,
    Point,
    PointJacobian,
    SpatialAcceleration,
    SpatialInertia,
    Transform,
    Twist,
    Wrench,
    WrenchMatrix,
    so3,
)
from rbd.spatial.linalg import Mat3, Vec3
from rbd.spatial.quaternion import (
    mrp_rate_jacobian,
    mrp_to_quaternion,
    mrp_velocity_jacobian,
    quaternion_exp,
    quaternion_log,
    quaternion_rotate,
    quaternion_to_mrp,
    quaternion_to_rotation,
)
from tests.spatial.helpers import CAMERA, HAND, WORLD

Make = Callable[[float], Scalar]


class Numbers:
    """Hands out the same numbers again and again, made into scalars."""

    def __init__(self, make: Make, seed: int = 3) -> None:
        self.make, self.rng = make, np.random.default_rng(seed)

    def scalar(self) -> Scalar:
        return self.make(float(self.rng.integers(-8, 9)) / 8)

    def vec(self) -> Vec3:
        return self.scalar(), self.scalar(), self.scalar()

    def mat(self) -> Mat3:
        return self.vec(), self.vec(), self.vec()

    def rotation(self) -> Mat3:
        """Return a rotation with rational entries."""
        w, x, y, z = (1, 2, 2, 4)  # of length 5
        rows = quaternion_to_rotation(tuple(Fraction(c, 5) for c in (w, x, y, z)))  # four
        a, b, c = (tuple(self.exact(e) for e in row) for row in rows)
        return a, b, c  # three by three

    def exact(self, e: Any) -> Scalar:
        return Fraction(e) if self.make is exact else self.make(float(e))


def exact(x: float) -> Fraction:
    return Fraction(x)


def rational_results(n: Numbers) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the components of the results of all operations that need no function but + - * /."""
    tf = Transform.trusted(HAND, WORLD, n.rotation(), n.vec())
    up = Transform.trusted(CAMERA, HAND, n.rotation(), n.vec())
    p, v, u = Point.trusted(HAND, n.vec()), FreeVector.trusted(HAND, n.vec()), FreeVector.trusted(HAND, n.vec())
    a, b = Twist.trusted(HAND, WORLD, HAND, n.vec(), n.vec()), Twist.trusted(CAMERA, HAND, HAND, n.vec(), n.vec())
    acc = SpatialAcceleration.trusted(HAND, WORLD, HAND, n.vec(), n.vec())
    w = Wrench.trusted(HAND, n.vec(), n.vec())
    body = SpatialInertia.trusted(HAND, n.mat(), n.vec(), n.make(2.0))
    columns = ((n.vec(), n.vec()), (n.vec(), n.vec()))
    j = GeometricJacobian.trusted(HAND, WORLD, HAND, columns)
    pj = PointJacobian.trusted(HAND, (n.vec(), n.vec()))
    mm, wm = MomentumMatrix.trusted(HAND, columns), WrenchMatrix.trusted(HAND, columns)
    rates = (n.scalar(), n.scalar())
    yield "compose", sum((tf @ up).components[0], ()) + (tf @ up).components[1]
    yield "inverse", sum(tf.inverse().components[0], ()) + tf.inverse().components[1]
    yield "points", (tf @ (p + v)).components + (tf @ (p - p)).components + (p - v).components
    yield "vectors", (v + u - v * n.make(0.5)).components + v.cross(u).components + (v.dot(u),) + (-v).components
    yield "moment", p.cross(v).components + Wrench.of_force(p, v).components
    yield "twists", (a + b).components + (a - a).components + (-a).components + (a * n.make(2.0)).components
    yield "twist moved", a.transformed(tf).components + a.cross(b).components + a.point_velocity(p).components
    yield "acceleration", acc.point_acceleration(a, p).components + acc.transformed(tf, a, a).components
    yield "wrench", w.transformed(tf).components + (w + w - w * n.make(0.5)).components + (w.dot(a),)
    yield "inertia", (body + body).transformed(tf).components + (body @ a).components
    yield "energy", (body.kinetic_energy(a), *body.newton_euler(acc, a).components)
    yield "com", body.center_of_mass.components
    yield "jacobian", (j @ rates).transformed(tf).components + j.torque_components(w) + (-j @ rates).components
    yield "jacobian moved", sum(j.transformed(tf).components, ()) + j.acceleration(rates).components
    yield "point jacobian", (pj @ rates).components + pj.torque_components(v)
    yield "matrices", (mm @ rates).components + (wm @ rates).components + wm.power_components(a)
    yield "momentum matrix", sum((body @ j).components, ()) + sum(mm.transformed(tf).components, ())
    s = n.vec()
    rotation = quaternion_to_rotation(mrp_to_quaternion(s))
    yield "mrp", sum(rotation + mrp_rate_jacobian(s) + mrp_velocity_jacobian(s), ())


def transcendental_results(n: Numbers) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield results that need sin, sqrt and the like, near zero and far from it."""
    tiny = (n.make(1e-7), n.make(-2e-7), n.make(0.0))
    for name, phi in (("near", tiny), ("far", (n.make(0.75), n.make(-1.5), n.make(1.25)))):
        omega = n.vec()
        rotation = so3.rotation_exp(phi)
        yield f"exp {name}", sum(rotation, ())
        yield f"log {name}", so3.rotation_log(rotation)
        yield f"jacobians {name}", sum(so3.left_jacobian(phi) + so3.inverse_right_jacobian(phi), ())
        yield f"rate {name}", so3.rotation_vector_rate(phi, omega)
        yield (
            f"quaternion {name}",
            quaternion_log(quaternion_exp(phi)) + quaternion_rotate(quaternion_exp(phi), omega),
        )
        yield f"mrp {name}", quaternion_to_mrp(quaternion_exp(phi))
        tf = Twist.trusted(HAND, WORLD, WORLD, phi, omega).exp()
        logarithm, rate = tf.log_and_rate(Twist.trusted(HAND, WORLD, HAND, omega, phi))
        yield f"SE(3) {name}", logarithm.components + rate.components
    u, v = n.vec(), n.vec()
    yield "minimal", sum(so3.minimal_rotation(u, v), ())
    yield "rpy", sum(so3.rpy_to_rotation(u), ())
    yield "norm", (FreeVector.trusted(HAND, v).norm(),)


def all_results(n: Numbers) -> Iterator[tuple[str, tuple[Any, ...]]]:
    yield from rational_results(n)
    yield from transcendental_results(n)


FLOATS = dict(all_results(Numbers(float)))


def test_counted_scalars_pass_everywhere() -> None:
    """They refuse bool(), == and hash: nothing branches on a value, so everything can be recorded."""
    count = OperationCount()
    for name, components in all_results(Numbers(lambda x: CountingScalar(x, count))):
        values = [c.value if isinstance(c, CountingScalar) else c for c in components]
        np.testing.assert_allclose(np.array(values, dtype=float), FLOATS[name], rtol=1e-12, atol=1e-13, err_msg=name)
    assert count.total > 1000


def test_fractions_stay_exact() -> None:
    for name, components in rational_results(Numbers(exact)):
        assert {type(c) for c in components} <= {Fraction, int}, name
        np.testing.assert_allclose([float(c) for c in components], FLOATS[name], rtol=1e-12, atol=1e-13, err_msg=name)


def test_complex_numbers_agree_with_floats() -> None:
    for name, components in all_results(Numbers(complex)):
        np.testing.assert_allclose(np.array(components, dtype=complex), FLOATS[name], rtol=0, atol=1e-13, err_msg=name)


def test_intervals_enclose_the_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mp.iv, "prec", 80)
    for name, components in all_results(Numbers(mp.iv.mpf)):
        for enclosure, value in zip(components, FLOATS[name], strict=True):
            wide = mp.iv.mpf(enclosure)
            assert mp.mpf(wide.a) - 1e-12 <= value <= mp.mpf(wide.b) + 1e-12, name


def test_multiple_precision_agrees_with_floats() -> None:
    for name, components in all_results(Numbers(mp.mpf)):
        np.testing.assert_allclose([float(c) for c in components], FLOATS[name], rtol=0, atol=1e-12, err_msg=name)


def test_symbols_stay_symbols() -> None:
    x, y, m = sympy.symbols("x y m", real=True)
    half: Any = sympy.Rational(1, 2)
    body = SpatialInertia.trusted(HAND, ((x, 0, 0), (0, y, 0), (0, 0, x)), (0, 0, m * half), m)
    twist = Twist.trusted(HAND, WORLD, HAND, (x, 0, 0), (0, y, 0))
    energy: Any = body.kinetic_energy(twist)
    assert sympy.simplify(energy - (x**3 / 2 - m * x * y / 2 + m * y**2 / 2)) == 0
    assert not energy.atoms(sympy.Float)


def test_symbolic_exponential_agrees_on_both_sides_of_the_series() -> None:
    x = sympy.symbols("x", real=True)
    matrix: Any = so3.rotation_exp((x, 2 * x, sympy.Integer(0)))
    for value in (0.01, 0.3, 1.1):
        numbers = [[float(sympy.sympify(e).subs(x, value)) for e in row] for row in matrix]
        np.testing.assert_allclose(numbers, so3.rotation_exp((value, 2 * value, 0.0)), rtol=0, atol=1e-13)


def test_arrays_of_symbols_hold_symbols() -> None:
    x = sympy.symbols("x")
    p: Any = Point(WORLD, [x, 1, 2])
    assert p.components == (x, 1, 2)
    for read in (lambda: p.isclose(Point(WORLD, [0, 1, 2])), lambda: p.is_finite):
        with pytest.raises(ScalarError):
            read()
    assert p.xyz.dtype == object
    assert p.xyz.tolist() == [x, 1, 2]
    assert "x" in repr(p)


def test_exact_numbers_stay_exact_and_compare_with_floats() -> None:
    p = Point(WORLD, [Fraction(1, 2), 0.25, 3])
    assert p.components == (Fraction(1, 2), Fraction(1, 4), 3)
    assert all(type(c) is not float for c in p.components)
    assert p.isclose(Point(WORLD, [0.5, 0.25, 3]))
    assert p.xyz.tolist() == [Fraction(1, 2), Fraction(1, 4), 3]


def test_comparison_of_exact_numbers() -> None:
    p = Point(WORLD, [Fraction(1, 2), 1, Fraction(3, 4)])
    assert p.isclose(Point(WORLD, [0.5, 1, 0.75]))


def test_symbolic_parameters_pass_validation_unchecked() -> None:
    m, a = sympy.symbols("m a")
    body: Any = SpatialInertia(HAND, mass=m, com=[a, 0, 0], moment_about_com=[[m, 0, 0], [0, m, 0], [0, 0, m]])
    assert body.moment_components[1][1] == m + m * a * a
    assert Transform(HAND, WORLD, [[a, 0, 0], [0, a, 0], [0, 0, 1]]).components[0][0][0] == a  # SymPy has no types


def test_public_constructors_take_counted_scalars() -> None:
    """Nothing about a number that is not plain is checked, so nothing branches on it."""
    count = OperationCount()
    one, zero = CountingScalar(1.0, count), CountingScalar(0.0, count)
    eye = [[one, zero, zero], [zero, one, zero], [zero, zero, one]]
    pose = [[*row, zero] for row in eye]
    made: list[Any] = [
        Transform(HAND, WORLD, eye, [one, one, zero]),
        Transform.from_matrix(HAND, WORLD, [*pose, [zero, zero, zero, one]]),
        Transform.from_quaternion(HAND, WORLD, [one, zero, zero, zero]),
        SpatialInertia(HAND, mass=one, com=[one, zero, zero], moment_about_com=eye),
        GeometricJacobian(HAND, WORLD, WORLD, eye, eye),
        Wrench(WORLD, [one, one, one], [zero, zero, zero]),
    ]
    for value in made:
        flat = np.array(value.components[0] if isinstance(value, Transform) else value.components, dtype=object)
        assert any(isinstance(x, CountingScalar) for x in flat.reshape(-1))
