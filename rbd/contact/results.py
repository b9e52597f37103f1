"""What is given for a state with contacts: accelerations, velocities after an impact, the state after a step.

Vectors are those of the joints' velocities, or one number per pair.
"""

from __future__ import annotations

from typing import Any, Generic, final

import attrs
from numpy.typing import NDArray

from rbd.contact.pairs import N_co


@final
@attrs.frozen(eq=False)
class ContactSolution(Generic[N_co]):
    """Accelerations with contacts: M vd + c = torques + passive + contact_torques.

    `multipliers` are the normal forces of the pairs (N), none negative, zero for those that do not touch; `active` is 1
    for the pairs whose condition is held. `contact_torques` are J' multipliers, with friction added if there is some.
    `kkt_residual` is the largest violation of the conditions of the minimum, and of Coulomb's law; `energy_change` the
    power the contacts put in (W).

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism, [0.0, 0.0, 1.2, *[0.0] * 10])    # one finger bent, and pressing
    >>> solution = rbd.contact.solve_contact(state, model, [0.0, 0.0, -5.0, *[0.0] * 10], threshold=0.05)
    >>> rows = model.jacobian(state)
    >>> solution.multipliers.shape, bool(np.allclose(solution.contact_torques, rows.T @ solution.multipliers))
    ((4,), True)
    """

    vd: NDArray[Any]
    multipliers: NDArray[Any]
    active: NDArray[Any]
    kkt_residual: N_co
    energy_change: N_co
    contact_torques: NDArray[Any]


@final
@attrs.frozen(eq=False)
class ImpactSolution(Generic[N_co]):
    """Velocities after an impact: M (v - before) = J' impulses, `impulses` being those of the pairs (N s).

    `energy_change` is the kinetic energy gained (J), `active` is 1 for the pairs whose condition is held,
    `kkt_residual` the largest violation of the conditions of the minimum. The Euclidean law knows no impulses: it
    changes velocities as no impulses along the normals would; what is given then are the impulses that come nearest.

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism, v=[0.1] * 13)
    >>> hit = rbd.contact.impact(state, model, active=[3])
    >>> gained = rbd.mass_matrix(state) @ (hit.v - state.v)
    >>> hit.active, bool(np.allclose(gained, model.jacobian(state).T @ hit.impulses))
    (array([0., 0., 0., 1.]), True)
    """

    v: NDArray[Any]
    impulses: NDArray[Any]
    energy_change: N_co
    active: NDArray[Any]
    kkt_residual: N_co


@final
@attrs.frozen(eq=False)
class ContactStep(Generic[N_co]):
    """The state after a step: q, v; M v = M free + J' impulses.

    `impulses` are the normal impulses of the pairs (N s), all their points together; `active` is 1 for pairs that push.
    `kkt_residual` is the largest violation of the conditions of the minimum; `energy_change` the kinetic energy that
    contacts add (J), which is not positive but for the pushing apart of what overlaps.

    >>> import rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> after = rbd.contact.contact_step(rbd.MechanismState(mechanism), model, [0.0] * 13, 1e-3)
    >>> after.v.shape, after.impulses, after.kkt_residual < 1e-12
    ((13,), array([0., 0., 0., 0.]), True)
    """

    q: NDArray[Any]
    v: NDArray[Any]
    impulses: NDArray[Any]
    active: NDArray[Any]
    kkt_residual: N_co
    energy_change: N_co
