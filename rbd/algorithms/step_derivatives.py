"""Derivatives of one step in time.

Room: algorithms; may import state and above. The step is semi-implicit Euler's, as `rbd.simulate` and compiled robots
take it: v+ = v + dt vd(q, v, torques), then q+ = q moved by dt v+ in each joint's exponential coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar, final

import attrs

from rbd.algorithms.constrained_derivatives import constrained_derivatives_kernel
from rbd.algorithms.external import ExternalWrenches, HeldWrench, held_wrenches, pushes
from rbd.algorithms.forward_dynamics import Torques, forward_dynamics_kernel
from rbd.algorithms.forward_dynamics_derivatives import forward_dynamics_derivatives_kernel
from rbd.algorithms.rigid_derivatives import zero_rows
from rbd.algorithms.spaces import SPACES, Space, check_space, in_space, positions
from rbd.errors import ArgumentError
from rbd.joints import JointType
from rbd.joints.tuples import dot
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.dual import along
from rbd.state import ArrayOf, Link, State, StateView, kernel
from rbd.state.forms import in_forms
from rbd.state.kernel import require_state

A = TypeVar("A", bound=ArrayOf)


@final
@attrs.frozen(eq=False)
class StepDerivatives(Generic[A]):
    """How the state after a step answers the state before it and the torques.

    In `"tangent"` space positions move along velocities on both sides, (nv, nv); in `"coordinates"`, q_by_q is
    (nq, nq), q_by_v and q_by_torques (nq, nv), v_by_q (nv, nq).
    """

    q_by_q: A
    q_by_v: A
    q_by_torques: A
    v_by_q: A
    v_by_v: A
    v_by_torques: A


@kernel(regroup=True, several=True)
def step_derivatives_kernel(
    state: StateView, torques: Vector, dt: Scalar, held: Sequence[HeldWrench] = (), space: Space = "tangent"
) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix, Matrix]:
    """Return the derivatives of q+ by q, v and torques, then those of v+."""
    slopes = _accelerations(state, torques, held)
    vd = forward_dynamics_kernel(state, torques, pushes(state, held))
    faster = tuple(rate + dt * change for rate, change in zip(state.velocity_scalars(), vd, strict=True))
    by_q, by_v, by_torques = (tuple(tuple(dt * x for x in row) for row in slope) for slope in slopes)
    by_v = _plus_identity(by_v)
    turned, moved, after = _moves(state, faster, dt)
    q_by_q = _sum(turned, _product(moved, by_q))
    q_by_v, q_by_torques = _product(moved, by_v), _product(moved, by_torques)
    if space == "coordinates":
        q_by_q, q_by_v, q_by_torques = (_on_coordinates(state, after, m) for m in (q_by_q, q_by_v, q_by_torques))
    return in_space(state, q_by_q, space), q_by_v, q_by_torques, in_space(state, by_q, space), by_v, by_torques


def _accelerations(state: StateView, torques: Vector, held: Sequence[HeldWrench]) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives of vd by position, v and torques; loops are kept, with the default stabilisation."""
    if not state.layout.loops:
        return forward_dynamics_derivatives_kernel(state, torques, held)
    by_q, by_v, by_torques, *_ = constrained_derivatives_kernel(state, torques, held)
    return by_q, by_v, by_torques


def _moves(state: StateView, faster: Vector, dt: Scalar) -> tuple[Matrix, Matrix, list[Vector]]:
    """Return how q+ (along velocities) answers q and v+, block-diagonal, and q+ joint by joint."""
    size = state.layout.nv
    turned, moved = zero_rows(size), zero_rows(size)
    after: list[Vector] = []
    for link in state.links:
        q = _after(link, state.joint_q(link), faster[link.v], dt)
        after.append(q)
        a, b = _plain(link, dt) if _is_plain(link.joint.type) else _bent(state, link, faster[link.v], dt, q)
        for i, k in enumerate(range(link.v.start, link.v.stop)):
            turned[k][link.v], moved[k][link.v] = list(a[i]), list(b[i])
    return tuple(map(tuple, turned)), tuple(map(tuple, moved)), after


def _after(link: Link, q: Vector, v: Vector, dt: Scalar) -> Vector:
    """Return the coordinates of a joint after the step."""
    kind = link.joint.type
    return kind.global_coordinates(q, tuple(dt * rate for rate in kind.local_coordinates_rate(q, q, v)))


