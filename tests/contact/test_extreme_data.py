"""Contact accelerations at extreme data: residuals keep the documented bound, or SolverError is raised."""

from __future__ import annotations

import numpy as np
import pytest

import rbd
from rbd.errors import NotFiniteError, SolverError


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_residuals_keep_their_bound_or_are_errors() -> None:
    mechanism, model = rbd.robots.hand()
    state, rng = rbd.MechanismState(mechanism), np.random.default_rng(1)
    statuses: list[str] = []
    for _ in range(300):
        state.randomize_configuration(rng)
        state.set_velocity(rng.standard_normal(13) * 10.0 ** rng.uniform(-2, 150))
        try:
            found = rbd.contact.solve_contact(state, model, rng.standard_normal(13), threshold=rng.choice([1e-3, 1.0]))
        except (SolverError, NotFiniteError) as error:
            statuses.append(str(getattr(error, "status", error.code)))
            continue
        force = max(np.abs(found.multipliers).max(), np.abs(found.contact_torques).max())
        bound = 1e-9 * (1 + force) * (1 + np.abs(found.vd).max())
        assert found.kkt_residual <= bound
        statuses.append("solved")
    assert statuses.count("solved") > 100
    assert statuses.count("inaccurate") > 5


def test_errors_name_the_function_that_left_the_range() -> None:
    mechanism, model = rbd.robots.hand()
    with pytest.raises(NotFiniteError, match=r"^contact_step left the range") as caught:
        rbd.contact.contact_step(rbd.MechanismState(mechanism), model, None, 1e300)
    assert caught.value.argument == "contact_step"
