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
from rbd.files.pose import Pose
from rbd.files.xml import XmlElement
from rbd.urdf.description import UrdfJoint, UrdfLink, UrdfLoop
from rbd.urdf.joints import LOOP_KINDS, read_axis_of, read_bounds, read_dynamics, read_end, read_kind
from rbd.urdf.origins import ORIGIN, read_placement
from rbd.urdf.reading import UrdfReading


def read_loop_joint(reading: UrdfReading, node: XmlElement, links: dict[str, UrdfLink]) -> UrdfLoop:
    """Return the joint; `links` are those of the whole file."""
    reading.ignore_unknown(
        node, frozenset({"name", "type"}), frozenset({"link1", "link2", "axis", "limit", "dynamics"})
    )
    name, kind = reading.name(node), read_kind(reading, node, LOOP_KINDS)
    damping, friction = read_dynamics(reading, node, kind)
    (parent, before), (child, after) = (_end(reading, node, tag, links) for tag in ("link1", "link2"))
    if parent == child:
        raise reading.error(UrdfTopologyError, node, f"joins link {quoted(child)} to itself", name=child)
    joint = UrdfJoint(
        node, name, kind, parent=parent, child=child, pose=before, axis=read_axis_of(reading, node, kind),
        bounds=read_bounds(reading, node, kind, required=False), damping=damping, friction=friction,
    )  # fmt: skip
    return UrdfLoop(joint, after)


def _end(reading: UrdfReading, node: XmlElement, tag: str, links: dict[str, UrdfLink]) -> tuple[str, Pose]:
    """Return the link at one end, and the pose of the joint's frame in it."""
    end, name = read_end(reading, node, tag, links, ORIGIN)
    return name, read_placement(reading, end, snap=True)
