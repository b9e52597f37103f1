"""The `rbd` command.

command_line.py   `main`: options, errors, exit codes
streams.py        terminals without Unicode, closed pipes
options.py        types of options, and options that commands share
robot_file.py     robot files by path or in installed packages, URDF or MJCF
installed.py      files of installed packages
findings.py       findings of readers as lines
initial_state.py  initial configurations

There is one module per command, which has a `COMMAND`: demo.py (with double_pendulum.py), info.py, check.py,
convert.py (with losses.py), simulate.py (with controllers.py, ground.py, mesh_shapes.py and results.py), view.py,
compile.py, bench.py. Commands import what they need when they run, which keeps `rbd --help` fast.
"""

from rbd.cli.command_line import main

__all__ = ["main"]
