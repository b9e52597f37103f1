"""Derivatives of time steps as recorded functions.

Without contact states they are recorded from the closed forms of `rbd.step_derivatives`. Steps with compliant contact
are differentiated as programs; configurations after the step are converted from coordinates to velocities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast, final

import attrs

from rbd.algorithms.derivatives.space import Space
from rbd.algorithms.derivatives.step_derivatives import step_derivatives
from rbd.algorithms.time_steps.fixed_step import FixedStepMethod
from rbd.array_functions.function import RecordedFunction
from rbd.array_functions.recording_spec import RecordingSpec
from rbd.array_functions.velocity_map import VelocityMap
from rbd.compiled.specs import TORQUES_AND_STEP
from rbd.display import fields_repr
from rbd.mechanism import Mechanism
from rbd.program.differentiate import derivative
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.program.replay import replay
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector
from rbd.scalars.arrays import Array

_STATES: Final = ("q", "v", "s")
_INPUT_NAMES: Final = {"torques": "tau"}


@final
@attrs.frozen(eq=False)
class CompliantStepDerivatives:
    """Derivatives of the state after a step with compliant contact, by the state before it and the torques.

    Positions move along velocities on both sides; s are the contact states. Arrays may have leading batch axes.

    >>> import numpy as np, rbd
    >>> mechanism = rbd.Mechanism()
    >>> inertia = rbd.SpatialInertia(rbd.Frame("ball"), mass=1.0, moment_about_com=0.01 * np.eye(3))
    >>> ball = rbd.RigidBody("ball", inertia)
    >>> _ = mechanism.attach("world", ball, rbd.Joint("height", rbd.Prismatic((0, 0, 1))))
    >>> soft = rbd.SoftContact(rbd.HuntCrossley(5e3, 50.0), rbd.ViscoelasticCoulomb(0.5, 20e3, 200.0))
    >>> _ = ball.add_contact_point(rbd.Point(ball.default_frame, (0, 0, 0)), soft)
    >>> root = mechanism.root_frame
    >>> floor = rbd.contact.HalfSpace(rbd.Point(root, (0, 0, 0)), rbd.FreeVector(root, (0, 0, 1)))
    >>> _ = mechanism.add_half_space(floor)
    >>> robot = rbd.compile(mechanism)
    >>> q = [[0.1], [-0.01]]    # above the ground, and in it
    >>> robot.step_derivatives(q, [0.0], None, 1e-3, s=np.zeros(3)).v_by_q[:, 0, 0] < 0
    array([False,  True])
    """

    q_by_q: Array
    q_by_v: Array
    q_by_s: Array
    q_by_torques: Array
    v_by_q: Array
    v_by_v: Array
    v_by_s: Array
    v_by_torques: Array
    s_by_q: Array
    s_by_v: Array
    s_by_s: Array
    s_by_torques: Array

    __repr__ = fields_repr


def closed_form_spec(integrator: FixedStepMethod, space: Space) -> RecordingSpec:
    """Return the specification of the derivatives in closed form."""

    def derivatives(state: ScalarState, tau: Vector, dt: Scalar) -> object:
        return step_derivatives(state, tau, dt, space=space, integrator=integrator)

    return RecordingSpec(derivatives, "qv", TORQUES_AND_STEP, regroup=True)


def contact_step_derivatives(step: RecordedFunction, mechanism: Mechanism) -> RecordedFunction:
    """Return the derivatives of a step with compliant contact."""
    return RecordedFunction(_differentiated_program(step.program, mechanism), step.defaults)


def _differentiated_program(step: Program, mechanism: Mechanism) -> Program:
    """Return the program of the derivatives of all states after a step by all states before it and the torques."""
    with recording() as graph:
        inputs = tuple(x for port in step.inputs for x in _flat(graph.input(port.name, port.shape)))
        return Program.of(graph, "step_derivatives", _differentiated(step, mechanism, inputs))


def _differentiated(step: Program, mechanism: Mechanism, inputs: Vector) -> Mapping[str, Matrix]:
    """Return the derivatives, with the names of the fields of the result, at recorded inputs."""
    after, named, velocity_map = replay(step, inputs), dict[str, Matrix](), VelocityMap.of(mechanism)
    q_next = tuple(after[: mechanism.nq])
    states = [name for name in _STATES if any(port.name == f"{name}_next" for port in step.outputs)]
    for of in states:
        for by in (*states, "torques"):
            directions = velocity_map.matrix if by == "q" else None
            slopes = derivative(step, f"{of}_next", _INPUT_NAMES.get(by, by), directions=directions)
            rows = _rows(replay(slopes, inputs), slopes.outputs[0].shape)
            named[f"{of}_by_{by}"] = velocity_map.to_velocity_rows(q_next, rows) if of == "q" else rows
    return named


def _flat(nested: object) -> Vector:
    """Return the scalars of an input: a number, or nested tuples."""
    if not isinstance(nested, tuple):
        return (cast("Scalar", nested),)
    return tuple(x for part in cast("tuple[object, ...]", nested) for x in _flat(part))


def _rows(values: Sequence[Scalar], shape: tuple[int, ...]) -> Matrix:
    height, width = shape
    return tuple(tuple(values[k * width : (k + 1) * width]) for k in range(height))
