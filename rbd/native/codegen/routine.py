"""Functions of the restricted language of `rbd.intrinsics` as LLVM IR.

Variables are SSA values; where blocks meet, phi nodes merge them, since no pass of LLVM runs that would do it.
Ints are i64, arrays are pointers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import final

from typing_extensions import override

from rbd.intrinsics import tree
from rbd.intrinsics.traversal import assigned_names
from rbd.native.codegen.column_blocks import panel_widths, repeated
from rbd.native.codegen.elementwise_loops import StripWriter, is_strip
from rbd.native.codegen.expressions import ExpressionWriter, Values, routine_symbol
from rbd.native.codegen.ir import ATTRIBUTES, Lanes


def routine_text(intrinsic: str, routine: tree.Routine, pack: int = 1, lanes: int = 1) -> str:
    """Return one function as LLVM IR for `lanes` lanes; a register holds `pack` numbers.

    Elementwise loops process `pack` entries at a time, loops over columns as many columns as fit several registers.
    """
    return _RoutineWriter(intrinsic, routine, pack, Lanes(lanes)).text()


@final
class _RoutineWriter(ExpressionWriter):
    """Writes one function."""

    def __init__(self, intrinsic: str, routine: tree.Routine, pack: int, lanes: Lanes) -> None:
        super().__init__(intrinsic, lanes)
        self.routine, self.pack = routine, pack
        self.width = pack if lanes.width == 1 else 1
        self.kinds: dict[str, tree.Kind] = {name.name: name.kind for name in (*routine.parameters, *routine.variables)}
        self.values: Values | None = {name.name: f"%given.{name.name}" for name in routine.parameters}
        self.exits: list[list[tuple[str, Values]]] = []
        self.after: list[str] = []

    @override
    def text(self) -> str:
        """Return the whole function."""
        routine = self.routine
        parameters = ", ".join(f"{self.type(name.kind)} %given.{name.name}" for name in routine.parameters)
        head = f"define internal {self.type(routine.returns)} @{routine_symbol(self.intrinsic, routine)}({parameters})"
        self.w.begin_block("entry")
        self.statements(routine.body)
        if self.reached:
            self.w.add("  ret void" if routine.returns == "nothing" else "  unreachable")
        return f"{head} {ATTRIBUTES} {{\n{self.w.text()}}}\n"

    @property
    def reached(self) -> bool:
        """Whether the current block is reachable."""
        return self.values is not None

    # --- blocks -------------------------------------------------------------------------------------------------------

    def jump_with_values(self, label: str) -> tuple[str, Values]:
        """Write a jump; return the block and its variables."""
        self.w.jump(label)
        assert self.values is not None
        return self.w.block, self.values

    def meet(self, label: str, sources: list[tuple[str, Values]]) -> None:
        """Begin the block that `sources` jump to; merge variables that differ."""
        if not sources:
            self.values = None
            return
        self.w.begin_block(label)
        common = [name for name in sources[0][1] if all(name in values for _, values in sources)]
        self.values = {name: self._merged(name, sources) for name in common}

    def _merged(self, name: str, sources: list[tuple[str, Values]]) -> str:
        if len({values[name] for _, values in sources}) == 1:
            return sources[0][1][name]
        return self.w.assign(self._phi(name, sources))

    def _phi(self, name: str, sources: list[tuple[str, Values]]) -> str:
        """Return the value of a variable behind each block."""
        ways = ", ".join(f"[{values[name]}, %{block}]" for block, values in sources)
        return f"phi {self.type(self.kinds.get(name, 'int'))} {ways}"

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, block: tree.Block) -> None:
        """Write the reachable statements of a block."""
        for statement in block:
            if self.values is not None:
                self.statement(statement, self.values)

    def statement(self, statement: tree.Statement, values: Values) -> None:
        """Write one statement."""
        match statement:
            case tree.Assign(name, value):
                self.values = {**values, name: self.expression(value)}
            case tree.Store(array, index, value):
                self.w.store(self.type(value.kind), self.expression(value), self.entry(array, index, value.kind))
            case tree.Return(value):
                text = "void" if value is None else f"{self.type(value.kind)} {self.expression(value)}"
                self.w.add(f"  ret {text}")
                self.values = None
            case tree.ExpressionStatement(call):
                self.routine_call(call)
            case _:
                self._control(statement, values)

    def _control(self, statement: tree.Control, values: Values) -> None:
        match statement:
            case tree.If(condition, then, otherwise):
                self._choice(condition, then, otherwise)
            case tree.While(condition, body):
                self._loop(body, partial(self.jump_if, condition))
            case tree.For():
                self._for(statement)
            case tree.ColumnLoop():
                self._columns(statement, values)
            case tree.Break():
                self.exits[-1].append((self.w.block, values))
                self.w.jump(self.after[-1])
                self.values = None

    def _choice(self, condition: tree.Expression, then: tree.Block, otherwise: tree.Block) -> None:
        yes, no, after = self.w.fresh_label(), self.w.fresh_label(), self.w.fresh_label()
        self.jump_if(condition, yes, no)
        before, sources = self.values, list[tuple[str, Values]]()
        for label, block in ((yes, then), (no, otherwise)):
            self.w.begin_block(label)
            self.values = before
            self.statements(block)
            if self.reached:
                sources.append(self.jump_with_values(after))
        self.meet(after, sources)

    def _for(self, loop: tree.For) -> None:
        start, stop = self.expression(loop.start), self.expression(loop.stop)
        assert self.values is not None
        if self.width > 1 and is_strip(loop):
            strips = StripWriter(self.w, loop, self.values, self._with)
            start = strips.write(start, stop, self.width)
        self.values = {**self.values, loop.variable: start}
        self._loop(loop.body, partial(self._test_counter, loop, stop), loop)
        assert self.values is not None
        self.values = {name: value for name, value in self.values.items() if name != loop.variable}

    def _columns(self, loop: tree.ColumnLoop, values: Values) -> None:
        """Write a loop over columns: in the widest panels as far as possible, then in narrower ones."""
        count, at, width = self.expression(loop.count), "0", self.width
        self.panel, self.width = loop, 1
        for columns in panel_widths(self.lanes.width, self.pack):
            self.floats = Lanes(columns * self.lanes.width)
            at = self._panels(loop, {**values, **self._same_for(columns, values)}, at, count, columns)
        self.panel, self.floats, self.width, self.values = None, self.lanes, width, values

    def _same_for(self, columns: int, values: Values) -> Values:
        """Write the variables of the function, repeated for all columns of a panel."""
        floats = [name for name in values if self.kinds.get(name) == "float"]
        return {name: repeated(self.w, values[name], self.lanes, columns) for name in floats}

    def _panels(self, loop: tree.ColumnLoop, values: Values, start: str, count: str, columns: int) -> str:
        """Write the panels of one width from column `start`; return the first remaining column."""

        def panel(column: str) -> None:
            self.values = {**values, loop.variable: column}
            self.statements(loop.body)

        return self.w.for_each_group(start, count, columns, panel)

    def _with(self, index: tree.Expression, values: Values) -> str:
        """Write an expression with other values of variables."""
        before, self.values = self.values, values
        written = self.expression(index)
        self.values = before
        return written

    def _loop(self, body: tree.Block, test: Callable[[str, str], None], counted: tree.For | None = None) -> None:
        """Write a loop; `test` writes the jump from its head to its body or behind it.

        Phi nodes at the head merge the variables that the body assigns, and that of a counted loop.
        """
        head, inside, done, after = (self.w.fresh_label() for _ in range(4))
        sources = [self.jump_with_values(head)]
        before = sources[0][1]
        changed = sorted(set(before).intersection(assigned_names(body))) + ([counted.variable] if counted else [])
        self.w.begin_block(head)
        phis = {name: self.w.fresh_name() for name in changed}
        line = len(self.w.lines)
        self.values = at_head = {**before, **phis}
        test(inside, done)
        exits = self._body(inside, after, body)
        if self.reached:
            if counted is not None:
                self.values = {**self.values, counted.variable: self._counted(counted, phis[counted.variable])}
            sources.append(self.jump_with_values(head))
        self.w.insert_values(line, [*phis.values()], [self._phi(name, sources) for name in changed])
        self.w.begin_block(done)
        self.values = at_head
        self.meet(after, [self.jump_with_values(after), *exits])

    def _counted(self, loop: tree.For, counter: str) -> str:
        return self.w.assign(f"add i64 {counter}, {loop.step}")

    def _test_counter(self, loop: tree.For, stop: str, inside: str, done: str) -> None:
        assert self.values is not None
        test = "slt" if loop.step > 0 else "sgt"
        self.w.branch(self.w.test(f"{test} i64 {self.values[loop.variable]}, {stop}"), inside, done)

    def _body(self, inside: str, after: str, body: tree.Block) -> list[tuple[str, Values]]:
        """Write the body of a loop; return the blocks that leave it by `break`."""
        self.exits.append([])
        self.after.append(after)
        self.w.begin_block(inside)
        self.statements(body)
        self.after.pop()
        return self.exits.pop()
