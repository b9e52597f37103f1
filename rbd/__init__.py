"""Rigid-body dynamics with checked frames.

This module is the public list and nothing else: what `__all__` names is public, and so are the modules
`rbd.errors`, `rbd.scalars`, `rbd.testing` and those named on the documentation's API pages.
"""

from __future__ import annotations

__version__ = "0.1.0"

__all__ = ["__version__"]
