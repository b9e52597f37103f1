"""Accuracy of algorithms and simulations: the tables of accuracy.md.

    python docs/measure_accuracy.py            measure, and write the tables into the page (less than a minute)

What is compared with 50 digits runs a second time on numbers of mpmath: the same source, the same float64 inputs.
"""

from __future__ import annotations

import math
import platform
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rbd
from docs.page_tables import commit, put, table
from rbd.scalars.arrays import Array

PAGE = Path(__file__).resolve().with_name("accuracy.md")
DIGITS, STATES = 50, 5
Algorithm = Callable[[Any], Any]


def main() -> None:
    """Measure, and write the page."""
    mpmath.mp.dps = DIGITS
    parts = (versions, algorithms, angles, distance, conditioning, drift)
    put(PAGE, {part.__name__: shown(part) for part in parts})


def shown(part: Callable[[], str]) -> str:
    """Return a table, and print it."""
    found = part()
    print(f"{part.__name__}\n{found}\n", flush=True)
    return found


def versions() -> str:
    """Return the table of what was measured."""
    row = (commit(), platform.machine(), platform.python_version(), np.__version__, mpmath.__version__)
    return table(("commit", "processor", "Python", "NumPy", "mpmath"), [row])


# -- against 50 digits ------------------------------------------------------------------------------------------------


def exactly(state: rbd.MechanismState) -> rbd.ScalarState:
    """Return the same state with numbers of 50 digits."""
    return state.with_scalars(*([mpmath.mpf(float(x)) for x in part] for part in (state.q, state.v)))


def numbers(value: Any) -> list[Any]:
    """Return the numbers of an array or of a sequence."""
    return list(np.asarray(value, dtype=object).ravel())


def pose(state: Any) -> list[Any]:
    """Return the numbers of the last body's pose."""
    found = state.transform_to_root(state.mechanism.bodies[-1])
    return [*numbers(found.rotation_components), *found.translation_components]


def rate(state: Any) -> list[Any]:
    """Return dq/dt."""
    return numbers(state.configuration_derivative())


def momentum(state: Any) -> list[Any]:
    """Return the numbers of the momentum."""
    found = rbd.momentum(state)
    return [*found.angular_components, *found.linear_components]


def error(algorithm: Algorithm, state: rbd.MechanismState) -> float:
    """Return the largest error of a result, relative to its largest number."""
    found, exact = numbers(algorithm(state)), numbers(algorithm(exactly(state)))
    largest = max(abs(x) for x in exact)
    return float(max(abs(mpmath.mpf(float(a)) - b) for a, b in zip(found, exact, strict=True)) / largest)


def random_states(mechanism: rbd.Mechanism) -> Iterable[rbd.MechanismState]:
    """Yield states at random configurations and velocities."""
    rng = np.random.default_rng(1)
    for _ in range(STATES):
        state = rbd.MechanismState(mechanism)
        state.randomize(rng)
        yield state


ALGORITHMS: dict[str, Algorithm] = {
    "poses": pose,
    "mass matrix": rbd.mass_matrix,
    "dynamics bias": rbd.dynamics_bias,
    "inverse dynamics": lambda s: rbd.inverse_dynamics(s, [1] * s.mechanism.nv),
    "forward dynamics": rbd.forward_dynamics,
    "momentum": momentum,
}


def algorithms() -> str:
    """Return errors of algorithms for robots."""
    robots = {
        "double pendulum": rbd.robots.double_pendulum(),
        "arm": rbd.robots.arm7(),
        "quadruped": rbd.robots.quadruped(),
        "humanoid": rbd.robots.humanoid(),
    }
    states = {name: list(random_states(robot)) for name, robot in robots.items()}
    rows = [[name, *(max(error(f, s) for s in states[r]) for r in robots)] for name, f in ALGORITHMS.items()]
    return table(["error", *robots], rows)


# -- near-singular angles ---------------------------------------------------------------------------------------------

