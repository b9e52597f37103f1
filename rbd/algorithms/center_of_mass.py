"""Mass, centre of mass and its Jacobian: Featherstone (2008), sections 2.12 and 2.13.

Positions are relative to the trunk, the first body a joint carries, for accuracy far from the root.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from rbd.arguments import require_kind, sequence
from rbd.engine.fast_path import fast_path
from rbd.errors import SingularError
from rbd.indexing.layout import layout_of
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import ArrayT, State
from rbd.mechanism import Mechanism, RigidBody
from rbd.scalars import Scalar, is_float, to_float
from rbd.spatial import FreeVector, Point, PointJacobian
from rbd.spatial.linalg import Vec3, add3, matvec, scale3


@kernel
def mass_moment_kernel(state: StateView, indices: tuple[int, ...]) -> tuple[Scalar, Vec3]:
    """Return m and m c of some bodies: their mass, and mass times centre of mass in the frame of the trunk."""
    total: Scalar = 0
    moment: Vec3 = (0, 0, 0)
    inertias, poses = passes.body_inertias(state), passes.to_trunk(state)
    for index in indices:
        inertia, pose = inertias[index], poses[index]
        total = total + inertia.mass
        shifted = matvec(pose.rotation_components, inertia.first_moment_components)
        moment = add3(moment, add3(shifted, scale3(pose.translation_components, inertia.mass)))
    return total, moment


@kernel
def center_of_mass_kernel(state: StateView, indices: tuple[int, ...]) -> Point[Any]:
    """Return the centre of mass of some bodies, in the root frame."""
    return passes.to_root(state)[state.layout.trunk] @ center_from_trunk(state, indices)


@fast_path()
def center_of_mass(state: State[Any], bodies: Iterable[RigidBody | str] | None = None) -> Call[Point[Any]]:
    """Centre of mass of `bodies`, or of bodies of these names (all when not given), in the root frame.

    Each body counts once.

    Raises SingularError when they have no mass, UnknownNameError for a body that is not part of the mechanism.

    >>> import rbd
    >>> rbd.center_of_mass(rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4]))
    Point in 'world': (-0.382695, 0, -0.907713)
    """
    layout = state.layout
    chosen = layout.bodies[1:] if bodies is None else sequence(bodies, "bodies", "bodies")
    indices = tuple(dict.fromkeys(layout.body_index(body) for body in chosen))
    return KernelCall(center_of_mass_kernel, (indices,))


@kernel
def center_of_mass_jacobian_kernel(state: StateView) -> tuple[Vec3, ...]:
    """Return, per velocity, the velocity of the centre of mass: the linear part of I^C_i S_i, divided by the mass."""
    total, _ = _mass_moment(state, tuple(range(1, len(state.layout.bodies))))
    columns: list[Vec3] = []
    for node, subspace in zip(state.nodes, passes.subspaces(state), strict=True):
        rotation = passes.to_root(state)[node.index].rotation_components
        for _, linear in (passes.composite_inertias(state)[node.index] @ subspace).columns:
            x, y, z = matvec(rotation, linear)
            columns.append((x / total, y / total, z / total))
    return tuple(columns)


@fast_path()
def center_of_mass_jacobian(state: State[ArrayT]) -> Call[PointJacobian[Any]]:
    """Jacobian of the centre of mass of all bodies, in the root frame: J @ v is its velocity.

    Raises SingularError when the bodies have no mass.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 0.5])
    >>> velocity = rbd.algorithms.center_of_mass_jacobian(state) @ state.v
    >>> bool(abs(velocity.xyz * state.mechanism.mass - rbd.momentum(state).linear).max() < 1e-12)
    True
    """
    convert = partial(PointJacobian.trusted, state.layout.root_frame)
    return KernelCall(center_of_mass_jacobian_kernel, convert=convert)


def center_from_trunk(state: StateView, indices: tuple[int, ...] | None = None) -> Point[Any]:
    """Return the centre of mass in the frame of the trunk."""
    layout = state.layout
    chosen = tuple(range(1, len(layout.bodies))) if indices is None else indices
    total, (x, y, z) = _mass_moment(state, chosen)
    return Point.trusted(layout.bodies[layout.trunk].default_frame, (x / total, y / total, z / total))


def _mass_moment(state: StateView, indices: tuple[int, ...]) -> tuple[Scalar, Vec3]:
    """Return m and m c as `mass_moment_kernel`; raise SingularError when m is known and zero."""
    total, moment = mass_moment_kernel(state, indices)
    if is_float(total) and to_float(total) <= 0:
        raise SingularError("bodies without mass have no centre of mass", what="mass")
    return total, moment


def weight_moment(state: StateView) -> Scalar:
    """Return m g . c, with c in the root frame: minus the potential energy."""
    total, moment = mass_moment_kernel(state, tuple(range(1, len(state.layout.bodies))))
    trunk = passes.to_root(state)[state.layout.trunk]
    from_root = add3(matvec(trunk.rotation_components, moment), scale3(trunk.translation_components, total))
    return state.gravity.dot(FreeVector.trusted(state.layout.root_frame, from_root))


def mass(mechanism: Mechanism) -> Scalar:
    """Mass of all bodies but the root.

    >>> import rbd
    >>> rbd.mass(rbd.robots.double_pendulum())
    2.0
    """
    require_kind(mechanism, Mechanism, operation="mass", argument="mechanism")
    return mechanism.mass


def subtree_mass(mechanism: Mechanism, body: RigidBody | str) -> Scalar:
    """Mass of `body` and of its subtree in the spanning tree, without that of the root.

    Raises UnknownNameError when the body is not part of the mechanism.

    >>> import rbd
    >>> mechanism = rbd.robots.double_pendulum()
    >>> rbd.subtree_mass(mechanism, mechanism.body("lower_link"))
    1.0
    """
    layout = layout_of(mechanism)
    top = layout.body_index(body)
    inside = {top}
    total: Scalar = 0 if top == 0 else _mass_of(layout.bodies[top])
    for node in layout.nodes:
        if node.parent in inside:
            inside.add(node.index)
            total = total + _mass_of(node.body)
    return total


def _mass_of(body: RigidBody) -> Scalar:
    return 0 if body.inertia is None else body.inertia.mass
