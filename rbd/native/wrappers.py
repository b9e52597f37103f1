"""The two ways into a kernel: one state, and many rows W at a time.

Room: native; knows nothing of robots. May import: errors and scalars. A wrapper checks that inputs and outputs are
finite, and writes outputs only where the status is clean.
"""

from __future__ import annotations

from rbd.native.finite import any_lane, any_not_finite, lanes_not_finite
from rbd.native.ir import ATTRIBUTES, Lanes, Writer
from rbd.native.lower import input_count
from rbd.native.transpose import gather, scatter_all, scatter_lane
from rbd.scalars.opcodes import BAD_INPUT, BAD_OUTPUT
from rbd.scalars.program import Port, Program

_STACK_LIMIT = 64 * 1024
"""Bytes of workspace on the stack; more comes from malloc, since threads have small stacks."""


class Workspace:
    """Memory for one call: the values that cross functions, all outputs, and blocks of inputs for lanes."""

    def __init__(self, w: Writer, doubles: int) -> None:
        """Write the allocation of `doubles` doubles, aligned for vectors."""
        self._w, bytes_needed = w, 8 * doubles + 64
        self.on_heap = bytes_needed > _STACK_LIMIT
        if self.on_heap:
            self._raw = w.set(f"call ptr @rbd_malloc(i64 {bytes_needed})")
            number = w.set(f"ptrtoint ptr {self._raw} to i64")
            up = w.set(f"add i64 {number}, 63")
            self.pointer = w.set(f"inttoptr i64 {w.set(f'and i64 {up}, -64')} to ptr")
        else:
            self.pointer = w.set(f"alloca [{doubles} x double], align 64")

    def free(self) -> None:
        """Write the release of what came from the heap."""
        if self.on_heap:
            self._w.add(f"  call void @rbd_free(ptr {self._raw})")


def sizes(program: Program) -> tuple[int, int]:
    """Return how many scalars go in and come out."""
    return input_count(program), sum(port.size for port in program.outputs)


def single(program: Program, slots: int, names: list[str]) -> str:
    """Return `i64 @single(ptr in, ptr out)`: one state, straight from and to the ports' memory."""
    w, (_, n_out) = Writer(), sizes(program)
    w.add(f"define i64 @single(ptr noalias %in, ptr noalias %out) {ATTRIBUTES} {{")
    workspace = Workspace(w, slots + n_out + 16)
    block = w.element(workspace.pointer, _rounded(slots))
    status = w.set("alloca i64, align 8")
    w.store("i64", "0", status)
    ports = [w.load("ptr", w.element("%in", k, "ptr")) for k in range(len(program.inputs))]
    bad_input = any_not_finite(w, [(pointer, port.size) for pointer, port in zip(ports, program.inputs, strict=True)])
    run, refuse, end, store = w.label(), w.label(), w.label(), w.label()
    w.add(f"  br i1 {bad_input}, label %{refuse}, label %{run}")
    w.begin(run)
    arguments = "".join(f"ptr {pointer}, " for pointer in ports)
    for name in names:
        w.add(f"  call void @{name}({arguments}ptr {block}, ptr {workspace.pointer}, ptr {status})")
    _judge(w, status, any_not_finite(w, [(block, n_out)]))
    clean = w.set(f"icmp eq i64 {w.load('i64', status)}, 0")
    w.add(f"  br i1 {clean}, label %{store}, label %{end}")
    w.begin(store)
    _copy_outputs(w, program.outputs, block)
    w.add(f"  br label %{end}")
    w.begin(refuse)
    w.store("i64", str(BAD_INPUT), status)
    w.add(f"  br label %{end}")
    w.begin(end)
    result = w.load("i64", status)
    workspace.free()
    w.add(f"  ret i64 {result}\n}}")
    return w.text()


def _judge(w: Writer, status: str, bad_output: str) -> None:
    """Write the status of an output that is not finite, unless a check has failed before."""
    found = w.load("i64", status)
    clean = w.set(f"icmp eq i64 {found}, 0")
    second = w.set(f"select i1 {bad_output}, i64 {BAD_OUTPUT}, i64 0")
    w.store("i64", w.set(f"select i1 {clean}, i64 {second}, i64 {found}"), status)


def _rounded(slots: int) -> int:
    """Return a multiple of eight not below `slots`, so that the next block stays aligned for vectors."""
    return (slots + 7) // 8 * 8


def _copy_outputs(w: Writer, ports: tuple[Port, ...], block: str) -> None:
    offset = 0
    for number, port in enumerate(ports):
        target, source, size = w.load("ptr", w.element("%out", number, "ptr")), w.element(block, offset), 8 * port.size
        w.add(f"  call void @llvm.memcpy.p0.p0.i64(ptr align 8 {target}, ptr align 8 {source}, i64 {size}, i1 false)")
        offset += port.size


