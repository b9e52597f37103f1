"""Reversed joints: the same connection, with predecessor and successor exchanged.

`JointType.flipped` gives the type. Parameters of single coordinates (bounds, damping ...) are kept where reversing only
permutes coordinates and changes signs, as for joints with one degree of freedom. Random configurations show which
coordinates those are, so this holds for custom joint types too. Where reversing mixes coordinates, bounds are dropped
and reported; damping and armature are kept if they are equal for all velocities and the mixing is a rotation. Any other
parameter that affects the motion raises TopologyError.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias, final

import attrs
import numpy as np

from rbd.errors import TopologyError, quoted
from rbd.joints.base import JointType
from rbd.mechanism.joint import PER_VELOCITY_PARAMETERS, Joint, PerVelocityParameter, copy_joint
from rbd.mechanism.parameters import UNBOUNDED, Bound, Bounds, is_zero
from rbd.scalars import Scalar, Vector, is_float, to_float

_SAMPLES = 3
_TOLERANCE = 1e-9
_ISOTROPIC: Final[frozenset[PerVelocityParameter]] = frozenset({"damping", "armature"})
"""Matrices times velocities or accelerations: multiples of the identity are the same in rotated coordinates."""
_WITH_FRICTION: Final[frozenset[PerVelocityParameter]] = frozenset({"friction_velocity"})
"""Without effect unless there is friction, which is refused itself."""

SignedPermutation: TypeAlias = tuple[tuple[int, int] | None, ...]
"""For each new coordinate, the index of the old one it equals and the sign; None where it mixes several."""


@final
@attrs.frozen(eq=False)
class Reversal:
    """Reversal of a joint: the reversed joint, and the names of the bounds that were dropped."""

    joint: Joint
    dropped: tuple[str, ...]


def reverse_joint(joint: Joint) -> Reversal:
    """Return the reversed joint, attached nowhere, with the same name and frames.

    Raises TopologyError if its parameters cannot follow.
    """
    positions, velocities, rotation = _sampled_signed_permutations(joint.type)
    new = copy_joint(joint, joint_type=joint.type.flipped(), before=joint.frame_after, after=joint.frame_before)
    dropped: list[str] = []
    new.position_bounds = _permuted_bounds(joint.position_bounds, positions, "position_bounds", dropped)
    new.velocity_bounds = _permuted_bounds(joint.velocity_bounds, velocities, "velocity_bounds", dropped)
    new.effort_bounds = _permuted_bounds(joint.effort_bounds, velocities, "effort_bounds", dropped)
    for name in PER_VELOCITY_PARAMETERS:
        setattr(new, name, _permuted_or_refused(joint, name, velocities, is_rotation=rotation))
    if "position_bounds" in dropped and any(not is_zero(k) for k in new.bound_stiffness):
        raise _refusal(joint, "bound_stiffness")
    return Reversal(new, tuple(dropped))


# -------------------------------------------------------------------- how coordinates change


def _sampled_signed_permutations(joint_type: JointType) -> tuple[SignedPermutation, SignedPermutation, bool]:
    """Return the permutations of positions and velocities, and whether velocities are only rotated."""
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
        rotation &= math.isclose(_norm(v), _norm(flipped_v), rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return _match_coordinates(positions), _match_coordinates(velocities), rotation


def _norm(v: Sequence[Scalar]) -> float:
    return math.hypot(*(to_float(x) for x in v))


def _match_coordinates(samples: Sequence[tuple[Vector, Vector]]) -> SignedPermutation:
    """Return, for each new coordinate, the old coordinate it equals, up to a sign, in all samples."""
    old = [[to_float(x) for x in before] for before, _ in samples]
    new = [[to_float(x) for x in after] for _, after in samples]
    count = len(old[0])
    entries: list[tuple[int, int] | None] = []
    for i in range(len(new[0])):
        matches = [
            (j, s)
            for j in range(count)
            for s in (1, -1)
            if all(abs(b[i] - s * a[j]) < _TOLERANCE for a, b in zip(old, new, strict=True))
        ]
        entries.append(matches[0] if matches else None)
    return tuple(entries)


# -------------------------------------------------------------------- carrying parameters over


def _permuted_bounds(bounds: Bounds, permutation: SignedPermutation, name: str, dropped: list[str]) -> Bounds:
    """Return the bounds of the new coordinates; note `name` in `dropped` if some could not follow."""
    sources = {source for entry in permutation if entry is not None for source in entry[:1]}
    if any(k not in sources and not _is_free(bound) for k, bound in enumerate(bounds)):
        dropped.append(name)
    return tuple(UNBOUNDED if entry is None else _signed(bounds[entry[0]], entry[1]) for entry in permutation)


def _signed(bound: Bound, sign: int) -> Bound:
    return bound if sign > 0 else (-bound[1], -bound[0])


def _is_free(bound: Bound) -> bool:
    return all(is_float(x) and math.isinf(to_float(x)) for x in bound)


def _permuted_or_refused(
    joint: Joint, name: PerVelocityParameter, permutation: SignedPermutation, *, is_rotation: bool
) -> Vector:
    """Return a parameter of the new velocities; raise TopologyError if it is not determined."""
    values: Vector = getattr(joint, name)
    if None not in permutation or name in _WITH_FRICTION or all(map(is_zero, values)):
        return _permuted(values, permutation)
    is_equal = all(is_float(x) for x in values) and len({to_float(x) for x in values}) == 1
    if is_rotation and is_equal and name in _ISOTROPIC:
        return values
    raise _refusal(joint, name)


def _permuted(values: Vector, permutation: SignedPermutation) -> Vector:
    return tuple(values[k] if entry is None else values[entry[0]] for k, entry in enumerate(permutation))


def _refusal(joint: Joint, name: str) -> TopologyError:
    return TopologyError(
        f"joint {quoted(joint.name)} would have to be reversed, but its {name} cannot be: reversing a "
        f"{type(joint.type).__name__} joint mixes its velocities. Set {name} to zero, or choose another tree",
        joint=joint.name,
    )
