"""How configurations move through coordinates around where a step begins, and how that answers what is varied.

A step moves a configuration q0 through the local coordinates phi around it, joint by joint. Where these simply add up,
so do their changes; where they bend (balls, free bodies, angles given by sine and cosine), one joint at a time is run
on dual numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import final

import attrs

from rbd.algorithms.products import product
from rbd.joints import JointType
from rbd.joints.tuples import identity
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.dual import along_each
from rbd.state import Link, StateView


@final
@attrs.frozen(eq=False)
class Varied:
    """A vector and, row by row, how its entries answer what is varied; the rows of a configuration are velocities."""

    value: Vector
    rows: Matrix

    def moved(self, rate: Varied, time: Scalar) -> Varied:
        """Return where this is a `time` later."""
        return Varied(_moved(self.value, rate.value, time), _moved_rows(self.rows, rate.rows, time))


def at_start(state: StateView, begin: Matrix, v: Varied) -> Varied:
    """Return the rates of phi where the step begins, at velocity v; `begin` are the rows of q0."""
    return _joined(_rate_at_start(link, state.joint_q(link), begin[link.v], _part(v, link)) for link in state.links)


def under_way(state: StateView, begin: Matrix, phi: Varied, v: Varied) -> tuple[Varied, Varied]:
    """Return the configuration at phi around that of `state`, whose rows are `begin`, and the rates of phi there."""
    joints = [
        _under_way(link, state.joint_q(link), begin[link.v], _part(phi, link), _part(v, link)) for link in state.links
    ]
    return _joined(q for q, _ in joints), _joined(rate for _, rate in joints)


def landed(state: StateView, begin: Matrix, phi: Varied) -> Varied:
    """Return the configuration at phi around that of `state`, normalised, as a step leaves it."""
    return _joined(_landed(link, state.joint_q(link), begin[link.v], _part(phi, link)) for link in state.links)


def _rate_at_start(link: Link, start: Vector, begin: Matrix, v: Varied) -> Varied:
    kind = link.joint.type
    if _is_plain(kind):
        return v

    def rate_there(q0: Vector, speed: Vector) -> Vector:
        return kind.local_coordinates_rate(q0, q0, speed)

    rate, slopes = _answers(link, rate_there, start, v.value)
    return Varied(rate, product(slopes, (*begin, *v.rows)))


def _under_way(link: Link, start: Vector, begin: Matrix, phi: Varied, v: Varied) -> tuple[Varied, Varied]:
    kind, nq, nv = link.joint.type, link.joint.nq, link.joint.nv
    if _is_plain(kind):
        return Varied(kind.global_coordinates(start, phi.value), _moved_rows(begin, phi.rows)), v

    def there(q0: Vector, coordinates: Vector, speed: Vector) -> Vector:
        q = kind.global_coordinates(q0, coordinates)
        return *q, *kind.local_coordinates_rate(q0, q, speed)

    values, slopes = _answers(link, there, start, phi.value, v.value)
    q, rate = values[:nq], values[nq:]
    slopes = (*product(kind.velocity_jacobian(q), slopes[:nq]), *slopes[nq:])
    rows = product(slopes, (*begin, *phi.rows, *v.rows))
    return Varied(q, rows[:nv]), Varied(rate, rows[nv:])


def _landed(link: Link, start: Vector, begin: Matrix, phi: Varied) -> Varied:
    kind = link.joint.type
    if _is_plain(kind):
        return Varied(kind.global_coordinates(start, phi.value), _moved_rows(begin, phi.rows))

    def there(q0: Vector, coordinates: Vector) -> Vector:
        return kind.normalize(kind.global_coordinates(q0, coordinates))

    q, slopes = _answers(link, there, start, phi.value)
    return Varied(q, product(product(kind.velocity_jacobian(q), slopes), (*begin, *phi.rows)))


def _answers(link: Link, function: Callable[..., Vector], start: Vector, *given: Vector) -> tuple[Vector, Matrix]:
    """Return `function(q0, *given)` and its derivative along the joint's velocities at q0, then by what is given."""
    nq, nv = link.joint.nq, link.joint.nv

    def flat(x: Vector) -> Vector:
        return function(x[:nq], *(x[k : k + nv] for k in range(nq, len(x), nv)))

    rates = zip(*link.joint.type.configuration_derivative_jacobian(start), strict=True)
    others = len(given) * nv
    along_start = [(*rate, *(0,) * others) for rate in rates]
    return along_each(flat, sum(given, start), along_start + [(*(0,) * nq, *unit) for unit in identity(others)])


def _is_plain(kind: JointType) -> bool:
    """Return whether velocities are the derivatives of coordinates that simply add up."""
    names = (
        "global_coordinates",
        "local_coordinates_rate",
        "configuration_derivative",
        "velocity_jacobian",
        "normalize",
    )
    return all(getattr(type(kind), name) is getattr(JointType, name) for name in names)


def _part(whole: Varied, link: Link) -> Varied:
    return Varied(whole.value[link.v], whole.rows[link.v])


def _joined(parts: Iterable[Varied]) -> Varied:
    """Return the vectors of all joints as one."""
    found = list(parts)
    return Varied(sum((part.value for part in found), ()), sum((part.rows for part in found), ()))


def _moved(start: Vector, rate: Vector, time: Scalar) -> Vector:
    return tuple(x + time * y for x, y in zip(start, rate, strict=True))


def _moved_rows(start: Matrix, rate: Matrix, time: Scalar = 1) -> Matrix:
    return tuple(_moved(a, b, time) for a, b in zip(start, rate, strict=True))
