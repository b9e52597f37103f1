"""Motion in time: integrators on the manifold of configurations, trajectories, and functions for other solvers.

simulate.py             `simulate`: arguments, choice of the path, one run
run.py                  Run: steps, split at instants of holds and at events
run_path.py             run paths: the code that takes the steps of a run
path_choice.py          choice of the part of the steps that programs take
equations_of_motion.py  the right-hand side: control, external wrenches, forces, contact
callbacks.py            callbacks of the user, checked
hold.py                 ZeroOrderHold
forces.py               springs, dampers, force elements of the user
events.py               events and their detection
outputs.py              sink, monitors and pacing, which receive the samples
sinks.py                where samples are stored: in memory
npz_file.py             in a file
monitors.py             measures of accuracy
realtime.py             pacing by the wall clock
trajectory.py           Trajectory and its files
time_grid.py            times of the samples
dynamics_function.py    Dynamics, for solvers of other packages
integrator.py           the interface of integrators
munthe_kaas.py          Runge-Kutta methods of fixed steps
adaptive.py             Runge-Kutta methods that choose their steps
semi_implicit.py        semi-implicit Euler
variational.py          the variational midpoint rule
variational_kernels.py  its iterations, as kernels
tableau.py              coefficients of Runge-Kutta methods
programs/               steps and stages as programs

Objects of a run, from the call to the forces:

    simulate ──► choose_path ──► RunPath          takes the steps: BlocksOfSteps, BlocksOfStages, SingleSteps
                                   ├──► Run         state, time, events, last sample ──► Outputs: Sink, monitors, pacing
                                   └──► Integrator  one step; in programs RepeatedStep, RecordedStages
                                          └──► EquationsOfMotion   accelerations at one instant
                                                 ├──► Callbacks      control, external wrenches, ZeroOrderHold
                                                 └──► ForceElement   springs, dampers
"""

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
from rbd.simulation.npz_file import NpzFile
from rbd.simulation.realtime import Throttle
from rbd.simulation.semi_implicit import SemiImplicitEuler
from rbd.simulation.simulate import IntegratorName, simulate
from rbd.simulation.sinks import InMemory, RingBuffer, Sink, Sizes
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
