"""Results of contact dynamics: accelerations, velocities after an impact.

Vectors have one entry per velocity coordinate, or one per pair.
"""

from __future__ import annotations

from typing import Any, Generic, final

import attrs
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rbd.contact.model.pairs import N_co


@final
@attrs.frozen(eq=False, repr=False)
class ContactSolution(Generic[N_co]):
    """Accelerations with contacts: M vd + c = torques + passive + contact_torques.

    `multipliers` are the normal forces of the pairs (N), none negative, zero for those that do not touch; `active` is 1
    for the pairs whose bound is held. `contact_torques` are J' multipliers, plus those of friction.
    `kkt_residual` is the largest violation of the KKT conditions and of Coulomb's law, bounded as `solve_contact` says;
    `energy_change` is the rate at which contacts change the energy, the power of their forces (W).

    >>> import numpy as np, rbd
    >>> mechanism, model = rbd.robots.hand()
    >>> state = rbd.MechanismState(mechanism, [0.0, 0.0, -1.2, -1.2, *[0.0] * 9])    # one finger bent
    >>> solution = rbd.contact.solve_contact(state, model, [-2.0] * 13, threshold=0.05)
    >>> solution
    <accelerations with contacts: 1 of 4 pairs active, KKT residual ...>
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

    @override
    def __repr__(self) -> str:
        return result_repr("accelerations with contacts", "pairs", self.active, self.kkt_residual)


@final
@attrs.frozen(eq=False, repr=False)
class ImpactSolution(Generic[N_co]):
    """Velocities after an impact: M (v - before) = J' impulses, with the normal impulses of the pairs (N s).

    `energy_change` is the kinetic energy gained (J), `active` is 1 for the pairs whose bound is held, `kkt_residual`
    the largest violation of the KKT conditions. No impulses along normals have the velocities of the Euclidean law;
    `impulses` are their least-squares fit.

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

    @override
    def __repr__(self) -> str:
        return result_repr("velocities after an impact", "pairs", self.active, self.kkt_residual)


def result_repr(name: str, what: str, active: NDArray[Any], residual: object) -> str:
    """Return a short text of a result: how many of the pairs or rows are active, if these are numbers."""
    count = f"{active.size} {what}"
    if active.dtype == np.float64:
        count = f"{np.count_nonzero(active)} of {count} active"
    value = f"{residual:.1e}" if isinstance(residual, float) else type(residual).__name__
    return f"<{name}: {count}, KKT residual {value}>"
