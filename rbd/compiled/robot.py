"""A mechanism as native functions of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self, final

from numpy.typing import ArrayLike
from typing_extensions import override

from rbd.algorithms.second_derivatives import SecondDerivatives
from rbd.algorithms.spaces import Space, check_space
from rbd.compiled.functions import only
from rbd.compiled.motion import Motion
from rbd.compiled.recipes import RECIPES, jacobian_recipe
from rbd.mechanism import Mechanism, RigidBody
from rbd.progress import Listener
from rbd.scalars.arrays import Array
from rbd.state.parameters import ParameterName


@final
class CompiledRobot(Motion):
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
        return only(recorded.call((q,), parameters, out, threads))

    @override
    def _twin(self) -> Self:
        return type(self)(self._mechanism, self._parameters)


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
