"""Compiled robot: the algorithms of a mechanism as functions of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, final

from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.second_order import SecondDerivatives
from rbd.algorithms.derivatives.space import Space, check_space
from rbd.algorithms.time_steps.formulas import FixedStepMethod
from rbd.arguments import require_choice
from rbd.compiled.compiled_functions import only
from rbd.compiled.function import RecordedFunction
from rbd.compiled.parameter_checks import require_possible
from rbd.compiled.recording_specs import SPECS, jacobian_spec, step_spec
from rbd.compiled.status import RowStatus
from rbd.compiled.step_derivatives import StepDerivativeMethods
from rbd.compiled.wrenches import WrenchArrays, WrenchFrame
from rbd.errors import ArgumentError
from rbd.indexing.layout import layout_of
from rbd.indexing.parameters import ParameterName
from rbd.mechanism import Mechanism, RigidBody
from rbd.progress import Listener
from rbd.scalars.arrays import Array

FUNCTIONS: Final = (*dict.fromkeys(name.partition(" ")[0] for name in SPECS), "geometric_jacobian", "step")
"""Names of the methods that are one recorded function each."""


@final
class CompiledRobot(StepDerivativeMethods):
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
        return self._call("forward_kinematics", (q,), out, threads, status, parameters)

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
        return self._call(
            "inverse_dynamics", (q, v, vd), out, threads, status, parameters, external_wrenches, wrench_frame
        )

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
        return self._call("mass_matrix", (q,), out, threads, status, parameters)

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
        return self._call("inverse_mass_matrix", (q,), out, threads, status, parameters)

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
        return self._call("dynamics_bias", (q, v), out, threads, status, parameters, external_wrenches, wrench_frame)

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
        return self._call(
            "forward_dynamics",
            (q, v, self._torques(tau)),
            out,
            threads,
            status,
            parameters,
            external_wrenches,
            wrench_frame,
        )

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
        return self._call("momentum_matrix", (q,), out, threads, status, parameters)

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
        return self._derivatives("inverse_dynamics_derivatives", space, (q, v, vd), out, threads, status, parameters)

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
        return self._derivatives(
            "forward_dynamics_derivatives", space, (q, v, self._torques(tau)), out, threads, status, parameters
        )

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
        check_space(space)
        require_possible(parameters)
        key = f"inverse_dynamics_second_derivatives {space}"
        recorded = self._table.recorded(key, lambda: SPECS[key])
        return SecondDerivatives(*recorded.call((q, v, vd), parameters, out, threads, status))

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
        require_possible(parameters)
        target = self.mechanism.body(body)
        recorded = self._table.recorded(f"geometric_jacobian of {target.name}", lambda: jacobian_spec(target))
        return only(recorded.call((q,), parameters, out, threads, status))

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
        found = self._function_named(name, body, space, integrator)
        _ = found.program  # is recorded while the mechanism lives, also if machine code was found on disk
        return found

    def _function_named(
        self, name: str, body: RigidBody | str | None, space: Space, integrator: FixedStepMethod
    ) -> RecordedFunction:
        require_choice(name, FUNCTIONS, "name", "function of a compiled robot")
        check_space(space)
        if (name == "geometric_jacobian") != (body is not None):
            message = (
                "body is the argument of a geometric_jacobian; write robot.function('geometric_jacobian', body=...)"
            )
            raise ArgumentError(message, argument="body", value=body)
        if body is not None:
            target = self.mechanism.body(body)
            return self._table.recorded(f"{name} of {target.name}", lambda: jacobian_spec(target))
        if name == "step":
            ns = layout_of(self.mechanism).ns
            return self._table.recorded(f"step {integrator}", lambda: step_spec(integrator, ns))
        key = name if name in SPECS else f"{name} {space}"
        return self._table.recorded(key, lambda: SPECS[key])

    def functions(self, *names: str) -> dict[str, RecordedFunction]:
        """Return recorded functions by name, such as for `rbd.export.write_c_library`; see `function`.

        >>> import rbd
        >>> robot = rbd.compile(rbd.robots.double_pendulum())
        >>> list(robot.functions("mass_matrix", "step"))
        ['mass_matrix', 'step']
        """
        return {name: self.function(name) for name in names}


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
