"""Interface of joint types, with defaults derived from the transform and the motion subspace.

Writing a joint type of your own
--------------------------------
Derive from `JointType` and write eight members:

* `nq`, `nv`: how many coordinates and velocities it has;
* `transform(q, after, before)`: the pose of the frame after the joint in the frame before it;
* `motion_subspace(q, after, before)`: the Jacobian S, with twist = S v, expressed in the frame after the joint;
* `constraint_wrench_subspace(q, after)`: 6 - nv independent wrenches that do no work on S;
* `project(transform, near)`: the coordinates nearest to a pose, used when loops are closed;
* `zero()` (the transform must be the identity there) and `random(rng)`.

If S depends on q, write `motion_subspace_rate` too: dS/dt. If v is not the derivative of q, write
`configuration_derivative`, `velocity`, both of their Jacobians, the local coordinates and, if some q have to be
normalised, the three members about that. Then run `rbd.testing.check_joint_type(MyJoint())`: it checks every member
against every other one, and says what does not fit.

Rules: take and return tuples of scalars; compute with `rbd.scalars` (`sin`, `where`, `const(1, 2)` ...) and never
branch on a value, so that one definition serves floats, recorded, symbolic, interval and exact scalars; put
parameters in through `lift`. Make the class `attrs.frozen`, so that it compares by value and can be pickled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from rbd.arguments import described
from rbd.errors import ArgumentError
from rbd.scalars.dual import value_and_derivative
from rbd.scalars.linear_algebra import add, identity, subtract
from rbd.spatial import GeometricJacobian, SpatialAcceleration, Twist
from rbd.spatial.linalg import Vec3, zero3

if TYPE_CHECKING:
    import numpy as np

    from rbd.scalars import Matrix, Scalar, Vector
    from rbd.spatial import Frame, Transform, Wrench, WrenchMatrix
    from rbd.spatial.frame import A, B


class JointType(ABC):
    """A joint type: the motion that one frame may have with respect to another; abstract.

    `before` and `after` are the frames before and after the joint. q are the coordinates, v is the velocity:
    the twist of `after` with respect to `before`, expressed in `after`, is `motion_subspace(q) @ v`.
    All vectors are tuples of scalars of any type. Methods do not check their arguments, since algorithms call them for
    every joint; states and mechanisms check what they pass on. Constructors check theirs. `Joint` checks kinds and
    lengths of what the members of a user's type return at the zero configuration.

    >>> from rbd import Frame, Revolute
    >>> before, after = Frame("before"), Frame("after")
    >>> Revolute((0, 0, 1)).twist((0.3,), (2.0,), after, before).angular
    array([0., 0., 2.])
    """

    __slots__ = ()

    # ---------------------------------------------------------------- sizes

    @property
    @abstractmethod
    def nq(self) -> int:
        """Return the number of coordinates."""

    @property
    @abstractmethod
    def nv(self) -> int:
        """Return the number of velocities, the degrees of freedom."""

    @property
    def position_names(self) -> tuple[str, ...]:
        """Return one word per coordinate, for legends and tables."""
        return tuple(f"q{k}" for k in range(self.nq))

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Return one word per velocity, for legends and tables."""
        return tuple(f"v{k}" for k in range(self.nv))

    # ---------------------------------------------------------------- kinematics

    @abstractmethod
    def transform(self, q: Vector, after: Frame[A], before: Frame[B]) -> Transform[A, B]:
        """Return the pose of `after` in `before`: it maps coordinates in `after` to coordinates in `before`."""

    @abstractmethod
    def motion_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        """Return S: nv columns in `after`; `S @ v` is the twist of `after` with respect to `before`."""

    def twist(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Twist[A, B, A]:
        """Return the twist of `after` with respect to `before`, expressed in `after`: S v."""
        columns = self.motion_subspace(q, after, before)
        return Twist.trusted(after, before, after, *columns.combination(v))

    def motion_subspace_rate(
        self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]
    ) -> GeometricJacobian[A, B, A]:
        """Return dS/dt at velocity v: how the columns of S, components in `after`, change.

        Zero here, which is right whenever S does not depend on q.
        """
        return GeometricJacobian.trusted(after, before, after, ((zero3(), zero3()),) * self.nv)

    def bias_acceleration(
        self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]
    ) -> SpatialAcceleration[A, B, A]:
        """Return (dS/dt) v, components in `after`: the joint's acceleration for zero vd."""
        if self.has_constant_subspace:  # no products with zero
            return SpatialAcceleration.trusted(after, before, after, zero3(), zero3())
        rates = self.motion_subspace_rate(q, v, after, before)
        return SpatialAcceleration.trusted(after, before, after, *rates.combination(v))

    @property
    def has_constant_subspace(self) -> bool:
        """Whether S is the same for all q: so it is when `motion_subspace_rate` is not written."""
        return inherits_methods(self, "motion_subspace_rate")

    def bias_acceleration_derivatives(
        self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]
    ) -> GeometricJacobian[A, B, A]:
        """Return the derivatives of the bias acceleration along each of the joint's velocities, v held: nv columns.

        Components in `after`. Found by running `bias_acceleration` on dual numbers.
        """
        if self.has_constant_subspace:
            return GeometricJacobian.trusted(after, before, after, ((zero3(), zero3()),) * self.nv)
        columns: list[tuple[Vec3, Vec3]] = []
        for direction in zip(*self.configuration_derivative_jacobian(q), strict=True):
            _, (a, b, c, x, y, z) = value_and_derivative(
                lambda moved: self._bias(moved, v, after, before), q, direction
            )
            columns.append(((a, b, c), (x, y, z)))
        return GeometricJacobian.trusted(after, before, after, tuple(columns))

    def _bias(self, q: Vector, v: Vector, after: Frame[A], before: Frame[B]) -> Vector:
        bias = self.bias_acceleration(q, v, after, before)
        return bias.components

    def position_subspace(self, q: Vector, after: Frame[A], before: Frame[B]) -> GeometricJacobian[A, B, A]:
        """Return H: nq columns in `after`; `H @ qd` is the twist that goes with the derivative qd of q.

        Column k says how the pose moves when q[k] alone moves. For coordinates that are normalised on use
        (quaternions) it is the derivative of the normalised pose. H N = S, N being `configuration_derivative_jacobian`.
        """
        columns = self.motion_subspace(q, after, before).times(self.velocity_jacobian(q))
        return GeometricJacobian.trusted(after, before, after, columns)

    # ---------------------------------------------------------------- forces

    @abstractmethod
    def constraint_wrench_subspace(self, q: Vector, after: Frame[A]) -> WrenchMatrix[A]:
        """Return 6 - nv independent wrenches in `after` that do no work on any motion the joint allows."""

    def torque(self, q: Vector, wrench: Wrench[A], after: Frame[A], before: Frame[B]) -> Vector:
        """Return the joint's torques under `wrench` (in `after`): S transposed times the wrench.

        Raises FrameMismatchError when the wrench is in another frame.
        """
        return self.motion_subspace(q, after, before).torque_components(wrench)

    # ---------------------------------------------------------------- derivative of q and velocity

    def configuration_derivative(self, q: Vector, v: Vector) -> Vector:
        """Return the derivative of q at velocity v: N v."""
        return tuple(v)

    def velocity(self, q: Vector, qd: Vector) -> Vector:
        """Return the velocity at which q changes at the rate qd; a qd off the manifold counts by its effect."""
        return tuple(qd)

    def configuration_derivative_jacobian(self, q: Vector) -> Matrix:
        """Return N: nq rows and nv columns, the matrix of `configuration_derivative`."""
        return identity(self.nv)

    def velocity_jacobian(self, q: Vector) -> Matrix:
        """Return the matrix of `velocity`: nv rows and nq columns, a left inverse of N."""
        return identity(self.nv)

    # ---------------------------------------------------------------- coordinates around a configuration

    def local_coordinates(self, q0: Vector, q: Vector) -> Vector:
        """Return nv coordinates of q around q0; they are zero exactly where q and q0 are the same pose."""
        return subtract(q, q0)

    def local_coordinates_rate(self, q0: Vector, q: Vector, v: Vector) -> Vector:
        """Return the derivative of the local coordinates of q around q0 at velocity v."""
        return self.configuration_derivative(q, v)

    def global_coordinates(self, q0: Vector, phi: Vector) -> Vector:
        """Return the q that has the local coordinates phi around q0."""
        return add(q0, phi)

    # ---------------------------------------------------------------- projection and normalization

    @abstractmethod
    def project(self, transform: Transform[A, B], near: Vector | None = None) -> Vector:
        """Return the coordinates nearest to `transform` (from `after` to `before`), which need not be reachable.

        Where several q give the same pose (whole revolutions, the sign of a quaternion), returns the one nearest to
        `near`.
        """

    @abstractmethod
    def zero(self) -> tuple[float, ...]:
        """Return the q whose transform is the identity."""

    @abstractmethod
    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Return a random q."""

    def normalize(self, q: Vector) -> Vector:
        """Return the normalised q of the same pose."""
        return tuple(q)

    def normalization_error(self, q: Vector) -> Scalar:
        """Return the distance of q from normalised; zero for coordinates that need no normalisation."""
        return 0

    def principal_value(self, q: Vector) -> Vector:
        """Return the preferred one of the q of the same pose, where there are several."""
        return tuple(q)

    # ---------------------------------------------------------------- reversal: a joint is reversed, its type flipped

    def flipped(self) -> JointType:
        """Return the type of the reversed joint: `before` and `after` change places.

        `flipped().transform(flip_configuration(q))` is the inverse of `transform(q)`. Here a `Reversed` joint;
        types of rbd return one of their own type, a `Reversed` joint the original.
        """
        from rbd.joints.reversed import Reversed  # it derives from this class

        return Reversed(self)

    def flip_configuration(self, q: Vector) -> Vector:
        """Return the coordinates of the reversed joint that belong to q."""
        return tuple(q)

    def flip_velocity(self, q: Vector, v: Vector) -> Vector:
        """Return the velocity of the reversed joint that belongs to q and v."""
        return tuple(v)


class LibraryJointType(JointType):
    """A joint type of rbd: nq and nv are the numbers of names of its coordinates and velocities; abstract."""

    __slots__ = ()

    _positions: ClassVar[tuple[str, ...]]
    _velocities: ClassVar[tuple[str, ...]]

    @property
    @override
    def nq(self) -> int:
        return len(self.position_names)

    @property
    @override
    def nv(self) -> int:
        return len(self._velocities)

    @property
    @override
    def position_names(self) -> tuple[str, ...]:
        return self._positions

    @property
    @override
    def velocity_names(self) -> tuple[str, ...]:
        return self._velocities


class TurningJoint(LibraryJointType):
    """A joint type whose velocity is expressed in a frame that turns with it; abstract."""

    __slots__ = ()

    @abstractmethod
    def displaced(self, q: Vector, phi: Vec3, displacement: Vec3) -> Vector:
        """Return q after the rotation vector phi and a displacement of the origin, both in the frame after at q.

        Parts of both that the joint does not allow have no effect.
        """


def velocity_is_derivative(joint_type: JointType) -> bool:
    """Whether v is the derivative of q: so it is when `configuration_derivative` is not written.

    The Jacobians of the map between them are identities then, also where a type writes them.
    """
    return inherits_methods(coordinate_type(joint_type), "configuration_derivative")


def has_vector_coordinates(joint_type: JointType) -> bool:
    """Whether coordinates are those of a vector space: v is the derivative of q, local coordinates are differences."""
    local = "global_coordinates", "local_coordinates_rate", "normalize"
    return velocity_is_derivative(joint_type) and inherits_methods(coordinate_type(joint_type), *local)


def coordinate_type(joint_type: JointType) -> JointType:
    """Return the joint type that defines the coordinates: the original of a `Reversed` one."""
    from rbd.joints.reversed import Reversed  # it derives from this class

    while isinstance(joint_type, Reversed):
        joint_type = joint_type.original
    return joint_type


def inherits_methods(joint_type: JointType, *methods: str) -> bool:
    """Return whether a joint type has these methods from `JointType`."""
    return all(getattr(type(joint_type), name) is getattr(JointType, name) for name in methods)


def joint_type_from(value: object, argument: str) -> JointType:
    """Return a joint type given by itself, or by a function without arguments that returns it.

    Raises ArgumentError, naming `argument`, for everything else.

    >>> from rbd import Fixed
    >>> joint_type_from(Fixed, "joint_type")
    Fixed()
    """
    try:
        joint_type: object = value if isinstance(value, JointType) or not callable(value) else value()
    except TypeError as error:
        name = getattr(value, "__name__", described(value))
        message = f"{argument}: {name} cannot be called without arguments ({error}); give a joint type, such as "
        raise ArgumentError(f"{message}rbd.Revolute((0, 0, 1))", argument=argument, value=value) from error
    if not isinstance(joint_type, JointType):
        message = f"{argument}: {described(value)} is not a joint type and does not return one"
        raise ArgumentError(message, argument=argument, value=value)
    return joint_type
