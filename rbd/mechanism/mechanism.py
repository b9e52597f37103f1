"""The mechanism: bodies connected by joints, and gravity.

The other modules of the package hold its structure and do its edits.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, final, overload

from typing_extensions import override

from rbd.arguments import several
from rbd.display import preformatted
from rbd.errors import ArgumentError, TopologyError, quoted
from rbd.joints import QuaternionFloating
from rbd.joints.base import JointType
from rbd.mechanism import attach as attach_
from rbd.mechanism import body as bodies_
from rbd.mechanism import copying, edit, merge
from rbd.mechanism import joint as joints_
from rbd.mechanism.body import RigidBody
from rbd.mechanism.drawing import drawing
from rbd.mechanism.edit_reports import FrameMap, MergeReport, RerootReport
from rbd.mechanism.joint import Joint
from rbd.mechanism.registry import require_text
from rbd.mechanism.structure import Structure
from rbd.scalars.arrays import Array, scalars, to_float_array
from rbd.spatial import Frame, FreeVector, Transform
from rbd.spatial.frame import A, B, F, check_frame, require_tag
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.values import require_finite, require_kind

if TYPE_CHECKING:
    import networkx as nx

    from rbd.mechanism.tree import TreePath
    from rbd.scalars import Scalar
    from rbd.spatial.values import VectorLike

_GRAVITY = (0.0, 0.0, -9.81)


@final
class Mechanism:
    """Bodies connected by joints: a tree on a root that never moves, and joints that close loops in it.

    A mechanism holds structure and parameters, no configuration: make a `MechanismState` of it for that. `gravity` is
    the acceleration of free fall, in the root frame. Functions that take a body or a joint also take its name.

    >>> from rbd import Joint, Mechanism, Revolute, RigidBody
    >>> mechanism = Mechanism()
    >>> upper, lower = RigidBody("upper"), RigidBody("lower")
    >>> mechanism.attach("world", upper, Joint("shoulder", Revolute((0, 1, 0))))
    >>> mechanism.attach(upper, lower, Joint("elbow", Revolute((0, 1, 0))))
    >>> print(mechanism)
    Mechanism 'world': 3 bodies, nq = 2, nv = 2
    world
    └─ upper  (shoulder: Revolute)
       └─ lower  (elbow: Revolute)
    """

    __slots__ = ("__weakref__", "_gravity", "_structure")

    def __init__(self, root: str | RigidBody = "world", *, gravity: VectorLike | FreeVector = _GRAVITY) -> None:
        """Make a mechanism of a root alone: a body without inertia, or the name of one."""
        body = RigidBody(root) if isinstance(root, str) else root
        require_kind(body, RigidBody, operation="Mechanism", argument="root")
        if body.inertia is not None:
            raise ArgumentError(
                f"the root never moves: body {quoted(body.name)} must have no inertia", argument="root", value=body
            )
        if bodies_.registry_of(body) is not None:
            raise TopologyError(f"body {quoted(body.name)} belongs to another mechanism", body=body.name)
        vector = _gravity(gravity, body.default_frame)
        self._structure = Structure(body)
        self._gravity = vector

    # ---------------------------------------------------------------- versions and parameters

    @property
    def structure_version(self) -> int:
        """Return a number that grows with every change of bodies and joints."""
        return self._structure.registry.structure_version

    @property
    def parameter_version(self) -> int:
        """Return a number that grows with every change of an inertia, a placement, gravity or a joint's parameters."""
        return self._structure.registry.parameter_version

    @property
    def gravity(self) -> FreeVector:
        """Return the acceleration of free fall, in the root frame."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: VectorLike | FreeVector) -> None:
        self._gravity = _gravity(value, self.root_frame)
        self._structure.registry.parameters_changed()

    @property
    def mass(self) -> Scalar:
        """Return the mass of all bodies together."""
        total: Scalar = 0
        for body in self.bodies:
            total = total if body.inertia is None else total + body.inertia.mass
        return total

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
    def nq(self) -> int:
        """Return the number of coordinates of all tree joints."""
        return self._structure.nq

    @property
    def nv(self) -> int:
        """Return the number of velocities of all tree joints."""
        return self._structure.nv

    @property
    def nc(self) -> int:
        """Return the number of constraints of all loop joints."""
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
            if bodies_.registry_of(body) is not registry:
                raise TopologyError(f"body {quoted(body.name)} does not belong to this mechanism", body=body.name)
            return body
        return registry.body_named(require_text(body, "body", "a name or a RigidBody"))

    def joint(self, joint: str | Joint) -> Joint:
        """Return the joint of that name, or the joint itself if it is attached in this mechanism.

        Raises UnknownNameError with the closest name there is, TopologyError for a joint of another mechanism.
        """
        registry = self._structure.registry
        if isinstance(joint, Joint):
            if joints_.registry_of(joint) is not registry:
                raise TopologyError(f"joint {quoted(joint.name)} is not attached in this mechanism", joint=joint.name)
            return joint
        return registry.joint_named(require_text(joint, "joint", "a name or a Joint"))

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
            found: Frame[F] = frame
        else:
            found = registry.frame_named(require_text(frame, "frame", "a name or a Frame"))
        if tag is not None:
            require_tag(tag, "Mechanism.frame")
            registry.bind_tag(found, tag)
        return found

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
        found: Transform = self.body_of_frame(start).fixed_transform(start, end)
        return found

    # ---------------------------------------------------------------- topology

    def predecessor(self, joint: str | Joint) -> RigidBody:
        """Return the body before a joint."""
        return self._structure.edges[self.joint(joint)].predecessor

    def successor(self, joint: str | Joint) -> RigidBody:
        """Return the body after a joint."""
        return self._structure.edges[self.joint(joint)].successor

    def parent_joint(self, body: str | RigidBody) -> Joint | None:
        """Return the tree joint that carries a body; None for the root."""
        edge = self._structure.parent.get(self.body(body))
        return None if edge is None else edge.joint

    def parent(self, body: str | RigidBody) -> RigidBody | None:
        """Return the parent of a body; None for the root."""
        edge = self._structure.parent.get(self.body(body))
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
        found = self.joint(joint)
        edge = self._structure.edges[found]
        return self._structure.parent.get(edge.successor) is edge

    def supports(self, joint: str | Joint, body: str | RigidBody) -> bool:
        """Return whether a tree joint lies between the root and a body; loop joints support nothing."""
        found, member = self.joint(joint), self.body(body)
        return self.is_tree_joint(found) and self._structure.spanning_tree().is_in_subtree(
            member, self.successor(found)
        )

    def subtree(self, body: str | RigidBody) -> tuple[RigidBody, ...]:
        """Return a body and its descendants, in canonical order."""
        top, tree = self.body(body), self._structure.spanning_tree()
        return tuple(member for member in self.bodies if tree.is_in_subtree(member, top))

    def path(self, source: str | RigidBody, target: str | RigidBody) -> TreePath:
        """Return the path through the tree from one body to another."""
        return self._structure.spanning_tree().path(self.body(source), self.body(target))

    def placement(self, joint: str | Joint) -> Transform:
        """Return the placement of a joint: the transform from its frame before to its predecessor's default frame."""
        found = self.joint(joint)
        return self._structure.edges[found].predecessor.fixed_transform(
            found.frame_before, self.predecessor(found).default_frame
        )

    def successor_placement(self, joint: str | Joint) -> Transform:
        """Return the transform from a joint's frame after to its successor's default frame; the identity in trees."""
        found = self.joint(joint)
        successor = self._structure.edges[found].successor
        return successor.fixed_transform(found.frame_after, successor.default_frame)

    @property
    def graph(self) -> nx.MultiDiGraph[RigidBody]:
        """Return a read-only networkx view: bodies are nodes, joints are the keys of edges, attributes mean nothing."""
        return self._structure.graph.copy(as_view=True)

    # ---------------------------------------------------------------- attaching

    def attach(
        self,
        predecessor: str | RigidBody,
        successor: str | RigidBody,
        joint: Joint,
        *,
        joint_pose: Transform | None = None,
        successor_pose: Transform | None = None,
    ) -> None:
        """Attach a new body to one that is there, or close a loop between two that are there.

        `joint_pose` maps `joint.frame_before` to any frame of the predecessor, `successor_pose` maps any frame of the
        successor to `joint.frame_after`; by default they are identities with the bodies' default frames. A new
        successor's default frame becomes `joint.frame_after`; all its frames stay.

        Raises TopologyError when names are taken, when the joint or the new body is attached elsewhere or the two
        bodies are one, FrameMismatchError when a pose is between other frames, NotFiniteError when a pose is so large
        that numbers of the body overflow. Nothing has changed then.
        """
        first = self.body(predecessor)
        second = self.body(successor) if isinstance(successor, str) else successor
        attach_.attach(self._structure, first, second, joint, joint_pose, successor_pose)

    def attach_mechanism(
        self,
        body: str | RigidBody,
        child: Mechanism,
        *,
        child_root_pose: Transform | None = None,
        prefix: str = "",
    ) -> FrameMap:
        """Attach a copy of another mechanism, with `body` in the place of its root.

        `child_root_pose` maps any frame of the child's root body to any frame of `body`; by default it is the identity
        between their default frames. `prefix` goes before all names of the copies. The child's gravity and half-spaces
        are ignored. Returns the map from the child's frames, bodies and joints to their copies.

        Raises TopologyError when names are taken, FrameMismatchError when the pose is between other frames.
        """
        require_kind(child, Mechanism, operation="attach_mechanism", argument="child")
        return copying.attach_copy(self._structure, self.body(body), child._structure, child_root_pose, prefix)

    # ---------------------------------------------------------------- half-spaces

    def add_half_space(self, half_space: HalfSpace) -> HalfSpace:
        """Add a half-space, which every contact point of every body may touch.

        `half_space` may be in any frame of the root body. Returns it in the root frame. This is a change of structure:
        contact points may have states. Raises FrameMismatchError for other frames.
        """
        require_kind(half_space, HalfSpace, operation="add_half_space", argument="half_space")
        data = bodies_.data_of(self.root_body)
        placed = half_space.transformed(data.definition(half_space.frame, "add_half_space", "half_space"))
        require_finite(placed, "half_space")
        self._structure.set_half_spaces((*self.half_spaces, placed))
        return placed

    def remove_half_space(self, half_space: HalfSpace) -> None:
        """Remove a half-space that `add_half_space` returned. Raises ArgumentError for any other."""
        left = tuple(other for other in self.half_spaces if other is not half_space)
        if len(left) == len(self.half_spaces):
            raise ArgumentError(
                f"{half_space!r} is none of the mechanism's half-spaces", argument="half_space", value=half_space
            )
        self._structure.set_half_spaces(left)

    # ---------------------------------------------------------------- edits

    def rebuild_spanning_tree(self, prefer: Iterable[str | Joint] | Joint = ()) -> RerootReport:
        """Choose another spanning tree: joints in `prefer` first, then the present tree joints, then loop joints.

        Tree joints that would point towards the root are reversed: other Joint objects, of the same names, replace
        them. The report says which, and maps configurations and velocities.

        Raises TopologyError when the joints in `prefer` close a loop, or parameters of a joint cannot be reversed.
        """
        wanted = [prefer] if isinstance(prefer, (str, Joint)) else several(prefer, "prefer", "joints")
        return edit.rebuild_tree(self._structure, [self.joint(joint) for joint in wanted])

    def remove_joint(self, joint: str | Joint) -> RerootReport:
        """Remove a joint; if it was a tree joint, as few loop joints as possible enter the tree.

        Joints may be reversed as in `rebuild_spanning_tree`. Raises TopologyError when bodies would be left
        unconnected, or when parameters of a joint cannot be reversed.
        """
        return edit.rebuild_tree(self._structure, [], [self.joint(joint)])

    def remove_subtree(self, body: str | RigidBody) -> tuple[RigidBody, ...]:
        """Remove the subtree of a body, and every joint that touches it.

        Returns the removed bodies, which may be attached again. Raises TopologyError for the root.
        """
        return edit.remove_subtree(self._structure, self.body(body))

    def replace_joint(self, old: str | Joint, new: Joint) -> None:
        """Replace an attached joint, of the tree or of a loop, by an unattached one: same bodies, same placements.

        Raises TopologyError when the new joint is attached already, or its name taken by another one.
        """
        edit.replace_joint(self._structure, self.joint(old), new)

    def remove_fixed_joints(self) -> MergeReport:
        """Merge bodies that are connected by fixed tree joints.

        Frames, contact points and inertia go to the body nearer the root. Inertia merged into the root is dropped, as
        the root never moves. Frames are found by name as before, and asking for a merged body raises an error that says
        where it went. Loop joints follow their bodies; one that would connect a body with itself is removed if it
        allows that pose, else TopologyError is raised.
        """
        return merge.merge_fixed(self._structure)

    # ---------------------------------------------------------------- copies

    def copy(self) -> tuple[Mechanism, FrameMap]:
        """Return a copy with new frames, bodies and joints, and the map from these to those of the copy.

        (`copy.copy`, `copy.deepcopy` and `pickle` keep the identities of frames instead.)
        """
        return self._made_of(*copying.copy_structure(self._structure))

    def submechanism(self, body: str | RigidBody) -> tuple[Mechanism, FrameMap]:
        """Return a copy of the subtree of a body, which becomes the root; loop joints within it are copied too.

        Half-spaces are copied only if the body is the root. Gravity has the same components, now in the new root's
        frame. Returns the map from originals to copies as well.
        """
        return self._made_of(*copying.copy_subtree(self._structure, self.body(body)))

    def maximal_coordinates(
        self, floating: JointType | Callable[[], JointType] = QuaternionFloating
    ) -> tuple[Mechanism, FrameMap]:
        """Return a copy in maximal coordinates: every body floats with respect to the root, all joints close loops.

        Tree joint k of the copy carries the copy of body k + 1. Loop joints have no passive torques: damping, friction,
        armature and bounds of the original joints stay theirs, without effect. Raises ArgumentError unless `floating`
        has six velocities.
        """
        return self._made_of(*copying.copy_in_maximal_coordinates(self._structure, floating))

    def _made_of(self, structure: Structure, copies: FrameMap) -> tuple[Mechanism, FrameMap]:
        """Return a mechanism of another structure, with the same gravity."""
        new = Mechanism.__new__(Mechanism)
        new._structure = structure
        new._gravity = FreeVector.trusted(structure.root.default_frame, self._gravity.xyz_components)
        return new, copies

    # ---------------------------------------------------------------- printing and pickling

    @override
    def __repr__(self) -> str:
        sizes = f"nq = {self.nq}, nv = {self.nv}, nc = {self.nc}"
        return f"<Mechanism {self.root_body.name!r}: {len(self.bodies)} bodies, {sizes}>"

    @override
    def __str__(self) -> str:
        return drawing(self._structure)

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def __copy__(self) -> Mechanism:
        return copy.deepcopy(self)  # two mechanisms cannot share bodies and joints

    @override
    def __getstate__(self) -> dict[str, object]:
        return {"gravity": self._gravity, "structure": self._structure}

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            setattr(self, f"_{name}", value)


def _gravity(value: VectorLike | FreeVector, frame: Frame) -> FreeVector:
    if isinstance(value, FreeVector):
        check_frame(value.frame, frame, operation="gravity", argument="gravity")
        return require_finite(value, "gravity")
    x, y, z = scalars(value, 3, "gravity")
    return FreeVector.trusted(frame, (x, y, z))


def _bound_arrays(bounds: Iterable[tuple[Scalar, Scalar]]) -> tuple[Array, Array]:
    """Return (lower, upper) pairs as two arrays."""
    pairs = tuple(bounds)
    return to_float_array(tuple(low for low, _ in pairs)), to_float_array(tuple(high for _, high in pairs))