JOINTS = {"quaternion": rbd.QuaternionSpherical, "rotation vector": rbd.RotationVectorSpherical}


def angles() -> str:
    """Return errors of a ball joint's dynamics at angles where closed forms cancel."""
    near = {"0": 0.0, "π": math.pi, "2π": 2 * math.pi}
    rows = [
        [name, f"{place} + {offset:g}" if offset else place, *ball_errors(kind, angle + offset)]
        for name, kind in JOINTS.items()
        for place, angle in near.items()
        for offset in (0.0, 1e-12, 1e-7, 1e-3)
    ]
    return table(["coordinates", "angle", "pose", "mass matrix", "dq/dt", "forward dynamics"], rows)


def ball_errors(kind: type[Any], angle: float) -> list[object]:
    """Return errors of a body on a ball joint; where rbd raises an error, its name."""
    mechanism = rbd.Mechanism("world")
    inertia = rbd.SpatialInertia(rbd.Frame("bob"), mass=1.0, com=(0.1, 0, -1), moment_about_com=np.diag([1, 2, 2.5]))
    mechanism.attach("world", rbd.RigidBody("bob", inertia), rbd.Joint("ball", kind()))
    axis = np.array([1.0, 2.0, 2.0]) / 3
    q = [math.cos(angle / 2), *(math.sin(angle / 2) * axis)] if kind is JOINTS["quaternion"] else angle * axis
    state = rbd.MechanismState(mechanism, q=q, v=[1.0, 0.5, -2.0])
    return [outcome(each, state) for each in (pose, rbd.mass_matrix, rate, rbd.forward_dynamics)]


def outcome(algorithm: Algorithm, state: rbd.MechanismState) -> object:
    """Return the error of an algorithm, or the name of what it raises."""
    try:
        return error(algorithm, state)
    except rbd.errors.RbdError as raised:
        return f"`{type(raised).__name__}`"


# -- distance from the origin -----------------------------------------------------------------------------------------


def distance() -> str:
    """Return errors of a four-bar linkage and of an arm that stand far from the origin."""
    rows: list[list[object]] = []
    for away in (0.0, 1e3, 1e6, 1e9):
        arm, linkage = placed(rbd.robots.arm7(), away), placed(rbd.robots.four_bar(), away)
        state = next(iter(random_states(arm)))
        near = rbd.MechanismState(placed(rbd.robots.arm7(), 0.0), q=state.q, v=state.v)
        row = [relative(f(state), f(near)) for f in (rbd.mass_matrix, rbd.dynamics_bias, rbd.forward_dynamics)]
        rows.append([f"{away:g} m", *row, closed_gap(linkage)])
    return table(["distance", "mass matrix", "dynamics bias", "forward dynamics", "gap of a closed loop"], rows)


def placed(robot: rbd.Mechanism, away: float) -> rbd.Mechanism:
    """Return a world with a robot at a place."""
    world, joint = rbd.Mechanism("far"), rbd.Joint("base", rbd.Fixed())
    zero = rbd.SpatialInertia(rbd.Frame("stand"), mass=0.0, moment=np.zeros((3, 3)))
    place = rbd.Transform(joint.frame_before, world.root_frame, translation=(away, -away / 3, away / 7))
    world.attach("far", rbd.RigidBody("stand", zero), joint, joint_pose=place)
    world.attach_mechanism("stand", robot)
    return world


def closed_gap(mechanism: rbd.Mechanism) -> float:
    """Return the gap that closing the loops leaves."""
    state = rbd.MechanismState(mechanism)
    state.set_configuration(np.array([0.5, 0.3, -0.4]))
    rbd.close_loops(state)
    return rbd.loop_gap(state)


def relative(found: Array, exact: Array) -> float:
    """Return the largest difference relative to the largest number."""
    return float(np.abs(found - exact).max() / np.abs(exact).max())


# -- conditioning -----------------------------------------------------------------------------------------------------


