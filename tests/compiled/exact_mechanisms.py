"""Mechanisms from a number, of all joint types, whose parameters are the same to the last bit on every machine.

Those of `rbd.testing` are not: NumPy's generators and matrix products may differ from one version to the next.
"""

from __future__ import annotations

from random import Random

import rbd
from rbd.joints import Reversed

JOINT_TYPES = (
    rbd.Revolute((0, 0, 1)),
    rbd.Revolute((0.6, 0, 0.8)),
    rbd.Prismatic((0, 1, 0)),
    rbd.Prismatic((0.6, 0.8, 0)),
    rbd.Screw((0, 0.6, 0.8), 0.125),
    rbd.Fixed(),
    rbd.Planar((1, 0, 0), (0, 1, 0)),
    rbd.SinCosRevolute((0, 1, 0)),
    rbd.QuaternionSpherical(),
    rbd.RotationVectorSpherical(),
    rbd.QuaternionFloating(),
    rbd.MRPFloating(),
    rbd.RotationVectorFloating(),
    rbd.Universal((1, 0, 0), (0, 0.6, 0.8)),
    Reversed(rbd.Planar((0, 1, 0), (0, 0, 1))),
)
LOOP_TYPES = (rbd.Revolute((0, 0, 1)), rbd.QuaternionSpherical(), rbd.Prismatic((1, 0, 0)))
QUATERNIONS = ((1, 0, 0, 0), (1, 1, 1, 1), (0, 0, 3, 4), (1, 2, 2, 4), (1, 1, 3, 5), (2, 4, 5, 6))
"""Quaternions whose lengths are integers."""


def exact_mechanism(seed: int) -> rbd.Mechanism:
    """Mechanism of four to seven tree joints; that of every fourth seed has a loop, of every third reversed joints."""
    rng, mechanism = Random(seed), rbd.Mechanism()
    for number in range(4 + seed % 4):
        kind = JOINT_TYPES[(seed + 5 * number) % len(JOINT_TYPES)]
        parent = mechanism.bodies[rng.randrange(len(mechanism.bodies))]
        reverse = seed % 3 == 0 and rng.randrange(2) == 1
        joint = exact_joint(f"joint{number}", kind.flipped() if reverse else kind, rng)
        attach(mechanism, parent, exact_body(f"body{number}", rng), joint, rng)
    if seed % 4 == 0:
        joint = rbd.Joint("loop", LOOP_TYPES[rng.randrange(len(LOOP_TYPES))])
        attach(mechanism, mechanism.bodies[-1], mechanism.bodies[1], joint, rng)
    return mechanism


def attach(mechanism: rbd.Mechanism, parent: rbd.RigidBody, body: rbd.RigidBody, joint: rbd.Joint, rng: Random) -> None:
    joint_pose = exact_transform(joint.frame_before, parent.default_frame, rng)
    successor_pose = exact_transform(body.default_frame, joint.frame_after, rng)
    mechanism.attach(parent, body, joint, joint_pose=joint_pose, successor_pose=successor_pose)


def exact_joint(name: str, kind: rbd.JointType, rng: Random) -> rbd.Joint:
    """Joint that has damping, friction and armature in one of two cases."""
    if rng.randrange(2) or not kind.nv:
        return rbd.Joint(name, kind)
    damping, friction, armature = (rng.randrange(1, 9) / 16 for _ in range(3))
    return rbd.Joint(name, kind, damping=damping, friction=friction, armature=armature)


def exact_body(name: str, rng: Random) -> rbd.RigidBody:
    """Body whose moments differ by less than a third: any products up to 1/16 are those of a rigid body."""
    xx, yy, zz = (rng.randrange(12, 16) / 16 for _ in range(3))
    xy, yz, zx = (rng.randrange(-1, 2) / 16 for _ in range(3))
    frame, moment = rbd.Frame(name), [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]
    mass, com = rng.randrange(1, 17) / 8, [rng.randrange(-4, 5) / 8 for _ in range(3)]
    return rbd.RigidBody(name, rbd.SpatialInertia(frame, mass=mass, com=com, moment_about_com=moment))


def exact_transform(from_frame: rbd.Frame, to_frame: rbd.Frame, rng: Random) -> rbd.Transform:
    translation = [rng.randrange(-4, 5) / 8 for _ in range(3)]
    return rbd.Transform(from_frame, to_frame, exact_rotation(rng), translation)


def exact_rotation(rng: Random) -> list[list[float]]:
    """Rotation matrix of a quaternion with integer elements: each element is one division of integers."""
    w, x, y, z = QUATERNIONS[rng.randrange(len(QUATERNIONS))]
    w, x, y, z = rng.choice([(w, x, y, z), (x, -y, w, z), (y, z, -x, w), (z, w, y, -x)])
    square = w * w + x * x + y * y + z * z
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return [[element / square for element in row] for row in rows]
