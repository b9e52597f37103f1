"""Many worlds at once: batches of steps in machine code, and Monte Carlo simulation.

`Worlds` checks its settings, records the step of one world, and repeats it on a `WorldBatch`. `rollout` does the same
with a batch for each chunk of cases, in an executor; a `Study` determines the results, a storage keeps them.

settings.py     settings of a world's step
rows.py         checks of arrays with a row per world
world_step.py   one step of a world, as a function to be recorded
batch.py        worlds as rows of arrays, stepped in place
worlds.py       `Worlds`
cases.py        where the cases of a study start
chunks.py       the work of one call of an executor, and executors
storage.py      results in memory or in a folder
study.py        all that determines the results of `rollout`, and its run
rollouts.py     `Rollouts`
monte_carlo.py  `rollout`
"""

from __future__ import annotations

from rbd.rollout.monte_carlo import rollout
from rbd.rollout.rollouts import Rollouts
from rbd.rollout.worlds import Worlds

__all__ = ["Rollouts", "Worlds", "rollout"]
