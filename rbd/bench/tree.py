"""Mechanism as plain numbers, in depth-first order, to build models of other engines.

Every engine gets exactly the numbers of rbd, without reading or rounding them again.
"""

from __future__ import annotations

from typing import Literal, final

import attrs
import numpy as np

from rbd.joints import Prismatic, QuaternionFloating, Revolute
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.scalars import to_float
from rbd.scalars.arrays import Array

Kind = Literal["floating", "revolute", "prismatic"]


@final
@attrs.frozen(eq=False)
class TreeLink:
    """A joint and its successor; the frame of the body is the joint's frame after."""

    name: str
    parent: int
    """Index of the parent link; -1 for the world."""
    kind: Kind
    axis: Array
    rotation: Array
    translation: Array
    """Pose of the joint's frame before in the frame of the parent link."""
    mass: float
    center: Array
    moment: Array
    """Moment of inertia about the centre of mass."""
    body: int
    """Index of the body in the mechanism's bodies."""
    q: range
    v: range
    """Slices of the joint's coordinates in rbd."""

    def velocities_linear_first(self) -> list[int]:
        """Return the indices of the joint's velocities in rbd, of floating joints the linear ones first."""
        return [*self.v[3:], *self.v[:3]] if self.kind == "floating" else list(self.v)


@final
@attrs.frozen(eq=False)
class Tree:
    """All links, depth first, and gravity."""

    links: tuple[TreeLink, ...]
    gravity: Array


def tree_of(mechanism: Mechanism) -> Tree | None:
    """Return a mechanism as plain numbers; None if it has loops, or joints that other engines do not have."""
    if len(mechanism.joints) != len(mechanism.tree_joints) or None in map(_kind, mechanism.tree_joints):
        return None
    after = {mechanism.successor(joint).name: joint for joint in mechanism.tree_joints}
    links: list[TreeLink] = []

    def visit(body: RigidBody, parent: int) -> None:
        for joint in after.values():
            if mechanism.predecessor(joint) is body:
                links.append(_link(mechanism, joint, parent))
                visit(mechanism.successor(joint), len(links) - 1)

    visit(mechanism.root_body, -1)
    return Tree(tuple(links), np.array(mechanism.gravity.xyz))


def _kind(joint: Joint) -> Kind | None:
    kinds: dict[type, Kind] = {Revolute: "revolute", Prismatic: "prismatic", QuaternionFloating: "floating"}
    return kinds.get(type(joint.type))


def _link(mechanism: Mechanism, joint: Joint, parent: int) -> TreeLink:
    """Return a joint and its successor as plain numbers."""
    tf, body, kind = mechanism.placement(joint), mechanism.successor(joint), _kind(joint)
    inertia, joints = body.inertia, mechanism.tree_joints
    assert kind is not None
    assert inertia is not None
    mass = to_float(inertia.mass)
    center = inertia.center_of_mass.xyz if mass else np.zeros(3)
    shift = mass * (center @ center * np.eye(3) - np.outer(center, center))
    before = joints[: joints.index(joint)]
    q, v = sum(j.nq for j in before), sum(j.nv for j in before)
    axis = np.array(getattr(joint.type, "axis", (0.0, 0.0, 0.0)), dtype=np.float64)
    return TreeLink(
        name=joint.name, parent=parent, kind=kind, axis=axis, rotation=tf.rotation, translation=tf.translation,
        mass=mass, center=center, moment=inertia.moment - shift, body=mechanism.bodies.index(body),
        q=range(q, q + joint.nq), v=range(v, v + joint.nv),
    )  # fmt: skip