def _is_plain(kind: JointType) -> bool:
    """Return whether velocities are the derivatives of coordinates that simply add up."""
    names = ("global_coordinates", "local_coordinates_rate", "configuration_derivative", "velocity_jacobian")
    return all(getattr(type(kind), name) is getattr(JointType, name) for name in names)


def _plain(link: Link, dt: Scalar) -> tuple[Matrix, Matrix]:
    size = range(link.joint.nv)
    return tuple(tuple(int(i == j) for j in size) for i in size), tuple(
        tuple(dt if i == j else 0 for j in size) for i in size
    )


def _bent(state: StateView, link: Link, v: Vector, dt: Scalar, after: Vector) -> tuple[Matrix, Matrix]:
    """Return the two blocks of a joint whose coordinates bend: derivatives of q+ taken back to velocities."""
    q, kind = state.joint_q(link), link.joint.type
    back, size = kind.velocity_jacobian(after), link.joint.nv
    units = [tuple(int(i == k) for i in range(size)) for k in range(size)]
    directions = zip(*kind.configuration_derivative_jacobian(q), strict=True)
    by_q = [along(lambda x: _after(link, x, v, dt), q, direction)[1] for direction in directions]
    by_v = [along(lambda x: _after(link, q, x, dt), v, unit)[1] for unit in units]
    return _times_columns(back, by_q), _times_columns(back, by_v)


def _times_columns(matrix: Matrix, columns: list[Vector]) -> Matrix:
    return tuple(tuple(dot(row, column) for column in columns) for row in matrix)


def _on_coordinates(state: StateView, after: list[Vector], tangent: Matrix) -> Matrix:
    """Return the rows of a derivative of q+ by its coordinates instead of along its velocities."""
    rows: list[Vector] = []
    for link, q in zip(state.links, after, strict=True):
        columns = list(zip(*tangent[link.v], strict=True)) if link.joint.nv else []
        rows += _times_columns(link.joint.type.configuration_derivative_jacobian(q), columns) if columns else ()
    return tuple(rows)


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return _times_columns(a, columns)


def _sum(a: Matrix, b: Matrix) -> Matrix:
    return tuple(tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, b, strict=True))


def _plus_identity(matrix: Matrix) -> Matrix:
    return tuple(tuple(x + 1 if i == j else x for j, x in enumerate(row)) for i, row in enumerate(matrix))


def _check_integrator(integrator: object) -> None:
    if not isinstance(integrator, str) or integrator != "semi-implicit-euler":
        raise ArgumentError(
            f"there is no closed form for a step of {integrator!r}",
            argument="integrator",
            value=integrator,
            allowed=("semi-implicit-euler",),
        )


@in_forms(step_derivatives_kernel, 2, spaces=SPACES, wrenches=True, result=StepDerivatives)
def step_derivatives(
    state: State[A],
    torques: Torques,
    dt: Scalar,
    external_wrenches: ExternalWrenches | None = None,
    *,
    space: Space = "tangent",
    integrator: str = "semi-implicit-euler",
) -> StepDerivatives[A]:
    """Return the derivatives of the state after one step of length `dt` by q, v and torques, in closed form.

    The step is that of `robot.step(..., integrator="semi-implicit-euler")`, the torques held, loops kept; points
    of contact are not felt, as in `forward_dynamics`. `space` and `external_wrenches` as in its derivatives.
    Raises what that does, and ArgumentError for another integrator: `rbd.record` a step and ask for its derivative.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> slopes = rbd.step_derivatives(state, [0.0, 0.0], 1e-3)
    >>> slopes.v_by_v.shape
    (2, 2)
    """
    require_state(state, "step_derivatives")
    check_space(space)
    _check_integrator(integrator)
    nv = state.layout.nv
    drive, (step,) = state.vector(torques, nv, "torques"), state.vector((dt,), 1, "dt")
    n = positions(state, space)
    parts = {"q by q": (n, n), "q by v": (n, nv), "q by torques": (n, nv)}
    parts |= {"v by q": (nv, n), "v by v": (nv, nv), "v by torques": (nv, nv)}
    shapes = {f"derivative of {name}": shape for name, shape in parts.items()}
    held = held_wrenches(state, external_wrenches)
    return StepDerivatives(*state.arrays_of(step_derivatives_kernel, (drive, step, held, space), shapes))
