"""Control laws."""

from __future__ import annotations

from rbd.control.pd import PDGains, SE3PDGains, pd

__all__ = ["PDGains", "SE3PDGains", "pd"]
