"""What inertial parameters, gravity and external wrenches do to torques: all are linear.

Atkeson, An and Hollerbach (1986) for the regressor. With loops, torques are those of the spanning tree, M vd + c: what
loops add to them does not depend on these.
"""

from __future__ import annotations

from typing import Any, TypeVar

from rbd.algorithms.inverse_dynamics import Vd
from rbd.algorithms.newton_euler import motions
from rbd.mechanism import RigidBody
from rbd.scalars import Matrix, Scalar, Vector
from rbd.spatial import Frame, FreeVector, SpatialInertia, Transform, WrenchMatrix
from rbd.spatial.classical import ClassicalMotion
from rbd.spatial.linalg import cross3, identity3, neg3, scale3, symmetric
from rbd.spatial.pairing import pair
from rbd.state import ArrayOf, State, StateView, kernel, passes
from rbd.state.engine import Call, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.frames import attachment, body_and_frame
from rbd.state.kernel import require_state

A = TypeVar("A", bound=ArrayOf)
PARAMETERS = 10
"""Per body: moment xx, xy, xz, yy, yz, zz about the frame's origin, mass times centre of mass, mass."""


@kernel
def regressor_kernel(state: StateView, vd: Vector) -> Matrix:
    """Return Y: per body, the wrenches unit parameters would take, felt by every joint that carries it."""
    width = PARAMETERS * len(state.links)
    rows: list[list[Scalar]] = [[0] * width for _ in range(state.layout.nv)]
    moving, steps, subspaces = motions(state, vd), passes.to_parent(state), passes.subspaces(state)
    for link in state.links:
        wrenches, start = _unit_wrenches(moving[link.index]), PARAMETERS * (link.index - 1)
        for carrier in passes.ancestry(state, link):
            for i, entries in enumerate(pair(subspaces[carrier.index - 1], wrenches), start=carrier.v.start):
                rows[i][start : start + PARAMETERS] = entries
            wrenches = wrenches.transformed(steps[carrier.index - 1])
    return tuple(tuple(row) for row in rows)


def _unit_wrenches(motion: ClassicalMotion) -> WrenchMatrix[Any]:
    """Return the wrenches that a body takes for one unit of each of its parameters."""
    columns: list[Any] = []
    for k in range(PARAMETERS):
        xx, xy, xz, yy, yz, zz, x, y, z, mass = (int(i == k) for i in range(PARAMETERS))
        unit = SpatialInertia.trusted(motion.body, symmetric(xx, xy, xz, yy, yz, zz), (x, y, z), mass)
        wrench = motion.wrench(unit)
        columns.append((wrench.angular_components, wrench.linear_components))
    return WrenchMatrix.trusted(motion.body, tuple(columns))


@fast_path(vectors=1)
def regressor(state: State[A], vd: Vd) -> Call[A]:
    """Return Y, (nv, 10 nb), with Y @ p the torques the bodies' motion with accelerations `vd` takes.

    p has ten parameters for each body but the root, in the order of `mechanism.bodies`: the moment about the origin of
    the body's frame (xx, xy, xz, yy, yz, zz), mass times centre of mass, mass. It is what `inverse_dynamics` gives but
    for armature and passive torques, and its derivative by the parameters. That of `forward_dynamics` is minus the
    inverse of M times Y, taken at its vd; with loops, `torques` here means those of the tree, M vd + c, and the
    derivatives of vd and multipliers are minus `vd_by_torques` and `multipliers_by_torques` of
    `constrained_dynamics_derivatives` times Y. Raises ShapeError, NotFiniteError.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> state = rbd.MechanismState(mechanism, [0.3, 0.4], [1.0, 2.0])
    >>> p = np.concatenate([body.inertia.components for body in mechanism.bodies[1:]])
    >>> bool(np.allclose(rbd.regressor(state, [0.5, 0.6]) @ p, rbd.inverse_dynamics(state, [0.5, 0.6])))
    True
    """
    require_state(state, "regressor")
    shape = {"regressor": (state.layout.nv, PARAMETERS * len(state.links))}
    return KernelCall(regressor_kernel, (state.vector(vd, state.layout.nv, "vd"),), shape)


@kernel(regroup=True)
def gravity_derivatives_kernel(state: StateView) -> Matrix:
    """Return minus what composite bodies of each joint feel of unit fields along the root's axes."""
    rows: list[Vector] = []
    for link, subspace in zip(state.links, passes.subspaces(state), strict=True):
        composite, pose = passes.composite_inertias(state)[link.index], passes.to_root(state)[link.index]
        pulls: list[Any] = []
        for axis in identity3():
            field = (pose.inverse() @ FreeVector.trusted(pose.to_frame, axis)).xyz_components
            pulls.append(
                (neg3(cross3(composite.cross_part_components, field)), scale3(neg3(field), composite.mass)),
            )
        rows += pair(subspace, WrenchMatrix.trusted(composite.frame, tuple(pulls)))
    return tuple(rows)


@fast_path()
def gravity_derivatives(state: State[A]) -> Call[A]:
    """Return the derivative of inverse dynamics by gravity (root frame), (nv, 3); times g it is `gravity_torques`.

    The derivative of forward dynamics is minus the inverse of M times this; see `regressor` for loops.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> torques = rbd.algorithms.gravity_derivatives(state) @ state.gravity.xyz
    >>> bool(abs(torques - rbd.gravity_torques(state)).max() < 1e-12)
    True
    """
    require_state(state, "gravity_derivatives")
    return KernelCall(gravity_derivatives_kernel, (), {"gravity derivatives": (state.layout.nv, 3)})


@kernel
def external_wrench_derivatives_kernel(state: StateView, index: int, holder: RigidBody, to_frame: Transform) -> Matrix:
    """Return minus the Jacobian of a body, transposed; `to_frame` leads to the frame wanted from that of `holder`."""
    rows: list[Vector] = [(0,) * 6] * state.layout.nv
    for link in (state.links[i - 1] for i in state.layout.ancestors(index)):
        step = to_frame @ passes.between(state, link.body, holder)
        moved = passes.subspaces(state)[link.index - 1].transformed(step)
        rows[link.v] = [tuple(-x for x in (*angular, *linear)) for angular, linear in moved.columns]
    return tuple(rows)


@fast_path(objects=1, frame=True)
def external_wrench_derivatives(state: State[A], body: RigidBody, *, frame: Frame[Any] | None = None) -> Call[A]:
    """Return the derivative of inverse dynamics by a wrench on `body`, (nv, 6): minus its Jacobian, transposed.

    The wrench, angular part first, is in `frame`, any frame attached to a body (the root frame when not given). The
    derivative of forward dynamics is minus the inverse of M times this; see `regressor` for loops. Raises
    UnknownNameError, FrameMismatchError.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4])
    >>> rbd.algorithms.external_wrench_derivatives(state, state.mechanism.bodies[-1]).shape
    (2, 6)
    """
    require_state(state, "external_wrench_derivatives")
    index = state.layout.body_index(body)
    holder, place = body_and_frame(state, state.layout.root_frame if frame is None else frame)
    args = index, holder, attachment(state, holder, place)
    shape = {"external wrench derivatives": (state.layout.nv, 6)}
    return KernelCall(external_wrench_derivatives_kernel, args, shape)
