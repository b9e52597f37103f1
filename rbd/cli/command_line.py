"""`main`: the `rbd` command with its options, errors and exit codes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final, NoReturn, final

from typing_extensions import override

import rbd
from rbd.cli import bench, check, convert, demo, info, simulate, view
from rbd.cli import compile as compile_c
from rbd.cli.streams import discard, flush_or_discard, open_missing_streams, print_note, writable_anywhere
from rbd.errors import RbdError, printable

SUCCESS: Final = 0
FAILURE: Final = 1
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141

COMMANDS: Final = tuple(module.COMMAND for module in (demo, info, check, convert, simulate, view, compile_c, bench))
_EPILOG: Final = """\
exit codes:
  0    success
  1    error: a file is missing or refused, an option does not fit it, a simulation fails; `rbd check`: invalid file
  2    invalid command line
  130  interrupted (Ctrl-C)
  141  the reader of the output has closed its end of the pipe

FILE is the path of a URDF or MJCF file, or PACKAGE:NAME for a file of an installed Python package, such as
gymnasium:ant.xml. `rbd COMMAND --help` shows the options of a command, with examples.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code.

    >>> from rbd.cli import main
    >>> main(["check", "missing.urdf"])
    1
    """
    open_missing_streams()
    writable_anywhere(sys.stdout, sys.stderr)
    try:
        return _run(arguments)
    except BrokenPipeError:
        discard(sys.stdout)
        return BROKEN_PIPE
    except KeyboardInterrupt:
        print_note("interrupted")
        return INTERRUPTED
    except (RbdError, OSError, MemoryError) as error:
        for line in _error_lines(error):
            print_note(line)
        return FAILURE
    finally:
        flush_or_discard()


def _run(arguments: Sequence[str] | None) -> int:
    """Run a command; standard output is written to its end, so that errors of it are those of the command."""
    try:
        options = make_parser().parse_args(arguments)
    except SystemExit:  # after --help, --version and errors
        sys.stdout.flush()
        raise
    code = int(options.command(options))
    sys.stdout.flush()
    return code


def _error_lines(error: RbdError | OSError | MemoryError) -> list[str]:
    """Return the lines that an error prints."""
    if isinstance(error, RbdError):
        return [str(error), *getattr(error, "__notes__", ())]
    if isinstance(error, OSError):
        return [": ".join(filter(None, (os.fsdecode(error.filename or ""), error.strerror or str(error))))]
    return ["not enough memory"]


@final
class _Parser(argparse.ArgumentParser):
    """A parser whose errors have no control characters: they show arguments, such as names of files."""

    @override
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; those of commands are of its class."""
    description = (rbd.__doc__ or "").splitlines()[0]
    parser = _Parser(
        prog="rbd", description=description, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"rbd {rbd.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command_parser = commands.add_parser(command.name, **command.settings)
        command.add_options(command_parser)
        command_parser.set_defaults(command=command.run)
    return parser
