"""Articulated-body algorithm (ABA): Featherstone (2008), table 7.1; joints of known acceleration as in section 9.2.

It differs from the table in two things:

* Accelerations a, a', c are those of frame origins, not spatial ones (`rbd/spatial/recursions/classical.py`). Then p of
  a single body, and with it p^A, needs no linear velocity. I^A, U, D, u and vd are the same; a_0 = -gravity as in the
  table.
* The second pass is a generator of I^A, U and D, which depend on q only and are all that `articulated_inertia` needs;
  forces follow body by body, so that few intermediate results live at a time.

Everything is expressed in body frames. `X_PB` is the transform from a body to its parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, final

import attrs

from rbd.algorithms.external_wrenches import AppliedWrenches, minus_external
from rbd.indexing.layout import TreeNode
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.linear_algebra import subtract
from rbd.solvers.equations.ltdl_factor import Factor
from rbd.spatial import GeometricJacobian, Transform, Wrench, WrenchMatrix
from rbd.spatial.linalg import neg3
from rbd.spatial.recursions.articulated import ArticulatedInertia
from rbd.spatial.recursions.classical import ClassicalAcceleration, ClassicalMotion
from rbd.spatial.recursions.column_operations import transpose_product, transpose_times_acceleration

KnownAccelerations: TypeAlias = Mapping[int, Vector]
"""Index of a node -> the accelerations of its joint."""
NONE_KNOWN: KnownAccelerations = {}


@final
@attrs.frozen(eq=False)
class JointFactor:
    """U and the factored D of a joint of unknown acceleration."""

    U: WrenchMatrix
    """I^A S."""
    D: Factor
    """S^T U plus armature, factored."""

    def acceleration(self, u: Vector, a: ClassicalAcceleration) -> Vector:
        """Return vd = D^-1 (u - U^T a) when the body would accelerate by `a` with the joint locked."""
        return self.D.solve(subtract(u, transpose_times_acceleration(self.U, a)))


@final
@attrs.frozen(eq=False)
class ArticulatedMotion:
    """The result of the algorithm: one entry per body, the root first, each in the frame of the body."""

    I_A: Sequence[ArticulatedInertia]
    p_A: Sequence[Wrench[Any]]
    """The joint's wrench on the body is I^A a + p^A; not found for the root."""
    a: Sequence[ClassicalAcceleration]
    vd: Vector

    @property
    def f(self) -> tuple[Wrench[Any], ...]:
        """The wrench that its joint applies to each body: I^A a + p^A."""
        return tuple(I_A.wrench_of_classical(a) + p_A for I_A, a, p_A in zip(self.I_A, self.a, self.p_A, strict=True))


def articulated_motion(
    state: StateView, tau: Vector, external: AppliedWrenches = (), prescribed: KnownAccelerations = NONE_KNOWN
) -> ArticulatedMotion:
    """Return the motion under all torques of the joints, passive ones included; those of `prescribed` do not matter."""
    known = _with_fixed_joints(state, prescribed)
    c, p_A = _velocity_terms(state, external)
    I_A, joints, u = _inward(state, tau, known, c, p_A)
    a, vd = _accelerations(state, known, c, joints, u)
    return ArticulatedMotion(I_A, p_A, a, vd)


def _joints(state: StateView) -> list[tuple[TreeNode, Transform, GeometricJacobian]]:
    """Return the tree joints from the root outwards, each with X_PB and S."""
    return list(zip(state.nodes, passes.to_parent(state), passes.subspaces(state), strict=True))


def _with_fixed_joints(state: StateView, prescribed: KnownAccelerations) -> KnownAccelerations:
    """Return the joints whose accelerations are known before the algorithm starts."""
    return {**{node.index: () for node in state.nodes if not node.joint.nv}, **prescribed}


def _velocity_terms(
    state: StateView, external: AppliedWrenches
) -> tuple[list[ClassicalAcceleration], list[Wrench[Any]]]:
    """First pass: return per body c, its acceleration for vd = 0 over a parent that has none, and p."""
    root, inertias = state.layout.root_frame, passes.body_inertias(state)
    motions = [ClassicalMotion.fixed(root, (0, 0, 0))]
    c, p = [ClassicalAcceleration.zero(root, root)], [motions[0].wrench(inertias[0])]
    rows = zip(
        state.nodes,
        passes.to_parent(state),
        passes.joint_twists(state),
        passes.joint_bias_accelerations(state),
        strict=True,
    )
    for node, X_PB, V_J, c_J in rows:
        motion = motions[node.parent].across_joint(X_PB, V_J, c_J)
        c.append(motion.acceleration)
        motions.append(motion.without_acceleration())
        p.append(motions[-1].wrench(inertias[node.index]))
    return c, minus_external(state, p, external)


