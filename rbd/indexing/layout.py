"""Layout of a mechanism: indices of bodies and joints, slices of q, v and constraint rows.

A layout is a snapshot of a mechanism's structure: the nodes of the tree, parents first, with their slices of q and v,
and the loop joints and couplings, with their constraint rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, final
from weakref import WeakKeyDictionary

import attrs

from rbd.arguments import described, isinstance_untyped
from rbd.errors import ArgumentError, RbdError, UnknownNameError, quoted
from rbd.mechanism import ContactPoint, Coupling, Joint, Mechanism, RigidBody
from rbd.mechanism.members import registry_of
from rbd.spatial import Frame
from rbd.spatial.frame import F
from rbd.spatial.half_space import HalfSpace

if TYPE_CHECKING:
    from rbd.mechanism.registry import MemberRegistry

FrameLike: TypeAlias = "RigidBody | Frame[F] | str"
"""A place: a body (its default frame is meant), a frame fixed to a body, or the name of either.

Type checkers know the frame's tag where a frame is given."""


@final
@attrs.frozen(eq=False)
class TreeNode:
    """A node of the tree: a body and its tree joint. `index` counts from 1, parents first; the root body is 0."""

    index: int
    parent: int
    body: RigidBody
    joint: Joint
    q_slice: slice
    v_slice: slice


@final
@attrs.frozen(eq=False)
class LoopJoint:
    """A loop joint between the bodies of index `predecessor` and `successor`; `rows` are its constraint rows."""

    joint: Joint
    predecessor: int
    successor: int
    rows: slice


@final
@attrs.frozen(eq=False)
class CouplingRow:
    """A coupling of the tree joints of two nodes (without a `source`, of one); `rows` is its one constraint row."""

    coupling: Coupling
    node: TreeNode
    source: TreeNode | None
    rows: slice


@final
@attrs.frozen(eq=False)
class ContactPair:
    """A contact point of the body of index `body` with a half-space; `s_slice` is that of its contact states."""

    body: int
    point: ContactPoint
    half_space: HalfSpace
    s_slice: slice


