"""Run the shell sessions of the documentation: fenced `console` blocks.

A line that begins with `$ ` is a command, which lines with `> ` continue; what it prints, errors too, stands below it.
`...` stands for anything, and numbers are compared to the digits shown. The commands of a page run in one folder.

    python -m tests.docs.console docs/cli.md            run a page
    python -m tests.docs.console --update docs/cli.md   and write what the commands print below them
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import attrs

from tests.docs.examples import FLAGS, ROOT, OutputChecker

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@attrs.frozen
class Session:
    """A command of a page, what is shown below it, and where that is in the text of the page."""

    command: str
    shown: str
    start: int
    end: int


def sessions(text: str) -> list[Session]:
    """Return the commands of a page, in order."""
    found: list[Session] = []
    for block in _BLOCK.finditer(text):
        place = block.start(1)
        for line in block.group(1).splitlines(keepends=True):
            before, place = place, place + len(line)
            if line.startswith("$ "):
                found.append(Session(line[2:], "", place, place))
            elif line.startswith("> ") and not found[-1].shown:
                last = found.pop()
                found.append(attrs.evolve(last, command=last.command + line[2:], start=place, end=place))
            else:
                assert found, f"output without a command: {line}"
                last = found.pop()
                found.append(attrs.evolve(last, shown=last.shown + text[before:place], end=place))
    return found


def run(command: str, folder: Path) -> str:
    """Return what a command prints in a folder; `rbd` and `python` are those of this interpreter."""
    programs = folder / ".programs"
    if not programs.exists():
        programs.mkdir()
        for name, module in (("rbd", " -m rbd"), ("python", "")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n', encoding="utf-8")
            (programs / name).chmod(0o755)
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    places = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": places, "PYTHONUTF8": "1"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
    )
    return done.stdout


def matches(shown: str, printed: str) -> bool:
    """Return whether a page shows what a command prints."""
    return OutputChecker().check_output(shown, printed, FLAGS)


def update(page: Path) -> int:
    """Write what the commands of a page print below them; return how many places changed."""
    text, changed = page.read_text(encoding="utf-8"), 0
    with tempfile.TemporaryDirectory() as folder:
        printed = [(session, run(session.command, Path(folder))) for session in sessions(text)]
    for session, output in reversed(printed):
        if not matches(session.shown, output):
            text, changed = text[: session.start] + output + text[session.end :], changed + 1
    page.write_text(text, encoding="utf-8")
    return changed


def main() -> int:
    """Run or update pages."""
    parser = argparse.ArgumentParser(prog="python -m tests.docs.console")
    parser.add_argument("page", nargs="+", type=Path)
    parser.add_argument("--update", action="store_true", help="write what commands print below them")
    options = parser.parse_args()
    for page in options.page:
        if options.update:
            print(f"{page}: {update(page)} outputs updated")
            continue
        with tempfile.TemporaryDirectory() as folder:
            for session in sessions(page.read_text(encoding="utf-8")):
                output = run(session.command, Path(folder))
                if not matches(session.shown, output):
                    print(f"{page}: {session.command}prints\n{output}but the page shows\n{session.shown}")
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