def conditioning() -> str:
    """Return errors of forward dynamics of chains, with the condition number of the mass matrix."""
    rows: list[list[object]] = []
    for count in (4, 16, 64):
        state = next(iter(random_states(rbd.robots.chain(count))))
        condition = float(np.linalg.cond(rbd.mass_matrix(state)))
        rows.append([f"chain of {count}", condition, error(rbd.forward_dynamics, state)])
    for ratio in (1e3, 1e6, 1e9):
        state = rbd.MechanismState(heavy_base(ratio), q=[0.3, 0.4], v=[1.0, -1.0])
        condition = float(np.linalg.cond(rbd.mass_matrix(state)))
        rows.append([f"two links, masses {ratio:g} to 1", condition, error(rbd.forward_dynamics, state)])
    return table(["mechanism", "condition of the mass matrix", "error of forward dynamics"], rows)


def heavy_base(ratio: float) -> rbd.Mechanism:
    """Return a double pendulum with a heavy first link."""
    mechanism = rbd.robots.double_pendulum()
    for body, mass in zip(mechanism.bodies[1:], (ratio, 1.0), strict=True):
        body.set_inertia(rbd.SpatialInertia.rod(body.default_frame, mass=mass, length=1.0, com=(0, 0, -0.5)))
    return mechanism


# -- drift ------------------------------------------------------------------------------------------------------------


def drift() -> str:
    """Return what ten seconds of simulation do to quantities that should not change."""
    rows: list[list[object]] = []
    for name in ("munthe-kaas-rk4", "dormand-prince", "variational-midpoint", "semi-implicit-euler"):
        for dt in (1e-2, 1e-3):
            rows.append([f"`{name}`", f"{dt:g} s", *drifts(name, dt)])
    heading = ["energy (double pendulum)", "angular momentum (free body)", "unit quaternion", "gap (four-bar linkage)"]
    return table(["integrator", "dt", *heading], rows)


def drifts(integrator: Any, dt: float) -> list[object]:
    """Return the changes of energy, momentum, norm of the quaternion and gap in ten seconds."""
    pendulum = rbd.MechanismState(rbd.robots.double_pendulum(), q=[1.0, 0.5])
    before = energy(pendulum)
    rbd.simulate(pendulum, 10.0, dt=dt, integrator=integrator)
    body = tumbling()
    spin = np.array(momentum(body)[:3])
    rbd.simulate(body, 10.0, dt=dt, integrator=integrator)
    turned = relative(np.array(momentum(body)[:3]), spin)
    return [
        abs(energy(pendulum) / before - 1),
        turned,
        abs(float(np.linalg.norm(body.q)) - 1),
        loop_drift(integrator, dt),
    ]


def loop_drift(integrator: Any, dt: float) -> object:
    """Return the gap of a four-bar linkage after ten seconds."""
    state = rbd.MechanismState(rbd.robots.four_bar())
    rbd.close_loops(state)
    try:
        rbd.simulate(state, 10.0, dt=dt, integrator=integrator)
    except rbd.errors.RbdError as raised:
        return f"`{type(raised).__name__}`"
    return rbd.loop_gap(state)


def energy(state: rbd.MechanismState) -> float:
    """Return the energy."""
    return float(rbd.kinetic_energy(state) + rbd.gravitational_potential_energy(state))


def tumbling() -> rbd.MechanismState:
    """Return a body that turns freely about its centre of mass, next to its unstable axis."""
    mechanism = rbd.Mechanism("space", gravity=(0, 0, 0))
    inertia = rbd.SpatialInertia(rbd.Frame("body"), mass=1.0, moment_about_com=np.diag([1.0, 2.0, 2.5]))
    mechanism.attach("space", rbd.RigidBody("body", inertia), rbd.Joint("ball", rbd.QuaternionSpherical()))
    return rbd.MechanismState(mechanism, v=[0.01, 3.0, 0.01])


if __name__ == "__main__":
    main()
