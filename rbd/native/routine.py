"""A restricted function (see `rbd.scalars.intrinsics`) as LLVM IR, operation by operation.

Room: native; knows nothing of robots. May import: errors and scalars. Variables become SSA values at once: blocks that
meet merge what differs with phis, since no pass of LLVM is run that would do it. Ints are i64, arrays are pointers.
"""

from __future__ import annotations

from typing import final

from rbd.native.ir import ATTRIBUTES, Writer, hexadecimal
from rbd.native.strips import StripWriter, is_strip
from rbd.scalars.intrinsics.tree import (
    Arithmetic,
    Assign,
    Block,
    Break,
    Comparison,
    Element,
    Evaluate,
    Expression,
    For,
    Function,
    If,
    Inverted,
    Invoked,
    Joined,
    Kind,
    Name,
    Negative,
    Number,
    Return,
    Routine,
    Statement,
    Store,
    While,
)

TYPES: dict[Kind, str] = {"float": "double", "int": "i64", "floats": "ptr", "ints": "ptr", "nothing": "void"}
_FLOATS = {"+": "fadd", "-": "fsub", "*": "fmul"}
_INTS = {"+": "add", "-": "sub", "*": "mul"}
_FLOAT_TESTS = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_INT_TESTS = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne"}

Values = dict[str, str]
"""Variables with the names of their current values."""


def routine_symbol(intrinsic: str, routine: Routine) -> str:
    """Return what a function of an intrinsic is called in a module."""
    return f"intrinsic_{intrinsic}_{routine.name}"


def routine_text(intrinsic: str, routine: Routine, width: int = 1) -> str:
    """Return one function as IR, in which loops side by side take `width` entries at a time."""
    return _RoutineWriter(intrinsic, routine, width).text()


