"""Constraint Jacobian, constraint bias and errors of loops and couplings, as arrays.

Featherstone (2008), section 8.2; their kernels are in `kinematics.py`.
"""

from __future__ import annotations

from typing import Any, overload

from rbd.algorithms.loops.kinematics import (
    constraint_bias_kernel,
    constraint_error_kernel,
    constraint_jacobian_kernel,
)
from rbd.algorithms.loops.loop_gains import gain_arguments
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION, Stabilization
from rbd.engine.fast_path import fast_path
from rbd.kernels.calls import Call, KernelCall
from rbd.kernels.kernel import kernel
from rbd.kernels.state_view import StateView
from rbd.kinematics.queries import ArrayT, State
from rbd.scalars import Scalar, absolute, maximum
from rbd.state import MechanismState


@kernel
def loop_gap_kernel(state: StateView) -> Scalar:
    """Return the largest loop error."""
    gap: Scalar = 0
    for error in constraint_error_kernel(state):
        gap = maximum(gap, absolute(error))
    return gap


@fast_path(out=True)
def constraint_jacobian(state: State[ArrayT], *, out: ArrayT | None = None) -> Call[ArrayT]:
    """Constraint Jacobian K, (nc, nv): K v is the rate at which the loops open, zero where they stay closed.

    Rows come loop joint by loop joint, in the order of `mechanism.loop_joints`, 6 - nv each: the power of every wrench
    of the joint's `constraint_wrench_subspace` on the twist of its frame after with respect to its frame before. For
    joints whose subspace depends on their coordinates, these are the ones nearest to the pose the tree gives. The rows
    of `mechanism.couplings` come last, one each: 1 at the joint, minus the slope dq/dx at its source.

    >>> import numpy as np, rbd
    >>> state = rbd.MechanismState(rbd.robots.four_bar(), rbd.robots.four_bar_configuration(0.3))
    >>> K = rbd.constraint_jacobian(state)
    >>> K.shape, int(np.linalg.matrix_rank(K))           # five constraints, of which the plane leaves two
    ((5, 3), 2)
    """
    shape = (state.layout.nc, state.layout.nv)
    return KernelCall(constraint_jacobian_kernel, (), {"constraint jacobian": shape}, out=out)


@fast_path(out=True)
def constraint_bias(
    state: State[ArrayT], *, stabilization: Stabilization = DEFAULT_STABILIZATION, out: ArrayT | None = None
) -> Call[ArrayT]:
    """Constraint bias k, (nc,), of K vd = -k: such vd keep the loops closed or let their errors decay.

    With `stabilization=None`, d/dt (K v) = K vd + k along motions that keep the loops closed. `stabilization` adds
    terms that let the errors decay: one `Baumgarte` or `SE3PDGains` for all, or a mapping from loop joints and
    couplings to them (those left out get none). Gains act in a joint's frame after, on the parts of pose and twist that
    the joint does not allow: they are the same at every angle of the joint.

    Raises ArgumentError for anything but a stabilisation, UnknownNameError for a joint that closes no loop.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.four_bar(), rbd.robots.four_bar_configuration(0.3))
    >>> bool(abs(rbd.constraint_bias(state)).max() < 1e-12)                  # closed and at rest
    True
    """
    args = gain_arguments(state, stabilization)
    return KernelCall(constraint_bias_kernel, args, {"constraint bias": (state.layout.nc,)}, out=out)


@fast_path(out=True)
def constraint_error(state: State[ArrayT], *, out: ArrayT | None = None) -> Call[ArrayT]:
    """Loop errors, (nc,): one number (m or rad) per row of the constraint Jacobian.

    The joint's own motion is projected out first: the error is the logarithm of the remaining transform at the
    coordinates nearest to the pose that the tree gives, in frame after, along the joint's constraint wrenches. Errors
    vanish exactly where the joint can take the pose, whatever its angle; their derivative is K v there. The error of a
    coupling is q - f(x), the deviation of its joint from the polynomial.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.four_bar(), rbd.robots.four_bar_configuration(0.3))
    >>> bool(abs(rbd.constraint_error(state)).max() < 1e-12)
    True
    """
    return KernelCall(constraint_error_kernel, (), {"constraint error": (state.layout.nc,)}, out=out)


@overload
def loop_gap(state: MechanismState) -> float: ...
@overload
def loop_gap(state: State[Any]) -> Scalar: ...
def loop_gap(state: State[Any]) -> Scalar:
    """Loop gap: the largest of the loop and coupling errors (m or rad); zero for a tree. The measure of drift.

    >>> import rbd
    >>> linkage = rbd.robots.four_bar()
    >>> float(rbd.loop_gap(rbd.MechanismState(linkage, [0.0, 0.0, 0.0])))     # all links upright: the ends do not meet
    1.0
    """
    return loop_gap_kernel(state)
