"""Export of programs as WebAssembly, with a script that calls them from JavaScript."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, final

import attrs

from rbd.errors import ArgumentError
from rbd.export.c_names import require_function_name
from rbd.export.exportable import Exportable, require_programs, write_files
from rbd.export.wasm_module import Addresses, ProgramModule, wasm_module
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.program.status import BAD_INPUT, BAD_OUTPUT, FIRST_CHECK


@final
@attrs.frozen
class WasmModule:
    """WebAssembly module: its files and imports.

    >>> import tempfile, rbd
    >>> robot = rbd.compile(rbd.robots.double_pendulum())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = rbd.export.write_wasm(robot.functions("mass_matrix"), folder, prefix="pendulum")
    >>> written.module.name, written.imports
    ('pendulum.wasm', ('sin', 'cos'))
    """

    module: Path
    """The WebAssembly module."""
    script: Path
    """A script for pages and for Node.js; it contains the module."""
    imports: tuple[str, ...]
    """Functions of JavaScript's `Math` that the module calls; they may differ from those of the C library in the last
    bit. `sin` and `cos` are called for angles beyond 1.5 million radians only."""


def write_wasm(
    functions: Mapping[str, Exportable], directory: str | os.PathLike[str], *, prefix: str = "robot"
) -> WasmModule:
    """Write recorded functions as a WebAssembly module `prefix.wasm`, and a script `prefix.js` that calls it.

    `functions` maps names to recorded functions, as for `write_c_library`. The script contains the module: a page
    loads it with a script element, Node.js with `require`, and calls

        const robot = await prefix.load();
        const { q_next, v_next } = robot.step({ q, v, tau, dt });

    Inputs are arrays or numbers by name, outputs arrays of doubles. A call that fails throws an error with the number
    `status`. Results have the bits of the interpreter, except for functions in `imports` of the result. The directory
    is created if it does not exist; existing files are replaced.

    Raises ArgumentError for names that are no identifiers, a prefix that JavaScript has a use for, and if there are no
    functions; MissingPackageError without llvmlite.

    >>> import tempfile, rbd
    >>> robot = rbd.compile(rbd.robots.double_pendulum())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = write_wasm(robot.functions("step"), folder, prefix="pendulum")
    >>> written.module.name, written.script.name, written.imports
    ('pendulum.wasm', 'pendulum.js', ('sin', 'cos'))
    """
    _require_prefix(prefix)
    programs = require_programs(functions, prefix)
    if "memory" in programs:
        message = "'memory' is the name of the module's memory; write another, such as 'my_memory'"
        raise ArgumentError(message, argument="functions", value="memory")
    module = wasm_module(programs)
    files: dict[str, str | bytes] = {
        f"{prefix}.wasm": module.code,
        f"{prefix}.js": _script(programs, module, prefix),
    }
    paths = write_files(directory, files)
    return WasmModule(paths[f"{prefix}.wasm"], paths[f"{prefix}.js"], module.imports)


_RESERVED_NAMES: Final = """
    Array ArrayBuffer Atomics BigInt Boolean Buffer DataView Date Error Float64Array Function Infinity Intl JSON Map
    Math NaN Number Object Promise Proxy RangeError Reflect RegExp Set String Symbol TypeError Uint8Array Uint32Array
    WeakMap WeakSet WebAssembly arguments atob await btoa case catch class closed console const continue crypto debugger
    decodeURI default delete document do encodeURI escape eval export exports extends fetch finally frames function
    global globalThis history implements import in instanceof interface isFinite isNaN let location module name
    navigator new null package parent parseFloat parseInt performance private process protected public require screen
    self setTimeout static status super this throw top try typeof undefined unescape var window with yield
