"""Joint contract: consistency checks of the methods of a `JointType`.

`check_joint_type` is for authors of joint types; the joint types of rbd pass the same checks. Derivatives are compared
with complex steps, which are exact to rounding.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np

from rbd.arguments import require_kind
from rbd.errors import FrameMismatchError
from rbd.joints import JointType
from rbd.scalars import to_float
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.spatial import Frame, Wrench
from rbd.testing import joint_checks
from rbd.testing.comparison import expect, expect_close
from rbd.testing.joint_case import JointCase

if TYPE_CHECKING:
    from rbd.scalars import Scalar, Vector


def check_joint_type(joint_type: JointType, *, rng_seed: int = 0, samples: int = 5, spread: float = 3.0) -> None:
    """Raise AssertionError, naming the check, unless `joint_type` satisfies the joint contract.

    The checks use `samples` random configurations. If q and v have equal lengths, they also use configurations `spread`
    times as large, which covers whole turns.

    >>> from rbd import Revolute
    >>> check_joint_type(Revolute((0, 0, 1)), samples=1)
    """
    require_kind(joint_type, JointType, operation="check_joint_type", argument="joint_type")
    rng = np.random.default_rng(rng_seed)
    for _ in range(samples):
        case = JointCase.draw(joint_type, rng, spread)
        for name, check in CHECKS.items():
            try:
                check(case)
            except Exception as error:
                message = f"{joint_type!r} fails {name!r} at q = {case.q}, v = {case.v}: {error}"
                raise AssertionError(message) from error


def shapes(case: JointCase) -> None:
    """Check that every vector is a tuple of the right length, and every matrix has the right shape."""
    joint, q, v = case.joint, case.q, case.v
    nq, nv = joint.nq, joint.nv
    expect(0 <= nv <= 6 and nv <= nq, f"nq = {nq}, nv = {nv}")
    expect(len(set(joint.position_names)) == nq and len(set(joint.velocity_names)) == nv, "names")
    like_q = [joint.zero(), q, joint.normalize(q), joint.principal_value(q), joint.configuration_derivative(q, v)]
    like_q += [joint.global_coordinates(q, v), joint.flip_configuration(q), joint.project(case.transform(q))]
    like_q += [joint.project(case.transform(q), q)]
    like_v = [joint.velocity(q, case.qd), joint.local_coordinates(q, q), joint.local_coordinates_rate(q, q, v)]
    like_v += [joint.flip_velocity(q, v), joint.torque(q, case.wrench(), case.after, case.before)]
    for length, values in [(nq, x) for x in like_q] + [(nv, x) for x in like_v]:
        expect(type(values) is tuple and len(values) == length, f"{values} should be a tuple of {length}")
    for rows, columns, table in [
        (nq, nv, joint.configuration_derivative_jacobian(q)),
        (nv, nq, joint.velocity_jacobian(q)),
    ]:
        fits = len(table) == rows and all(len(row) == columns for row in table)
        expect(fits, f"{table} should be {rows} by {columns}")
    expect(len(joint.motion_subspace(q, case.after, case.before).columns) == nv, "columns of the motion subspace")
    expect(len(joint.position_subspace(q, case.after, case.before).columns) == nq, "columns of the position subspace")


def frames(case: JointCase) -> None:
    """Check the frames of results, and that a wrench in another frame raises FrameMismatchError."""
    joint, q, v, after, before = case.joint, case.q, case.v, case.after, case.before
    transform = joint.transform(q, after, before)
    expect(transform.from_frame == after and transform.to_frame == before, "transform maps after to before")
    for result in (
        joint.motion_subspace(q, after, before),
        joint.position_subspace(q, after, before),
        joint.twist(q, v, after, before),
        joint.motion_subspace_rate(q, v, after, before),
        joint.bias_acceleration(q, v, after, before),
    ):
        fits = result.body == after and result.base == before and result.frame == after
        expect(fits, f"{type(result).__name__}: body after, base before, expressed in after")
    expect(joint.constraint_wrench_subspace(q, after).frame == after, "constraint wrenches are expressed in after")
    foreign: Wrench = Wrench.trusted(Frame("elsewhere"), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    try:
        joint.torque(q, foreign, after, before)
    except FrameMismatchError:
        return
    raise AssertionError("torque accepts a wrench in another frame")


def value_semantics(case: JointCase) -> None:
    """Check equality by value, hashes, copies, pickling and repr."""
    joint = case.joint
    for copied in (copy.deepcopy, _pickled):
        twin = copied(joint)
        expect(twin == joint and hash(twin) == hash(joint), "copies are equal and have equal hashes")
        expect(repr(twin) == repr(joint), "copies have the same repr")


def _pickled(joint: JointType) -> JointType:
    twin: JointType = pickle.loads(pickle.dumps(joint))
    return twin


def zero_and_random(case: JointCase) -> None:
    """Check that zero() is the identity, and random() returns normalised, reproducible, varying floats."""
    joint = case.joint
    expect_close(case.pose(joint.zero()), np.eye(4), "transform at zero", 1e-15)
    first, second = (joint.random(np.random.default_rng(1)) for _ in range(2))
    expect(first == second, "the same generator gives the same q")
    expect(joint.nq == 0 or case.q != case.q_other, "two draws differ")
    for q in (joint.zero(), case.q):
        expect(all(type(c) is float and np.isfinite(c) for c in q), "entries are finite floats")
        expect_close(to_float(joint.normalization_error(q)), 0.0, "normalization error", 1e-14)


def generic_scalars(case: JointCase) -> None:
    """Check that no method branches on a value: counting scalars, which refuse comparisons, give the same results."""
    q, v = _counting(case.q), _counting(case.v)
    for name, function in _functions(case).items():
        actual, expected = _floats(function(q, v)), _floats(function(case.q, case.v))
        expect_close(actual, expected, f"{name} on counting scalars", 1e-14)


def _functions(case: JointCase) -> dict[str, Callable[[Vector, Vector], object]]:
    """Return every method of the interface as a function of q and v."""
    joint, after, before = case.joint, case.after, case.before
    other, wrench = case.q_other, case.wrench()
    return {
        "transform": lambda q, v: joint.transform(q, after, before).components,
        "motion_subspace": lambda q, v: joint.motion_subspace(q, after, before).columns,
        "position_subspace": lambda q, v: joint.position_subspace(q, after, before).columns,
        "twist": lambda q, v: joint.twist(q, v, after, before).components,
        "motion_subspace_rate": lambda q, v: joint.motion_subspace_rate(q, v, after, before).columns,
        "bias_acceleration": lambda q, v: joint.bias_acceleration(q, v, after, before).components,
        "bias_acceleration_derivatives": lambda q, v: joint.bias_acceleration_derivatives(q, v, after, before).columns,
        "constraint_wrench_subspace": lambda q, v: joint.constraint_wrench_subspace(q, after).columns,
        "torque": lambda q, v: joint.torque(q, wrench, after, before),
        "configuration_derivative": joint.configuration_derivative,
        "velocity": lambda q, v: joint.velocity(q, joint.configuration_derivative(q, v)),
        "configuration_derivative_jacobian": lambda q, v: joint.configuration_derivative_jacobian(q),
        "velocity_jacobian": lambda q, v: joint.velocity_jacobian(q),
        "local_coordinates": lambda q, v: joint.local_coordinates(other, q),
        "local_coordinates_rate": lambda q, v: joint.local_coordinates_rate(other, q, v),
        "global_coordinates": joint.global_coordinates,
        "project": lambda q, v: joint.project(joint.transform(q, after, before)),
        "project near": lambda q, v: joint.project(joint.transform(q, after, before), q),
        "normalize": lambda q, v: joint.normalize(q),
        "normalization_error": lambda q, v: (joint.normalization_error(q),),
        "principal_value": lambda q, v: joint.principal_value(q),
        "flip_configuration": lambda q, v: joint.flip_configuration(q),
        "flip_velocity": joint.flip_velocity,
    }


def _counting(x: Vector) -> Vector:
    count = OperationCount()
    return tuple(CountingScalar(to_float(c), count) for c in x)


def _floats(values: object) -> list[float]:
    """Return the numbers of nested tuples."""
    if not isinstance(values, tuple):
        return [values.value if isinstance(values, CountingScalar) else to_float(cast("Scalar", values))]
    return [x for value in cast("tuple[object, ...]", values) for x in _floats(value)]


CHECKS: dict[str, Callable[[JointCase], None]] = {
    check.__name__: check
    for check in (
        shapes,
        frames,
        value_semantics,
        zero_and_random,
        joint_checks.transform_is_rigid,
        joint_checks.position_subspace,
        joint_checks.motion_subspace,
        joint_checks.bias_acceleration,
        joint_checks.bias_acceleration_derivatives,
        joint_checks.torque,
        joint_checks.constraint_wrenches,
        joint_checks.rate_matrices,
        joint_checks.local_coordinates,
        joint_checks.local_coordinates_rate,
        joint_checks.projection,
        joint_checks.projection_of_unreachable_poses,
        joint_checks.normalization,
        joint_checks.reversal,
        generic_scalars,
    )
}
"""Checks of `check_joint_type`, by name."""
