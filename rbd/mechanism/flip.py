"""Turning a joint round: the same connection, with predecessor and successor exchanged.

The joint type turns itself round (`JointType.flipped`). What belongs to single coordinates (bounds, damping ...) can
follow where that only permutes coordinates and changes signs, as it does for joints with one degree of freedom. Which
coordinates those are is read off random configurations, so it holds for joint types written by users too. Where it
mixes coordinates, bounds are dropped, and reported; damping and armature may stay where they are the same for all
velocities and the mixing is a rotation; anything else that acts on the motion is refused, never lost silently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias, TypeVar, final

import attrs
import numpy as np

from rbd.errors import TopologyError, quoted
from rbd.joints.base import JointType
from rbd.mechanism.joint import Joint, remade
from rbd.mechanism.parameters import UNBOUNDED, Bound, Bounds
from rbd.scalars import Scalar, Vector, is_float, to_float

_T = TypeVar("_T")
_SAMPLES = 3
_CLOSE = 1e-9

Signs: TypeAlias = tuple[tuple[int, int] | None, ...]
"""For each new coordinate, which old one it is and with what sign; None where it mixes several."""


@final
@attrs.frozen(eq=False)
class Flip:
    """A joint turned round, and the names of the bounds that could not follow."""

    joint: Joint
    dropped: tuple[str, ...]


def flip(joint: Joint) -> Flip:
    """Return the joint turned round, loose, with the same name and frames.

    Raises TopologyError if its parameters cannot follow.
    """
    positions, velocities, rotation = _signs(joint.type)
    new = remade(joint, joint_type=joint.type.flipped(), before=joint.frame_after, after=joint.frame_before)
    dropped: list[str] = []
    new.position_bounds = _carry_bounds(joint.position_bounds, positions, "position_bounds", dropped)
    new.velocity_bounds = _carry_bounds(joint.velocity_bounds, velocities, "velocity_bounds", dropped)
    new.effort_bounds = _carry_bounds(joint.effort_bounds, velocities, "effort_bounds", dropped)
    new.damping = _carry(joint, "damping", joint.damping, velocities, isotropic=rotation)
    new.armature = _carry(joint, "armature", joint.armature, velocities, isotropic=rotation)
    new.friction = _carry(joint, "friction", joint.friction, velocities)
    new.friction_velocity = _carry_or_keep(joint.friction_velocity, velocities)
    stiffness = _carry(joint, "bound_stiffness", joint.bound_stiffness, velocities)
    if "position_bounds" in dropped and any(not _is_zero(k) for k in stiffness):
        raise _refusal(joint, "bound_stiffness")
    new.bound_stiffness = stiffness
    new.bound_damping = _carry(joint, "bound_damping", joint.bound_damping, velocities)
    return Flip(new, tuple(dropped))


# -------------------------------------------------------------------- what turning round does to coordinates


def _signs(joint_type: JointType) -> tuple[Signs, Signs, bool]:
    """Return what happens to positions and to velocities, and whether velocities are merely rotated."""
    rng = np.random.default_rng(0)
    positions: list[tuple[Vector, Vector]] = []
    velocities: list[tuple[Vector, Vector]] = []
    rotation = True
    for _ in range(_SAMPLES):
        q = joint_type.random(rng)
        v = tuple(float(x) for x in rng.standard_normal(joint_type.nv))
        flipped_v = joint_type.flip_velocity(q, v)
        positions.append((q, joint_type.flip_configuration(q)))
        velocities.append((v, flipped_v))
        rotation &= math.isclose(_norm(v), _norm(flipped_v), rel_tol=_CLOSE, abs_tol=_CLOSE)
    return _read_signs(positions), _read_signs(velocities), rotation


def _norm(v: Sequence[Scalar]) -> float:
    return math.hypot(*(to_float(x) for x in v))


def _read_signs(samples: Sequence[tuple[Vector, Vector]]) -> Signs:
    """Return, for each new coordinate, the old coordinate it equals, up to a sign, in all samples."""
    old = [[to_float(x) for x in before] for before, _ in samples]
    new = [[to_float(x) for x in after] for _, after in samples]
    count = len(old[0])
    found: list[tuple[int, int] | None] = []
    for i in range(len(new[0])):
        fits = [
            (j, s)
            for j in range(count)
            for s in (1, -1)
            if all(abs(b[i] - s * a[j]) < _CLOSE for a, b in zip(old, new, strict=True))
        ]
        found.append(fits[0] if fits else None)
    return tuple(found)


# -------------------------------------------------------------------- carrying parameters over


def _carry_bounds(bounds: Bounds, signs: Signs, name: str, dropped: list[str]) -> Bounds:
    """Return the bounds of the new coordinates; note `name` in `dropped` if some could not follow."""
    kept = {source for entry in signs if entry is not None for source in entry[:1]}
    if any(k not in kept and not _is_free(bound) for k, bound in enumerate(bounds)):
        dropped.append(name)
    return tuple(UNBOUNDED if entry is None else _signed(bounds[entry[0]], entry[1]) for entry in signs)


def _signed(bound: Bound, sign: int) -> Bound:
    return bound if sign > 0 else (-bound[1], -bound[0])


def _is_free(bound: Bound) -> bool:
    return all(is_float(x) and math.isinf(to_float(x)) for x in bound)


def _is_zero(x: Scalar) -> bool:
    return is_float(x) and to_float(x) == 0


def _carry(joint: Joint, name: str, values: Vector, signs: Signs, *, isotropic: bool = False) -> Vector:
    """Return the values of the new velocities; raise TopologyError if they cannot be told."""
    if all(map(_is_zero, values)):
        return values
    if None not in signs:
        return _carry_or_keep(values, signs)
    if isotropic and all(is_float(x) for x in values) and len({to_float(x) for x in values}) == 1:
        return values
    raise _refusal(joint, name)


def _carry_or_keep(values: Vector, signs: Signs) -> Vector:
    return tuple(values[k] if entry is None else values[entry[0]] for k, entry in enumerate(signs))


def _refusal(joint: Joint, name: str) -> TopologyError:
    return TopologyError(
        f"joint {quoted(joint.name)} would have to be turned round, but its {name} cannot be: turning a "
        f"{type(joint.type).__name__} joint round mixes its velocities. Set {name} to zero, or choose another tree",
        joint=joint.name,
    )
