"""The result of one call of `dynamics`: buffers filled in place, framed values made when asked for.

Algorithms fill a result; it never solves anything itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, final

import numpy as np

from rbd.errors import ArgumentError, StaleStateError, UnknownNameError
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.scalars import Vector, to_float
from rbd.scalars.arrays import Array
from rbd.spatial import SpatialAcceleration, Wrench
from rbd.state import passes
from rbd.state.base import StateView
from rbd.state.layout import layout_of
from rbd.state.queries import State
from rbd.state.scalar_state import ScalarState
from rbd.state.solution import BodyWrenchesOf, Contacts, LoopReactions, ResultEngine, Solution, SolutionReading


def _no_wrenches(state: StateView) -> tuple[Wrench[Any], ...]:
    """Return the joint wrenches of a result that is empty."""
    return ()


@final
class DynamicsResult:
    """Accelerations, forces and matrices of one solution of the equations of motion.

    The arrays belong to the result and are overwritten by the next `dynamics(result, ...)`; copy what must last. All
    of it belongs to one solution: the result keeps its own copy of (q, v, vd), so that later changes of the state do
    not matter.

    >>> import rbd
    >>> state = rbd.MechanismState(rbd.robots.double_pendulum(), [0.5, 0.2])
    >>> result = rbd.dynamics(rbd.DynamicsResult(state.mechanism), state)
    >>> wrench = result.joint_wrench(state.mechanism.joint("shoulder"))   # what the world has to hold
    >>> wrench.frame is state.mechanism.root_frame
    True
    """

    def __init__(self, mechanism: Mechanism) -> None:
        """Allocate the buffers for `mechanism`."""
        self._layout = layout = layout_of(mechanism)
        self._mechanism = mechanism
        nq, nv, nc = layout.nq, layout.nv, layout.nc
        self._arrays: dict[str, Array] = {
            "q": np.zeros(nq),
            "v": np.zeros(nv),
            "qd": np.zeros(nq),
            "vd": np.zeros(nv),
            "mass_matrix": np.zeros((nv, nv)),
            "dynamics_bias": np.zeros(nv),
            "passive_torques": np.zeros(nv),
            "constraint_jacobian": np.zeros((nc, nv)),
            "constraint_bias": np.zeros(nc),
            "multipliers": np.zeros(nc),
            "sd": np.zeros(layout.ns),
            "rank": np.zeros(()),
        }
        self._solution: Solution | None = None
        # What follows is made of the solution when it is first asked for.
        self._snapshot: State[Any] | None = None
        self._vd: Vector = ()
        self._joint_wrenches: BodyWrenchesOf = _no_wrenches
        self._wrenches: tuple[Wrench[Any], ...] = ()
        self._loops: LoopReactions | None = None
        self._accelerations: tuple[SpatialAcceleration[Any, Any, Any], ...] | None = None
        self.engine = ResultEngine(mechanism, layout, self._arrays)
        """What lets machine code fill the arrays; for rbd's own use."""

    def __getstate__(self) -> dict[str, object]:
        """Leave out fast paths, which are bound to memory of this process."""
        self._settle()
        return {name: value for name, value in self.__dict__.items() if name != "engine"}

    def __setstate__(self, content: dict[str, object]) -> None:
        """Take the content, without fast paths."""
        self.__dict__.update(content)
        self.engine = ResultEngine(self._mechanism, self._layout, self._arrays)

    # --- arrays ------------------------------------------------------------------------------------

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism the buffers are for."""
        return self._mechanism

    @property
    def q(self) -> Array:
        """The configuration the result is for."""
        return self._arrays["q"]

    @property
    def v(self) -> Array:
        """The velocity the result is for."""
        return self._arrays["v"]

    @property
    def qd(self) -> Array:
        """The time derivative of q, (nq,)."""
        return self._arrays["qd"]

    @property
    def vd(self) -> Array:
        """The time derivative of v, (nv,)."""
        return self._arrays["vd"]

    @property
    def mass_matrix(self) -> Array:
        """M, (nv, nv)."""
        return self._arrays["mass_matrix"]

    @property
    def dynamics_bias(self) -> Array:
        """The bias c of M vd + c = tau + passive - K^T lambda, external wrenches included, (nv,)."""
        return self._arrays["dynamics_bias"]

    @property
    def passive_torques(self) -> Array:
        """The torques of damping, friction and bound springs, (nv,)."""
        return self._arrays["passive_torques"]

    @property
    def constraint_jacobian(self) -> Array:
        """K, one row per constraint of a loop joint, (nc, nv)."""
        return self._arrays["constraint_jacobian"]

    @property
    def constraint_bias(self) -> Array:
        """The bias k of K vd = -k, (nc,)."""
        return self._arrays["constraint_bias"]

    @property
    def multipliers(self) -> Array:
        """The Lagrange multipliers lambda, (nc,)."""
        return self._arrays["multipliers"]

    @property
    def sd(self) -> Array:
        """The time derivative of the contact states, (ns,)."""
        return self._arrays["sd"]

    @property
    def constraint_rank(self) -> int:
        """How many of the constraints are independent."""
        solution = self._settle()
        if solution is None or "rank" not in solution.reading.kept:
            return 0
        return int(to_float(solution.kept[2 + solution.reading.kept.index("rank")].item()))

    # --- framed values -----------------------------------------------------------------------------

    def acceleration(self, body: RigidBody) -> SpatialAcceleration[Any, Any, Any]:
        """Return the true spatial acceleration of `body` with respect to the root, in the root frame."""
        snapshot, index = self._solved(), self._layout.body_index(body)
        if self._accelerations is None:
            self._accelerations = passes.accelerations(snapshot, self._vd)
        return self._accelerations[index].transformed(passes.to_root(snapshot)[index])

    def proper_acceleration(self, body: RigidBody) -> SpatialAcceleration[Any, Any, Any]:
        """Return the acceleration less that of free fall, in the root frame: what instruments on `body` feel."""
        true, gravity = self.acceleration(body), self._solved().gravity.xyz_components
        x, y, z = true.linear_components
        linear = (x - gravity[0], y - gravity[1], z - gravity[2])
        return SpatialAcceleration.trusted(true.body, true.base, true.frame, true.angular_components, linear)

    def joint_wrench(self, joint: Joint) -> Wrench[Any]:
        """Return what tree joint `joint` applies to its successor, in the root frame; it bears gravity."""
        snapshot, link = self._solved(), self._layout.link(joint)
        if not self._wrenches:
            self._wrenches = self._joint_wrenches(snapshot)
        return self._wrenches[link.index].transformed(passes.to_root(snapshot)[link.index])

    def contact_wrench(self, body: RigidBody) -> Wrench[Any]:
        """Return what the half-spaces apply to the contact points of `body` together, in the root frame."""
        snapshot, index = self._solved(), self._layout.body_index(body)
        contacts = () if self._solution is None else self._solution.contacts
        wrench = contacts[index] if contacts else None
        if wrench is None:
            return Wrench.zero(self._layout.root_frame)
        return wrench.transformed(passes.to_root(snapshot)[index])

    def loop_wrench(self, joint: Joint) -> Wrench[Any]:
        """Return what loop joint `joint` applies to its successor, in the root frame; its predecessor feels minus that.

        It is minus the basis of `constraint_wrench_subspace` times the joint's multipliers. Where constraints are
        redundant it is the part that the smallest multipliers make; what is left undetermined inside the loop is zero.
        """
        snapshot, loop = self._solved(), self._layout.loop(joint)
        if loop is None or self._loops is None:
            name = getattr(joint, "name", str(joint))
            raise UnknownNameError(f"joint '{name}' closes no loop of this mechanism", kind="loop joint", name=name)
        return self._loops.wrenches(snapshot)[self._layout.loops.index(loop)]

    # --- for algorithms ----------------------------------------------------------------------------

    def require_mechanism(self, state: StateView) -> None:
        """Raise ArgumentError or StaleStateError when this result cannot hold what `state` gives."""
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

    def take(
        self,
        state: State[Any],
        reading: SolutionReading,
        arrays: Mapping[str, Any],
        external: object = None,
        contacts: Contacts = (),
    ) -> None:
        """Keep one solution whole: the motion of `state`, and arrays, given as arrays or as nested scalars.

        Everything is converted before anything is stored, so that a failure leaves the result as it was.
        """
        values = {"q": state.configuration_scalars(), "v": state.velocity_scalars(), **arrays}
        if "qd" not in arrays:
            values["qd"] = state.configuration_derivative_scalars()
        packed = {name: self._packed(state, name, x) for name, x in values.items()}
        for name, values_of in packed.items():
            self._store(name, values_of)
        kept = tuple(packed[name].copy() for name in ("q", "v", *reading.kept))
        self.engine.skip()
        self._keep(Solution(reading, kept, external, state.mechanism.parameter_version, contacts))

    def _packed(self, state: State[Any], name: str, value: Any) -> Array:
        if isinstance(value, np.ndarray):
            return cast("Array", value)
        packed: Array = state.engine.pack(value, name.replace("_", " "), self._arrays[name].shape)
        return packed

    def _store(self, name: str, array: Array) -> None:
        """Store an array in place when it holds floats, as it is otherwise."""
        buffer = self._arrays[name]
        if array.dtype == buffer.dtype:
            buffer[...] = array
        else:
            self._arrays[name] = array
            self.engine.close()  # fast paths lead to the buffer that was there

    def _keep(self, solution: Solution) -> None:
        self._solution = solution
        self._snapshot = self._accelerations = self._loops = None
        self._wrenches = ()

    def _settle(self) -> Solution | None:
        """Return the last solution, whoever has written it."""
        written = self.engine.written()
        if written is not None:
            self._keep(written)
        return self._solution

    def _solved(self) -> State[Any]:
        """Return the state the result is for; raise when there is none, or its mechanism has changed."""
        solution = self._settle()
        if solution is None:
            raise ArgumentError(
                "this result is empty; call dynamics(result, state) first", argument="result", value=self
            )
        self._require_current()
        if self._snapshot is None:
            q, v, *kept = (tuple(each.reshape(-1).tolist()) for each in solution.kept)
            self._snapshot, self._vd = ScalarState(self._mechanism, q, v), kept[0]
            self._joint_wrenches, self._loops = solution.reading.read(solution.external, *kept)
        now = self._mechanism.parameter_version
        if now != solution.parameters:
            raise StaleStateError(
                "a parameter of the mechanism was changed after this result was computed; call dynamics again",
                made_with=solution.parameters,
                now=now,
            )
        return self._snapshot
