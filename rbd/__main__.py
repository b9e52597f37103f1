"""Entry point of `python -m rbd`: the `rbd` command."""

from __future__ import annotations

import sys

from rbd.cli import main

if __name__ == "__main__":
    sys.exit(main())
