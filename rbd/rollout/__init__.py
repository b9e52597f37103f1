"""Many worlds at once: batches of steps in machine code, and Monte Carlo simulation.

world_step.py   one step of a world, as a function to be recorded
batch.py        worlds as rows of arrays, stepped in place
worlds.py       `Worlds`
"""

from __future__ import annotations

from rbd.rollout.worlds import Worlds

__all__ = ["Worlds"]
