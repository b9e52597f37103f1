"""The mechanism: bodies connected by joints, and gravity.

The other modules of the package hold its structure and do its edits.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeVar, final

from typing_extensions import override

from rbd.arguments import constructing_call, require_kind, sequence
from rbd.display import preformatted
from rbd.errors import ArgumentError, TopologyError, quoted
from rbd.joints import QuaternionFloating
from rbd.joints.base import JointType
from rbd.mechanism import copying
from rbd.mechanism.body import RigidBody
from rbd.mechanism.coupling import Coupling, Numbers, make_coupling
from rbd.mechanism.drawing import drawing
from rbd.mechanism.edits import merge, tree_edits
from rbd.mechanism.edits.attach import checked_attachment, require_unattached
from rbd.mechanism.edits.reports import FrameMap, MergeReport, RerootReport
from rbd.mechanism.joint import Joint
from rbd.mechanism.members import data_of, registry_of
from rbd.mechanism.queries import MechanismQueries
from rbd.mechanism.structure import Structure
from rbd.mechanism.transaction import transaction
from rbd.mechanism.tree import Edge
from rbd.scalars.arrays import scalars
from rbd.spatial import Frame, FreeVector, Transform
from rbd.spatial.frame import check_frame
from rbd.spatial.half_space import HalfSpace
from rbd.spatial.values import require_finite

if TYPE_CHECKING:
    from rbd.scalars import Scalar
    from rbd.spatial.values import VectorLike

_GRAVITY = (0.0, 0.0, -9.81)
_READERS = {".urdf": "load_urdf", ".xml": "load_mjcf", ".mjcf": "load_mjcf"}

R = TypeVar("R")


@final
@constructing_call("rbd.load_urdf(path)", takes="path")
class Mechanism(MechanismQueries):
    """Bodies connected by joints: a tree on a root that never moves, joints that close loops in it, and couplings.

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

    __slots__ = ("__weakref__", "_gravity")

    def __init__(self, root: str | RigidBody = "world", *, gravity: VectorLike | FreeVector = _GRAVITY) -> None:
        """Make a mechanism of a root alone: a body without inertia, or the name of one.

        Raises ArgumentError for the path of a robot file: `load_urdf` and `load_mjcf` read files. A body of such a name
        may be the root.
        """
        _refuse_files(root)
        body = RigidBody(root) if isinstance(root, str) else root
        require_kind(body, RigidBody, operation="Mechanism", argument="root")
        if body.inertia is not None:
            raise ArgumentError(
                f"the root never moves: body {quoted(body.name)} must have no inertia", argument="root", value=body
            )
        if registry_of(body) is not None:
            raise TopologyError(f"body {quoted(body.name)} belongs to another mechanism", body=body.name)
        vector = _checked_gravity(gravity, body.default_frame)
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
        gravity = _checked_gravity(value, self.root_frame)
        self._structure.registry.parameters_changed()  # first: interrupted in between, states compute again
        self._gravity = gravity

    @property
    def mass(self) -> Scalar:
        """Return the mass of all bodies together."""
        total: Scalar = 0
        for body in self.bodies:
            total = total if body.inertia is None else total + body.inertia.mass
        return total

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
        successor's default frame becomes `joint.frame_after`; all its frames stay. Frames that a joint left when it was
        removed are where they were, unless a pose is given or the joint goes to other bodies.

        Raises TopologyError when names are taken, when the joint or the new body is attached elsewhere or the two
        bodies are one, FrameMismatchError when a pose is between other frames, NotFiniteError when a pose is so large
        that numbers of the body overflow. Nothing has changed then.
        """
        first = self.body(predecessor)
        second = self.body(successor) if isinstance(successor, str) else successor
        attachment = checked_attachment(self._structure, Edge(joint, first, second), joint_pose, successor_pose)
        self._edit(lambda: attachment.commit(self._structure), attachment.members)

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
        target = self.body(body)
        return self._edit(
            lambda: copying.attach_copy(self._structure, target, child._structure, child_root_pose, prefix)
        )

    # ---------------------------------------------------------------- couplings

    def couple(
        self,
        joint: str | Joint,
        to: str | Joint | None = None,
        *,
        ratio: Scalar = 1,
        offset: Scalar = 0,
        polynomial: Numbers | None = None,
        name: str | None = None,
    ) -> Coupling:
        """Couple a joint to another one: q = offset + ratio x, where x is the coordinate of the joint `to`.

        `polynomial` gives the coefficients c₀, c₁, c₂, ... of q = c₀ + c₁ x + c₂ x² + ... instead of offset and ratio.
        Without `to`, the joint is held at the offset. Both are tree joints whose velocity is the derivative of their
        only coordinate, such as revolute and prismatic ones. The default name is that of the joints: `a_to_b`.

        A coupling is a constraint as those of loop joints: both joints keep their coordinates, and states need not
        satisfy it (`close_loops` makes them). Returns the coupling.

        Raises UnknownNameError; TopologyError for a loop joint, a joint coupled to itself or a name that is taken;
        ArgumentError for joints of other types; NotFiniteError.

        >>> import rbd
        >>> arm = rbd.robots.double_pendulum()
        >>> arm.couple("elbow", to="shoulder", ratio=-2.0, offset=0.5)
        <Coupling 'elbow_to_shoulder': elbow = 0.5 - 2.0 shoulder>
        >>> arm.nv, arm.nc
        (2, 1)
        """
        source = None if to is None else self.joint(to)
        coupling = make_coupling(self._structure, self.joint(joint), source, (offset, ratio), polynomial, name)
        self._edit(lambda: self._structure.add_coupling(coupling), ())
        return coupling

    def uncouple(self, coupling: str | Coupling) -> None:
        """Remove a coupling; its joints are independent again. Raises UnknownNameError or TopologyError."""
        found = self.coupling(coupling)
        self._edit(lambda: self._structure.remove_coupling(found), ())

    # ---------------------------------------------------------------- half-spaces

    def add_half_space(self, half_space: HalfSpace) -> HalfSpace:
        """Add a half-space, which every contact point of every body may touch.

        `half_space` may be in any frame of the root body. Returns it in the root frame. This is a change of structure:
        contact points may have states. Raises FrameMismatchError for other frames.
        """
        require_kind(half_space, HalfSpace, operation="add_half_space", argument="half_space")
        data = data_of(self.root_body)
        placed = half_space.transformed(data.to_default(half_space.frame, "add_half_space", "half_space"))
        require_finite(placed, "half_space")
        self._edit(lambda: self._structure.set_half_spaces((*self.half_spaces, placed)), ())
        return placed

    def remove_half_space(self, half_space: HalfSpace) -> None:
        """Remove a half-space that `add_half_space` returned. Raises ArgumentError for any other."""
        left = tuple(other for other in self.half_spaces if other is not half_space)
        if len(left) == len(self.half_spaces):
            raise ArgumentError(
                f"{half_space!r} is none of the mechanism's half-spaces", argument="half_space", value=half_space
            )
        self._edit(lambda: self._structure.set_half_spaces(left), ())

    # ---------------------------------------------------------------- edits

    def rebuild_spanning_tree(self, prefer: Iterable[str | Joint] | Joint = ()) -> RerootReport:
        """Choose another spanning tree: joints in `prefer` first, then the present tree joints, then loop joints.

        Tree joints that would point towards the root are reversed: other Joint objects, of the same names, replace
        them. The report says which, and maps configurations and velocities. All frames stay; the default frame of a
        body is then that after the joint which carries it now, and `state.transform_to_root(body)` is its pose.

        Raises TopologyError when the joints in `prefer` close a loop, when a coupled joint would leave the tree, or
        parameters of a joint cannot be reversed.
        """
        names = [prefer] if isinstance(prefer, (str, Joint)) else sequence(prefer, "prefer", "joints")
        preferred = [self.joint(joint) for joint in names]
        return self._edit(lambda: tree_edits.rebuild_tree(self._structure, preferred))

    def remove_joint(self, joint: str | Joint) -> RerootReport:
        """Remove a joint; if it was a tree joint, as few loop joints as possible enter the tree.

        Its couplings are removed, too; the report has them. Joints may be reversed as in `rebuild_spanning_tree`. The
        frames of the joint stay on their bodies until it is attached elsewhere.
        Raises TopologyError when bodies would be left unconnected, or when parameters of a joint cannot be reversed.
        """
        removed = [self.joint(joint)]
        return self._edit(lambda: tree_edits.rebuild_tree(self._structure, [], removed))

    def remove_subtree(self, body: str | RigidBody) -> tuple[RigidBody, ...]:
        """Remove the subtree of a body, every joint that touches it, and their couplings.

        Returns the removed bodies, which may be attached again. Raises TopologyError for the root.
        """
        top = self.body(body)
        return self._edit(lambda: tree_edits.remove_subtree(self._structure, top))

    def replace_joint(self, old: str | Joint, new: Joint) -> None:
        """Replace an attached joint, of the tree or of a loop, by an unattached one: same bodies, same placements.

        The frames of the old joint stay on the bodies; the successor's default frame is that after the new one.
        Couplings follow. Raises TopologyError when the new joint is attached already, or its name taken by another one;
        ArgumentError when the old one is coupled and the new one cannot be.
        """
        joint = self.joint(old)
        require_unattached(self._structure, new, "replace_joint")
        self._edit(lambda: tree_edits.replace_joint(self._structure, joint, new), (*self._members(), new))

    def remove_fixed_joints(self) -> MergeReport:
        """Merge bodies that are connected by fixed tree joints.

        Frames, contact points and inertia go to the body nearer the root. Inertia merged into the root is dropped, as
        the root never moves. Frames are found by name as before, and asking for a merged body raises an error that says
        where it went. Loop joints follow their bodies; one that would connect a body with itself is removed if it
        allows that pose, else TopologyError is raised.
        """
        return self._edit(lambda: merge.merge_fixed(self._structure))

    def _members(self) -> tuple[RigidBody | Joint, ...]:
        return *self._structure.bodies, *self._structure.edges

    def _edit(self, change: Callable[[], R], members: Iterable[RigidBody | Joint] | None = None) -> R:
        """Return the result of an edit of the structure; if it raises, the mechanism is unchanged."""
        changed = self._members() if members is None else members
        return transaction(change, self._structure.registry, changed, self._structure)

    # ---------------------------------------------------------------- copies

    def copy(self) -> tuple[Mechanism, FrameMap]:
        """Return a copy with new frames, bodies and joints, and the map from these to those of the copy.

        (`copy.copy`, `copy.deepcopy` and `pickle` keep the identities of frames instead.)
        """
        return self._made_of(*copying.copy_structure(self._structure))

    def submechanism(self, body: str | RigidBody) -> tuple[Mechanism, FrameMap]:
        """Return a copy of the subtree of a body, which becomes the root; loop joints and couplings within it, too.

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
        has six velocities, TopologyError when joints are coupled.
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


def _refuse_files(root: object) -> None:
    """Raise ArgumentError for the path of a robot file."""
    reader = _READERS.get(PurePath(root).suffix.lower()) if isinstance(root, (str, PurePath)) else None
    if reader is not None:
        path = quoted(str(root))
        message = f"Mechanism: root is the path {path}, needs the name of a body; rbd.{reader}({path}) reads files"
        raise ArgumentError(message, operation="Mechanism", argument="root", value=root)


def _checked_gravity(value: VectorLike | FreeVector, frame: Frame) -> FreeVector:
    if isinstance(value, FreeVector):
        check_frame(value.frame, frame, operation="gravity", argument="gravity")
        return require_finite(value, "gravity")
    x, y, z = scalars(value, 3, "gravity")
    return FreeVector.trusted(frame, (x, y, z))


def in_one_transaction(mechanism: Mechanism, edit: Callable[[], R]) -> R:
    """Return the result of many edits as one atomic edit: attaching n bodies then takes O(n).

    The bodies that `edit` attaches must be its own: they are not restored when it fails.
    """
    return mechanism._edit(edit)  # pyright: ignore[reportPrivateUsage]  # for readers, no part of the public class
