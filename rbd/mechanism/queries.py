"""Queries of a mechanism: its bodies, joints and frames by name, its sizes and its structure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, overload

from rbd.errors import TopologyError, quoted
from rbd.mechanism.body import RigidBody
from rbd.mechanism.coupling import Coupling
from rbd.mechanism.joint import Joint
from rbd.mechanism.members import registry_of
from rbd.mechanism.names import require_text, unknown_name
from rbd.scalars.arrays import Array, to_float_array
from rbd.spatial import Frame, Transform
from rbd.spatial.frame import A, B, F, require_tag

if TYPE_CHECKING:
    import networkx as nx

    from rbd.mechanism.structure import Structure
    from rbd.mechanism.tree import Edge, TreePath
    from rbd.scalars import Scalar
    from rbd.spatial.half_space import HalfSpace


class MechanismQueries:
    """Read-only queries of a mechanism, the base class of Mechanism; abstract, `Mechanism` is the class to use."""

    __slots__ = ("_structure",)
    _structure: Structure

    # ---------------------------------------------------------------- bodies and joints

    @property
    def root_body(self) -> RigidBody:
        """Return the body that never moves."""
        return self._structure.root

    @property
    def root_frame(self) -> Frame:
        """Return the default frame of the root body."""
        return self._structure.root.default_frame

    @property
    def bodies(self) -> tuple[RigidBody, ...]:
        """Return the root, then the successor of every tree joint, in the order of `tree_joints`."""
        return self._structure.bodies

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Return the tree joints, then the loop joints."""
        return self.tree_joints + self.loop_joints

    @property
    def tree_joints(self) -> tuple[Joint, ...]:
        """Return the joints of the spanning tree: parents first, otherwise in the order they were attached."""
        return tuple(edge.joint for edge in self._structure.tree)

    @property
    def loop_joints(self) -> tuple[Joint, ...]:
        """Return the joints that close loops; they have constraints instead of coordinates."""
        return tuple(edge.joint for edge in self._structure.loops)

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        """Return the couplings of tree joints, in the order they were made."""
        return tuple(self._structure.couplings.values())

    @property
    def nq(self) -> int:
        """Return the number of coordinates of all tree joints."""
        return self._structure.nq

    @property
    def nv(self) -> int:
        """Return the number of velocities of all tree joints."""
        return self._structure.nv

    @property
    def nc(self) -> int:
        """Return the number of constraints of all loop joints and couplings."""
        return self._structure.nc

    @property
    def half_spaces(self) -> tuple[HalfSpace, ...]:
        """Return the half-spaces that contact points may touch, in the root frame."""
        return self._structure.half_spaces

    @property
    def position_bounds(self) -> tuple[Array, Array]:
        """Return the lower and upper position bounds of all tree joints, as arrays (nq,)."""
        return _bound_arrays(pair for joint in self.tree_joints for pair in joint.position_bounds)

    @property
    def velocity_bounds(self) -> tuple[Array, Array]:
        """Return the lower and upper velocity bounds of all tree joints, as arrays (nv,)."""
        return _bound_arrays(pair for joint in self.tree_joints for pair in joint.velocity_bounds)

    @property
    def effort_bounds(self) -> tuple[Array, Array]:
        """Return the lower and upper bounds of all tree joints' torques and forces, as arrays (nv,)."""
        return _bound_arrays(pair for joint in self.tree_joints for pair in joint.effort_bounds)

    # ---------------------------------------------------------------- lookup

    def body(self, body: str | RigidBody) -> RigidBody:
        """Return the body of that name, or the body itself if it belongs to this mechanism.

        Raises UnknownNameError with the closest name there is, TopologyError for a body of another mechanism.
        """
        registry = self._structure.registry
        if isinstance(body, RigidBody):
            if registry_of(body) is not registry:
                raise TopologyError(f"body {quoted(body.name)} does not belong to this mechanism", body=body.name)
            return body
        return registry.body_named(require_text(body, "body", "a name or a RigidBody"))

    def joint(self, joint: str | Joint) -> Joint:
        """Return the joint of that name, or the joint itself if it is attached in this mechanism.

        Raises UnknownNameError with the closest name there is, TopologyError for a joint of another mechanism.
        """
        registry = self._structure.registry
        if isinstance(joint, Joint):
            if registry_of(joint) is not registry:
                raise TopologyError(f"joint {quoted(joint.name)} is not attached in this mechanism", joint=joint.name)
            return joint
        return registry.joint_named(require_text(joint, "joint", "a name or a Joint"))

    def coupling(self, coupling: str | Coupling) -> Coupling:
        """Return the coupling of that name, or the coupling itself if it is one of this mechanism.

        Raises UnknownNameError with the closest name there is, TopologyError for a coupling of another mechanism.
        """
        couplings = self._structure.couplings
        if isinstance(coupling, Coupling):
            if couplings.get(coupling.name) is not coupling:
                raise TopologyError(f"coupling {quoted(coupling.name)} is none of this mechanism")
            return coupling
        name = require_text(coupling, "coupling", "a name or a Coupling")
        if name not in couplings:
            raise unknown_name("coupling", name, couplings)
        return couplings[name]

    @overload
    def frame(self, frame: str | Frame) -> Frame: ...
    @overload
    def frame(self, frame: str | Frame, tag: type[F]) -> Frame[F]: ...
    def frame(self, frame: str | Frame, tag: type[F] | None = None) -> Frame[F]:
        """Return the frame of that name, on whatever body it is; with `tag`, type checkers know it as `Frame[tag]`.

        A tag is bound to a frame once per mechanism: asking with a second, different one raises FrameMismatchError.
        Raises UnknownNameError, or AmbiguousNameError where several bodies have a frame of that name; ArgumentError
        when `tag` is no subclass of Tag.
        """
        registry = self._structure.registry
        if isinstance(frame, Frame):
            registry.body_of_frame(frame)
            resolved_frame: Frame[F] = frame
        else:
            resolved_frame = registry.frame_named(require_text(frame, "frame", "a name or a Frame"))
        if tag is not None:
            require_tag(tag, "Mechanism.frame")
            registry.bind_tag(resolved_frame, tag)
        return resolved_frame

    def body_of_frame(self, frame: str | Frame) -> RigidBody:
        """Return the body a frame, itself or by name, is fixed to; raise FrameMismatchError if there is none."""
        return self._structure.registry.body_of_frame(self.frame(frame) if isinstance(frame, str) else frame)

    @overload
    def fixed_transform(self, from_frame: Frame[A], to_frame: Frame[B]) -> Transform[A, B]: ...
    @overload
    def fixed_transform(self, from_frame: str | Frame, to_frame: str | Frame) -> Transform: ...

    def fixed_transform(self, from_frame: str | Frame, to_frame: str | Frame) -> Transform:
        """Return the constant transform between two frames of one body; raise FrameMismatchError for other frames."""
        start, end = (self.frame(each) if isinstance(each, str) else each for each in (from_frame, to_frame))
        tf: Transform = self.body_of_frame(start).fixed_transform(start, end)
        return tf

    # ---------------------------------------------------------------- structure

    def _edge(self, joint: str | Joint) -> Edge:
        return self._structure.edges[self.joint(joint)]

    def predecessor(self, joint: str | Joint) -> RigidBody:
        """Return the body before a joint."""
        return self._edge(joint).predecessor

    def successor(self, joint: str | Joint) -> RigidBody:
        """Return the body after a joint."""
        return self._edge(joint).successor

    def parent_joint(self, body: str | RigidBody) -> Joint | None:
        """Return the tree joint that carries a body; None for the root."""
        edge = self._structure.parent_edge.get(self.body(body))
        return None if edge is None else edge.joint

    def parent(self, body: str | RigidBody) -> RigidBody | None:
        """Return the parent of a body; None for the root."""
        edge = self._structure.parent_edge.get(self.body(body))
        return None if edge is None else edge.predecessor

    def children(self, body: str | RigidBody) -> tuple[RigidBody, ...]:
        """Return the children of a body, in canonical order."""
        return tuple(self._structure.spanning_tree().children[self.body(body)])

    def joints_of(self, body: str | RigidBody) -> tuple[Joint, ...]:
        """Return all joints, of the tree and of loops, that touch a body, in canonical order."""
        touching = {edge.joint for edge in self._structure.incident(self.body(body))}
        return tuple(joint for joint in self.joints if joint in touching)

    def is_tree_joint(self, joint: str | Joint) -> bool:
        """Return whether a joint belongs to the spanning tree; the others close loops."""
        return self._structure.is_tree_edge(self._edge(joint))

    def supports(self, joint: str | Joint, body: str | RigidBody) -> bool:
        """Return whether a tree joint lies between the root and a body; loop joints support nothing."""
        edge, member = self._edge(joint), self.body(body)
        structure = self._structure
        return structure.is_tree_edge(edge) and structure.spanning_tree().is_in_subtree(member, edge.successor)

    def subtree(self, body: str | RigidBody) -> tuple[RigidBody, ...]:
        """Return a body and its descendants, in canonical order."""
        top, tree = self.body(body), self._structure.spanning_tree()
        return tuple(member for member in self.bodies if tree.is_in_subtree(member, top))

    def path(self, source: str | RigidBody, target: str | RigidBody) -> TreePath:
        """Return the path through the tree from one body to another."""
        return self._structure.spanning_tree().path(self.body(source), self.body(target))

    def placement(self, joint: str | Joint) -> Transform:
        """Return the placement of a joint: the transform from its frame before to its predecessor's default frame."""
        edge = self._edge(joint)
        return edge.predecessor.fixed_transform(edge.joint.frame_before, edge.predecessor.default_frame)

    def successor_placement(self, joint: str | Joint) -> Transform:
        """Return the transform from a joint's frame after to its successor's default frame; the identity in trees."""
        edge = self._edge(joint)
        return edge.successor.fixed_transform(edge.joint.frame_after, edge.successor.default_frame)

    @property
    def graph(self) -> nx.MultiDiGraph[RigidBody]:
        """Return the graph as it is now, read-only: bodies are nodes, joints are keys of edges; without attributes."""
        return self._structure.graph.copy(as_view=True)


def _bound_arrays(bounds: Iterable[tuple[Scalar, Scalar]]) -> tuple[Array, Array]:
    """Return (lower, upper) pairs as two arrays."""
    pairs = tuple(bounds)
    return to_float_array(tuple(low for low, _ in pairs)), to_float_array(tuple(high for _, high in pairs))
