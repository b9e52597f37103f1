"""Hanging chain of n links, for measurements of complexity."""

from __future__ import annotations

from rbd.arguments import whole_number
from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism
from rbd.mechanism.mechanism import in_one_transaction
from rbd.robots._build import AXES, add_link, add_named_frame
from rbd.robots._inertias import capsule_inertia
from rbd.scalars.number_checks import above_zero, at_least_zero
from rbd.spatial import Frame, SpatialInertia

_AXES = (AXES["y"], AXES["x"])


def chain(n: int, *, length: float = 0.1, mass: float = 0.1, radius: float = 0.01) -> Mechanism:
    """Return a chain of `n` equal links along -z; its joints rotate about y, x, y, x, ...

    Links are capsules: `length` (m) from joint to joint, `mass` (kg) each. Joints are named "joint1" to "joint<n>",
    bodies "link1" to "link<n>"; the frame "tip" is at the free end. Raises ArgumentError when n < 1, when
    `length` is not above zero, and for a negative mass or radius.

    >>> import rbd
    >>> rbd.robots.chain(20).nv
    20
    """
    n = whole_number(n, "n", 1)
    length, mass, radius = above_zero(length, "length"), at_least_zero(mass, "mass"), at_least_zero(radius, "radius")
    inertias = [
        capsule_inertia(Frame(f"link{i + 1}"), mass=mass, radius=radius, length=length, center=(0, 0, -length / 2))
        for i in range(n)
    ]
    mechanism = Mechanism()
    in_one_transaction(mechanism, lambda: _add_links(mechanism, inertias, length))
    return mechanism


def _add_links(mechanism: Mechanism, inertias: list[SpatialInertia], length: float) -> None:
    body = mechanism.root_body
    for i, inertia in enumerate(inertias):
        joint = Joint(f"joint{i + 1}", Revolute(_AXES[i % 2]))
        body = add_link(mechanism, body, joint, inertia, joint_position=(0, 0, -length if i else 0))
    add_named_frame(body, "tip", position=(0, 0, -length))
