"""Algorithms of compiled robots: functions of arrays of q, v and further vectors."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from rbd.algorithms.derivatives.second_order import SecondDerivatives
from rbd.algorithms.derivatives.space import Space
from rbd.array_functions.row_status import RowStatus
from rbd.array_functions.wrench_inputs import WrenchArrays, WrenchFrame
from rbd.compiled.method_base import CallOptions, MethodBase, only_array, refuses_unknown_names
from rbd.mechanism import RigidBody
from rbd.scalars.arrays import Array


class AlgorithmMethods(MethodBase):
    """The methods of a compiled robot that evaluate an algorithm."""

    @refuses_unknown_names
    def forward_kinematics(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Forward kinematics: poses of all bodies in the root frame, (..., nb, 4, 4), as in `mechanism.bodies`."""
        return self._evaluate("forward_kinematics", (q,), CallOptions(out, threads, status, parameters))

    @refuses_unknown_names
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
        """Inverse dynamics: torques for accelerations `vd`, (..., nv); `external_wrenches` as in `CompiledRobot`."""
        options = CallOptions(out, threads, status, parameters)
        return self._evaluate("inverse_dynamics", (q, v, vd), options, external_wrenches, wrench_frame)

    @refuses_unknown_names
    def mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Mass matrix, (..., nv, nv)."""
        return self._evaluate("mass_matrix", (q,), CallOptions(out, threads, status, parameters))

    @refuses_unknown_names
    def inverse_mass_matrix(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Inverse of the mass matrix, (..., nv, nv)."""
        return self._evaluate("inverse_mass_matrix", (q,), CallOptions(out, threads, status, parameters))

    @refuses_unknown_names
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
        """Bias c of M vd + c = tau + passive, (..., nv); `external_wrenches` as in `CompiledRobot`."""
        options = CallOptions(out, threads, status, parameters)
        return self._evaluate("dynamics_bias", (q, v), options, external_wrenches, wrench_frame)

    @refuses_unknown_names
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
        """Forward dynamics: accelerations under torques `tau`, (..., nv); None means zero.

        `external_wrenches` as in `CompiledRobot`.
        """
        options = CallOptions(out, threads, status, parameters)
        return self._evaluate("forward_dynamics", (q, v, self._torques(tau)), options, external_wrenches, wrench_frame)

    @refuses_unknown_names
    def momentum_matrix(
        self,
        q: ArrayLike,
        *,
        out: Array | None = None,
        threads: int = 1,
        status: RowStatus | None = None,
        **parameters: ArrayLike,
    ) -> Array:
        """Momentum matrix about the root's origin, (..., 6, nv), angular rows first."""
        return self._evaluate("momentum_matrix", (q,), CallOptions(out, threads, status, parameters))

    @refuses_unknown_names
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
        """First derivatives (d_dq, d_dv, d_dvd) of inverse dynamics: d_dq (..., nv, nv), "coordinates": (..., nv, nq).

        See `rbd.inverse_dynamics_derivatives`; d_dvd is the mass matrix.
        """
        options = CallOptions(out, threads, status, parameters)
        d_dq, d_dv, d_dvd = self._evaluate_derivatives("inverse_dynamics_derivatives", space, (q, v, vd), options)
        return d_dq, d_dv, d_dvd

    @refuses_unknown_names
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
        """First derivatives (d_dq, d_dv, d_dtau) of forward dynamics: d_dq (..., nv, nv), "coordinates": (..., nv, nq).

        See `rbd.forward_dynamics_derivatives`; d_dtau is the inverse of the mass matrix.
        """
        options, arrays = CallOptions(out, threads, status, parameters), (q, v, self._torques(tau))
        d_dq, d_dv, d_dtau = self._evaluate_derivatives("forward_dynamics_derivatives", space, arrays, options)
        return d_dq, d_dv, d_dtau

    @refuses_unknown_names
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
        """Second derivatives of inverse dynamics, arrays with leading batch axes.

        See `rbd.inverse_dynamics_second_derivatives`. `out` are four arrays, in the order of the result's.
        """
        options = CallOptions(out, threads, status, parameters)
        function = self._table.derivatives("inverse_dynamics_second_derivatives", space)
        return SecondDerivatives(*options.call(function, (q, v, vd)))

    @refuses_unknown_names
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
        """Geometric Jacobian of `body` with respect to the root, (..., 6, nv), angular rows first."""
        options = CallOptions(out, threads, status, parameters)
        function = self._table.geometric_jacobian(body)
        result = only_array(options.call(function, (q,)))
        if function.is_warm:
            self._use_builtin("geometric_jacobian", function, {"body": body})
        return result
