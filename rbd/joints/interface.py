"""Check of joint types of users: kinds and shapes of what their members return at the zero configuration.

Results of a wrong length would otherwise be noticed where programs write them, or not at all. Values are not checked;
`rbd.testing.check_joint_type` does that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast, final

import attrs
import numpy as np

from rbd.arguments import described, is_finite, isinstance_untyped, whole_number, with_article
from rbd.errors import ArgumentError
from rbd.joints.base import JointType
from rbd.spatial import Frame, GeometricJacobian, Transform, WrenchMatrix

if TYPE_CHECKING:
    from rbd.scalars import Vector
    from rbd.scalars.arrays import Array

_MOST_VELOCITIES: Final = 6
_RAISED: Final = object()
_NO_NUMBERS: Final = "USc"  # kinds of arrays: text, bytes, complex numbers


class _Member(NamedTuple):
    """A member: its name, a call of it, the kind of its result, and the shape of the result's numbers."""

    name: str
    call: Callable[[], object]
    shape: tuple[int, ...]
    kind: type[Transform[Any, Any] | GeometricJacobian[Any, Any, Any] | WrenchMatrix[Any]] | None = None


def require_interface(kind: JointType) -> None:
    """Raise ArgumentError naming the member of a joint type that returns a value of the wrong kind or shape.

    Exceptions of a member are left to the calls that need it, since it may be singular at the zero configuration.
    """
    nq, nv = _sizes(kind)
    zero = _zero(kind, nq)
    probe = _Probe(kind, nq, nv, zero or (), (0.0,) * nv)
    members = () if zero is None else (*probe.vectors(), *probe.spatial_values())
    for member in members:
        found = _found(member)
        if found is not None:
            raise _refusal(kind, member.name, f"must return {_needed(member)}, not {found}")


def _sizes(kind: JointType) -> tuple[int, int]:
    """Return nq and nv."""
    name = type(kind).__name__
    nq, nv = whole_number(kind.nq, f"joint_type: {name}.nq", 0), whole_number(kind.nv, f"joint_type: {name}.nv", 0)
    if nv > min(nq, _MOST_VELOCITIES):
        raise _refusal(kind, "nv", f"must be at most {_MOST_VELOCITIES} and at most nq = {nq}, not {nv}")
    return nq, nv


def _zero(kind: JointType, nq: int) -> Vector | None:
    """Return the zero configuration; None if it raises an exception."""
    found = _result(kind.zero)
    if found is _RAISED:
        return None
    values = _as_tuple(found)
    if values is None or len(values) != nq or not all(map(is_finite, values)):
        shown = described(found) if values is None else values
        raise _refusal(kind, "zero", f"must return a tuple of nq = {nq} finite numbers, not {shown}")
    return values


def _as_tuple(value: object) -> tuple[Any, ...] | None:
    """Return the entries of a tuple, list or vector; None for other values."""
    if isinstance(value, np.ndarray):
        value = cast("Array", value).tolist()
    return tuple(cast("list[Any]", value)) if isinstance(value, (tuple, list)) else None


def _result(call: Callable[[], object]) -> object:
    """Call a member; return `_RAISED` if it raises an exception."""
    try:
        return call()
    except MemoryError:
        raise
    except Exception:  # of a user's function, which may raise anything
        return _RAISED


def _refusal(kind: JointType, name: str, reason: str) -> ArgumentError:
    message = f"joint_type: {type(kind).__name__}.{name} {reason}; rbd.testing.check_joint_type checks joint types"
    return ArgumentError(message, operation="Joint", argument="joint_type", value=kind, member=name)


@final
@attrs.frozen
class _Probe:
    """A joint type with its sizes, its zero configuration, and zero velocities."""

    kind: JointType
    nq: int
    nv: int
    q: Vector
    v: Vector

    def vectors(self) -> Iterator[_Member]:
        """Yield the members that return coordinates, velocities, or matrices of their maps."""
        kind, q, v, rate = self.kind, self.q, self.v, (0.0,) * self.nq
        yield _Member("configuration_derivative", lambda: kind.configuration_derivative(q, v), (self.nq,))
        yield _Member("global_coordinates", lambda: kind.global_coordinates(q, v), (self.nq,))
        yield _Member("normalize", lambda: kind.normalize(q), (self.nq,))
        yield _Member("principal_value", lambda: kind.principal_value(q), (self.nq,))
        yield _Member("flip_configuration", lambda: kind.flip_configuration(q), (self.nq,))
        yield _Member("velocity", lambda: kind.velocity(q, rate), (self.nv,))
        yield _Member("local_coordinates", lambda: kind.local_coordinates(q, q), (self.nv,))
        yield _Member("local_coordinates_rate", lambda: kind.local_coordinates_rate(q, q, v), (self.nv,))
        yield _Member("flip_velocity", lambda: kind.flip_velocity(q, v), (self.nv,))
        jacobian = kind.configuration_derivative_jacobian
        yield _Member("configuration_derivative_jacobian", lambda: jacobian(q), (self.nq, self.nv))
        yield _Member("velocity_jacobian", lambda: kind.velocity_jacobian(q), (self.nv, self.nq))

    def spatial_values(self) -> Iterator[_Member]:
        """Yield the members that take frames."""
        kind, q, v, after, before = self.kind, self.q, self.v, Frame("after"), Frame("before")
        identity: Transform[Any, Any] = Transform.identity(after, before)
        yield _Member("transform", lambda: kind.transform(q, after, before), (4, 3), Transform)
        yield _Member("project", lambda: kind.project(identity), (self.nq,))
        yield _Member("project", lambda: kind.project(identity, q), (self.nq,))
        columns, kept = (self.nv, 2, 3), (6 - self.nv, 2, 3)
        yield _Member("motion_subspace", lambda: kind.motion_subspace(q, after, before), columns, GeometricJacobian)
        rate = kind.motion_subspace_rate
        yield _Member("motion_subspace_rate", lambda: rate(q, v, after, before), columns, GeometricJacobian)
        wrenches = kind.constraint_wrench_subspace
        yield _Member("constraint_wrench_subspace", lambda: wrenches(q, after), kept, WrenchMatrix)


def _found(member: _Member) -> str | None:
    """Return in words what a member returns; None if it is right, or an exception."""
    value = _result(member.call)
    if value is _RAISED:
        return None
    if member.kind is not None and not isinstance_untyped(value, member.kind):
        return described(value)
    try:
        numbers = np.asarray(_entries(value))
    except ValueError:
        return f"{described(value)} with rows that differ in length"
    shape = _settled(numbers.shape)
    if shape == _settled(member.shape) and numbers.dtype.kind not in _NO_NUMBERS:
        return None
    return f"{described(value)} of shape {shape}, {numbers.dtype}" if shape else described(value)


def _entries(value: object) -> object:
    """Return the numbers of a spatial value as nested tuples; other values as they are."""
    if isinstance(value, Transform):
        return (*value.rotation_components, value.translation_components)
    return value.columns if isinstance(value, (GeometricJacobian, WrenchMatrix)) else value


def _settled(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without the axes after one of length zero, which empty tuples do not have."""
    return shape[: shape.index(0) + 1] if 0 in shape else shape


def _needed(member: _Member) -> str:
    kind = "numbers" if member.kind is None else with_article(member.kind.__name__)
    return f"{kind} of shape {_settled(member.shape)}"
