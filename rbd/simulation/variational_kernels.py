"""Kernels of the variational midpoint rule: one iteration of a step, and the velocity at its end.

The rule is that of Marsden and West 2001, on Lie groups Bou-Rabee and Marsden 2009. Letters as in `variational`. Around
a configuration q0 the joints have local coordinates phi; J(q0, q) maps velocities at q to their rates. J, and the
derivatives that follow from it, have one block per joint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import final

import attrs

from rbd.algorithms.coriolis import coriolis_matrix_kernel
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.indexing.layout import TreeNode
from rbd.joints import JointType
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.scalars import Matrix, Scalar, Vector, const
from rbd.scalars.dual import value_and_derivative, value_and_derivatives
from rbd.scalars.linear_algebra import add, dot, matvec, transpose, unit
from rbd.solvers import solve_square

_LABEL = "the derivative of the local coordinates of a joint"


@kernel
def midpoint_velocity_kernel(state: StateView, q0: Vector, phi: Vector, h: Scalar) -> Vector:
    """Return vm of J(q0, qm) vm = phi / h, at the middle qm (Marsden and West 2001, part 2)."""
    rates = tuple(x / h for x in phi)
    return _per_joint(
        _solved(joint.rate(state.joint_q(joint.node)), rates[joint.v]) for joint in _joint_steps(state, q0)
    )


@kernel(multiple_outputs=True)
def variational_iteration_kernel(
    state: StateView, q0: Vector, phi: Vector, h: Scalar, momentum: Vector, vd: Vector
) -> tuple[Vector, Vector, Vector, Vector]:
    """Return the next phi, the velocity vm, p = M vm, and the impulse h/2 (D + f), for a state at the middle.

    Solves the first equation of the module `variational` for p.
    """
    M, C, half, v = mass_matrix_kernel(state), coriolis_matrix_kernel(state), h * const(1, 2), state.velocity_scalars()
    forces = add(matvec(M, vd), add(_transposed_times(C, v), matvec(C, v)))
    forces = add(forces, _boltzmann_hamel_force(state, matvec(M, v)))
    impulse = tuple(half * force for force in forces)
    p = _per_joint(
        joint.momentum_in_the_middle(state, phi[joint.v], momentum[joint.v], impulse[joint.v])
        for joint in _joint_steps(state, q0)
    )
    vm = factored(state, M).solve(p)
    rates = _per_joint(matvec(joint.rate(state.joint_q(joint.node)), vm[joint.v]) for joint in _joint_steps(state, q0))
    return tuple(h * rate for rate in rates), vm, p, impulse


@kernel
def end_velocity_kernel(state: StateView, q0: Vector, phi: Vector, p: Vector, impulse: Vector) -> Vector:
    """Return the velocity of a state at the end of a step, from its momentum: the second equation of `variational`."""
    momentum = _per_joint(
        joint.momentum_at_the_end(state, phi[joint.v], p[joint.v], impulse[joint.v])
        for joint in _joint_steps(state, q0)
    )
    return factored(state, mass_matrix_kernel(state)).solve(momentum)


@final
@attrs.frozen(eq=False)
class _JointStep:
    """Step of one joint, from its configuration q0 at the beginning."""

    node: TreeNode
    q0: Vector

    @property
    def v(self) -> slice:
        return self.node.v_slice

    @property
    def type(self) -> JointType:
        return self.node.joint.type

    def rate(self, q: Vector) -> Matrix:
        """Return J(q0, q)."""
        return _rate(self.type, self.q0, q)

    def momentum_in_the_middle(self, state: StateView, phi: Vector, momentum: Vector, impulse: Vector) -> Vector:
        """Return p of G^T p = J(q1, q0)^-T momentum + J(q1, qm)^-T impulse."""
        end = self.type.global_coordinates(self.q0, phi)
        right = add(
            _solved_transposed(_rate(self.type, end, self.q0), momentum),
            _solved_transposed(_rate(self.type, end, state.joint_q(self.node)), impulse),
        )
        return _solved_transposed(_velocity_jacobian(self.type, end, tuple(-x for x in phi)), right)

    def momentum_at_the_end(self, state: StateView, phi: Vector, p: Vector, impulse: Vector) -> Vector:
        """Return J(q0, q1)^T (G^T p + J(q0, qm)^-T impulse)."""
        middle = self.type.global_coordinates(self.q0, tuple(x * const(1, 2) for x in phi))
        right = add(
            _transposed_times(_velocity_jacobian(self.type, self.q0, phi), p),
            _solved_transposed(self.rate(middle), impulse),
        )
        return _transposed_times(self.rate(state.joint_q(self.node)), right)


def _joint_steps(state: StateView, q0: Vector) -> list[_JointStep]:
    return [_JointStep(node, q0[node.q_slice]) for node in state.nodes]


def _rate(kind: JointType, q0: Vector, q: Vector) -> Matrix:
    """Return J(q0, q) of one joint."""
    columns = [kind.local_coordinates_rate(q0, q, e) for e in _units(kind.nv)]
    return transpose(columns)


def _velocity_jacobian(kind: JointType, q0: Vector, phi: Vector) -> Matrix:
    """Return G, the derivative by phi of x in J(q0, qm) x = phi, where qm has the local coordinates phi / 2."""
    half = tuple(x * const(1, 2) for x in phi)
    J = _rate(kind, q0, kind.global_coordinates(q0, half))
    x = _solved(J, phi)
    directions = [tuple(const(1, 2) * x for x in e) for e in _units(kind.nv)]
    _, derivative = value_and_derivatives(lambda at: _rates_at(kind, q0, at, x), half, directions)
    right = [[int(i == k) - d for k, d in enumerate(row)] for i, row in enumerate(derivative)]
    return _solved_columns(J, tuple(map(tuple, right)))


def _boltzmann_hamel_force(state: StateView, p: Vector) -> Vector:
    """Return the Boltzmann-Hamel force of quasi-velocities v with momentum p: v x p for a ball joint.

    Its k-th entry is (K(e_k) v - K(v) e_k)^T lambda, where K(x) is the derivative along velocity x of the matrix J from
    velocities to rates of the local coordinates around q, and J^T lambda = p.
    """
    return _per_joint(
        _joint_boltzmann_hamel_force(node.joint.type, state.joint_q(node), state.joint_v(node), p[node.v_slice])
        for node in state.nodes
    )


def _joint_boltzmann_hamel_force(kind: JointType, q: Vector, v: Vector, p: Vector) -> Vector:
    J, zero = _rate(kind, q, q), (0.0,) * kind.nv
    multipliers = _solved_transposed(J, p)
    _, by_units = value_and_derivatives(lambda at: _rates_at(kind, q, at, v), zero, transpose(J))
    K_unit = _transposed_times(by_units, multipliers)
    direction = matvec(J, v)
    K_v = [dot(_rate_along(kind, q, e, direction), multipliers) for e in _units(kind.nv)]
    return tuple(a - b for a, b in zip(K_unit, K_v, strict=True))


def _rate_along(kind: JointType, q: Vector, v: Vector, direction: Vector) -> Vector:
    """Return the derivative at q, along a direction of the local coordinates, of their rates at velocity v."""
    return value_and_derivative(lambda phi: _rates_at(kind, q, phi, v), (0.0,) * kind.nv, direction)[1]


def _rates_at(kind: JointType, q0: Vector, phi: Vector, v: Vector) -> Vector:
    """Return the rates of the local coordinates around q0 at the configuration with local coordinates phi."""
    return kind.local_coordinates_rate(q0, kind.global_coordinates(q0, phi), v)


def _units(n: int) -> list[Vector]:
    return [unit(n, k) for k in range(n)]


def _solved(matrix: Matrix, right: Vector) -> Vector:
    return tuple(x for (x,) in _solved_columns(matrix, tuple((x,) for x in right)))


def _solved_columns(matrix: Matrix, right: Matrix) -> Matrix:
    if len(matrix) == 1:
        return (tuple(x / matrix[0][0] for x in right[0]),)
    return solve_square(matrix, right, _LABEL)


def _solved_transposed(matrix: Matrix, right: Vector) -> Vector:
    return _solved(transpose(matrix), right)


def _transposed_times(matrix: Matrix, vector: Vector) -> Vector:
    return matvec(transpose(matrix), vector)


def _per_joint(parts: Iterator[Sequence[Scalar]]) -> Vector:
    return tuple(x for part in parts for x in part)
