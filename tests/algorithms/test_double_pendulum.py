"""The double pendulum in closed form: with numbers, and with symbols."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import rbd
from rbd import Frame, Joint, Mechanism, MechanismState, Revolute, RigidBody, SinCosRevolute, SpatialInertia, Transform
from rbd.errors import AmbiguousNameError, UnknownNameError

from .helpers import close, examples

# masses, lengths, distances of the centres of mass, moments of inertia about the joints' axes, gravity
M1, M2, L1, C1, C2, G = 1.3, 0.7, 0.9, 0.4, 0.6, 9.81
I1, I2 = 0.5, 0.4


def pendulum(kind: type = Revolute, sign: int = -1) -> Mechanism:
    """Return two links that turn about y; at rest they hang along -z. Names as in the textbook: shoulder and elbow."""
    mechanism = Mechanism(gravity=(0, 0, -G))
    upper = RigidBody("upper", SpatialInertia(Frame("u"), mass=M1, com=(0, 0, -C1), moment=np.diag([I1, I1, 0.01])))
    lower = RigidBody("lower", SpatialInertia(Frame("l"), mass=M2, com=(0, 0, -C2), moment=np.diag([I2, I2, 0.01])))
    axis = (0, -sign, 0)
    shoulder, elbow = Joint("shoulder", kind(axis)), Joint("elbow", kind(axis))
    mechanism.attach(mechanism.root_body, upper, shoulder)
    pose = Transform(elbow.frame_before, upper.default_frame, translation=(0, 0, -L1))
    mechanism.attach(upper, lower, elbow, joint_pose=pose)
    return mechanism


def closed_form(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return M, C and the gravity torques."""
    s1, s2, c2, s12 = np.sin(q[0]), np.sin(q[1]), np.cos(q[1]), np.sin(q[0] + q[1])
    M12 = I2 + M2 * L1 * C2 * c2
    M = np.array([[I1 + I2 + M2 * L1**2 + 2 * M2 * L1 * C2 * c2, M12], [M12, I2]])
    h = M2 * L1 * C2 * s2
    C = np.array([[-2 * h * v[1], -h * v[1]], [h * v[0], 0]])
    return M, C, G * np.array([M1 * C1 * s1 + M2 * (L1 * s1 + C2 * s12), M2 * C2 * s12])


ANGLES = st.floats(-7, 7)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("kind", [Revolute, SinCosRevolute])
@examples(1)
@given(st.tuples(ANGLES, ANGLES), st.tuples(ANGLES, ANGLES), st.tuples(ANGLES, ANGLES))
def test_equations_of_motion(kind: type, sign: int, q: tuple, v: tuple, vd: tuple) -> None:
    q, v, vd = np.array(q), np.array(v), np.array(vd)
    mechanism = pendulum(kind, sign)
    coordinates = q if kind is Revolute else [np.sin(q[0]), np.cos(q[0]), np.sin(q[1]), np.cos(q[1])]
    state = MechanismState(mechanism, coordinates, v)
    M, C, gravity = closed_form(q, v)
    close(rbd.mass_matrix(state), M, 1e-13)
    close(rbd.gravity_torques(state), gravity, 1e-13, scale=G)
    close(rbd.dynamics_bias(state), C @ v + gravity, 1e-13, scale=G)
    close(rbd.coriolis_matrix(state) @ v, C @ v, 1e-13, scale=1)
    tau = M @ vd + C @ v + gravity
    close(rbd.inverse_dynamics(state, vd), tau, 1e-13, scale=G)
    close(rbd.forward_dynamics(state, tau), vd, 1e-11, scale=G)
    T2 = (I2 * (v[0] + v[1]) ** 2 + M2 * L1**2 * v[0] ** 2) / 2 + M2 * L1 * C2 * np.cos(q[1]) * v[0] * (v[0] + v[1])
    close(rbd.kinetic_energy(state), I1 * v[0] ** 2 / 2 + T2, 1e-13, scale=1)
    depth = M1 * C1 * np.cos(q[0]) + M2 * (L1 * np.cos(q[0]) + C2 * np.cos(q[0] + q[1]))
    close(rbd.gravitational_potential_energy(state), -G * depth, 1e-13, scale=G)


def test_lookup_by_name() -> None:
    mechanism = pendulum()
    assert mechanism.body("upper") is mechanism.bodies[1]
    assert mechanism.joint("elbow").name == "elbow"
    with pytest.raises(UnknownNameError):
        mechanism.body("uper")
    with pytest.raises(UnknownNameError):
        mechanism.joint("wrist")
    assert issubclass(AmbiguousNameError, KeyError)


def test_the_ready_made_one_matches_its_own_formulas() -> None:
    l1, l2, m1, m2, r = 1.0, 0.8, 1.5, 0.5, 0.03
    state = MechanismState(rbd.robots.double_pendulum(lengths=(l1, l2), masses=(m1, m2), radius=r), [0.4, -1.1])
    J1, J2, c1, c2 = (m1 * (3 * r**2 + l1**2) / 12, m2 * (3 * r**2 + l2**2) / 12, l1 / 2, l2 / 2)
    M22 = J2 + m2 * c2**2
    M12 = M22 + m2 * l1 * c2 * np.cos(-1.1)
    M11 = J1 + m1 * c1**2 + M22 + m2 * (l1**2 + 2 * l1 * c2 * np.cos(-1.1))
    close(rbd.mass_matrix(state), [[M11, M12], [M12, M22]], 1e-14)


