"""Motion in time: integrators on the manifold of configurations, trajectories, and functions for other solvers.

Room: simulation; may import algorithms and everything above them.
"""

from __future__ import annotations

from rbd.simulation.dynamics_function import Dynamics
from rbd.simulation.flow import Control, External
from rbd.simulation.integrator import Flow, Integrator, Rates
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.simulate import IntegratorName, simulate
from rbd.simulation.tableau import EULER, HEUN, RALSTON, RUNGE_KUTTA_4, ButcherTableau
from rbd.simulation.trajectory import Energies, Trajectory

__all__ = [
    "EULER",
    "HEUN",
    "RALSTON",
    "RUNGE_KUTTA_4",
    "ButcherTableau",
    "Control",
    "Dynamics",
    "Energies",
    "External",
    "Flow",
    "Integrator",
    "IntegratorName",
    "MuntheKaas",
    "Rates",
    "SemiImplicitEuler",
    "Trajectory",
    "simulate",
]
