"""Result of `dynamics`: buffers written in place, framed values computed lazily.

Algorithms write a result; it solves nothing itself, but computes wrenches of joints when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast, final

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms.loops.reactions import loop_wrenches
from rbd.algorithms.results.result_writer import ResultWriter
from rbd.algorithms.results.solution import COPIED_ARRAYS, ContactWrenches, Solution
from rbd.algorithms.results.solved_motion import SolvedMotion
from rbd.display import preformatted
from rbd.errors import ArgumentError, StaleStateError, UnknownNameError
from rbd.indexing.joint_values import JointValues, joint_table
from rbd.indexing.layout import FrameLike, layout_of
from rbd.kernels.state_view import StateView
from rbd.kinematics import passes
from rbd.kinematics.queries import State
from rbd.mechanism import Coupling, Joint, Mechanism, RigidBody
from rbd.scalars import Scalar, to_float
from rbd.scalars.arrays import Array
from rbd.spatial import SpatialAcceleration, Wrench
from rbd.spatial.frame import F
from rbd.spatial.linalg import sub3


@final
class DynamicsResult:
    """Accelerations, forces and matrices of a solution of the equations of motion.

    A new result is empty: reading anything of it raises ArgumentError until `dynamics` has filled it.

    The arrays belong to the result, and the next `dynamics(result, ...)` overwrites them. The result holds a copy of
    (q, v, vd), so it does not depend on later changes of the state.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.5, 0.2])
    >>> result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state)
    >>> wrench = result.joint_wrench(state.mechanism.joint("shoulder"))   # applied by the world
    >>> wrench.frame is state.mechanism.root_frame
    True
    """

    def __init__(self, mechanism: Mechanism) -> None:
        """Allocate the buffers for `mechanism`."""
        self._mechanism = mechanism
        self._layout = layout_of(mechanism)
        self._motion: SolvedMotion | None = None  # that of the last solution of which one was asked for
        self.writer = ResultWriter(self._layout)
        """Writer of the solution, which owns the arrays (internal)."""

    def __repr__(self) -> str:
        if self.writer.solution is None:
            return f"DynamicsResult of {self._layout.bodies[0].name!r}: empty; dynamics(result, state) fills it"
        values = {name: self.writer.arrays[name].tolist() for name in ("q", "v", "vd")}
        rank = f", {self.constraint_rank} constraints independent" if self._layout.is_constrained else ""
        return joint_table("DynamicsResult", self._layout, values, rank)

    def _repr_html_(self) -> str:
        return preformatted(repr(self))

    # --- arrays ------------------------------------------------------------------------------------

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the result."""
        return self._mechanism

    @property
    def q(self) -> Array:
        """The configuration of the result."""
        return self._filled("q")

    @property
    def v(self) -> Array:
        """The velocity of the result."""
        return self._filled("v")

    @property
    def qd(self) -> Array:
        """The time derivative of q, (nq,)."""
        return self._filled("qd")

    @property
    def vd(self) -> Array:
        """The time derivative of v, (nv,)."""
        # Without another call once there is a solution: this array is read after most calls of `dynamics`.
        return self._filled("vd") if self.writer.stored is None else self.writer.arrays["vd"]

    @property
    def mass_matrix(self) -> Array:
        """M, (nv, nv)."""
        return self._filled("mass_matrix")

    @property
    def dynamics_bias(self) -> Array:
        """The bias c of M vd + c = tau + passive - K^T lambda, external wrenches included, (nv,)."""
        return self._filled("dynamics_bias")

    @property
    def passive_torques(self) -> Array:
        """The torques of damping, friction and bound springs, (nv,)."""
        return self._filled("passive_torques")

    @property
    def constraint_jacobian(self) -> Array:
        """K, one row per constraint of a loop joint or coupling, (nc, nv)."""
        return self._filled("constraint_jacobian")

    @property
    def constraint_bias(self) -> Array:
        """The bias k of K vd = -k, (nc,)."""
        return self._filled("constraint_bias")

    @property
    def multipliers(self) -> Array:
        """The Lagrange multipliers lambda, (nc,)."""
        return self._filled("multipliers")

    @property
    def sd(self) -> Array:
        """The time derivative of the contact states, (ns,)."""
        return self._filled("sd")

    def _filled(self, name: str) -> Array:
        """Return an array of the solution; raise ArgumentError while there is none."""
        if self.writer.stored is None:
            raise self._empty()
        return self.writer.arrays[name]

    def _solution(self) -> Solution:
        """Return the solution; raise ArgumentError while there is none."""
        solution = self.writer.solution
        if solution is None:
            raise self._empty()
        return solution

    def _empty(self) -> ArgumentError:
        message = "this result is empty; call dynamics(result, state) first"
        return ArgumentError(message, argument="result", value=self)

    @property
    def constraint_rank(self) -> int:
        """The rank of the constraint Jacobian."""
        rank = self._solution().copies.get("rank")
        return 0 if rank is None else int(to_float(rank.item()))

    # --- framed values -----------------------------------------------------------------------------

    def acceleration(self, body: RigidBody | str) -> SpatialAcceleration[Any, Any, Any]:
        """Return the true spatial acceleration of `body` with respect to the root, in the root frame."""
        motion, index = self._solved_motion(), self._layout.body_index(body)
        acceleration = motion.accelerations[index].transformed(passes.to_root(motion.state)[index])
        return motion.state.checked(acceleration, "acceleration")

    def proper_acceleration(self, body: RigidBody | str) -> SpatialAcceleration[Any, Any, Any]:
        """Return the acceleration of `body` minus gravity, in the root frame, as an accelerometer measures it."""
        true, state = self.acceleration(body), self._solved_motion().state
        linear = sub3(true.linear_components, state.gravity.xyz_components)
        proper = SpatialAcceleration.trusted(true.body, true.base, true.frame, true.angular_components, linear)
        return state.checked(proper, "proper acceleration")

    def relative_acceleration(
        self, body: RigidBody | str, base: RigidBody | str, *, frame: FrameLike[F] | None = None
    ) -> SpatialAcceleration[Any, Any, F]:
        """Return the spatial acceleration of `body` with respect to `base`, in `frame` (None: the root frame)."""
        relative = -self.acceleration(base) + self.acceleration(body)
        target: FrameLike[F] = self._layout.root_frame if frame is None else frame
        return self._solved_motion().state.transform(relative, target)

    def by_joint(self, values: ArrayLike) -> JointValues:
        """Return an array indexed by joints: `result.by_joint(result.vd)["elbow"]`; see `MechanismState.by_joint`."""
        return JointValues(self._layout, values)

    def joint_wrench(self, joint: Joint | str) -> Wrench[Any]:
        """Return the wrench that tree joint `joint` applies to its successor, in the root frame."""
        if self._layout.loop(joint) is not None:
            name = getattr(joint, "name", str(joint))
            message = f"joint '{name}' closes a loop; loop_wrench returns the wrenches of such joints"
            raise UnknownNameError(message, kind="joint", name=name)
        motion, node = self._solved_motion(), self._layout.node(joint)
        wrench = motion.wrenches[node.index].transformed(passes.to_root(motion.state)[node.index])
        return motion.state.checked(wrench, "joint wrench")

    def contact_wrench(self, body: RigidBody | str) -> Wrench[Any]:
        """Return the total contact wrench of the half-spaces on `body`, in the root frame."""
        motion, index = self._solved_motion(), self._layout.body_index(body)
        wrench = motion.contacts[index] if motion.contacts else None
        if wrench is None:
            return Wrench.zero(self._layout.root_frame)
        return motion.state.checked(wrench.transformed(passes.to_root(motion.state)[index]), "contact wrench")

    def loop_wrench(self, joint: Joint | str) -> Wrench[Any]:
        """Return the wrench that loop joint `joint` applies to its successor, in the root frame.

        It is minus the basis of `constraint_wrench_subspace` times the joint's multipliers. For redundant constraints,
        it is that of the multipliers of least norm.
        """
        motion, loop = self._solved_motion(), self._layout.loop(joint)
        if loop is None or motion.multipliers is None:
            name = getattr(joint, "name", str(joint))
            message = (
                f"joint '{name}' closes no loop of this mechanism; joint_wrench returns the wrenches of tree joints"
            )
            raise UnknownNameError(message, kind="loop joint", name=name)
        wrench = loop_wrenches(motion.state, motion.multipliers)[self._layout.loops.index(loop)]
        return motion.state.checked(wrench, "loop wrench")

    def coupling_torque(self, coupling: Coupling | str) -> Scalar:
        """Return the torque or force that a coupling applies to its joint: minus its multiplier.

        Its source receives the opposite times the slope dq/dx. For redundant constraints, it is that of the multipliers
        of least norm. Raises UnknownNameError for a coupling of another mechanism.
        """
        multipliers, row = self._solved_motion().multipliers, self._layout.coupling(coupling)
        if row is None or not multipliers:
            name = getattr(coupling, "name", str(coupling))
            raise UnknownNameError(f"no coupling of this mechanism is named '{name}'", kind="coupling", name=name)
        index: int = row.rows.start
        return -multipliers[index]

    # --- for algorithms ----------------------------------------------------------------------------

    def require_mechanism(self, state: StateView) -> None:
        """Raise ArgumentError or StaleStateError unless this result is for the mechanism of `state`."""
        if state.mechanism is not self._mechanism:
            raise ArgumentError("result was made for another mechanism than the state's", argument="result", value=self)
        self._require_current()

    def _require_current(self) -> None:
        made, now = self._layout.version, self._mechanism.structure_version
        if made != now:
            raise StaleStateError(
                "the mechanism was edited after this result was made; make a new DynamicsResult",
                made_with=made,
                now=now,
            )

    def store(
        self,
        state: State[Any],
        arrays: Mapping[str, Any],
        external: object = None,
        contacts: ContactWrenches = (),
        further_writes: Sequence[Callable[[], object]] = (),
    ) -> None:
        """Store a solution: the motion of `state`, and arrays, given as arrays or as nested scalars.

        `further_writes` are calls that store the rest of what the algorithm returns; they must not raise.

        All values are converted before they are stored, at once, so that a failure or an interrupt leaves the result
        unchanged.
        """
        values = {"q": state.configuration_scalars(), "v": state.velocity_scalars(), **arrays}
        if "qd" not in arrays:
            values["qd"] = state.configuration_derivative_scalars()
        packed = {name: self._packed(state, name, x) for name, x in values.items()}
        copies = {name: packed[name].copy() for name in COPIED_ARRAYS if name in packed}
        solution = Solution(copies, external, state.mechanism.parameter_version, contacts)
        self.writer.store(packed, solution, further_writes)

    def _packed(self, state: State[Any], name: str, value: Any) -> Array:
        if isinstance(value, np.ndarray):
            return cast("Array", value)
        packed: Array = state.engine.pack(value, name.replace("_", " "), self.writer.arrays[name].shape)
        return packed

    def _solved_motion(self) -> SolvedMotion:
        """Return the motion of the solution; raise if there is none or the mechanism has changed."""
        solution = self._solution()
        self._require_current()
        now = self._mechanism.parameter_version
        if now != solution.parameter_version:
            raise StaleStateError(
                "a parameter of the mechanism was changed after this result was computed; call dynamics again",
                made_with=solution.parameter_version,
                now=now,
            )
        motion = self._motion
        if motion is None or motion.solution is not solution:
            motion = self._motion = SolvedMotion(self._mechanism, solution)
        return motion
