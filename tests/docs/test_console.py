"""Shell sessions of the documentation, and the page of the command line."""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

import pytest

from rbd.cli.command_line import COMMANDS
from tests.docs import console
from tests.docs.examples import ROOT, name_of, pages

PAGES = [page for page in pages() if "```console\n" in page.read_text(encoding="utf-8")]
CLI = ROOT / "docs" / "cli.md"


@pytest.mark.skipif(shutil.which("bash") is None, reason="the sessions are those of bash")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    for session in console.sessions(page.read_text(encoding="utf-8")):
        printed = console.run(session.command, tmp_path)
        assert console.matches(session.shown, printed), f"{session.command}prints\n{printed}"


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_the_page_of_the_command_line_has_all_options(name: str) -> None:
    text = CLI.read_text(encoding="utf-8")
    section = text.split(f"## rbd {name}\n")[1].split("\n## ")[0] + text.split("## Robot files")[1].split("\n## ")[0]
    shown = set(re.findall(r"--[a-z-]+", section))
    assert options_of(name) <= shown


def test_the_page_names_no_other_options() -> None:
    known = {option for command in COMMANDS for option in options_of(command.name)} | {"--version", "--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", CLI.read_text(encoding="utf-8"))) <= known


def options_of(name: str) -> set[str]:
    """Return the long options of a command, with their other names."""
    command = next(command for command in COMMANDS if command.name == name)
    parser = argparse.ArgumentParser(add_help=False)
    command.add_options(parser)
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", parser.format_help()))
