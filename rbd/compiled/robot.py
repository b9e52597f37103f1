"""A mechanism as native functions of arrays.

Room: compiled; may import algorithms and above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import final, overload

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.algorithms.second_derivatives import SecondDerivatives
from rbd.algorithms.spaces import Space, check_space
from rbd.algorithms.stabilization import DEFAULT, STANDARD, Stabilization, gains_in
from rbd.arguments import several
from rbd.compiled.evaluation import Result
from rbd.compiled.function import RecordedFunction
from rbd.compiled.methods import described, version_guard
from rbd.compiled.recipes import RECIPES, Recipe, jacobian_recipe, step_recipe
from rbd.compiled.record import recorded_function
from rbd.compiled.rollout import rollout
from rbd.compiled.stepping import Integrator
from rbd.errors import ArgumentError, StaleStateError
from rbd.mechanism import Mechanism, RigidBody
from rbd.progress import Listener, require_progress
from rbd.scalars.arrays import Array
from rbd.spatial.values import require_kind
from rbd.state.layout import layout_of
from rbd.state.parameters import ParameterName, parameter_shape


@final
class CompiledRobot:
    """The algorithms of one mechanism as functions of arrays, compiled when first called.

    Arrays may have leading batch axes, q of shape (..., nq) and v of shape (..., nv); they broadcast against each other
    and appear in the results. `out` takes the result, `threads` spreads a batch over threads; the bits stay the same.
    Everything is in the root frame. The mechanism's parameters are baked in as they are when a function is first
    called, except those that `rbd.compile` was told to make inputs: they are keywords. After an edit of the mechanism
    make a new robot (using this one raises StaleStateError). Methods called often for one state, with float64 arrays
    and perhaps `out`, become builtin functions.

    Raises ShapeError, NotFiniteError naming the argument and its entry, SingularError naming the joint.

    >>> import numpy as np, rbd
    >>> robot = rbd.compile(rbd.robots.double_pendulum())
    >>> robot.mass_matrix(np.zeros((1000, 2))).shape
    (1000, 2, 2)
    """

    def __init__(
        self, mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
    ) -> None:
        """Take `mechanism` as it is, with `parameters` as inputs; nothing is compiled yet. See `rbd.compile`."""
        require_kind(mechanism, Mechanism, operation="rbd.compile", argument="mechanism")
        require_progress(progress)
        names = several(parameters, "parameters", "names of parameters")
        for name in names:
            parameter_shape(mechanism, name)
        self._mechanism = mechanism
        self._parameters: tuple[ParameterName, ...] = tuple(dict.fromkeys(names))
        self._versions = (mechanism.structure_version, mechanism.parameter_version)
        self._functions: dict[str, RecordedFunction] = {}
        self._gets_faster = True
        self._progress = progress

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism the functions are for."""
        return self._mechanism

    def forward_kinematics(
        self, q: ArrayLike, *, out: Array | None = None, threads: int = 1, **parameters: ArrayLike
    ) -> Array:
        """Return the pose of every body in the root frame, (..., nb, 4, 4), in the order of `mechanism.bodies`."""
        return self._call("forward_kinematics", (q,), out, threads, parameters)

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vd: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the torques for accelerations `vd`, (..., nv)."""
        return self._call("inverse_dynamics", (q, v, vd), out, threads, parameters)

    def mass_matrix(
        self, q: ArrayLike, *, out: Array | None = None, threads: int = 1, **parameters: ArrayLike
    ) -> Array:
        """Return the mass matrix, (..., nv, nv)."""
        return self._call("mass_matrix", (q,), out, threads, parameters)

    def inverse_mass_matrix(
        self, q: ArrayLike, *, out: Array | None = None, threads: int = 1, **parameters: ArrayLike
    ) -> Array:
        """Return the inverse of the mass matrix, (..., nv, nv)."""
        return self._call("inverse_mass_matrix", (q,), out, threads, parameters)

    def dynamics_bias(
        self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None, threads: int = 1, **parameters: ArrayLike
    ) -> Array:
        """Return the bias c of M vd + c = tau + passive, (..., nv)."""
        return self._call("dynamics_bias", (q, v), out, threads, parameters)

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the accelerations that torques `tau` make, (..., nv)."""
        return self._call("forward_dynamics", (q, v, tau), out, threads, parameters)

    def momentum_matrix(
        self, q: ArrayLike, *, out: Array | None = None, threads: int = 1, **parameters: ArrayLike
    ) -> Array:
        """Return the momentum matrix about the root's origin, (..., 6, nv), angular rows first."""
        return self._call("momentum_matrix", (q,), out, threads, parameters)

    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vd: ArrayLike,
        *,
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]:
        """Return (d_dq, d_dv, d_dvd) of the inverse dynamics; d_dq (..., nv, nv), or (..., nv, nq) for "coordinates".

        See `rbd.inverse_dynamics_derivatives`; d_dvd is the mass matrix.
        """
        return self._derivatives("inverse_dynamics_derivatives", space, (q, v, vd), out, threads, parameters)

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]:
        """Return (d_dq, d_dv, d_dtau) of the forward dynamics; d_dq (..., nv, nv), or (..., nv, nq) for "coordinates".

        See `rbd.forward_dynamics_derivatives`; d_dtau is the inverse of the mass matrix.
        """
        return self._derivatives("forward_dynamics_derivatives", space, (q, v, tau), out, threads, parameters)

    def inverse_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vd: ArrayLike,
        *,
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> SecondDerivatives[Array]:
        """Return the second derivatives of the inverse dynamics, whose arrays get the batch axes in front.

        See `rbd.inverse_dynamics_second_derivatives`. `out` are four arrays, in the order of the result's.
        """
        check_space(space)
        key = f"inverse_dynamics_second_derivatives {space}"
        recorded = self._function(key, lambda: RECIPES[key])
        return SecondDerivatives(*recorded.call((q, v, vd), parameters, out, threads))

    def geometric_jacobian(
        self,
        q: ArrayLike,
        body: RigidBody | str,
        *,
        out: Array | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the Jacobian of `body` with respect to the root, (..., 6, nv), angular rows first."""
        target = self._mechanism.body(body)
        recorded = self._function(f"geometric_jacobian of {target.name}", lambda: jacobian_recipe(target))
        return _only(recorded.call((q,), parameters, out, threads))

    @overload
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: ArrayLike,
        *,
        s: None = None,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]: ...
    @overload
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: ArrayLike,
        *,
        s: ArrayLike,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]: ...
    def step(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: ArrayLike,
        *,
        s: ArrayLike | None = None,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (q, v) a time `dt` later, the torques held; `dt` is one number, or one per member of the batch.

        Mechanisms with contact states take them as `s`, (..., ns), and return (q, v, s). Loops are kept, and drawn
        together by `stabilization`, that of `rbd.dynamics`: each other one is compiled on its own.
        """
        function, start = self._stepping(integrator, stabilization, q, v, s)
        result = function.call((*start, tau, dt), parameters, out, threads)
        if integrator == "munthe-kaas-rk4" and s is None and stabilization is DEFAULT:
            self._offer("step", function)
        return tuple(result)

    def _stepping(
        self, integrator: Integrator, stabilization: Stabilization, q: ArrayLike, v: ArrayLike, s: ArrayLike | None
    ) -> tuple[RecordedFunction, tuple[ArrayLike, ...]]:
        """Return what takes a step, and what it begins with."""
        layout = layout_of(self._mechanism)
        ns, gains = layout.ns, gains_in(layout, stabilization)
        if (s is None) != (ns == 0):
            message = f"s must be {'left out' if s is not None else 'given'}: the mechanism has {ns} contact states"
            raise ArgumentError(message, argument="s", value=s, allowed=ns)
        usual = gains is STANDARD or not layout.loops
        key = f"step {integrator}" if usual else f"step {integrator} {gains!r}"
        function = self._function(key, lambda: step_recipe(integrator, ns, STANDARD if usual else gains))
        return function, (q, v) if s is None else (q, v, s)

    @overload
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: float,
        steps: int,
        *,
        s: None = None,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array]: ...
    @overload
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: float,
        steps: int,
        *,
        s: ArrayLike,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]: ...
    def rollout(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        dt: float,
        steps: int,
        *,
        s: ArrayLike | None = None,
        integrator: Integrator = "munthe-kaas-rk4",
        stabilization: Stabilization = DEFAULT,
        out: Sequence[Array] | None = None,
        threads: int = 1,
        **parameters: ArrayLike,
    ) -> tuple[Array, ...]:
        """Return (q, v) at all `steps` + 1 times, a time axis before the last one.

        `tau` is held for the whole time, (..., nv), or has one row per step: (..., steps, nv). To tell them apart, tau
        with a time axis must have one more axis than q. Errors say in a note which step they are from. Mechanisms with
        contact states take those at the beginning as `s` and return (q, v, s). `stabilization` as in `step`. `out`, a
        sequence of arrays, is filled when all steps are taken.
        """
        function, start = self._stepping(integrator, stabilization, q, v, s)
        return rollout(function.evaluation, (*start, tau, dt), steps, threads, parameters, out)

    @override
    def __repr__(self) -> str:
        compiled = ", ".join(self._functions)
        return (
            f"<compiled robot, nq = {self._mechanism.nq}, nv = {self._mechanism.nv}; compiled: {compiled or 'nothing'}>"
        )

    # --- inside -------------------------------------------------------------------------------------------------------

    def _call(
        self,
        name: str,
        arrays: tuple[ArrayLike, ...],
        out: Array | None,
        threads: int,
        parameters: Mapping[str, ArrayLike],
    ) -> Array:
        recorded = self._function(name, lambda: RECIPES[name])
        result = _only(recorded.call(arrays, parameters, out, threads))
        self._offer(name, recorded)
        return result

    def _derivatives(
        self,
        name: str,
        space: Space,
        arrays: tuple[ArrayLike, ...],
        out: Sequence[Array] | None,
        threads: int,
        parameters: Mapping[str, ArrayLike],
    ) -> tuple[Array, Array, Array]:
        check_space(space)
        key = f"{name} {space}"
        recorded = self._function(key, lambda: RECIPES[key])
        first, second, third = recorded.call(arrays, parameters, out, threads)
        if space == "tangent":
            self._offer(name, recorded)
        return first, second, third

    def _offer(self, name: str, function: RecordedFunction) -> None:
        """Put a builtin in the place of the method `name` of this robot, once the method is called often.

        What the builtin does not serve, it hands to the method of a twin, which keeps no builtins: that way nothing
        refers to itself, and everything is freed with the last reference.
        """
        if self._gets_faster and not self._parameters and function.is_warm and name not in self.__dict__:
            twin = CompiledRobot(self._mechanism, self._parameters)
            twin._versions, twin._functions, twin._gets_faster = self._versions, self._functions, False
            guard = version_guard(self._mechanism, self._versions)
            method: Callable[..., object] = getattr(twin, name)
            self.__dict__[name] = function.builtin(method, name, described(method), guard)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the mechanism; everything else is made anew."""
        return CompiledRobot, (self._mechanism, self._parameters)

    def _function(self, key: str, recipe: Callable[[], Recipe]) -> RecordedFunction:
        """Return the recorded function for `key`, recording it when it is asked for the first time."""
        versions = (self._mechanism.structure_version, self._mechanism.parameter_version)
        if versions != self._versions:
            raise StaleStateError(
                "the mechanism was edited after this robot was compiled; call rbd.compile again",
                made_with=self._versions,
                now=versions,
            )
        known = self._functions.get(key)
        if known is None:
            known = self._functions[key] = recorded_function(recipe(), self._mechanism, key, self._parameters)
            known.evaluation.preparation.progress = self._progress
        return known


def _only(result: Result) -> Array:
    """Return the one array a function gives."""
    return result if isinstance(result, np.ndarray) else result[0]


def compile(  # noqa: A001 - rbd.compile is the name users know; not in __all__
    mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
) -> CompiledRobot:
    """Return the algorithms of `mechanism` as native functions of arrays; each compiles when first called.

    `progress=True` shows a bar whenever one compiles; a function of (steps done, steps) is called instead. Machine code
    that was made before, by any process, is found on disk.

    `parameters` names what is to be an input instead of a constant: "inertia", "gravity", "placement", "damping",
    "friction", "friction_velocity", "armature", "bound_stiffness", "bound_damping". Every function then takes them as
    keywords, with batch axes if need be, and the mechanism's own values where they are left out. `inertia` has a row
    per body but the root: moment about the frame's origin (xx, xy, xz, yy, yz, zz), mass times centre of mass, mass.
    `placement` has three rows of four per tree joint, rotation and translation; the others a number per velocity.
    Raises ArgumentError for other names.

    >>> import numpy as np, rbd
    >>> robot = rbd.compile(rbd.robots.arm7())
    >>> q = np.zeros((100, 7))
    >>> tau = robot.inverse_dynamics(q, np.zeros(7), np.zeros(7))     # gravity torques of a hundred poses
    >>> tau.shape
    (100, 7)
    >>> weightless = rbd.compile(rbd.robots.arm7(), parameters=["gravity"])
    >>> bool(weightless.inverse_dynamics(q, np.zeros(7), np.zeros(7), gravity=np.zeros(3)).any())
    False
    """
    return CompiledRobot(mechanism, parameters, progress=progress)
