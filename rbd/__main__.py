"""Lets `python -m rbd` do what the `rbd` command does."""

from __future__ import annotations

import sys

from rbd.cli import main

if __name__ == "__main__":
    sys.exit(main())
