"""Local coordinates of a time step with their derivatives: Munthe-Kaas (1999), joint by joint.

A step moves a configuration q0 through local coordinates phi around it. For joints with q = q0 + phi the derivatives
are those of a sum; other joints (balls, free bodies, angles given by sine and cosine) run on dual numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import final

import attrs

from rbd.algorithms.derivatives.sparse_products import sparse_product
from rbd.algorithms.time_steps.fixed_step import stepped
from rbd.indexing.layout import TreeNode
from rbd.joints.base import has_vector_coordinates
from rbd.kernels.state_view import StateView
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.dual import value_and_derivatives
from rbd.scalars.linear_algebra import identity


@final
@attrs.frozen(eq=False)
class DifferentiatedVector:
    """A vector and its Jacobian by q, v and torques at the start of a step.

    The Jacobian of a configuration has a row per velocity.
    """

    value: Vector
    jacobian: Matrix

    def stepped(self, rate: DifferentiatedVector, dt: Scalar) -> DifferentiatedVector:
        """Return value + `dt` rate."""
        return DifferentiatedVector(
            stepped(self.value, rate.value, dt), _stepped_rows(self.jacobian, rate.jacobian, dt)
        )


def coordinate_rate(state: StateView, q0_jacobian: Matrix, v: DifferentiatedVector) -> DifferentiatedVector:
    """Return the rates of phi at the start of the step, at velocity v; `q0_jacobian` is the Jacobian of q0."""
    return _joined(
        _joint_rate(node, state.joint_q(node), q0_jacobian[node.v_slice], _part(v, node)) for node in state.nodes
    )


def stage_coordinates(
    state: StateView, q0_jacobian: Matrix, phi: DifferentiatedVector, v: DifferentiatedVector
) -> tuple[DifferentiatedVector, DifferentiatedVector]:
    """Return the configuration at phi around that of `state`, q0, and the rates of phi there."""
    joints = [
        _joint_stage(node, state.joint_q(node), q0_jacobian[node.v_slice], _part(phi, node), _part(v, node))
        for node in state.nodes
    ]
    return _joined(q for q, _ in joints), _joined(rate for _, rate in joints)


def configuration_after(state: StateView, q0_jacobian: Matrix, phi: DifferentiatedVector) -> DifferentiatedVector:
    """Return the configuration after a step: that at phi around that of `state`, normalised."""
    return _joined(
        _joint_after(node, state.joint_q(node), q0_jacobian[node.v_slice], _part(phi, node)) for node in state.nodes
    )


def _joint_rate(node: TreeNode, q0: Vector, q0_jacobian: Matrix, v: DifferentiatedVector) -> DifferentiatedVector:
    kind = node.joint.type
    if has_vector_coordinates(kind):
        return v

    def rate_of(q0: Vector, speed: Vector) -> Vector:
        return kind.local_coordinates_rate(q0, q0, speed)

    rate, slopes = _with_derivatives(node, rate_of, q0, v.value)
    return DifferentiatedVector(rate, sparse_product(slopes, (*q0_jacobian, *v.jacobian)))


def _joint_stage(
    node: TreeNode, q0: Vector, q0_jacobian: Matrix, phi: DifferentiatedVector, v: DifferentiatedVector
) -> tuple[DifferentiatedVector, DifferentiatedVector]:
    kind, nq, nv = node.joint.type, node.joint.nq, node.joint.nv
    if has_vector_coordinates(kind):
        return DifferentiatedVector(kind.global_coordinates(q0, phi.value), _stepped_rows(q0_jacobian, phi.jacobian)), v

    def configuration_and_rate(q0: Vector, coordinates: Vector, speed: Vector) -> Vector:
        q = kind.global_coordinates(q0, coordinates)
        return *q, *kind.local_coordinates_rate(q0, q, speed)

    values, slopes = _with_derivatives(node, configuration_and_rate, q0, phi.value, v.value)
    q, rate = values[:nq], values[nq:]
    slopes = (*sparse_product(kind.velocity_jacobian(q), slopes[:nq]), *slopes[nq:])
    rows = sparse_product(slopes, (*q0_jacobian, *phi.jacobian, *v.jacobian))
    return DifferentiatedVector(q, rows[:nv]), DifferentiatedVector(rate, rows[nv:])


def _joint_after(node: TreeNode, q0: Vector, q0_jacobian: Matrix, phi: DifferentiatedVector) -> DifferentiatedVector:
    kind = node.joint.type
    if has_vector_coordinates(kind):
        return DifferentiatedVector(kind.global_coordinates(q0, phi.value), _stepped_rows(q0_jacobian, phi.jacobian))

    def normalised_configuration(q0: Vector, coordinates: Vector) -> Vector:
        return kind.normalize(kind.global_coordinates(q0, coordinates))

    q, slopes = _with_derivatives(node, normalised_configuration, q0, phi.value)
    return DifferentiatedVector(
        q, sparse_product(sparse_product(kind.velocity_jacobian(q), slopes), (*q0_jacobian, *phi.jacobian))
    )


def _with_derivatives(
    node: TreeNode, function: Callable[..., Vector], q0: Vector, *arguments: Vector
) -> tuple[Vector, Matrix]:
    """Return `function(q0, *arguments)` and its derivatives along the velocities at q0, then by the arguments."""
    nq, nv = node.joint.nq, node.joint.nv

    def flat(x: Vector) -> Vector:
        return function(x[:nq], *(x[k : k + nv] for k in range(nq, len(x), nv)))

    rates = zip(*node.joint.type.configuration_derivative_jacobian(q0), strict=True)
    others = len(arguments) * nv
    along_start = [(*rate, *(0,) * others) for rate in rates]
    return value_and_derivatives(
        flat, sum(arguments, q0), along_start + [(*(0,) * nq, *unit) for unit in identity(others)]
    )


def _part(vector: DifferentiatedVector, node: TreeNode) -> DifferentiatedVector:
    return DifferentiatedVector(vector.value[node.v_slice], vector.jacobian[node.v_slice])


def _joined(parts: Iterable[DifferentiatedVector]) -> DifferentiatedVector:
    """Return the vectors of all joints, concatenated."""
    listed = list(parts)
    return DifferentiatedVector(sum((part.value for part in listed), ()), sum((part.jacobian for part in listed), ()))


def _stepped_rows(start: Matrix, rate: Matrix, dt: Scalar = 1) -> Matrix:
    return tuple(stepped(a, b, dt) for a, b in zip(start, rate, strict=True))
