"""Run the commands of docs/quickstart.md as a new user does: in a fresh copy of the repository.

    python3 scripts/quickstart.py

The viewer opens no browser and ends by itself; everything else runs as it is on the page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "quickstart.md"
COMMANDS = 5
WRITTEN = ("double-pendulum.png", "walker.npz", "walker.png")
NOT_COPIED = (".git", ".venv*", ".*_cache", "__pycache__", "_build", "*.partial")


def main() -> int:
    """Run the commands; return 0 if all of them succeed and write their files."""
    commands = commands_of(PAGE.read_text(encoding="utf-8"))
    if len(commands) != COMMANDS:
        print(f"{PAGE.name} has {len(commands)} commands, not {COMMANDS}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "rbd"
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED))
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment["RBD_CACHE_DIR"] = str(Path(name) / "cache")
        for command in commands:
            print(f"$ {command}", flush=True)
            subprocess.run(["bash", "-c", command], cwd=folder, env=environment, check=True)
        missing = [file for file in WRITTEN if not (folder / file).is_file()]
    if missing:
        print(f"the quick start wrote no {', '.join(missing)}", file=sys.stderr)
    return int(bool(missing))


def commands_of(page: str) -> list[str]:
    """Return the commands of the first block of a page, viewers without a browser."""
    block = re.search(r"^```bash\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    lines = block.group(1).splitlines() if block else []
    return [f"{line} --no-browser --duration 3" if "rbd view" in line else line for line in lines]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd[-1]} failed; see above")
