"""Interface of states for algorithms: coordinates and parameters of a mechanism.

`StateView` is the read-only interface that live states (float64 buffers) and scalar states (recorded, complex,
symbolic, interval, exact numbers) share, so that an algorithm is written once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from numpy.typing import NDArray

from rbd.indexing.layout import Layout, TreeNode, layout_of
from rbd.kernels.cached_pass import cached_pass
from rbd.kernels.engine_interface import Engine
from rbd.kernels.lifting import lifted_inertia, lifted_transform
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.mechanism.joint import PerVelocityParameter
from rbd.scalars import Scalar, Vector
from rbd.scalars.arrays import scalars
from rbd.spatial import FreeVector, SpatialInertia, Transform

MEMBERS_FOR_ALGORITHMS: Final = frozenset(
    {
        "checked",
        "checked_pass",
        "configuration_derivative_scalars",
        "configuration_scalars",
        "engine",
        "joint_parameter",
        "joint_q",
        "joint_v",
        "layout",
        "lifted",
        "nodes",
        "position_bounds",
        "regrouped",
        "uncached_inertia",
        "vector",
        "velocity_scalars",
    }
)
"""Members for algorithms only: scalars, and parameters in the state's family of scalars."""


class StateView(ABC):
    """Read-only interface of a state for algorithms."""

    engine: Engine
    """The engine of this state (internal)."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Set the mechanism and its current layout."""
        self._mechanism = mechanism
        self._layout = layout_of(mechanism)

    def __setstate__(self, content: dict[str, object]) -> None:
        """Restore; share the layout with other states of the mechanism unless it was edited."""
        for name, value in content.items():
            setattr(self, name, value)
        shared = layout_of(self._mechanism)
        if shared.version == self._layout.version:
            self._layout = shared

    def __dir__(self) -> list[str]:
        """List the names for users; the guide to the engine has those for algorithms."""
        return sorted(set(super().__dir__()) - MEMBERS_FOR_ALGORITHMS)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of this state."""
        return self._mechanism

    @property
    def layout(self) -> Layout:
        """The indices of bodies and joints; raises StaleStateError or WrongThreadError."""
        self.engine.check()
        return self._layout

    @property
    def nodes(self) -> tuple[TreeNode, ...]:
        """Tree joints with their successors, parents first; raises StaleStateError or WrongThreadError."""
        return self.layout.nodes

    # --- abstract methods ----------------------------------------------------------------------------

    @abstractmethod
    def configuration_scalars(self) -> Vector:
        """Return q as scalars."""

    @abstractmethod
    def velocity_scalars(self) -> Vector:
        """Return v as scalars."""

    @abstractmethod
    def with_scalars(
        self, q: Sequence[Scalar] | NDArray[Any] | None = None, v: Sequence[Scalar] | NDArray[Any] | None = None
    ) -> StateView:
        """Return a scalar state at coordinates of any scalar type, by default those of this state."""

    @abstractmethod
    def lifted(self, value: Scalar) -> Scalar:
        """Return a parameter in this state's scalar family."""

    def vector(self, values: Sequence[Scalar] | NDArray[Any], length: int, name: str) -> Vector:
        """Return an argument as scalars of this state's family, for exact results.

        Raises ShapeError, NotFiniteError or ScalarError naming the argument.
        """
        return tuple(map(self.lifted, scalars(values, length, name)))

    # --- coordinates of one joint ------------------------------------------------------------------

    def joint_q(self, node: TreeNode) -> Vector:
        """Return the configuration of the joint of `node` as scalars."""
        return self.configuration_scalars()[node.q_slice]

    def joint_v(self, node: TreeNode) -> Vector:
        """Return the velocity of the joint of `node` as scalars."""
        return self.velocity_scalars()[node.v_slice]

    def q_slice(self, joint: Joint | str) -> slice:
        """Return the slice of q of a tree joint."""
        return self.layout.node(joint).q_slice

    def v_slice(self, joint: Joint | str) -> slice:
        """Return the slice of v of a tree joint."""
        return self.layout.node(joint).v_slice

    # --- parameters: algorithms read them here and nowhere else ------------------------------------

    def inertia(self, body: RigidBody | str) -> SpatialInertia:
        """Return the inertia of `body`, in its default frame; zero for the root. Raises UnknownNameError."""
        return unregrouped_inertias(self)[self.layout.body_index(body)]

    def uncached_inertia(self, body: RigidBody) -> SpatialInertia:
        """Return the inertia of `body`, in its default frame, without caching; zero for the root."""
        inertia = body.inertia
        return lifted_inertia(self, SpatialInertia.zero(body.default_frame) if inertia is None else inertia)

    def regrouped(self, inertias: tuple[SpatialInertia, ...]) -> tuple[SpatialInertia, ...]:
        """Return the inertias of all bodies, regrouped if this state regroups inertial parameters; live ones do not."""
        return inertias

    def placement(self, joint: Joint | str) -> Transform:
        """Return the placement of `joint`: from its frame_before to the default frame of its predecessor."""
        self.engine.check()
        return lifted_transform(self, self._mechanism.placement(joint))

    def successor_placement(self, joint: Joint | str) -> Transform:
        """Return the placement on the successor: from the joint's frame_after to the default frame of its successor."""
        self.engine.check()
        return lifted_transform(self, self._mechanism.successor_placement(joint))

    @property
    def gravity(self) -> FreeVector:
        """The acceleration of free fall, in the root frame."""
        self.engine.check()
        x, y, z = self._mechanism.gravity.xyz_components
        return FreeVector.trusted(self._layout.root_frame, (self.lifted(x), self.lifted(y), self.lifted(z)))

    def joint_parameter(self, joint: Joint, name: PerVelocityParameter) -> Vector:
        """Return a parameter of `joint`, one number per velocity."""
        return tuple(self.lifted(value) for value in getattr(joint, name))

    def position_bounds(self, joint: Joint) -> tuple[tuple[Scalar, Scalar], ...]:
        """Return (lower, upper) per coordinate of `joint`; infinite bounds are floats, as structural constants."""
        return joint.position_bounds


@cached_pass("parameters")
def unregrouped_inertias(state: StateView) -> tuple[SpatialInertia, ...]:
    """Return the inertia of every body in its default frame, zero for the root; never regrouped."""
    return tuple(state.uncached_inertia(body) for body in state.layout.bodies)
