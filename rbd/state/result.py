"""What one call of `dynamics` found out: buffers filled in place, framed values made when asked for.

Room: state; may import mechanism and above. Algorithms fill a result; it never computes a motion itself.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from rbd.errors import ArgumentError, StaleStateError, UnknownNameError
from rbd.mechanism import Joint, Mechanism, RigidBody
from rbd.scalars import Vector, to_float
from rbd.scalars.arrays import Array
from rbd.spatial import SpatialAcceleration, Wrench
from rbd.state import passes
from rbd.state.base import StateView
from rbd.state.kernel import body_of
from rbd.state.layout import layout_of
from rbd.state.pushed import Call
from rbd.state.queries import State
from rbd.state.scalar_state import ScalarState
from rbd.state.short_ways import Behind, BodyWrenchesOf, External, LoopReactions, ShortWay
from rbd.state.store.doors import Door
from rbd.state.store.kernels import Entry

_MOST: Final = 64
"""Short ways of a result, beyond which all are made anew."""
_WITH_WRENCHES: Final = 2
"""What a kernel takes besides coordinates and parameters: torques and external wrenches."""


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
        self._loops: LoopReactions | None = None
        self._contacts: Sequence[Wrench[Any] | None] = ()
        self._snapshot: State[Any] | None = None
        self._vd: Vector = ()
        self._wrenches: BodyWrenchesOf | tuple[Wrench[Any], ...] = ()
        self._accelerations: tuple[SpatialAcceleration[Any, Any, Any], ...] | None = None
        self._parameters = -1
        self._counter = array("q", [0])
        """Solutions that machine code has put into the arrays."""
        self._seen = 0
        self.door: Door | None = None
        self.door_of: object = None
        self._ways: dict[object, Behind] = {}
        """Short ways: by key of a call with external wrenches, by None without."""
        self._pushed: tuple[Behind, External, int] | None = None
        """Of the last solution by machine code with external wrenches: its way, these, and its number."""

    def __getstate__(self) -> dict[str, object]:
        """Leave out the short way, which is bound to memory of this process."""
        self._settle()
        return {**self.__dict__, "door": None, "door_of": None, "_ways": {}, "_pushed": None}

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
        self._settle()
        return 0 if self._loops is None else int(to_float(self._loops.rank))

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
        if callable(self._wrenches):
            self._wrenches = self._wrenches(snapshot)
        return self._wrenches[link.index].transformed(passes.to_root(snapshot)[link.index])

    def contact_wrench(self, body: RigidBody) -> Wrench[Any]:
        """Return what the half-spaces apply to the contact points of `body` together, in the root frame."""
        snapshot, index = self._solved(), self._layout.body_index(body)
        wrench = self._contacts[index] if self._contacts else None
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
        if state.layout.version != self._layout.version:
            raise StaleStateError(
                "the mechanism was edited after this result was made; make a new DynamicsResult",
                made_with=self._layout.version,
                now=state.layout.version,
            )

    def take(
        self,
        state: State[Any],
        vd: Vector,
        wrenches: BodyWrenchesOf,
        *,
        loops: LoopReactions | None = None,
        contacts: Sequence[Wrench[Any] | None] = (),
        **arrays: Sequence[object],
    ) -> None:
        """Keep one solution whole: the motion (q, v, vd), how to find its joint wrenches, and arrays of nested scalars.

        Everything is converted before anything is stored, so that a failure leaves the result as it was.
        """
        snapshot = ScalarState(state.mechanism, state.configuration_scalars(), state.velocity_scalars())
        values: dict[str, Sequence[object]] = {
            "q": snapshot.configuration_scalars(),
            "v": snapshot.velocity_scalars(),
            "vd": vd,
            **arrays,
        }
        if "qd" not in arrays:
            values["qd"] = state.configuration_derivative_scalars()
        packed = {name: state.pack(x, name.replace("_", " "), self._arrays[name].shape) for name, x in values.items()}
        for name, values_of in packed.items():
            self._store(name, values_of)
        self._snapshot, self._vd, self._wrenches, self._loops = snapshot, vd, wrenches, loops
        self._contacts = contacts
        self._accelerations, self._seen = None, self._counter[0]
        self._parameters = state.mechanism.parameter_version

    def _store(self, name: str, array: Array) -> None:
        """Store an array in place when it holds floats, as it is otherwise."""
        buffer = self._arrays[name]
        if array.dtype == buffer.dtype:
            buffer[...] = array
        else:
            self._arrays[name] = array
            self._close()  # short ways lead to the buffer that was there

    # --- the short way -----------------------------------------------------------------------------

    def solve(self, state: object, call: Call, external: External) -> bool:
        """Let machine code fill the arrays for a call that says what pushes; return whether it has."""
        behind = self._ways.get(call.key if call.places else None)
        if behind is None or behind.door is None or behind.door_of is not getattr(state, "doors", None):
            return False
        if behind.door(*call.args) is not None:
            return False
        if call.places:
            self._pushed = behind, dict(external), self._counter[0]
        return True

    def open_door(self, state: State[Any], way: ShortWay, key: object = None) -> None:
        """Let machine code write solutions of `state` into the arrays, from now on, if that is possible.

        `key` is that of a call with external wrenches.
        """
        entry, version = state.compiled(body_of(way.kernel)), self._mechanism.parameter_version
        if entry is None or not (entry.plain if key is None else entry.free == _WITH_WRENCHES):
            return
        known = self._ways.get(key)
        stays = known is not None and known.door is not None and known.door_of is state.doors
        if stays and known is not None and known.entry is entry and known.parameters == version:
            return
        self._settle()  # what is behind the old door is lost
        if len(self._ways) >= _MOST:
            self._close()
        behind = self._ways[key] = self._way(state, way, entry)
        if key is None:
            self.door, self.door_of = behind.door, behind.door_of

    def _way(self, state: State[Any], way: ShortWay, entry: Entry) -> Behind:
        q, v, *kept = (np.zeros_like(self._arrays[name]) for name in ("q", "v", *way.kept))
        targets = tuple(self._arrays[name] for name in way.names)
        further = tuple((self._arrays[name], copy) for name, copy in zip(way.kept, kept, strict=True))
        door = state.door(entry, targets, ((self.q, q), (self.v, v)), further, self._counter)
        return Behind(door, state.doors, entry, self._mechanism.parameter_version, (q, v, *kept), way.reading)

    def _close(self) -> None:
        """Forget all short ways."""
        self.door, self.door_of = None, None
        self._ways.clear()

    def _settle(self) -> None:
        """Take notice of a solution that machine code has put into the arrays."""
        count, pushed = self._counter[0], self._pushed
        if self._seen == count:
            return
        behind, external = (self._ways[None], None) if pushed is None or pushed[2] != count else pushed[:2]
        q, v, *kept = (tuple(each.reshape(-1).tolist()) for each in behind.kept)
        self._snapshot, self._vd = ScalarState(self._mechanism, q, v), kept[0]
        self._wrenches, self._loops = behind.reading(external, *kept)
        self._accelerations, self._pushed = None, None
        self._parameters = behind.parameters
        self._seen = count

    def _solved(self) -> State[Any]:
        """Return the state the result is for; raise when there is none, or its mechanism has changed."""
        self._settle()
        if self._snapshot is None:
            raise ArgumentError(
                "this result is empty; call dynamics(result, state) first", argument="result", value=self
            )
        self._snapshot.require_current()
        now = self._mechanism.parameter_version
        if now != self._parameters:
            raise StaleStateError(
                "a parameter of the mechanism was changed after this result was computed; call dynamics again",
                made_with=self._parameters,
                now=now,
            )
        return self._snapshot
