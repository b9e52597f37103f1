"""Control laws: proportional-derivative (PD) control, gravity compensation.

pd.py       `pd`: error and rate of numbers, arrays, vectors and poses, and the choice of their law
laws.py     the law -k e - d de/dt for each of these
gains.py    `PDGains`, `SE3PDGains`
posture.py  controllers of the command line: gravity compensation, hold a configuration
"""

from __future__ import annotations

from rbd.control.gains import PDGains, SE3PDGains
from rbd.control.pd import pd

__all__ = ["PDGains", "SE3PDGains", "pd"]
