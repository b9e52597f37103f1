"""Test case of the joint contract: a joint type at a random configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs
import numpy as np

from rbd.spatial import Frame, Transform, Wrench
from rbd.testing.comparison import as_floats, derivative, matrix_of_columns, pose_matrix
from rbd.testing.random_mechanisms import random_rotation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rbd.joints import JointType
    from rbd.scalars import Array, Vector


@final
@attrs.frozen(eq=False)
class JointCase:
    """A joint type, two configurations, a velocity and a wrench."""

    joint_type: JointType
    before: Frame
    after: Frame
    q: Vector
    """A normalised configuration."""
    q_other: Vector
    """Another normalised configuration."""
    q_unnormalized: Vector
    """A configuration that is not normalised, for joints with normalisation."""
    v: Vector
    phi: Vector
    """Local coordinates, at most one long."""
    qd: Vector
    """Any rate of the coordinates, not necessarily tangent to the manifold."""
    wrench_components: tuple[float, ...]
    unreachable: Array
    """A pose of random rotation and position, which most joints cannot reach, as a 4 by 4 matrix."""
    spread: float
    """Factor of configurations beyond the range of random ones."""

    @classmethod
    def draw(cls, joint_type: JointType, rng: np.random.Generator, spread: float) -> JointCase:
        """Return a random case."""
        phi = rng.standard_normal(joint_type.nv)
        q = joint_type.random(rng)
        return cls(
            joint_type=joint_type,
            before=Frame("before"),
            after=Frame("after"),
            q=q,
            q_other=joint_type.random(rng),
            q_unnormalized=tuple(
                c + 0.2 * float(d) for c, d in zip(q, rng.standard_normal(joint_type.nq), strict=True)
            ),
            v=as_floats(rng.standard_normal(joint_type.nv)),
            phi=as_floats(phi / max(1.0, float(np.linalg.norm(phi)))),
            qd=as_floats(rng.standard_normal(joint_type.nq)),
            wrench_components=as_floats(rng.standard_normal(6)),
            unreachable=_random_pose(rng),
            spread=spread,
        )

    def transform(self, q: Vector) -> Transform:
        """Return the joint's transform."""
        return self.joint_type.transform(q, self.after, self.before)

    def transform_of(self, pose: Array) -> Transform:
        """Return a pose, given as a 4 by 4 matrix, as a transform between the joint's frames."""
        return Transform.from_matrix(self.after, self.before, pose)

    def wrench(self) -> Wrench:
        """Return a wrench in the frame after the joint."""
        a, b, c, x, y, z = self.wrench_components
        return Wrench.trusted(self.after, (a, b, c), (x, y, z))

    def pose(self, q: Vector) -> NDArray[np.complex128]:
        """Return the joint's transform as a 4 by 4 matrix."""
        return pose_matrix(self.transform(q))

    def subspace(self, q: Vector) -> NDArray[np.complex128]:
        """Return the motion subspace as a matrix of 6 rows."""
        return matrix_of_columns(self.joint_type.motion_subspace(q, self.after, self.before))

    def measured_twist(self, q: Vector, qd: Vector) -> Array:
        """Return the twist for the rate qd, angular part first, from the derivative of the transform."""
        pose, rate = self.pose(q).real, derivative(self.pose, q, qd)
        omega_hat = pose[:3, :3].T @ rate[:3, :3]
        linear = pose[:3, :3].T @ rate[:3, 3]
        return np.array([omega_hat[2, 1], omega_hat[0, 2], omega_hat[1, 0], *linear])


def _random_pose(rng: np.random.Generator) -> Array:
    """Return a random rotation and position as a 4 by 4 matrix."""
    pose: Array = np.eye(4)
    pose[:3, :3] = random_rotation(rng)
    pose[:3, 3] = rng.standard_normal(3)
    return pose
