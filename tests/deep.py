"""How much long runs try: all of it, or the share of it that RBD_DEEP_SHARE says, such as 0.1."""

from __future__ import annotations

import os

SHARE = float(os.environ.get("RBD_DEEP_SHARE", "1"))


def share(whole: int) -> int:
    """Return a number of tries, or of seconds."""
    return max(1, round(SHARE * whole))