@final
class Layout:
    """The structure of a mechanism at one version."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Build the layout of a mechanism."""
        self.version = mechanism.structure_version
        self.bodies: tuple[RigidBody, ...] = tuple(mechanism.bodies)
        self._body_index = {id(body): i for i, body in enumerate(self.bodies)}
        self.nodes = self._make_nodes(mechanism)
        self.loops = self._make_loops(mechanism)
        self.contact_pairs = self._make_contact_pairs(mechanism)
        self._index_joints()
        self.couplings = self._make_couplings(mechanism)
        self.nc = sum(constraint.rows.stop - constraint.rows.start for constraint in self.constraints)
        self.nq = sum(node.joint.nq for node in self.nodes)
        self.nv = sum(node.joint.nv for node in self.nodes)
        self.ns = sum(contact.point.model.ns for contact in self.contact_pairs)
        self.velocity_names = tuple(f"{node.joint.name}[{i}]" for node in self.nodes for i in range(node.joint.nv))
        self.root_frame: Frame = mechanism.root_frame
        self.com_frame: Frame = Frame("center of mass")

    def _index_joints(self) -> None:
        self._joint_node = {id(node.joint): node for node in self.nodes}
        self._joint_loop = {id(loop.joint): loop for loop in self.loops}

    def __getstate__(self) -> dict[str, object]:
        """Omit the tables keyed by `id`, which is not valid in a copy or another process."""
        tables = ("_body_index", "_joint_node", "_joint_loop")
        return {name: value for name, value in self.__dict__.items() if name not in tables}

    def __setstate__(self, content: dict[str, object]) -> None:
        """Restore, and rebuild the tables."""
        self.__dict__.update(content)
        self._body_index = {id(body): i for i, body in enumerate(self.bodies)}
        self._index_joints()

    def _make_nodes(self, mechanism: Mechanism) -> tuple[TreeNode, ...]:
        nodes: list[TreeNode] = []
        nq = nv = 0
        for index, joint in enumerate(mechanism.tree_joints, start=1):
            parent = self._body_index[id(mechanism.predecessor(joint))]
            q, v = slice(nq, nq + joint.nq), slice(nv, nv + joint.nv)
            nodes.append(TreeNode(index, parent, self.bodies[index], joint, q, v))
            nq, nv = q.stop, v.stop
        return tuple(nodes)

    def _make_loops(self, mechanism: Mechanism) -> tuple[LoopJoint, ...]:
        loops: list[LoopJoint] = []
        row = 0
        for joint in mechanism.loop_joints:
            ends = (mechanism.predecessor(joint), mechanism.successor(joint))
            predecessor, successor = (self._body_index[id(body)] for body in ends)
            rows = slice(row, row + 6 - joint.nv)
            loops.append(LoopJoint(joint, predecessor, successor, rows))
            row = rows.stop
        return tuple(loops)

    def _make_couplings(self, mechanism: Mechanism) -> tuple[CouplingRow, ...]:
        """Give every coupling one row, below those of the loop joints."""
        first = self.loops[-1].rows.stop if self.loops else 0
        couplings: list[CouplingRow] = []
        for row, coupling in enumerate(mechanism.couplings, start=first):
            source = None if coupling.source is None else self._joint_node[id(coupling.source)]
            couplings.append(CouplingRow(coupling, self._joint_node[id(coupling.joint)], source, slice(row, row + 1)))
        return tuple(couplings)

    @property
    def constraints(self) -> tuple[LoopJoint | CouplingRow, ...]:
        """The loops, then the couplings, in the order of their rows."""
        return (*self.loops, *self.couplings)

    @property
    def is_constrained(self) -> bool:
        """Whether there are loops or couplings."""
        return bool(self.loops or self.couplings)

    def _make_contact_pairs(self, mechanism: Mechanism) -> tuple[ContactPair, ...]:
        """Pair the contact points of all moving bodies with the half-spaces."""
        contacts: list[ContactPair] = []
        ns = 0
        for index, body in enumerate(self.bodies[1:], start=1):
            for point in body.contact_points:
                for half_space in mechanism.half_spaces:
                    contacts.append(ContactPair(index, point, half_space, slice(ns, ns + point.model.ns)))
                    ns += point.model.ns
        return tuple(contacts)

    # Bodies and joints are looked up by identity first, which is the fastest.

    def body_index(self, body: RigidBody | str) -> int:
        """Return the index of a body, given itself or by name; raise UnknownNameError for others."""
        index = self._body_index.get(id(body))
        if index is None and isinstance(body, str):
            index = self._body_index.get(id(self._registry.body_named(body)))
        if index is None:
            raise _unknown_error("body", body, RigidBody)
        return index

    def body(self, body: RigidBody | str) -> RigidBody:
        """Return a body, given itself or by name; raise UnknownNameError for others."""
        return self.bodies[self.body_index(body)]

    def node(self, joint: Joint | str) -> TreeNode:
        """Return the node of a tree joint, by the joint or its name; raise UnknownNameError for others."""
        node = self._joint_node.get(id(joint))
        if node is None and isinstance(joint, str):
            joint = self._registry.joint_named(joint)
            node = self._joint_node.get(id(joint))
        if node is None:
            if self.loop(joint) is not None:
                message = f"joint {quoted(_name(joint))} closes a loop and has no coordinates"
                raise UnknownNameError(message, kind="joint", name=_name(joint))
            raise _unknown_error("joint", joint, Joint)
        return node

    def loop(self, joint: Joint | str) -> LoopJoint | None:
        """Return a loop joint with its rows, by the joint or its name; None for a tree joint."""
        return self._joint_loop.get(id(self._registry.joint_named(joint) if isinstance(joint, str) else joint))

    def coupling(self, coupling: Coupling | str) -> CouplingRow | None:
        """Return a coupling with its row, by the coupling or its name; None for others."""
        for row in self.couplings:
            if row.coupling is coupling or (isinstance(coupling, str) and row.coupling.name == coupling):
                return row
        return None

    def body_and_frame(self, place: FrameLike, argument: str = "place") -> tuple[RigidBody, Frame[Any]]:
        """Return the body and the frame of a place.

        A name is that of a body, for its default frame, or else that of a frame.

        Raises UnknownNameError, AmbiguousNameError for a name, FrameMismatchError for a frame of no body, ArgumentError
        for anything else.
        """
        if isinstance(place, RigidBody):
            self.body_index(place)
            return place, place.default_frame
        if isinstance(place, str):
            return self._registry.body_and_frame_named(place)
        if isinstance_untyped(place, Frame):
            return self._registry.body_of_frame(place, argument), place
        message = f"{argument} must be a body, a frame, or the name of one, not {described(place)}"
        raise ArgumentError(message, argument=argument, value=place, allowed="a RigidBody, a Frame or a name")

    @property
    def _registry(self) -> MemberRegistry:
        """The names and frames of the mechanism."""
        registry = registry_of(self.bodies[0])
        assert registry is not None  # the root body of a mechanism has one
        return registry

    @property
    def trunk(self) -> int:
        """The index of the trunk, the first moving body; that of the root if there is none."""
        return min(1, len(self.nodes))

    def path_to_root(self, index: int) -> tuple[int, ...]:
        """Return the indices of the bodies from `index`, included, to the root, excluded."""
        path: list[int] = []
        while index:
            path.append(index)
            index = self.nodes[index - 1].parent
        return tuple(path)

    def nodes_to_root(self, index: int) -> tuple[TreeNode, ...]:
        """Return the nodes of the bodies on `path_to_root`."""
        return tuple(self.nodes[i - 1] for i in self.path_to_root(index))


def _unknown_error(kind: str, thing: object, expected: type[object]) -> RbdError:
    """Return the error about a body or joint of another mechanism, or about what is neither that nor a name."""
    if isinstance(thing, expected):
        name = _name(thing)
        message = f"{kind} {quoted(name)} is not part of this mechanism; a copy has bodies and joints of its own"
        return UnknownNameError(message, kind=kind, name=name)
    message = f"{kind} must be a {expected.__name__} or its name, not {described(thing)}"
    return ArgumentError(message, argument=kind, value=thing, allowed=f"a {expected.__name__} or its name")


def _name(thing: object) -> str:
    return str(getattr(thing, "name", thing))


_layouts: WeakKeyDictionary[Mechanism, Layout] = WeakKeyDictionary()


def layout_of(mechanism: Mechanism) -> Layout:
    """Return the current layout of `mechanism`, cached per structure version."""
    if not isinstance(mechanism, Mechanism):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ArgumentError(
            f"mechanism must be a Mechanism, not {described(mechanism)}; rbd.load_urdf(path) reads one, rbd.robots has "
            "some",
            argument="mechanism",
            value=mechanism,
            allowed="a Mechanism",
        )
    layout = _layouts.get(mechanism)
    if layout is None or layout.version != mechanism.structure_version:
        layout = _layouts[mechanism] = Layout(mechanism)
    return layout
