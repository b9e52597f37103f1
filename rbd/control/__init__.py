"""Control laws: proportional-derivative (PD) control.

pd.py     pd: the errors of numbers, arrays, vectors and poses, and their laws
gains.py  PDGains, SE3PDGains
laws.py   the laws of an error and its rate
"""

from __future__ import annotations

from rbd.control.gains import PDGains, SE3PDGains
from rbd.control.pd import pd

__all__ = ["PDGains", "SE3PDGains", "pd"]
