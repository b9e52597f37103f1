"""Derivatives of the accelerations torques make.

From M vd + c = torques + passive follows d vd = M^-1 (d torques - d ID), ID being the inverse dynamics at vd
(Carpentier and Mansard, 2018). M comes with the derivatives of ID, so that vd is found by its factor too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, final

import attrs

from rbd.algorithms.constrained_derivatives import constrained_dynamics_derivatives
from rbd.algorithms.external import ExternalWrenches, HeldWrench, held_wrenches, pushes
from rbd.algorithms.extra_derivatives import extra_derivatives
from rbd.algorithms.forward_dynamics import Torques
from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.passive import passive_torques_kernel
from rbd.algorithms.products import solve_less
from rbd.algorithms.rigid_derivatives import Rows, derivatives_of
from rbd.algorithms.spaces import SPACES, Space, check_space, in_space, positions
from rbd.algorithms.stabilization import DEFAULT, Stabilization
from rbd.algorithms.variations import Variations, variations
from rbd.joints.floating import FloatingJoint
from rbd.scalars import Matrix, Scalar, Vector
from rbd.solvers.linear import Factor, symmetric
from rbd.state import ArrayOf, Link, State, StateView, kernel
from rbd.state.engine import Call, Done, KernelCall
from rbd.state.fast_path import fast_path
from rbd.state.kernel import require_state

A = TypeVar("A", bound=ArrayOf)


@kernel(regroup=True, several=True)
def forward_dynamics_derivatives_kernel(
    state: StateView, torques: Vector, held: Sequence[HeldWrench] = (), space: Space = "tangent"
) -> tuple[Matrix, Matrix, Matrix]:
    """Return the derivatives of vd by position, by v and by torques, which is the inverse of M."""
    by_position, by_velocity, inverse = linear_motion(state, torques, held).slopes()
    return in_space(state, by_position, space), by_velocity, inverse


Known = dict[int, tuple[Link, Vector]]
"""Column -> what M has to be multiplied by to give it: accelerations of the joint of a link."""


@final
@attrs.frozen(eq=False)
class LinearMotion:
    """The equations of motion as linear equations for changes of vd."""

    vd: Vector
    factor: Factor
    """That of M."""
    takes: list[Sequence[Scalar]]
    """The torques that a held vd takes, for a move along each velocity and a change of each, without what is known."""
    known: tuple[Known, Known]
    """What is known of the answers to moves and to changes."""

    def slopes(self) -> tuple[Matrix, Matrix, Matrix]:
        """Return the derivatives of vd by position, by v and by torques."""
        nv, (of_moves, of_changes) = len(self.vd), self.known
        found = self.factor.negative().solve_all([*self.takes, *_negative_identity(nv)])
        by_position, by_velocity = _answers(found[:nv], of_moves), _answers(found[nv : 2 * nv], of_changes)
        return by_position, by_velocity, symmetric(found[2 * nv :])

    def answers(self, q: Matrix, v: Matrix, torques: Matrix) -> Matrix:
        """Return the rows of vd from those of q (along velocities), of v and of the torques."""
        takes = tuple(zip(*self.takes, strict=True))
        rows = list(solve_less(self.factor, torques, takes, (*q, *v)))
        for known, moved in zip(self.known, (q, v), strict=True):
            for k, (link, rates) in known.items():
                for i, rate in enumerate(rates, start=link.v.start):
                    rows[i] = tuple(x - rate * y for x, y in zip(rows[i], moved[k], strict=True))
        return tuple(rows)


def linear_motion(state: StateView, torques: Vector, held: Sequence[HeldWrench] = ()) -> LinearMotion:
    """Return the linear equations around the motion that the torques make."""
    factor = factored(state, mass_matrix_kernel(state))
    vd = factor.solve(_drive(state, torques, held))
    varied = variations(state, vd)
    rigid, extra = derivatives_of(state, varied), extra_derivatives(state, held)
    known = _positions_known(state, varied), _velocities_known(state, varied)
    right = _right(state, rigid.by_position, extra.by_position, known[0])
    right += _right(state, rigid.by_velocity, extra.by_velocity, known[1])
    return LinearMotion(vd, factor, right, known)


def _drive(state: StateView, torques: Vector, held: Sequence[HeldWrench]) -> Vector:
    """Return what is left of the torques to accelerate."""
    bias, passive = dynamics_bias_kernel(state, pushes(state, held)), passive_torques_kernel(state)
    return tuple(torque + own - c for torque, own, c in zip(torques, passive, bias, strict=True))


def _positions_known(state: StateView, varied: Variations) -> Known:
    """Return the columns of floating joints on the root: turning all bodies as one turns gravity the other way."""
    known: Known = {}
    for link in _floating(state):
        for k, (angular, linear) in enumerate(varied.joints[link.index - 1].bend.columns):
            known[link.v.start + k] = (link, angular + linear)
    return known


def _velocities_known(state: StateView, varied: Variations) -> Known:
    """Return the columns of the linear velocities of floating joints on the root: all bodies share them."""
    known: Known = {}
    for link in _floating(state):
        for k, (angular, linear) in list(enumerate(varied.joints[link.index - 1].whirl.columns))[3:]:
            known[link.v.start + k] = (link, angular + linear)
    return known


def _floating(state: StateView) -> list[Link]:
    return [link for link in state.links if link.parent == 0 and isinstance(link.joint.type, FloatingJoint)]


def _right(state: StateView, rigid: Rows, extra: Rows, known: Known) -> list[Sequence[Scalar]]:
    """Return, column by column, what the change of torques leaves M to do, without what is known."""
    columns: list[Sequence[Scalar]] = []
    for k in range(len(rigid)):
        right, found = [row[k] for row in extra], known.get(k)
        if found is None:
            right = [x + row[k] for x, row in zip(right, rigid, strict=True)]
        else:
            _take_rotors(state, right, *found)
        columns.append(right)
    return columns


def _negative_identity(size: int) -> list[Vector]:
    return [tuple(-1 if i == j else 0 for i in range(size)) for j in range(size)]


def _answers(columns: Sequence[Vector], known: Known) -> Matrix:
    """Return the rows of a matrix from its columns, with what is known of them."""
    full = [list(column) for column in columns]
    for k, (link, rates) in known.items():
        for i, rate in enumerate(rates, start=link.v.start):
            full[k][i] = full[k][i] - rate
    return tuple(zip(*full, strict=True))


def _take_rotors(state: StateView, right: list[Scalar], link: Link, rates: Vector) -> None:
    """Take off what M makes of `rates` because of armatures, which the motion of bodies does not feel."""
    armatures = state.joint_parameter(link.joint, "armature")
    for i, (armature, rate) in enumerate(zip(armatures, rates, strict=True), start=link.v.start):
        right[i] = right[i] - armature * rate


@fast_path(vectors=1, wrenches=True, choices={"space": SPACES})
def forward_dynamics_derivatives(
    state: State[A],
    torques: Torques,
    external_wrenches: ExternalWrenches | None = None,
    *,
    space: Space = "tangent",
    stabilization: Stabilization = DEFAULT,
) -> Call[tuple[A, A, A]]:
    """Return (d_dq, d_dv, d_dtau), the derivatives of `forward_dynamics`; d_dtau is the inverse of the mass matrix.

    `space` and `external_wrenches` as in `inverse_dynamics_derivatives`. With loops, d_dtau is the inverse of M as far
    as these allow motion; see `constrained_dynamics_derivatives`, which has those of the multipliers too. Raises
    ArgumentError for another space, ShapeError, NotFiniteError, FrameMismatchError, and SingularError, naming the
    joint, when M cannot be inverted.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.3, 0.4], [1.0, 2.0])
    >>> d_dq, d_dv, d_dtau = rbd.forward_dynamics_derivatives(state, [0.5, -0.5])
    >>> bool(np.allclose(d_dtau, rbd.inverse_mass_matrix(state)))
    True
    """
    require_state(state, "forward_dynamics_derivatives")
    check_space(space)
    if state.layout.loops:
        if stabilization is DEFAULT:  # which has a fast path
            found = constrained_dynamics_derivatives(state, torques, external_wrenches, space=space)
        else:
            found = constrained_dynamics_derivatives(
                state, torques, external_wrenches, space=space, stabilization=stabilization
            )
        return Done((found.vd_by_q, found.vd_by_v, found.vd_by_torques))
    nv = state.layout.nv
    drive = state.vector(torques, nv, "torques")
    return KernelCall(
        forward_dynamics_derivatives_kernel,
        (drive, held_wrenches(state, external_wrenches), space),
        {
            "derivative by position": (nv, positions(state, space)),
            "derivative by velocity": (nv, nv),
            "inverse mass matrix": (nv, nv),
        },
    )