def batch(program: Program, slots: int, names: list[str], lanes: Lanes) -> str:
    """Return `i64 @batch(first, count, in, in_strides, out, status)`: rows, W at a time; the first bad row or -1."""
    w, width, (n_in, n_out) = Writer(), lanes.width, sizes(program)
    w.add(
        "define i64 @batch(i64 %first, i64 %count, ptr noalias %in, ptr noalias %strides, ptr noalias %out, "
        f"ptr noalias %status) {ATTRIBUTES} {{"
    )
    w.begin("entry")
    workspace = Workspace(w, (slots + n_in + n_out + 1) * width)
    inputs = w.element(workspace.pointer, slots * width)
    outputs = w.element(workspace.pointer, (slots + n_in) * width)
    state = w.element(workspace.pointer, (slots + n_in + n_out) * width)
    sources = [w.load("ptr", w.element("%in", k, "ptr")) for k in range(len(program.inputs))]
    strides = [w.load("i64", w.element("%strides", k, "i64")) for k in range(len(program.inputs))]
    targets = [w.load("ptr", w.element("%out", k, "ptr")) for k in range(len(program.outputs))]
    bad_row = w.set("alloca i64, align 8")
    w.store("i64", "-1", bad_row)
    end_row = w.set("add i64 %first, %count")
    w.add("  br label %head\nhead:")
    w.add("  %row = phi i64 [%first, %entry], [%next, %tail]")
    w.add(f"  %more = icmp slt i64 %row, {end_row}\n  br i1 %more, label %block, label %done\nblock:")
    left = w.set(f"sub i64 {end_row}, %row")
    whole = w.set(f"icmp sge i64 {left}, {width}")
    filled = w.set(f"select i1 {whole}, i64 {width}, i64 {left}")
    arguments, index = "", 0
    for pointer, stride, port in zip(sources, strides, program.inputs, strict=True):
        target = w.element(inputs, index * width)
        gather(w, lanes, pointer, stride, port.size, target, filled)
        arguments += f"ptr {target}, "
        index += port.size
    bad_input = lanes_not_finite(w, lanes, inputs, n_in)
    w.store(lanes.integer, lanes.whole(0) if width == 1 else "zeroinitializer", state, lanes.alignment)
    for name in names:
        w.add(f"  call void @{name}({arguments}ptr {outputs}, ptr {workspace.pointer}, ptr {state})")
    verdict = _verdict(w, lanes, bad_input, w.load(lanes.integer, state, lanes.alignment), outputs, n_out)
    failed = any_lane(w, lanes, w.set(f"icmp ne {lanes.integer} {verdict}, {_zero(lanes)}"))
    good = w.set(f"xor i1 {failed}, true")
    easy = w.set(f"and i1 {whole}, {good}")
    w.add(f"  br i1 {easy}, label %write, label %careful\nwrite:")
    _scatter_ports(w, lanes, program.outputs, targets, outputs)
    w.add("  br label %tail\ncareful:")
    w.store(lanes.integer, verdict, state, lanes.alignment)
    _write_lanes(w, lanes, program.outputs, targets, outputs, state, filled, bad_row)
    w.add(f"  br label %tail\ntail:\n  %next = add i64 %row, {width}\n  br label %head\ndone:")
    workspace.free()
    w.add(f"  ret i64 {w.load('i64', bad_row)}\n}}")
    return w.text()


def _zero(lanes: Lanes) -> str:
    return "0" if lanes.width == 1 else "zeroinitializer"


def _verdict(w: Writer, lanes: Lanes, bad_input: str, checks: str, outputs: str, n_out: int) -> str:
    """Write the status of every lane: inputs first, then failed checks, then outputs."""
    integer, truth = lanes.integer, lanes.truth
    bad_output = lanes_not_finite(w, lanes, outputs, n_out)
    last = w.set(f"select {truth} {bad_output}, {integer} {lanes.whole(BAD_OUTPUT)}, {integer} {_zero(lanes)}")
    clean = w.set(f"icmp eq {integer} {checks}, {_zero(lanes)}")
    later = w.set(f"select {truth} {clean}, {integer} {last}, {integer} {checks}")
    return w.set(f"select {truth} {bad_input}, {integer} {lanes.whole(BAD_INPUT)}, {integer} {later}")


def _scatter_ports(w: Writer, lanes: Lanes, ports: tuple[Port, ...], targets: list[str], outputs: str) -> None:
    index = 0
    for pointer, port in zip(targets, ports, strict=True):
        source = w.element(outputs, index * lanes.width)
        scatter_all(w, lanes, source, port.size, pointer)
        index += port.size


def _write_lanes(
    w: Writer,
    lanes: Lanes,
    ports: tuple[Port, ...],
    targets: list[str],
    outputs: str,
    state: str,
    filled: str,
    bad_row: str,
) -> None:
    """Write the rows of a block one by one: those that exist and are clean; note the first bad one and its status."""
    w.add("  br label %lane\nlane:\n  %l = phi i64 [0, %careful], [%l1, %lane_end]")
    status = w.load("i64", w.element(state, "%l", "i64"))
    row = w.set("add i64 %row, %l")
    w.add(f"  br i1 {w.set(f'icmp eq i64 {status}, 0')}, label %lane_write, label %lane_bad\nlane_write:")
    index = 0
    for pointer, port in zip(targets, ports, strict=True):
        scatter_lane(w, lanes, w.element(outputs, index * lanes.width), port.size, pointer, row, "%l")
        index += port.size
    w.add("  br label %lane_end\nlane_bad:")
    known = w.load("i64", bad_row)
    first = w.set(f"icmp eq i64 {known}, -1")
    w.store("i64", w.set(f"select i1 {first}, i64 {row}, i64 {known}"), bad_row)
    old = w.load("i64", "%status")
    w.store("i64", w.set(f"select i1 {first}, i64 {status}, i64 {old}"), "%status")
    w.add(f"  br label %lane_end\nlane_end:\n  %l1 = add i64 %l, 1\n  %lm = icmp slt i64 %l1, {filled}")
    w.add("  br i1 %lm, label %lane, label %lanes_done\nlanes_done:")
