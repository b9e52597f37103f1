"""Joint contract, checks of the interface: lengths and shapes, frames, equality, generic scalars."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from rbd.errors import FrameMismatchError
from rbd.joints import JointType
from rbd.scalars import to_float
from rbd.scalars.counting import CountingScalar, OperationCount
from rbd.spatial import Frame, Wrench
from rbd.testing.comparison import require, require_close
from rbd.testing.joint_case import JointCase

if TYPE_CHECKING:
    from rbd.scalars import Scalar, Vector

Methods: TypeAlias = "dict[str, Callable[[Vector, Vector], object]]"
"""Methods of the interface, by name, as functions of q and v."""


def sizes(case: JointCase) -> None:
    """Check nq, nv and the numbers of names."""
    joint = case.joint_type
    require(0 <= joint.nv <= 6 and joint.nv <= joint.nq, f"nq = {joint.nq}, nv = {joint.nv}")
    names = len(set(joint.position_names)), len(set(joint.velocity_names))
    require(names == (joint.nq, joint.nv), "names")


def lengths(case: JointCase) -> None:
    """Check that every vector is a tuple of the right length."""
    joint, q, v, pose = case.joint_type, case.q, case.v, case.transform(case.q)
    like_q = [joint.zero(), q, joint.normalize(q), joint.principal_value(q), joint.configuration_derivative(q, v)]
    like_q += [joint.global_coordinates(q, v), joint.flip_configuration(q)]
    like_q += [joint.project(pose), joint.project(pose, q)]
    like_v = [joint.velocity(q, case.qd), joint.local_coordinates(q, q), joint.local_coordinates_rate(q, q, v)]
    like_v += [joint.flip_velocity(q, v), joint.torque(q, case.wrench(), case.after, case.before)]
    for length, values in [(joint.nq, x) for x in like_q] + [(joint.nv, x) for x in like_v]:
        require(type(values) is tuple and len(values) == length, f"{values} should be a tuple of {length}")


def shapes(case: JointCase) -> None:
    """Check that every matrix has the right shape, and every subspace the right number of columns."""
    joint, q, ends = case.joint_type, case.q, (case.after, case.before)
    nq, nv = joint.nq, joint.nv
    tables = (nq, nv, joint.configuration_derivative_jacobian(q)), (nv, nq, joint.velocity_jacobian(q))
    for rows, columns, table in tables:
        fits = len(table) == rows and all(len(row) == columns for row in table)
        require(fits, f"{table} should be {rows} by {columns}")
    require(len(joint.motion_subspace(q, *ends).columns) == nv, "columns of the motion subspace")
    require(len(joint.position_subspace(q, *ends).columns) == nq, "columns of the position subspace")


def frames(case: JointCase) -> None:
    """Check the frames of results."""
    joint, q, v, after, before = case.joint_type, case.q, case.v, case.after, case.before
    transform = case.transform(q)
    require(transform.from_frame == after and transform.to_frame == before, "transform maps after to before")
    for result in (
        joint.motion_subspace(q, after, before),
        joint.position_subspace(q, after, before),
        joint.twist(q, v, after, before),
        joint.motion_subspace_rate(q, v, after, before),
        joint.bias_acceleration(q, v, after, before),
    ):
        fits = result.body == after and result.base == before and result.frame == after
        require(fits, f"{type(result).__name__}: body after, base before, expressed in after")
    require(joint.constraint_wrench_subspace(q, after).frame == after, "constraint wrenches are expressed in after")


def frame_of_wrenches(case: JointCase) -> None:
    """Check that a wrench in another frame raises FrameMismatchError."""
    foreign: Wrench = Wrench.trusted(Frame("elsewhere"), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    try:
        case.joint_type.torque(case.q, foreign, case.after, case.before)
    except FrameMismatchError:
        return
    raise AssertionError("torque accepts a wrench in another frame")


def value_semantics(case: JointCase) -> None:
    """Check equality by value, hashes, copies, pickling and repr."""
    joint = case.joint_type
    for copied in (copy.deepcopy, _pickled):
        twin = copied(joint)
        require(twin == joint and hash(twin) == hash(joint), "copies are equal and have equal hashes")
        require(repr(twin) == repr(joint), "copies have the same repr")


def _pickled(joint: JointType) -> JointType:
    twin: JointType = pickle.loads(pickle.dumps(joint))
    return twin


def zero_and_random(case: JointCase) -> None:
    """Check that zero() is the identity, and random() returns normalised, reproducible, varying floats."""
    joint = case.joint_type
    require_close(case.pose(joint.zero()), np.eye(4), "transform at zero", 1e-15)
    first, second = (joint.random(np.random.default_rng(1)) for _ in range(2))
    require(first == second, "the same generator gives the same q")
    require(joint.nq == 0 or case.q != case.q_other, "two draws differ")
    for q in (joint.zero(), case.q):
        require(all(type(c) is float and np.isfinite(c) for c in q), "entries are finite floats")
        require_close(to_float(joint.normalization_error(q)), 0.0, "normalization error", 1e-14)


def generic_scalars(case: JointCase) -> None:
    """Check that no method branches on a value: counting scalars, which refuse comparisons, give the same results."""
    q, v = _counting(case.q), _counting(case.v)
    for name, function in (_motions(case) | _coordinates(case)).items():
        actual, expected = _floats(function(q, v)), _floats(function(case.q, case.v))
        require_close(actual, expected, f"{name} on counting scalars", 1e-14)


def _motions(case: JointCase) -> Methods:
    joint, ends, wrench = case.joint_type, (case.after, case.before), case.wrench()
    return {
        "transform": lambda q, v: joint.transform(q, *ends).components,
        "motion_subspace": lambda q, v: joint.motion_subspace(q, *ends).columns,
        "position_subspace": lambda q, v: joint.position_subspace(q, *ends).columns,
        "twist": lambda q, v: joint.twist(q, v, *ends).components,
        "motion_subspace_rate": lambda q, v: joint.motion_subspace_rate(q, v, *ends).columns,
        "bias_acceleration": lambda q, v: joint.bias_acceleration(q, v, *ends).components,
        "bias_acceleration_derivatives": lambda q, v: joint.bias_acceleration_derivatives(q, v, *ends).columns,
        "constraint_wrench_subspace": lambda q, v: joint.constraint_wrench_subspace(q, case.after).columns,
        "torque": lambda q, v: joint.torque(q, wrench, *ends),
    }


def _coordinates(case: JointCase) -> Methods:
    joint, other = case.joint_type, case.q_other
    return {
        "configuration_derivative": joint.configuration_derivative,
        "velocity": lambda q, v: joint.velocity(q, joint.configuration_derivative(q, v)),
        "configuration_derivative_jacobian": lambda q, v: joint.configuration_derivative_jacobian(q),
        "velocity_jacobian": lambda q, v: joint.velocity_jacobian(q),
        "local_coordinates": lambda q, v: joint.local_coordinates(other, q),
        "local_coordinates_rate": lambda q, v: joint.local_coordinates_rate(other, q, v),
        "global_coordinates": joint.global_coordinates,
        "project": lambda q, v: joint.project(case.transform(q)),
        "project near": lambda q, v: joint.project(case.transform(q), q),
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
