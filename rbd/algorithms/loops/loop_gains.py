"""Gains of loops and couplings: those of a stabilisation, per constraint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast, final

import attrs
import numpy as np
from typing_extensions import TypeIs

from rbd.algorithms.loops.stabilization import (
    DEFAULT_STABILIZATION,
    Baumgarte,
    LoopStabilization,
    PoseGains,
    ProportionalDerivative,
    Stabilization,
)
from rbd.arguments import described, require_kind
from rbd.errors import AmbiguousNameError, ArgumentError, UnknownNameError
from rbd.indexing.layout import CouplingRow, Layout, LoopJoint
from rbd.joints import Prismatic
from rbd.kernels.state_view import StateView
from rbd.mechanism import Coupling, Joint
from rbd.scalars import Scalar
from rbd.spatial import SpatialAcceleration, Twist
from rbd.spatial.frame import check_frame
from rbd.spatial.linalg import Mat3, Vec3, add3, matvec, neg3, scale3

if TYPE_CHECKING:
    from rbd.spatial import Frame

LoopGain: TypeAlias = float | Mat3
"""A number, or a matrix in the loop joint's frame after."""


@final
@attrs.frozen
class LoopGains:
    """The gains of one loop: plain numbers, so that they compare by value and recordings can be told apart.

    Those of a coupling, whose error is one number, are the angular ones; the linear ones are the same.
    """

    angular_stiffness: LoopGain
    angular_damping: LoopGain
    linear_stiffness: LoopGain
    linear_damping: LoopGain

    @classmethod
    def uniform(cls, stiffness: LoopGain, damping: LoopGain) -> LoopGains:
        """Return gains that are the same for rotation and translation."""
        return cls(stiffness, damping, stiffness, damping)

    def acceleration(self, error: Twist, slip: Twist) -> SpatialAcceleration:
        """Return the stabilising acceleration -(k e + d e') for a loop error and its rate (frame after)."""
        check_frame(slip.frame, error.frame, operation="stabilisation of a loop", argument="slip")
        angular = add3(
            _times(self.angular_stiffness, error.angular_components),
            _times(self.angular_damping, slip.angular_components),
        )
        linear = add3(
            _times(self.linear_stiffness, error.linear_components),
            _times(self.linear_damping, slip.linear_components),
        )
        return SpatialAcceleration.trusted(slip.body, slip.base, slip.frame, neg3(angular), neg3(linear))

    def coordinate_terms(self, error: Scalar, slip: Scalar) -> Scalar:
        """Return the terms k e + d e' of a coupling's entry of the constraint bias."""
        stiffness, damping = cast("Scalar", self.angular_stiffness), cast("Scalar", self.angular_damping)
        return stiffness * error + damping * slip


def _times(gain: LoopGain, vector: Vec3) -> Vec3:
    return matvec(gain, vector) if isinstance(gain, tuple) else scale3(vector, cast("Scalar", gain))


ConstraintGains: TypeAlias = "LoopGains | tuple[LoopGains | None, ...] | None"
"""Gains of all constraints: the same, or those of each loop joint, then of each coupling; None: not stabilised."""
DEFAULT_GAINS: Final = LoopGains.uniform(DEFAULT_STABILIZATION.stiffness, DEFAULT_STABILIZATION.damping)
"""The default of kernels: constants in their machine code."""


def gain_arguments(state: StateView, stabilization: Stabilization) -> tuple[()] | tuple[ConstraintGains]:
    """Return the gains as further arguments of a kernel, none for the default ones.

    Raises as `gains_of_constraints` does.
    """
    gains = gains_of_constraints(state.layout, stabilization)
    return () if gains is DEFAULT_GAINS else (gains,)


def recorded_gains(layout: Layout, stabilization: Stabilization) -> tuple[ConstraintGains, str]:
    """Return the gains of a recording, and what they add to its name: nothing for the default ones and without loops.

    Raises as `gains_of_constraints` does.
    """
    gains = gains_of_constraints(layout, stabilization)
    usual = gains is DEFAULT_GAINS or not layout.is_constrained
    return (DEFAULT_GAINS, "") if usual else (gains, f" {gains!r}")


def gains_of_constraints(layout: Layout, stabilization: Stabilization) -> ConstraintGains:
    """Return the gains of every loop and coupling of a mechanism's layout.

    Raises ArgumentError for anything but a stabilisation, UnknownNameError for a joint that closes no loop and for
    couplings of other mechanisms, AmbiguousNameError for a name of both a loop joint and a coupling.
    """
    if stabilization is None:
        return None
    if isinstance(stabilization, Baumgarte):
        return (
            DEFAULT_GAINS
            if stabilization == DEFAULT_STABILIZATION
            else _gains_in_frame(stabilization, layout.root_frame)
        )
    if not isinstance(stabilization, Mapping):
        if not _is_pose_gains(stabilization):
            raise _no_stabilization(stabilization)
        return tuple(_gains_of_constraint(stabilization, constraint) for constraint in layout.constraints)
    gains = _gains_by_constraint(layout, stabilization)
    return tuple(gains.get(constraint) for constraint in layout.constraints)


