"""`Dynamics`: a mechanism as the function f(t, x) that solvers of ordinary differential equations ask for.

Solvers keep the arrays they receive, and scale and add configurations as vectors: so every call returns a new array,
and coordinates that are off their manifold are legal input.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from rbd.algorithms import Stabilization
from rbd.algorithms.loops.loop_gains import gains_of_constraints
from rbd.algorithms.loops.stabilization import DEFAULT_STABILIZATION
from rbd.arguments import require_kind
from rbd.array_functions.function import RecordedFunction
from rbd.errors import ArgumentError
from rbd.indexing.layout import TreeNode
from rbd.mechanism import Mechanism
from rbd.scalars import to_float
from rbd.scalars.arrays import Array, check_out, float_array
from rbd.simulation.callbacks import Control, External, as_control
from rbd.simulation.equations_of_motion import EquationsOfMotion, initial_contact_states
from rbd.simulation.forces import ForceElement
from rbd.state import MechanismState


@final
class Dynamics:
    """The derivative of x = [q; v; s] as a function f(t, x), for `scipy.integrate.solve_ivp` and friends.

    Every call returns a new array; `f(t, x, out=buffer)` fills `buffer` instead and returns it. Control and external
    wrenches, force elements and stabilisation are those of `simulate`; s, the contact states, is empty for a mechanism
    without contact points. A solver does not know when a point lifts off; its displacement then relaxes with the time
    constant of its friction model, and `f.project(x)` resets it.

    Plain solvers let quaternions drift off the unit sphere. Poses are therefore those of the normalised x, while the
    derivative of a quaternion is taken at the quaternion as it is: its length is then constant along exact solutions,
    and `f.project(x)` restores it between runs, or after each step of a solver that lets you. Rotation vectors and
    modified Rodrigues parameters are singular at a full turn, which only `simulate` steps over.

    The function keeps a state of its own and belongs to the thread that made it: make one per thread.

    Raises ShapeError or NotFiniteError naming x, RotationError for a quaternion of length zero, and what `simulate`
    raises about callbacks.

    >>> import rbd
    >>> from scipy.integrate import solve_ivp
    >>> pendulum = rbd.robots.double_pendulum()
    >>> f = rbd.Dynamics(pendulum)
    >>> solution = solve_ivp(f, (0.0, 0.1), f.x0(rbd.MechanismState(pendulum, q=[0.3, 0.0])))
    >>> f.state(solution.y[:, -1]).q.shape
    (2,)
    """

    def __init__(
        self,
        mechanism: Mechanism,
        control: Control | RecordedFunction | None = None,
        *,
        external: External | None = None,
        forces: Sequence[ForceElement] = (),
        stabilization: Stabilization = DEFAULT_STABILIZATION,
    ) -> None:
        """Check the arguments; nothing is computed yet."""
        self._mechanism = mechanism
        self._equations = EquationsOfMotion(
            as_control(control, mechanism), external, forces=forces, stabilization=stabilization
        )
        self._state = MechanismState(mechanism)
        gains_of_constraints(self._state.layout, stabilization)  # raises unless it is a Stabilization
        self._normalized_nodes = tuple(node for node in self._state.nodes if _has_normalization(node))

    def __repr__(self) -> str:
        sizes = f"nq = {self.nq}, nv = {self.nv}, ns = {self.ns}"
        return f"<Dynamics of {self._mechanism.root_body.name!r}: f(t, x) -> dx/dt with x = [q; v; s], {sizes}>"

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism."""
        return self._mechanism

    @property
    def nq(self) -> int:
        """The number of coordinates."""
        return self._state.layout.nq

    @property
    def nv(self) -> int:
        """The number of velocities."""
        return self._state.layout.nv

    @property
    def ns(self) -> int:
        """The number of additional (contact) states."""
        return self._state.layout.ns

    @property
    def nx(self) -> int:
        """The length of x."""
        return self.nq + self.nv + self.ns

    def __call__(self, t: float, x: ArrayLike, out: Array | None = None) -> Array:
        """Return the derivative of x at time `t`: a new array, or `out` filled."""
        x = float_array(x, (self.nx,), "x")
        xd = check_out(out, (self.nx,), "out")
        self._set_state(self._state, x)
        rates = self._equations(t, self._state, x[self.nq + self.nv :])
        xd[: self.nq] = self._configuration_derivative(x)
        xd[self.nq : self.nq + self.nv] = rates.vd
        xd[self.nq + self.nv :] = rates.sd
        return xd

    def x0(self, state: MechanismState, contact_states: ArrayLike | None = None) -> Array:
        """Return x at `state`, with contact states zero if not given.

        Raises ArgumentError when it is a state of another mechanism, ShapeError and NotFiniteError.
        """
        require_kind(state, MechanismState, operation="Dynamics.x0", argument="state")
        if state.mechanism is not self._mechanism:
            message = "state is of another mechanism than this function's"
            raise ArgumentError(message, argument="state", value=state.mechanism, allowed=self._mechanism)
        return np.concatenate((state.q, state.v, initial_contact_states(state, contact_states)))

    def state(self, x: ArrayLike) -> MechanismState:
        """Return a new state at the normalised x."""
        state = MechanismState(self._mechanism)
        self._set_state(state, float_array(x, (self.nx,), "x"))
        return state

    def project(self, x: ArrayLike) -> Array:
        """Return a copy of x with its coordinates normalised, and contact states reset where a point has lifted off."""
        x = float_array(x, (self.nx,), "x").copy()
        self._set_state(self._state, x)
        x[: self.nq] = self._state.q
        x[self.nq + self.nv :] = self._equations.reset_contacts(self._state, x[self.nq + self.nv :])
        return x

    def _set_state(self, state: MechanismState, x: Array) -> None:
        state.set_configuration(x[: self.nq], normalize=True)
        state.set_velocity(x[self.nq : self.nq + self.nv])

    def _configuration_derivative(self, x: Array) -> Array:
        """Return qd, that of normalised coordinates at x as it is."""
        qd = np.array(self._state.configuration_derivative(), dtype=np.float64)
        q, v = x[: self.nq], x[self.nq : self.nq + self.nv]
        for node in self._normalized_nodes:
            joint_q, joint_v = tuple(q[node.q_slice].tolist()), tuple(v[node.v_slice].tolist())
            qd[node.q_slice] = [to_float(rate) for rate in node.joint.type.configuration_derivative(joint_q, joint_v)]
        return qd


def _has_normalization(node: TreeNode) -> bool:
    """Return whether the coordinates of the joint of `node` have a constraint such as unit length."""
    twos = (2.0,) * node.joint.nq  # violate every constraint of unit length
    return to_float(node.joint.type.normalization_error(twos)) != 0