@final
class _RoutineWriter:
    """Writes one function; `values` are the variables in the current block, None where nothing is reached."""

    def __init__(self, intrinsic: str, routine: Routine, width: int) -> None:
        self.intrinsic, self.routine, self.width = intrinsic, routine, width
        self.w = Writer()
        self.kinds: dict[str, Kind] = {name.name: name.kind for name in (*routine.parameters, *routine.variables)}
        self.block = "entry"
        self.values: Values | None = {name.name: f"%given.{name.name}" for name in routine.parameters}
        self.exits: list[list[tuple[str, Values]]] = []
        self.after: list[str] = []

    def text(self) -> str:
        """Return the whole function."""
        routine = self.routine
        parameters = ", ".join(f"{TYPES[name.kind]} %given.{name.name}" for name in routine.parameters)
        head = f"define internal {TYPES[routine.returns]} @{routine_symbol(self.intrinsic, routine)}({parameters})"
        self.begin("entry")
        self.statements(routine.body)
        if self.reached:
            self.w.add("  ret void" if routine.returns == "nothing" else "  unreachable")
        return f"{head} {ATTRIBUTES} {{\n{self.w.text()}}}\n"

    @property
    def reached(self) -> bool:
        """Whether the current block is reached from anywhere."""
        return self.values is not None

    # --- blocks -------------------------------------------------------------------------------------------------------

    def begin(self, label: str) -> None:
        """Begin a block."""
        self.block = label
        self.w.begin(label)

    def jump(self, label: str) -> None:
        """End the block with a jump."""
        self.w.add(f"  br label %{label}")

    def leave(self, label: str) -> tuple[str, Values]:
        """Jump, and return where from and with which variables."""
        self.jump(label)
        assert self.values is not None
        return self.block, self.values

    def meet(self, label: str, sources: list[tuple[str, Values]]) -> None:
        """Begin the block that `sources` jump to; what differs among them is merged."""
        if not sources:
            self.values = None
            return
        self.begin(label)
        common = [name for name in sources[0][1] if all(name in values for _, values in sources)]
        self.values = {name: self._merged(name, sources) for name in common}

    def _merged(self, name: str, sources: list[tuple[str, Values]]) -> str:
        if len({values[name] for _, values in sources}) == 1:
            return sources[0][1][name]
        ways = ", ".join(f"[{values[name]}, %{block}]" for block, values in sources)
        return self.w.set(f"phi {TYPES[self.kinds.get(name, 'int')]} {ways}")

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, block: Block) -> None:
        """Write statements as far as they are reached."""
        for statement in block:
            if self.values is not None:
                self.statement(statement, self.values)

    def statement(self, statement: Statement, values: Values) -> None:
        """Write one statement."""
        match statement:
            case Assign(name, value):
                self.values = {**values, name: self.expression(value)}
            case Store(array, index, value):
                kind = TYPES[value.kind]
                self.w.store(kind, self.expression(value), self.w.element(values[array], self.expression(index), kind))
            case Return(value):
                text = "void" if value is None else f"{TYPES[value.kind]} {self.expression(value)}"
                self.w.add(f"  ret {text}")
                self.values = None
            case Evaluate(call):
                self.invoked(call)
            case _:
                self._control(statement, values)

    def _control(self, statement: If | While | For | Break, values: Values) -> None:
        match statement:
            case If(condition, then, otherwise):
                self._choice(condition, then, otherwise)
            case While(condition, body):
                self._loop(body, None, condition)
            case For():
                self._for(statement)
            case Break():
                self.exits[-1].append((self.block, values))
                self.jump(self.after[-1])
                self.values = None

    def _choice(self, condition: Expression, then: Block, otherwise: Block) -> None:
        yes, no, after = self.w.label(), self.w.label(), self.w.label()
        self.branch(condition, yes, no)
        before, sources = self.values, list[tuple[str, Values]]()
        for label, block in ((yes, then), (no, otherwise)):
            self.begin(label)
            self.values = before
            self.statements(block)
            if self.reached:
                sources.append(self.leave(after))
        self.meet(after, sources)

    def _for(self, loop: For) -> None:
        start, stop = self.expression(loop.start), self.expression(loop.stop)
        assert self.values is not None
        if self.width > 1 and is_strip(loop):
            strips = StripWriter(self.w, loop, self.values, self._with)
            self.block, start = strips.write(self.block, start, stop, self.width)
        self.values = {**self.values, loop.variable: start}
        self._loop(loop.body, (loop, stop), None)
        assert self.values is not None
        self.values = {name: value for name, value in self.values.items() if name != loop.variable}

    def _with(self, index: Expression, values: Values) -> str:
        """Write an expression with other values of variables."""
        before, self.values = self.values, values
        written = self.expression(index)
        self.values = before
        return written

    def _loop(self, body: Block, counted: tuple[For, str] | None, condition: Expression | None) -> None:
        """Write a loop: its head merges what the body changes with what it was before."""
        head, inside, done, after = (self.w.label() for _ in range(4))
        entry, before = self.leave(head)
        changed = sorted(_assigned(body) & set(before)) + ([counted[0].variable] if counted else [])
        self.begin(head)
        phis = {name: self.w.set("") for name in changed}
        places = {name: len(self.w.lines) - len(changed) + k for k, name in enumerate(changed)}
        self.values = {**before, **phis}
        if condition is not None:
            self.branch(condition, inside, done)
        elif counted is not None:
            test = "slt" if counted[0].step > 0 else "sgt"
            go = self.w.set(f"icmp {test} i64 {phis[counted[0].variable]}, {counted[1]}")
            self.w.add(f"  br i1 {go}, label %{inside}, label %{done}")
        at_head = self.values
        sources = self._body(inside, after, body)
        ways = [(entry, before)]
        if self.reached:
            if counted is not None:
                self._count(counted[0], phis[counted[0].variable])
            ways.append(self.leave(head))
        for name in changed:
            merged = ", ".join(f"[{values[name]}, %{block}]" for block, values in ways)
            kind = TYPES[self.kinds.get(name, "int")]
            self.w.lines[places[name]] = f"  {phis[name]} = phi {kind} {merged}"
        self.begin(done)
        self.values = at_head
        self.meet(after, [self.leave(after), *sources])

    def _count(self, loop: For, counter: str) -> None:
        following = self.w.set(f"add i64 {counter}, {loop.step}")
        self.values = {**(self.values or {}), loop.variable: following}

    def _body(self, inside: str, after: str, body: Block) -> list[tuple[str, Values]]:
        """Write a loop's body; return where it is left by `break`."""
        self.exits.append([])
        self.after.append(after)
        self.begin(inside)
        self.statements(body)
        self.after.pop()
        return self.exits.pop()

    # --- expressions --------------------------------------------------------------------------------------------------

    def branch(self, condition: Expression, yes: str, no: str) -> None:
        """Jump to `yes` or `no`; parts of a condition are evaluated no further than needed."""
        match condition:
            case Inverted(operand):
                self.branch(operand, no, yes)
            case Joined(operator, parts):
                for part in parts[:-1]:
                    following = self.w.label()
                    self.branch(part, *((following, no) if operator == "and" else (yes, following)))
                    self.begin(following)
                self.branch(parts[-1], yes, no)
            case _:
                self.w.add(f"  br i1 {self.expression(condition)}, label %{yes}, label %{no}")

    def expression(self, node: Expression) -> str:
        """Write an expression and return the name of its value."""
        values = self.values
        assert values is not None
        match node:
            case Number(value, kind):
                return hexadecimal(float(value)) if kind == "float" else str(int(value))
            case Name(name):
                return values[name]
            case Element(array, index, kind):
                return self.w.load(TYPES[kind], self.w.element(values[array], self.expression(index), TYPES[kind]))
            case Function(word, arguments):
                return self.function(word, [self.expression(argument) for argument in arguments])
            case Invoked():
                return self.invoked(node)
            case _:
                return self._operation(node)

    def _operation(self, node: Negative | Arithmetic | Comparison | Joined | Inverted) -> str:
        match node:
            case Negative(operand, kind):
                negated = self.expression(operand)
                return self.w.set(f"fneg double {negated}" if kind == "float" else f"sub i64 0, {negated}")
            case Arithmetic(operator, left, right, kind):
                name = (_FLOATS if kind == "float" else _INTS)[operator]
                return self.w.set(f"{name} {TYPES[kind]} {self.expression(left)}, {self.expression(right)}")
            case Comparison(operator, left, right):
                test = f"fcmp {_FLOAT_TESTS[operator]}" if left.kind == "float" else f"icmp {_INT_TESTS[operator]}"
                return self.w.set(f"{test} {TYPES[left.kind]} {self.expression(left)}, {self.expression(right)}")
            case Joined() | Inverted():
                raise AssertionError("conditions are written as jumps")

    def function(self, name: str, values: list[str]) -> str:
        """Write a word of the language."""
        if name == "divide":
            return self.w.set(f"fdiv double {values[0]}, {values[1]}")
        if name == "float":
            return self.w.set(f"sitofp i64 {values[0]} to double")
        called = {"abs": "fabs"}.get(name, name)
        return self.w.set(f"call double @llvm.{called}.f64({', '.join(f'double {value}' for value in values)})")

    def invoked(self, call: Invoked) -> str:
        """Write a call of another function of the intrinsic."""
        arguments = ", ".join(f"{TYPES[argument.kind]} {self.expression(argument)}" for argument in call.arguments)
        text = f"call {TYPES[call.kind]} @{routine_symbol(self.intrinsic, call.routine)}({arguments})"
        if call.kind == "nothing":
            self.w.add(f"  {text}")
            return ""
        return self.w.set(text)


def _assigned(block: Block) -> set[str]:
    """Return the variables assigned anywhere in a block."""
    found: set[str] = set()
    for statement in block:
        match statement:
            case Assign(name):
                found.add(name)
            case If(_, then, otherwise):
                found |= _assigned(then) | _assigned(otherwise)
            case While(_, body) | For(body=body):
                found |= _assigned(body)
            case _:
                pass
    return found