def _gains_by_constraint(
    layout: Layout, stabilization: Mapping[Any, LoopStabilization]
) -> dict[LoopJoint | CouplingRow, LoopGains]:
    """Return the gains of the loops and couplings that a mapping has."""
    gains: dict[LoopJoint | CouplingRow, LoopGains] = {}
    for key, value in stabilization.items():
        constraint = _constraint_of_key(layout, key)
        if constraint in gains:
            name = (constraint.joint if isinstance(constraint, LoopJoint) else constraint.coupling).name
            message = f"stabilization has two gains for '{name}', one under its name"
            raise ArgumentError(message, argument="stabilization", value=stabilization)
        gains[constraint] = _gains_of_constraint(value, constraint)
    return gains


def _constraint_of_key(layout: Layout, key_or_name: object) -> LoopJoint | CouplingRow:
    """Return the loop or coupling that a key of a mapping means."""
    require_kind(key_or_name, Joint, Coupling, str, operation="stabilisation of loops", argument="stabilization (key)")
    key = cast("Joint | Coupling | str", key_or_name)
    name = key if isinstance(key, str) else key.name
    coupling = None if isinstance(key, Joint) else layout.coupling(key)
    if coupling is not None:
        if any(loop.joint.name == key for loop in layout.loops):
            message = f"'{name}' is a loop joint and a coupling"
            raise AmbiguousNameError(message, kind="loop joint or coupling", name=name)
        return coupling
    loop = None if isinstance(key, Coupling) else layout.loop(key)
    if loop is None:
        kind, what = ("coupling", "is none of") if isinstance(key, Coupling) else ("loop joint", "closes no loop of")
        word = "coupling" if isinstance(key, Coupling) else "joint"
        raise UnknownNameError(f"{word} '{name}' {what} this mechanism", kind=kind, name=name)
    return loop


def _is_pose_gains(value: object) -> TypeIs[PoseGains]:
    """Return whether a value has gains; the class of such values has descriptors of their names."""
    return isinstance(value, PoseGains) and not isinstance(value, type)


def _gains_of_constraint(value: object, constraint: LoopJoint | CouplingRow) -> LoopGains:
    """Return the gains of one loop or coupling from a stabilisation."""
    if isinstance(constraint, LoopJoint):
        return _gains_in_frame(value, constraint.joint.frame_after)
    if _is_pose_gains(value):
        return _gains_of_coupling(value, constraint.coupling)
    return _gains_in_frame(value, constraint.coupling.joint.frame_after)


def _gains_of_coupling(value: PoseGains, coupling: Coupling) -> LoopGains:
    """Return the gains of a coupling: the linear ones for a prismatic joint, else the angular ones."""
    joint = coupling.joint
    stiffness, damping = _stiffness_and_damping(
        value.linear if isinstance(joint.type, Prismatic) else value.angular, joint.frame_after
    )
    if isinstance(stiffness, tuple) or isinstance(damping, tuple):
        raise ArgumentError(
            f"the gains of coupling '{coupling.name}' must be numbers, not matrices; use a mapping to give it its own",
            argument="stabilization",
            value=value,
            allowed="numbers",
        )
    return LoopGains.uniform(stiffness, damping)


def _gains_in_frame(value: object, frame: Frame) -> LoopGains:
    """Return gains of rotation and translation from a stabilisation, in a frame."""
    if isinstance(value, Baumgarte):
        return LoopGains.uniform(value.stiffness, value.damping)
    if _is_pose_gains(value):
        return LoopGains(*_stiffness_and_damping(value.angular, frame), *_stiffness_and_damping(value.linear, frame))
    raise _no_stabilization(value)


def _no_stabilization(value: object) -> ArgumentError:
    message = "stabilization must be None, a Baumgarte, SE3PDGains or a mapping of loop joints and couplings to those"
    return ArgumentError(
        f"{message}, not {described(value)}",
        argument="stabilization",
        value=value,
        allowed="None, Baumgarte, SE3PDGains, Mapping[Joint, ...]",
    )


def _stiffness_and_damping(gains: object, after: Frame) -> tuple[LoopGain, LoopGain]:
    """Return stiffness and damping; gains that name a frame must name the loop joint's frame after."""
    frame = getattr(gains, "frame", None)
    if frame is not None:
        check_frame(frame, after, operation="stabilisation of a loop", argument="the gains' frame")
    if not isinstance(gains, ProportionalDerivative):
        raise ArgumentError(
            f"the gains of a loop need k and d, got {gains!r}", argument="stabilization", value=gains, allowed="PDGains"
        )
    return _number_or_matrix(gains.k), _number_or_matrix(gains.d)


def _number_or_matrix(value: object) -> LoopGain:
    """Return a gain as a number or a matrix, which is diagonal for a gain per coordinate."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.full((), np.nan)
    if array.shape not in ((), (3,), (3, 3)) or not np.isfinite(array).all():
        message = "a gain must be a finite number, three of them or a 3x3 matrix"
        raise ArgumentError(message, argument="stabilization", value=value, allowed="a number")
    if not array.shape:
        return float(array)
    a, b, c = ((float(x), float(y), float(z)) for x, y, z in (array if array.ndim == 2 else np.diag(array)).tolist())
    return a, b, c
