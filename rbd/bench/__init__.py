"""What `rbd bench` measures: rbd and, where they are installed, other engines, side by side on the same robots.

Other engines are imported in `bench.peers` alone, when a measurement asks for them.

The way of a run: `robots` (mechanisms) -> `samples` (states) -> `ours` and `peers` (contenders: who computes what) ->
`clock` (windows in turns) -> `report` (rows) -> `tables` (text) and JSON.
"""

from __future__ import annotations

from rbd.bench.report import Report
from rbd.bench.run import Settings, run
from rbd.bench.tables import as_markdown, as_text

__all__ = ["Report", "Settings", "as_markdown", "as_text", "run"]