"""
"""Words of JavaScript, and global names of it, of pages and of Node.js."""


def _require_prefix(prefix: str) -> None:
    """Raise ArgumentError unless the script can define a global variable `prefix`."""
    require_function_name(prefix, "prefix")
    if prefix in _RESERVED_NAMES.split():
        message = f"{prefix!r} has a meaning in JavaScript; write another prefix, such as {f'my_{prefix}'!r}"
        raise ArgumentError(message, argument="prefix", value=prefix)


def _script(programs: Mapping[str, Program], module: ProgramModule, prefix: str) -> str:
    """Return the script with the module and its functions."""
    functions = {name: _description(program, module.addresses[name]) for name, program in programs.items()}
    parts = {"$PREFIX": prefix, "$FUNCTIONS": json.dumps(functions), "$CODE": base64.b64encode(module.code).decode()}
    return re.sub(r"\$[A-Z]+", lambda found: parts[found[0]], _SCRIPT)


def _description(program: Program, addresses: Addresses) -> dict[str, object]:
    """Return the description of a function for the script."""
    checks = range(FIRST_CHECK, FIRST_CHECK + len(program.labels))
    messages = {status: program.error(status).message for status in (BAD_INPUT, BAD_OUTPUT, *checks)}
    return {
        "inputs": _arrays(program.inputs, addresses.inputs),
        "outputs": _arrays(program.outputs, addresses.outputs),
        "tables": [addresses.input_table, addresses.output_table],
        "workspace": addresses.workspace,
        "messages": messages,
    }


def _arrays(ports: Sequence[Port], addresses: Sequence[int]) -> list[dict[str, object]]:
    return [
        {"name": port.name, "shape": port.shape, "size": port.size, "address": address}
        for port, address in zip(ports, addresses, strict=True)
    ]


_SCRIPT: Final = """\
/* Written by rbd: functions of a robot as WebAssembly.
 *
 *   const robot = await $PREFIX.load();
 *   const outputs = robot.NAME({ INPUT: [...], ... });
 *
 * robot.NAME.inputs and robot.NAME.outputs have the shapes of arrays by name; arrays are row by row.
 */
"use strict";
globalThis.$PREFIX = (() => {
  const functions = $FUNCTIONS;
  const code = "$CODE";

  function flat(values) {
    if (typeof values === "number") return [values];
    return ArrayBuffer.isView(values) ? values : Array.from(values).flat(Infinity);
  }

  function shapes(arrays) {
    return Object.fromEntries(arrays.map((each) => [each.name, each.shape]));
  }

  function write(memory, name, about, given) {
    for (const known of Object.keys(given)) {
      if (!about.inputs.some((each) => each.name === known)) throw new TypeError(`${name} has no input ${known}`);
    }
    for (const each of about.inputs) {
      if (!(each.name in given)) throw new TypeError(`${name} needs the input ${each.name}`);
      const values = flat(given[each.name]);
      if (values.length !== each.size) {
        throw new RangeError(`${each.name} of ${name} has ${values.length} numbers, needs ${each.size}`);
      }
      new Float64Array(memory.buffer, each.address, each.size).set(values);
    }
  }

  function bound(exports, name, about) {
    const { memory } = exports, [inputs, outputs] = about.tables;
    new Uint32Array(memory.buffer, inputs, about.inputs.length).set(about.inputs.map((each) => each.address));
    new Uint32Array(memory.buffer, outputs, about.outputs.length).set(about.outputs.map((each) => each.address));
    const call = (given = {}) => {
      write(memory, name, about, given);
      const status = Number(exports[name](inputs, outputs, about.workspace));
      if (status) throw Object.assign(new Error(`${name}: ${about.messages[status]}`), { status });
      const array = (each) => new Float64Array(memory.buffer, each.address, each.size).slice();
      return Object.fromEntries(about.outputs.map((each) => [each.name, array(each)]));
    };
    return Object.assign(call, { inputs: shapes(about.inputs), outputs: shapes(about.outputs) });
  }

  async function load() {
    const bytes = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
    const { exports } = (await WebAssembly.instantiate(bytes, { Math })).instance;
    const entries = Object.entries(functions);
    return Object.fromEntries(entries.map(([name, about]) => [name, bound(exports, name, about)]));
  }

  return { load };
})();
if (typeof module === "object") module.exports = globalThis.$PREFIX;
"""
