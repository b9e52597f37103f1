"""Local coordinates of a time step with their derivatives: Munthe-Kaas (1999), joint by joint.

A step moves a configuration q0 through local coordinates phi around it. For joints with q = q0 + phi the derivatives
are those of a sum; other joints (balls, free bodies, angles given by sine and cosine) run on dual numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import final

import attrs

from rbd.algorithms.derivatives.sparse_products import sparse_product
from rbd.algorithms.time_steps.formulas import stepped
from rbd.indexing.layout import TreeNode
from rbd.joints import JointType
from rbd.kernels.state_view import StateView
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.dual import along_each
from rbd.scalars.linear_algebra import identity


@final
@attrs.frozen(eq=False)
class Differentiated:
    """A vector and its Jacobian by q, v and torques at the start of a step.

    The Jacobian of a configuration has a row per velocity.
    """

    value: Vector
    jacobian: Matrix

    def stepped(self, rate: Differentiated, dt: Scalar) -> Differentiated:
        """Return value + `dt` rate."""
        return Differentiated(stepped(self.value, rate.value, dt), _stepped_rows(self.jacobian, rate.jacobian, dt))


def coordinate_rate(state: StateView, begin: Matrix, v: Differentiated) -> Differentiated:
    """Return the rates of phi at the start of the step, at velocity v; `begin` is the Jacobian of q0."""
    return _joined(_joint_rate(node, state.joint_q(node), begin[node.v], _part(v, node)) for node in state.nodes)


def stage_coordinates(
    state: StateView, begin: Matrix, phi: Differentiated, v: Differentiated
) -> tuple[Differentiated, Differentiated]:
    """Return the configuration at phi around that of `state`, whose Jacobian is `begin`, and the rates of phi there."""
    joints = [
        _joint_stage(node, state.joint_q(node), begin[node.v], _part(phi, node), _part(v, node)) for node in state.nodes
    ]
    return _joined(q for q, _ in joints), _joined(rate for _, rate in joints)


def configuration_after(state: StateView, begin: Matrix, phi: Differentiated) -> Differentiated:
    """Return the configuration after a step: that at phi around that of `state`, normalised."""
    return _joined(_joint_after(node, state.joint_q(node), begin[node.v], _part(phi, node)) for node in state.nodes)


def _joint_rate(node: TreeNode, start: Vector, begin: Matrix, v: Differentiated) -> Differentiated:
    kind = node.joint.type
    if _is_plain(kind):
        return v

    def rate_there(q0: Vector, speed: Vector) -> Vector:
        return kind.local_coordinates_rate(q0, q0, speed)

    rate, slopes = _with_derivatives(node, rate_there, start, v.value)
    return Differentiated(rate, sparse_product(slopes, (*begin, *v.jacobian)))


def _joint_stage(
    node: TreeNode, start: Vector, begin: Matrix, phi: Differentiated, v: Differentiated
) -> tuple[Differentiated, Differentiated]:
    kind, nq, nv = node.joint.type, node.joint.nq, node.joint.nv
    if _is_plain(kind):
        return Differentiated(kind.global_coordinates(start, phi.value), _stepped_rows(begin, phi.jacobian)), v

    def there(q0: Vector, coordinates: Vector, speed: Vector) -> Vector:
        q = kind.global_coordinates(q0, coordinates)
        return *q, *kind.local_coordinates_rate(q0, q, speed)

    values, slopes = _with_derivatives(node, there, start, phi.value, v.value)
    q, rate = values[:nq], values[nq:]
    slopes = (*sparse_product(kind.velocity_jacobian(q), slopes[:nq]), *slopes[nq:])
    rows = sparse_product(slopes, (*begin, *phi.jacobian, *v.jacobian))
    return Differentiated(q, rows[:nv]), Differentiated(rate, rows[nv:])


def _joint_after(node: TreeNode, start: Vector, begin: Matrix, phi: Differentiated) -> Differentiated:
    kind = node.joint.type
    if _is_plain(kind):
        return Differentiated(kind.global_coordinates(start, phi.value), _stepped_rows(begin, phi.jacobian))

    def there(q0: Vector, coordinates: Vector) -> Vector:
        return kind.normalize(kind.global_coordinates(q0, coordinates))

    q, slopes = _with_derivatives(node, there, start, phi.value)
    return Differentiated(q, sparse_product(sparse_product(kind.velocity_jacobian(q), slopes), (*begin, *phi.jacobian)))


def _with_derivatives(
    node: TreeNode, function: Callable[..., Vector], start: Vector, *arguments: Vector
) -> tuple[Vector, Matrix]:
    """Return `function(q0, *arguments)` and its derivatives along the velocities at q0, then by the arguments."""
    nq, nv = node.joint.nq, node.joint.nv

    def flat(x: Vector) -> Vector:
        return function(x[:nq], *(x[k : k + nv] for k in range(nq, len(x), nv)))

    rates = zip(*node.joint.type.configuration_derivative_jacobian(start), strict=True)
    others = len(arguments) * nv
    along_start = [(*rate, *(0,) * others) for rate in rates]
    return along_each(flat, sum(arguments, start), along_start + [(*(0,) * nq, *unit) for unit in identity(others)])


def _is_plain(kind: JointType) -> bool:
    """Return whether q = q0 + phi and v = dq/dt for a type of joint."""
    names = (
        "global_coordinates",
        "local_coordinates_rate",
        "configuration_derivative",
        "velocity_jacobian",
        "normalize",
    )
    return all(getattr(type(kind), name) is getattr(JointType, name) for name in names)


def _part(vector: Differentiated, node: TreeNode) -> Differentiated:
    return Differentiated(vector.value[node.v], vector.jacobian[node.v])


def _joined(parts: Iterable[Differentiated]) -> Differentiated:
    """Return the vectors of all joints, concatenated."""
    listed = list(parts)
    return Differentiated(sum((part.value for part in listed), ()), sum((part.jacobian for part in listed), ()))


def _stepped_rows(start: Matrix, rate: Matrix, dt: Scalar = 1) -> Matrix:
    return tuple(stepped(a, b, dt) for a, b in zip(start, rate, strict=True))
