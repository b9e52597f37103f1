"""Benchmarks (`rbd bench`): rbd and other installed engines on the same robots.

Only `bench.peers` imports other engines, when they are measured.

Data flow: `robots` (mechanisms) -> `samples` (states) -> `rbd_engine` and `peers` (contenders: who computes what) ->
`groups` (contenders for one quantity) -> `clock` (alternating windows) -> `report` (rows) -> `tables` (text) and JSON.
"""

from __future__ import annotations

from rbd.bench.report import Report
from rbd.bench.run import run
from rbd.bench.settings import BenchSettings
from rbd.bench.tables import as_markdown, as_text

__all__ = ["BenchSettings", "Report", "as_markdown", "as_text", "run"]
