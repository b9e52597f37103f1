"""Torques of None are zero in the functions of contacts, as in all others."""

from __future__ import annotations

import numpy as np

import rbd
from rbd.contact import contact_step, solve_contact


def test_none_means_zero() -> None:
    hand, model = rbd.robots.hand()
    state = rbd.MechanismState(hand)
    zeros = np.zeros(hand.nv)
    np.testing.assert_array_equal(solve_contact(state, model, None).vd, solve_contact(state, model, zeros).vd)
    found, expected = contact_step(state, model, None, 1e-3), contact_step(state, model, zeros, 1e-3)
    np.testing.assert_array_equal(found.v, expected.v)
