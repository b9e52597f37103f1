"""`contact_step_derivatives`: derivatives of the state after a time step with contacts.

Sensitivity of nonlinear programs: Fiacco 1983. Rows that are held stay held for small changes, so that the KKT
conditions of the step are equations, to which the implicit function theorem applies; the rest of the step is
differentiated as it was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.algorithms.torques import Torques
from rbd.array_functions.velocity_map import VelocityMap
from rbd.contact.dynamics.gauss_principle import nearest_motion_by_active_set
from rbd.contact.model.collision_model import CollisionModel
from rbd.contact.model.pairs import Pair, have_friction
from rbd.contact.stepping.calls import OptionsTemplate, StepCall
from rbd.contact.stepping.options import JOINTS, MARGIN, ContactStepOptions, JointOptions
from rbd.contact.stepping.solution import solved_step
from rbd.contact.stepping.switches import SolvedRows, pairs_at_switch
from rbd.errors import ArgumentError, ShapeError
from rbd.kinematics.queries import State
from rbd.program.differentiate import derivative
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.program.replay import replay
from rbd.scalar_states.scalar_state import ScalarState
from rbd.scalars import Matrix, Scalar, Vector, pack
from rbd.scalars.linear_algebra import matvec, subtract, unit
from rbd.solvers.operands import ends_of, parts_between, rows_of

_NAME: Final = "contact_step_derivatives"


@final
@attrs.frozen(eq=False, repr=False)
class ContactStepDerivatives:
    """Derivatives of q and v after a step by q, v and torques before it; configurations along velocities, (nv, nv).

    `at_switch` is 1 for pairs at a switch: with a bound held without force, or met without being held, a gap of exactly
    zero, since overlaps are closed more slowly than gaps, or a rate at which a point begins to rebound. There the
    derivatives are one-sided: those to the side on which the same bounds stay held. Arrays may have leading batch axes.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism)
    >>> derivatives = rbd.contact.contact_step_derivatives(state, model, np.zeros(13), 1e-3)
    >>> bool(np.allclose(derivatives.q_by_torques, 1e-3 * derivatives.v_by_torques))    # q moves with the new v
    True
    """

    q_by_q: NDArray[Any]
    q_by_v: NDArray[Any]
    q_by_torques: NDArray[Any]
    v_by_q: NDArray[Any]
    v_by_v: NDArray[Any]
    v_by_torques: NDArray[Any]
    at_switch: NDArray[Any]

    @property
    def undecided(self) -> tuple[int, ...]:
        """The indices of the pairs at a switch; raises ShapeError for batches, which have `at_switch`."""
        if self.at_switch.ndim != 1:
            message = "undecided is for one state; at_switch has a row for each state of a batch"
            raise ShapeError(message, argument="at_switch", expected=1, actual=self.at_switch.ndim)
        return tuple(np.flatnonzero(self.at_switch).tolist())

    @override
    def __repr__(self) -> str:
        text = f"<derivatives of a contact step: six of shape {self.v_by_v.shape}"
        is_single = self.at_switch.ndim == 1 and self.at_switch.dtype == np.float64
        return f"{text}, undecided pairs {self.undecided}>" if is_single else f"{text}>"


def contact_step_derivatives(
    state: State[Any],
    model: CollisionModel,
    torques: Torques | None,
    dt: float | Scalar,
    *,
    friction: float | Scalar = 0.0,
    margin: float = MARGIN,
    joints: JointOptions = JOINTS,
) -> ContactStepDerivatives:
    """Return the derivatives of `contact_step` with these arguments, at its active set.

    They are exact where no pair begins or ceases to push, stick or slide. A step that stops a motion has derivatives of
    zero in the directions that contacts determine. Besides the pairs at a switch, distances have corners of their own
    (parallel segments, the edge of a face): the derivative is that of the witnesses. At parallel faces of convex hulls
    these are points that the search for the nearest ones chose. Batches are calls of a function
    recorded with `rbd.record`, in which dt and friction may be inputs, too. Raises what `contact_step` does, and
    ArgumentError for friction with round cones.

    >>> import numpy as np, rbd
    >>> from rbd.contact import ContactStepDerivatives, contact_step_derivatives
    >>> mechanism, model = rbd.robots.hand()
    >>> derivatives = contact_step_derivatives(rbd.MechanismState(mechanism), model, np.zeros(13), 1e-3)
    >>> derivatives.v_by_torques.shape, derivatives.undecided
    ((13, 13), ())
    >>> batch = rbd.record(lambda state, tau: contact_step_derivatives(state, model, tau, 1e-3), mechanism, tau=13)
    >>> found = ContactStepDerivatives(*batch(np.zeros((100, 13)), np.zeros(13), np.zeros(13), threads=2))
    >>> found.v_by_torques.shape, found.at_switch.shape
    ((100, 13, 13), (100, 4))
    """
    call = StepCall.checked(_NAME, state, model, torques, dt, ContactStepOptions(friction, margin, joints))
    if model.has_round_cones and (call.template.frictional or have_friction(model.pairs)):
        message = "derivatives of steps with friction need polyhedral friction cones: CollisionModel(mechanism)"
        raise ArgumentError(message, argument="model", value=model, allowed="polyhedral friction cones")
    return ContactStepDerivatives(**call.evaluate(_derivatives))


def _derivatives(
    pairs: Sequence[Pair], template: OptionsTemplate, state: ScalarState, torques: Vector, settings: Vector
) -> Mapping[str, object]:
    """Return the derivatives of a step of a state of any scalars, and the pairs at a switch."""
    nq, nv, velocity_map = state.layout.nq, state.layout.nv, VelocityMap.of(state.mechanism)
    step, pair_indices = _step_program(pairs, template, state)
    inputs = (*state.configuration_scalars(), *state.velocity_scalars(), *torques, *settings)
    q_next, _, slack, lam, active, gaps = parts_between(
        replay(step, inputs), ends_of((nq, nv, *(len(pair_indices),) * 4))
    )
    slopes = _slopes(step, inputs, velocity_map)
    blocks = {"q": velocity_map.to_velocity_rows(q_next, slopes[:nq]), "v": slopes[nq : nq + nv]}
    named: dict[str, object] = {
        f"{of}_by_{by}": pack(tuple(row[k * nv : (k + 1) * nv] for row in block)).reshape(nv, nv)
        for of, block in blocks.items()
        for k, by in enumerate(("q", "v", "torques"))
    }
    solved = SolvedRows(slack, lam, active, gaps, pair_indices)
    return named | {"at_switch": pairs_at_switch(pairs, state, settings, solved, slopes[nq + nv :])}


def _step_program(
    pairs: Sequence[Pair], template: OptionsTemplate, state: ScalarState
) -> tuple[Program, tuple[int, ...]]:
    """Return the step as a program of x = (q, v, torques) and (dt, margin, friction), and the pair of each row.

    Its output "after" has q and v after the step, slacks and multipliers of the rows.
    """
    nq, nv = state.layout.nq, state.layout.nv
    with recording() as graph:
        q, v, torques = parts_between(graph.input("x", (nq + 2 * nv,)), ends_of((nq, nv, nv)))
        dt, margin, friction = graph.input("settings", (3,))
        options = template.options(friction, margin)
        step = solved_step(pairs, state.with_scalars(q, v), torques, dt, options, nearest_motion_by_active_set)
        solution, program = step.solution, step.problem.program
        slack, count = subtract(matvec(program.J, solution.x), program.bounds), len(program.bounds)
        after = (*step.q_next, *step.v_next, *slack, *solution.lam[:count])
        outputs = {"after": after, "active": solution.active[:count], "gaps": step.constraints.gaps}
        return Program.of(graph, "contact_step", outputs), step.constraints.pair_indices


def _slopes(step: Program, inputs: Vector, velocity_map: VelocityMap) -> Matrix:
    """Return the derivatives of "after" by q, along velocities, v and torques; a row per entry."""

    def directions(x: Vector) -> Matrix:
        N = velocity_map.matrix(x)
        nv = (len(x) - len(N)) // 2
        others = (unit(2 * nv, k) for k in range(2 * nv))
        return *((*row, *(0,) * (2 * nv)) for row in N), *((*(0,) * nv, *row) for row in others)

    program = derivative(step, "after", "x", directions=directions)
    return rows_of(replay(program, inputs), *program.outputs[0].shape)
