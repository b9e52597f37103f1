"""Compiled robot: the algorithms of a mechanism as functions of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.algorithms.derivatives.second_order import SecondDerivatives
from rbd.algorithms.derivatives.space import Space
from rbd.algorithms.time_steps.formulas import FixedStepMethod
from rbd.compiled.call_options import CallOptions
from rbd.compiled.evaluation import Result
from rbd.compiled.function import RecordedFunction
from rbd.compiled.function_table import FunctionTable
from rbd.compiled.robot_functions import RobotFunctions
from rbd.compiled.robot_steps import RobotSteps
from rbd.compiled.status import RowStatus
from rbd.compiled.wrenches import WrenchArrays, WrenchFrame
from rbd.indexing.parameters import ParameterName, current_values
from rbd.mechanism import Mechanism, RigidBody
from rbd.progress import Listener
from rbd.scalars.arrays import Array, to_float_array


@final
class CompiledRobot(RobotSteps):
    """The algorithms of one mechanism as functions of arrays, compiled at their first call.

    Arrays may have leading batch axes, q of shape (..., nq) and v of shape (..., nv), which are broadcast; results have
    them too. `out` is a buffer for the result. `threads` splits a batch over threads; results are bitwise equal.
    `status`, a `RowStatus`, receives the status of each row; without it, the first failed row raises an error, and
    other rows of `out` may have been written.
    Results are expressed in the root frame. Parameters of the mechanism are constants, with their values at the first
    call of a function; those listed in `parameters` of `rbd.compile` are keyword arguments. After an edit of the
    mechanism, a robot raises StaleStateError; compile it again. Methods that are called often for one state, with
    float64 arrays and optionally `out`, become builtin functions.

    `external_wrenches` maps bodies or their names to arrays (..., 6), torque first, then force: expressed in the body's
    default frame, or in the root frame for `wrench_frame` "root". Instead of an array, a value may be a `Wrench` in one
    of these frames. Each set of bodies is compiled separately.

    Methods raise ShapeError, NotFiniteError naming the argument and its entry, SingularError naming the joint.

    >>> import numpy as np, rbd
    >>> robot = rbd.compile(rbd.robots.double_pendulum())
    >>> robot.mass_matrix(np.zeros((1000, 2))).shape
    (1000, 2, 2)
    """

    def __init__(
        self, mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
    ) -> None:
        """Set the mechanism, with `parameters` as inputs; compiles nothing. See `rbd.compile`."""
        super().__init__(RobotFunctions(FunctionTable(mechanism, parameters, progress)))

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the functions."""
        return self._functions.table.mechanism

    @property
    def parameters(self) -> dict[str, Array]:
        """The parameters that are inputs, with the values of the mechanism, as fresh arrays by name.

        >>> import rbd
        >>> robot = rbd.compile(rbd.robots.arm7(), parameters=["inertia"])
        >>> heavier = 1.1 * robot.parameters["inertia"]
        >>> heavier.shape
        (7, 10)
        """
        names = self._functions.table.parameters
        return {name: to_float_array(current_values(self.mechanism, name)) for name in names}

    @override
    def __repr__(self) -> str:
        mechanism, compiled = self.mechanism, ", ".join(self._functions.table.functions)
        return f"<compiled robot, nq = {mechanism.nq}, nv = {mechanism.nv}; compiled: {compiled or 'nothing'}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the mechanism only; the copy compiles again."""
        return CompiledRobot, (self.mechanism, self._functions.table.parameters)

    def forward_kinematics(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the pose of every body in the root frame, (..., nb, 4, 4), in the order of `mechanism.bodies`."""
        return self._call("forward_kinematics", (q,), CallOptions(out, threads, status, parameters))

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vd: ArrayLike,
        *,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the torques for accelerations `vd`, (..., nv); `external_wrenches` as in the class."""
        options = CallOptions(out, threads, status, parameters)
        return self._call("inverse_dynamics", (q, v, vd), options, external_wrenches, wrench_frame)

    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the mass matrix, (..., nv, nv)."""
        return self._call("mass_matrix", (q,), CallOptions(out, threads, status, parameters))

    def inverse_mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the inverse of the mass matrix, (..., nv, nv)."""
        return self._call("inverse_mass_matrix", (q,), CallOptions(out, threads, status, parameters))

    def dynamics_bias(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the bias c of M vd + c = tau + passive, (..., nv); `external_wrenches` as in the class."""
        options = CallOptions(out, threads, status, parameters)
        return self._call("dynamics_bias", (q, v), options, external_wrenches, wrench_frame)

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        external_wrenches: WrenchArrays | None = None,
        wrench_frame: WrenchFrame = "body",
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the accelerations that torques `tau` make, (..., nv); None means zero.

        `external_wrenches` as in the class.
        """
        options = CallOptions(out, threads, status, parameters)
        return self._call("forward_dynamics", (q, v, self._torques(tau)), options, external_wrenches, wrench_frame)

    def momentum_matrix(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the momentum matrix about the root's origin, (..., 6, nv), angular rows first."""
        return self._call("momentum_matrix", (q,), CallOptions(out, threads, status, parameters))

    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vd: ArrayLike,
        *,
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]:
        """Return (d_dq, d_dv, d_dvd) of the inverse dynamics; d_dq (..., nv, nv), or (..., nv, nq) for "coordinates".

        See `rbd.inverse_dynamics_derivatives`; d_dvd is the mass matrix.
        """
        options = CallOptions(out, threads, status, parameters)
        d_dq, d_dv, d_dvd = self._derivatives("inverse_dynamics_derivatives", space, (q, v, vd), options)
        return d_dq, d_dv, d_dvd

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> tuple[Array, Array, Array]:
        """Return (d_dq, d_dv, d_dtau) of the forward dynamics; d_dq (..., nv, nv), or (..., nv, nq) for "coordinates".

        See `rbd.forward_dynamics_derivatives`; d_dtau is the inverse of the mass matrix.
        """
        options, arrays = CallOptions(out, threads, status, parameters), (q, v, self._torques(tau))
        d_dq, d_dv, d_dtau = self._derivatives("forward_dynamics_derivatives", space, arrays, options)
        return d_dq, d_dv, d_dtau

    def inverse_dynamics_second_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vd: ArrayLike,
        *,
        space: Space = "tangent",
        out: Sequence[Array] | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> SecondDerivatives[Array]:
        """Return the second derivatives of the inverse dynamics, arrays with leading batch axes.

        See `rbd.inverse_dynamics_second_derivatives`. `out` are four arrays, in the order of the result's.
        """
        options = CallOptions(out, threads, status, parameters)
        function = self._functions.derivatives("inverse_dynamics_second_derivatives", space)
        return SecondDerivatives(*options.call(function, (q, v, vd)))

    def geometric_jacobian(
        self,
        q: ArrayLike,
        body: RigidBody | str,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Return the Jacobian of `body` with respect to the root, (..., 6, nv), angular rows first."""
        options = CallOptions(out, threads, status, parameters)
        return _only(options.call(self._functions.geometric_jacobian(body), (q,)))

    def function(
        self,
        name: str,
        *,
        body: RigidBody | str | None = None,
        space: Space = "tangent",
        integrator: FixedStepMethod = "munthe-kaas-rk4",
    ) -> RecordedFunction:
        """Return the recorded function of the method `name`, to print, count, differentiate or export it.

        `body` is that of a "geometric_jacobian", `space` that of derivatives, `integrator` that of a "step". Raises
        ArgumentError for other names.

        >>> import rbd
        >>> robot = rbd.compile(rbd.robots.double_pendulum())
        >>> robot.function("inverse_dynamics").count().total
        28
        """
        found = self._functions.named(name, body, space, integrator)
        _ = found.program  # is recorded while the mechanism lives, also if machine code was found on disk
        return found

    def functions(self, *names: str) -> dict[str, RecordedFunction]:
        """Return recorded functions by name, such as for `rbd.export.write_c_library`; see `function`.

        >>> import rbd
        >>> robot = rbd.compile(rbd.robots.double_pendulum())
        >>> list(robot.functions("mass_matrix", "step"))
        ['mass_matrix', 'step']
        """
        return {name: self.function(name) for name in names}

    # --- helpers ------------------------------------------------------------------------------------------------------

    def _call(
        self,
        name: str,
        arrays: tuple[ArrayLike, ...],
        options: CallOptions,
        external: WrenchArrays | None = None,
        frame: WrenchFrame = "body",
    ) -> Array:
        """Return the result of an algorithm."""
        places, wrenches = self._functions.placed(external, frame)
        function = self._functions.algorithm(name, places)
        result = _only(options.call(function, (*arrays, *wrenches)))
        if not places:
            self._replace_by_builtin(name, function)
        return result

    def _derivatives(self, name: str, space: Space, arrays: tuple[ArrayLike, ...], options: CallOptions) -> Result:
        """Return the derivatives of an algorithm."""
        function = self._functions.derivatives(name, space)
        result = options.call(function, arrays)
        if space == "tangent":
            self._replace_by_builtin(name, function)
        return result


def _only(result: Result) -> Array:
    """Return the single output of a function."""
    return result if isinstance(result, np.ndarray) else result[0]


def compile(  # noqa: A001 - rbd.compile is the name users know; not in __all__
    mechanism: Mechanism, parameters: Iterable[ParameterName] = (), *, progress: bool | Listener = False
) -> CompiledRobot:
    """Return the algorithms of `mechanism` as functions of arrays; each is compiled at its first call.

    `progress=True` shows a progress bar of each compilation; a function is called with (steps done, steps). Machine
    code is cached on disk.

    `parameters` lists parameters of the mechanism that are inputs instead of constants: "inertia", "gravity",
    "placement", "damping", "friction", "friction_velocity", "armature", "bound_stiffness", "bound_damping". Every
    function takes them as keyword arguments, with optional batch axes; their defaults are the mechanism's values.
    `inertia` has a row per body except the root: moment about the frame's origin (xx, xy, xz, yy, yz, zz), mass times
    centre of mass, mass. `placement` has three rows of four per tree joint, rotation and translation; the other
    parameters have one number per velocity. Raises ArgumentError for other names.

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
