"""Motion in time: integrators on the manifold of configurations, trajectories, and functions for other solvers."""

from __future__ import annotations

from rbd.control import PDGains, SE3PDGains, pd
from rbd.simulation.adaptive import AdaptiveMuntheKaas
from rbd.simulation.callbacks import Control, External
from rbd.simulation.dynamics_function import Dynamics
from rbd.simulation.events import Event, Occurrence
from rbd.simulation.forces import Action, ForceElement, JointSpring, Spring
from rbd.simulation.hold import ZeroOrderHold
from rbd.simulation.integrator import Integrator, Rates, RightHandSide
from rbd.simulation.monitors import EnergyMonitor, LoopGapMonitor, Monitor
from rbd.simulation.munthe_kaas import MuntheKaas
from rbd.simulation.realtime import Throttle
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.simulate import IntegratorName, simulate
from rbd.simulation.sinks import InMemory, NpzFile, RingBuffer, Sink, Sizes
from rbd.simulation.tableau import DORMAND_PRINCE, EULER, HEUN, RALSTON, RUNGE_KUTTA_4, ButcherTableau
from rbd.simulation.trajectory import Energies, Trajectory
from rbd.simulation.variational import VariationalMidpoint

__all__ = [
    "DORMAND_PRINCE",
    "EULER",
    "HEUN",
    "RALSTON",
    "RUNGE_KUTTA_4",
    "Action",
    "AdaptiveMuntheKaas",
    "ButcherTableau",
    "Control",
    "Dynamics",
    "Energies",
    "EnergyMonitor",
    "Event",
    "External",
    "ForceElement",
    "InMemory",
    "Integrator",
    "IntegratorName",
    "JointSpring",
    "LoopGapMonitor",
    "Monitor",
    "MuntheKaas",
    "NpzFile",
    "Occurrence",
    "PDGains",
    "Rates",
    "RightHandSide",
    "RingBuffer",
    "SE3PDGains",
    "SemiImplicitEuler",
    "Sink",
    "Sizes",
    "Spring",
    "Throttle",
    "Trajectory",
    "VariationalMidpoint",
    "ZeroOrderHold",
    "pd",
    "simulate",
]
