"""Long runs of tests, and how much each has tried: the table of reliability.md.

    python docs/measure_reliability.py                          all of `pytest -m deep` (hours)
    python docs/measure_reliability.py tests/mechanism -k lines  some of them; other rows of the table stay

What follows goes to pytest. RBD_DEEP_SHARE=0.1 makes most of them a tenth as long. Deep tests record what they tried
and how often, with `record_property`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.page_tables import commit, known, put, table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reliability.md"
HEADING = ("what", "how often", "held", "test", "commit")
Rows = dict[str, tuple[str, ...]]
"""Rows of the table by test."""


def main(arguments: list[str]) -> int:
    """Run deep tests, and write what they tried into the page; return pytest's status."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        options = ["-m", "deep", "-p", "no:randomly", f"--junitxml={report}", "-o", "junit_family=xunit1"]
        done = subprocess.run([sys.executable, "-m", "pytest", *options, *arguments], cwd=ROOT, check=False)
        found = measured(report)
    rows = {row[3]: row for row in known(PAGE, "runs")} | found
    put(PAGE, {"runs": table(HEADING, sorted(rows.values(), key=lambda row: row[3]))})
    return done.returncode


def measured(report: Path) -> Rows:
    """Return the rows of a report of pytest; tests that were skipped have none."""
    rows: Rows = {}
    for case in ET.parse(report).iter("testcase"):
        if case.find("skipped") is None:
            noted = {each.get("name"): each.get("value", "") for each in case.iter("property")}
            test = f"`{case.get('file')}::{case.get('name')}`"
            held = "yes" if case.find("failure") is None and case.find("error") is None else "**no**"
            what = noted.get("what") or words(case.get("name", ""))
            rows[test] = (what, noted.get("count", "1 run"), held, test, commit())
    return rows


def words(name: str) -> str:
    """Return the name of a test as words."""
    return name.removeprefix("test_").replace("_", " ")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
