"""Double pendulum: two links on parallel revolute joints."""

from __future__ import annotations

from rbd.joints import Revolute
from rbd.mechanism import Joint, Mechanism
from rbd.robots._build import AXES, add_link, add_named_frame
from rbd.scalars import Scalar, const
from rbd.scalars.arrays import scalar, scalars
from rbd.spatial import Frame, SpatialInertia


def double_pendulum(
    *,
    lengths: tuple[Scalar, Scalar] = (1.0, 1.0),
    masses: tuple[Scalar, Scalar] = (1.0, 1.0),
    radius: Scalar = 0.03,
    damping: tuple[float, float] = (0.0, 0.0),
) -> Mechanism:
    """Return a double pendulum: joints "shoulder" and "elbow" about y, bodies "upper_link" and "lower_link".

    The links are solid cylinders of `radius` (m) with the given `lengths` (m) and `masses` (kg); both hang straight
    down, along -z, when q = 0. The shoulder is at the origin of the world, the elbow at (0, 0, -lengths[0]) of the
    upper link, and the frame "tip" at the lower end of the lower link. `damping` is per joint, in N m s / rad.
    All arguments except the damping may be symbols. Raises InertiaError for negative lengths.

    With I_i = m_i (3 r^2 + l_i^2) / 12 about the centres c_i = l_i / 2, and s_1, s_12 the sines of q_1 and q_1 + q_2:
    M_22 = I_2 + m_2 c_2^2, M_12 = M_22 + m_2 l_1 c_2 cos q_2,
    M_11 = I_1 + m_1 c_1^2 + M_22 + m_2 (l_1^2 + 2 l_1 c_2 cos q_2),
    the gravity torques are g (m_1 c_1 s_1 + m_2 (l_1 s_1 + c_2 s_12)) and g m_2 c_2 s_12.

    >>> import rbd
    >>> pendulum = rbd.robots.double_pendulum(lengths=(0.5, 0.4))
    >>> [joint.name for joint in pendulum.joints], pendulum.nv
    (['shoulder', 'elbow'], 2)
    """
    lengths, masses = _pair(lengths, "lengths"), _pair(masses, "masses")
    radius, dampings = scalar(radius, "radius"), scalars(damping, 2, "damping")
    mechanism = Mechanism()
    body = mechanism.root_body
    positions = ((0, 0, 0), (0, 0, -lengths[0]))
    for i, (link, name) in enumerate((("upper_link", "shoulder"), ("lower_link", "elbow"))):
        center = (0, 0, -const(1, 2) * lengths[i])
        inertia = SpatialInertia.cylinder(Frame(link), mass=masses[i], radius=radius, length=lengths[i], com=center)
        joint = Joint(name, Revolute(AXES["y"]), damping=dampings[i])
        body = add_link(mechanism, body, joint, inertia, joint_position=positions[i])
    add_named_frame(body, "tip", position=(0, 0, -lengths[1]))
    return mechanism


def _pair(values: object, argument: str) -> tuple[Scalar, Scalar]:
    """Return two scalars. Raises ShapeError or NotFiniteError naming `argument`."""
    first, second = scalars(values, 2, argument)
    return first, second