def articulated_inertias(state: StateView) -> list[ArticulatedInertia]:
    """Return I^A of every body, with all joints free."""
    I_A = [ArticulatedInertia.of_rigid_body(inertia) for inertia in passes.body_inertias(state)]
    for _ in _inertias_inward(state, _with_fixed_joints(state, NONE_KNOWN), I_A):
        pass
    return I_A


def _inertias_inward(
    state: StateView, known: KnownAccelerations, I_A: list[ArticulatedInertia]
) -> Iterator[tuple[TreeNode, Transform, GeometricJacobian, JointFactor | None]]:
    """Second pass, inertias: turn I into I^A; yield each joint, X_PB, S, and U and D unless its acceleration is known.

    When a joint is yielded, I^A of its body is final, and its parent has been added to.
    """
    for node, X_PB, S in reversed(_joints(state)):
        I_a, joint = I_A[node.index], None
        if node.index not in known:
            U = I_a @ S
            D = _joint_inertia(state, node, transpose_product(S, U))
            joint = JointFactor(U, D)
            I_a = I_a.across_joint(U, U.with_columns(U.times(D.inverse())))
        I_A[node.parent] = I_A[node.parent] + I_a.transformed(X_PB)
        yield node, X_PB, S, joint


def _joint_inertia(state: StateView, node: TreeNode, S_U: Matrix) -> Factor:
    """Return D = S^T U plus armature, factored; raise SingularError naming the joint."""
    armature = state.joint_parameter(node.joint, "armature")
    D = tuple(tuple(x + armature[i] if i == j else x for j, x in enumerate(row)) for i, row in enumerate(S_U))
    return Factor.of(D, [f"the inertia that joint '{node.joint.name}' moves"] * node.joint.nv)


def _inward(
    state: StateView, tau: Vector, known: KnownAccelerations, c: list[ClassicalAcceleration], p_A: list[Wrench[Any]]
) -> tuple[list[ArticulatedInertia], dict[int, JointFactor], dict[int, Vector]]:
    """Second pass: turn p into p^A; return I^A, and of joints of unknown acceleration U, D and u = tau - S^T p^A."""
    I_A = [ArticulatedInertia.of_rigid_body(inertia) for inertia in passes.body_inertias(state)]
    joints, u = dict[int, JointFactor](), dict[int, Vector]()
    for node, X_PB, S, joint in _inertias_inward(state, known, I_A):
        i = node.index
        if joint is not None:
            joints[i], u[i] = joint, subtract(tau[node.v_slice], S.torque_components(p_A[i]))
        if not node.parent:
            continue
        # p^a = p^A + I^a c + U D^-1 u = p^A + I^A c + U D^-1 (u - U^T c), or p^A + I^A (c + S vd) for known vd.
        if joint is not None:
            p_a = I_A[i].wrench_of_classical(c[i])
            p_a += Wrench.trusted(c[i].body, *joint.U.combination(joint.acceleration(u[i], c[i])))
        else:
            p_a = I_A[i].wrench_of_classical(c[i].plus_joint_acceleration(S, known[i]))
        p_A[node.parent] = p_A[node.parent] + (p_A[i] + p_a).transformed(X_PB)
    return I_A, joints, u


def _accelerations(
    state: StateView,
    known: KnownAccelerations,
    c: list[ClassicalAcceleration],
    joints: dict[int, JointFactor],
    u: dict[int, Vector],
) -> tuple[list[ClassicalAcceleration], Vector]:
    """Third pass: return a of every body, and vd = D^-1 (u - U^T a') with a' = a of the parent plus c."""
    root = state.layout.root_frame
    a = [ClassicalAcceleration(root, root, (0, 0, 0), neg3(state.gravity.xyz_components))]
    vd: list[Scalar] = []
    for node, X_PB, S in _joints(state):
        i = node.index
        a_B = a[node.parent].shifted_to(X_PB) + c[i]
        vd_J = joints[i].acceleration(u[i], a_B) if i in joints else known[i]
        vd += vd_J
        a.append(a_B.plus_joint_acceleration(S, vd_J))
    return a, tuple(vd)
