"""Linkages for the tests: overconstrained ones in space, and the legs of a beach animal."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import rbd
from rbd import Frame, Joint, Mechanism, MechanismState, Revolute, RigidBody, SpatialInertia, Transform
from tests.algorithms.helpers import Numbers


def box(name: str, mass: float, size: Sequence[float], center: Sequence[float]) -> RigidBody:
    """Return a body that is a box about `center`."""
    squares = np.square(np.asarray(size, dtype=float))
    moment = np.diag(mass / 12 * (squares.sum() - squares))
    return RigidBody(name, SpatialInertia(Frame(name), mass=mass, com=center, moment_about_com=moment))


def hinge(
    mechanism: Mechanism,
    first: RigidBody,
    second: RigidBody,
    name: str,
    axis: Sequence[float],
    pose: tuple[Numbers, Numbers],
    end: tuple[Numbers, Numbers] | None = None,
) -> Joint:
    """Attach a hinge at `pose` (rotation, position) of the first body and `end` of the second, its origin by default.

    Both are in the frames the bodies were made with, which have their names.
    """
    joint = Joint(name, Revolute(axis))
    before = Transform(joint.frame_before, first.frame(first.name), *pose)
    if end is None:
        mechanism.attach(first, second, joint, joint_pose=before)
    else:
        after = Transform(joint.frame_after, second.frame(second.name), *end).inverse()
        mechanism.attach(first, second, joint, joint_pose=before, successor_pose=after)
    return joint


def at(*xyz: float) -> tuple[Numbers, Numbers]:
    """Return a place with the axes of the body."""
    return np.eye(3), np.array(xyz, dtype=float)


def sarrus(length: float = 0.5, gravity: Sequence[float] = (0, 0, -9.81)) -> MechanismState:
    """Return a Sarrus linkage: two folding walls at right angles carry a plate straight up and down.

    Five constraints, of which four are independent; the configuration is closed.
    """
    mechanism = Mechanism(gravity=gravity)
    plate = box("plate", 2.0, (0.4, 0.4, 0.05), (0, 0, 0))
    sides = {"a": ((1.0, 0, 0), at(0, -0.2, 0)), "b": ((0.0, 1, 0), at(-0.2, 0, 0))}
    for name, (axis, place) in sides.items():
        lower = box(f"{name} lower", 1.0, (0.1, 0.1, length), (0, 0, length / 2))
        upper = box(f"{name} upper", 0.7, (0.1, 0.1, length), (0, 0, length / 2))
        hinge(mechanism, mechanism.root_body, lower, f"{name}1", axis, place)
        hinge(mechanism, lower, upper, f"{name}2", axis, at(0, 0, length))
        hinge(mechanism, upper, plate, f"{name}3", axis, at(0, 0, length), place)
    fold = 0.6
    return MechanismState(mechanism, [fold, -2 * fold, fold, -fold, 2 * fold])


def bennett(a: float = 0.6, alpha: float = 0.7, beta: float = 1.3) -> MechanismState:
    """Return a Bennett linkage: four skew hinges that move although they should not (Bennett, 1903).

    Opposite links are alike; sin(alpha) / a = sin(beta) / b. Five constraints, of which two are independent. The
    configuration is near closed; `close_loops` does the rest.
    """
    b = a * math.sin(beta) / math.sin(alpha)
    mechanism = Mechanism()
    bodies = [mechanism.root_body, *(box(f"link{k}", 1.0, (0.5, 0.1, 0.1), (0.3, 0, 0)) for k in (1, 2, 3))]
    lengths, twists = (b, a, b, a), (beta, alpha, beta, alpha)

    def far(k: int) -> tuple[Numbers, Numbers]:
        c, s = math.cos(twists[k]), math.sin(twists[k])
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), np.array([lengths[k], 0, 0])

    hinge(mechanism, bodies[0], bodies[1], "hinge1", (0, 0, 1), at(0, 0, 0))
    hinge(mechanism, bodies[1], bodies[2], "hinge2", (0, 0, 1), far(1))
    hinge(mechanism, bodies[2], bodies[3], "hinge3", (0, 0, 1), far(2))
    rotation, position = far(0)
    c, s = math.cos(twists[3]), math.sin(twists[3])
    turned = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    # The ground link runs from hinge 4 to hinge 1; seen from hinge 1 it runs back.
    ground = (rotation.T, -rotation.T @ position)
    hinge(mechanism, bodies[3], bodies[0], "hinge4", (0, 0, 1), (turned, np.array([a, 0, 0])), ground)
    theta = 1.0
    half = math.tan(theta / 2)
    phi = 2 * math.atan(math.sin((alpha + beta) / 2) / math.sin((beta - alpha) / 2) / half)
    return MechanismState(mechanism, [theta, phi, -theta])


# --- a beach animal ---------------------------------------------------------------------------------------------------

# The holy numbers of Theo Jansen (The Great Pretender, 2007), in units of 10 mm.
A, B, C, D, E, F, G, H, I, J, K, L, M = (
    *(0.380, 0.415, 0.393, 0.401, 0.558, 0.394, 0.367, 0.657),
    *(0.490, 0.500, 0.619, 0.078, 0.150),
)
Y = (0.0, -1.0, 0.0)  # angles run from x to z


def corner(one: float, two: float, opposite: float) -> float:
    """Return the angle between two sides of a triangle."""
    return math.acos((one * one + two * two - opposite * opposite) / (2 * one * two))


def meet(p: Numbers, r: float, q: Numbers, s: float, side: int) -> Numbers:
    """Return where circles about p and q meet, to the left (+1) or right (-1) of the way from p to q."""
    way = q - p
    angle = math.atan2(way[1], way[0]) + side * corner(r, float(np.hypot(*way)), s)
    return p + r * np.array([math.cos(angle), math.sin(angle)])


def heading(start: Numbers, end: Numbers) -> float:
    return math.atan2(end[1] - start[1], end[0] - start[0])


def polar(length: float, angle: float, y: float = 0.0) -> tuple[Numbers, Numbers]:
    return at(length * math.cos(angle), y, length * math.sin(angle))


def rod(name: str, length: float) -> RigidBody:
    return box(name, length, (length, 0.02, 0.02), (length / 2, 0, 0))


def plate(name: str, one: float, two: float, angle: float) -> RigidBody:
    """Return a triangle with corners at its origin, along x, and at an angle."""
    center = (np.array(at(one, 0, 0)[1]) + polar(two, angle)[1]) / 3
    return box(name, one + two, (one, 0.02, two), center)


def strandbeest(legs: int = 12, start: float = 0.3) -> MechanismState:
    """Return Jansen's legs on one crankshaft, left and right, three phases; closed, at rest, the frame held in the air.

    Six links and three loops a leg; a loop has five constraints, of which two count. All legs together have one degree
    of freedom.
    """
    mechanism = Mechanism()
    shaft = box("shaft", 5.0, (0.1, 1.0, 0.1), (0, 0, 0))
    hinge(mechanism, mechanism.root_body, shaft, "crank", Y, at(0, 0, 0))
    q = [start]
    for leg in range(legs):
        side, phase = (1 if leg % 2 else -1), 2 * math.pi * (leg // 2 % 3) / 3
        q += add_leg(mechanism, shaft, f"leg{leg} ", side, phase, 0.1 * leg, start)
    return MechanismState(mechanism, q)


def add_leg(
    mechanism: Mechanism, shaft: RigidBody, name: str, side: int, phase: float, y: float, start: float
) -> list[float]:
    """Add one leg on the left (-1) or right (+1) of the shaft; return its closed configuration."""
    pin = M * np.array([math.cos(start + phase), math.sin(start + phase)])
    pivot = np.array([side * A, -L])
    top = meet(pin, J, pivot, B, side)
    low = meet(pin, K, pivot, C, -side)
    bend, shin = side * corner(B, D, E), -side * corner(G, I, H)
    back = heading(pivot, top) - bend
    rear = pivot + D * np.array([math.cos(back), math.sin(back)])
    ankle = meet(rear, F, low, G, side)
    upper, lower = plate(name + "upper", B, D, -bend), plate(name + "lower", G, I, shin)
    j, k, c, f = (rod(name + letter, length) for letter, length in zip("jkcf", (J, K, C, F), strict=True))
    root = mechanism.root_body
    hinge(mechanism, root, upper, name + "hip", Y, at(pivot[0], y, pivot[1]))
    hinge(mechanism, upper, f, name + "rear", Y, polar(D, -bend))
    hinge(mechanism, root, c, name + "knee", Y, at(pivot[0], y, pivot[1]))
    hinge(mechanism, c, lower, name + "low", Y, at(C, 0, 0))
    hinge(mechanism, shaft, j, name + "pin j", Y, polar(M, phase, y))
    hinge(mechanism, shaft, k, name + "pin k", Y, polar(M, phase, y))
    hinge(mechanism, j, upper, name + "top loop", Y, at(J, 0, 0), at(B, 0, 0))
    hinge(mechanism, k, c, name + "low loop", Y, at(K, 0, 0), at(C, 0, 0))
    hinge(mechanism, f, lower, name + "ankle loop", Y, at(F, 0, 0), at(G, 0, 0))
    hip, knee = heading(pivot, top), heading(pivot, low)
    return [
        *(hip, heading(rear, ankle) - hip, knee, heading(low, ankle) - knee),
        *(heading(pin, top) - start, heading(pin, low) - start),
    ]


def energy(state: MechanismState) -> float:
    """Return the mechanical energy."""
    return float(rbd.kinetic_energy(state)) + float(rbd.gravitational_potential_energy(state))
