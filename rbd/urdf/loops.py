"""Reader of `<loop_joint>`, an extension of the format: a joint between two links of the tree, which closes a loop.

    <loop_joint name="pin" type="continuous">
      <link1 link="coupler" xyz="0 0 0.9" rpy="0 0 0"/>
      <link2 link="rocker" xyz="0 0 0.8" rpy="0 0 0"/>
      <axis xyz="0 1 0"/>
    </loop_joint>

The frame before the joint is placed in link1, the frame after it in link2; the axis has the same coordinates in both.
Types are those of joints, and "spherical". Limits and damping act once the joint is in the tree of a mechanism.
"""

from __future__ import annotations

from rbd.errors import UrdfTopologyError, quoted
from rbd.files.xml import XmlElement
from rbd.urdf.description import UrdfJoint, UrdfLink, UrdfLoop
from rbd.urdf.joints import LOOP_KINDS, read_bounds, read_dynamics, read_end, read_joint_axis, read_kind
from rbd.urdf.origins import PLACEMENT_ATTRIBUTES, read_placement
from rbd.urdf.reading import UrdfReading


def read_loop_joint(reading: UrdfReading, node: XmlElement, links: dict[str, UrdfLink]) -> UrdfLoop:
    """Return the joint; `links` are those of the whole file."""
    reading.ignore_unknown(
        node, frozenset({"name", "type"}), frozenset({"link1", "link2", "axis", "limit", "dynamics"})
    )
    name, kind = reading.name(node), read_kind(reading, node, LOOP_KINDS)
    damping, friction = read_dynamics(reading, node, kind)
    parent, child = (read_end(reading, node, tag, links, PLACEMENT_ATTRIBUTES) for tag in ("link1", "link2"))
    pose_before, pose_after = (read_placement(reading, end.node, snap=True) for end in (parent, child))
    if parent.link == child.link:
        raise reading.error(UrdfTopologyError, node, f"joins link {quoted(child.link)} to itself", name=child.link)
    joint = UrdfJoint(
        node, name, kind, parent=parent.link, child=child.link, pose=pose_before,
        axis=read_joint_axis(reading, node, kind), bounds=read_bounds(reading, node, kind, required=False),
        damping=damping, friction=friction,
    )  # fmt: skip
    return UrdfLoop(joint, pose_after)