# --- symbols ---------------------------------------------------------------------------------------------------------

SYMBOLS = sympy.symbols("q1 q2 v1 v2", real=True)
PARAMETERS = sympy.symbols("m1 m2 l1 c1 c2 I1 I2 g", positive=True)


def symbolic_pendulum() -> Mechanism:
    m1, m2, l1, c1, c2, I1_, I2_, g = PARAMETERS
    mechanism = Mechanism(gravity=(0, 0, -g))
    upper, lower = RigidBody("upper", _link("u", m1, c1, I1_)), RigidBody("lower", _link("l", m2, c2, I2_))
    shoulder, elbow = Joint("shoulder", Revolute((0, 1, 0))), Joint("elbow", Revolute((0, 1, 0)))
    mechanism.attach(mechanism.root_body, upper, shoulder)
    pose = Transform(elbow.frame_before, upper.default_frame, translation=(0, 0, -l1))
    mechanism.attach(upper, lower, elbow, joint_pose=pose)
    return mechanism


def _link(name: str, mass: sympy.Symbol, com: sympy.Symbol, moment: sympy.Symbol) -> SpatialInertia:
    rows = ((moment, 0, 0), (0, moment, 0), (0, 0, 0))
    return SpatialInertia(Frame(name), mass=mass, com=(0, 0, -com), moment=rows)


@pytest.fixture(scope="module")
def symbolic() -> object:
    q1, q2, v1, v2 = SYMBOLS
    return MechanismState(symbolic_pendulum()).with_scalars([q1, q2], [v1, v2])


def zero(expression: object) -> bool:
    return sympy.simplify(sympy.expand_trig(sympy.sympify(expression))) == 0


def lagrange() -> tuple[sympy.Matrix, sympy.Matrix, sympy.Expr, sympy.Expr]:
    """Return M, the bias, T and U, derived by SymPy from the positions of the centres of mass."""
    q1, q2, v1, v2 = SYMBOLS
    m1, m2, l1, c1, c2, I1_, I2_, g = PARAMETERS
    q, v = sympy.Matrix([q1, q2]), sympy.Matrix([v1, v2])
    first = sympy.Matrix([-c1 * sympy.sin(q1), -c1 * sympy.cos(q1)])
    second = sympy.Matrix(
        [-l1 * sympy.sin(q1) - c2 * sympy.sin(q1 + q2), -l1 * sympy.cos(q1) - c2 * sympy.cos(q1 + q2)]
    )
    speeds = [p.jacobian(q) * v for p in (first, second)]
    spins = [(I1_ - m1 * c1**2) * v1**2, (I2_ - m2 * c2**2) * (v1 + v2) ** 2]
    T = sum(m * (u.T * u)[0] + s for m, u, s in zip((m1, m2), speeds, spins, strict=True)) / 2
    U = g * (m1 * first[1] + m2 * second[1])
    momentum = sympy.Matrix([T]).jacobian(v).T
    bias = momentum.jacobian(q) * v - sympy.Matrix([T - U]).jacobian(q).T
    return momentum.jacobian(v), bias, T, U


def test_symbolic_mass_matrix_bias_and_energies(symbolic: object) -> None:
    M, bias, T, U = lagrange()
    ours = rbd.mass_matrix(symbolic)
    assert all(zero(ours[i, j] - M[i, j]) for i in range(2) for j in range(2))
    assert all(zero(a - b) for a, b in zip(rbd.dynamics_bias(symbolic), bias, strict=True))
    assert zero(rbd.kinetic_energy(symbolic) - T)
    assert zero(rbd.gravitational_potential_energy(symbolic) - U)


def test_symbolic_inverse_dynamics(symbolic: object) -> None:
    a1, a2 = sympy.symbols("a1 a2", real=True)
    M, bias, _, _ = lagrange()
    expected = M * sympy.Matrix([a1, a2]) + bias
    ours = rbd.inverse_dynamics(symbolic, [a1, a2])
    assert all(zero(a - b) for a, b in zip(ours, expected, strict=True))


def test_symbolic_forward_dynamics_with_numbers_put_in(symbolic: object) -> None:
    tau = sympy.symbols("t1 t2", real=True)
    vd = rbd.forward_dynamics(symbolic, list(tau))
    values = dict(zip(PARAMETERS, (M1, M2, L1, C1, C2, I1, I2, G), strict=True))
    values |= dict(zip((*SYMBOLS, *tau), (0.3, -0.8, 1.2, 0.4, 2.0, -1.0), strict=True))
    state = MechanismState(pendulum(), [0.3, -0.8], [1.2, 0.4])
    close([float(x.subs(values)) for x in vd], rbd.forward_dynamics(state, [2.0, -1.0]), 1e-12)
