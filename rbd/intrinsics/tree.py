"""The syntax tree of a checked intrinsic: expressions and statements for the translators.

A kind is the type of an expression: "float", "int", or the arrays "floats" and "ints"; that of a condition is "truth".
Matrices ("rows") and workspaces are parameters of a function as it is written; in its tree there are only their arrays
and ints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, final

import attrs

Kind: TypeAlias = Literal["float", "int", "floats", "ints", "truth", "nothing", "rows", "workspace"]


@final
@attrs.frozen
class Number:
    """A literal, or a constant of the module."""

    value: float
    kind: Kind


@final
@attrs.frozen
class Name:
    """A parameter or a local variable."""

    name: str
    kind: Kind


@final
@attrs.frozen
class Load:
    """An entry of an array."""

    array: str
    index: Expression
    kind: Kind


@final
@attrs.frozen
class RowPointer:
    """An array that begins at an entry of another."""

    array: str
    index: Expression
    kind: Kind = "floats"


@final
@attrs.frozen
class Negate:
    """-x."""

    operand: Expression
    kind: Kind


@final
@attrs.frozen
class Arithmetic:
    """a + b, a - b or a * b, of two floats or two ints."""

    operator: Literal["+", "-", "*"]
    left: Expression
    right: Expression
    kind: Kind


@final
@attrs.frozen
class BuiltinCall:
    """A call of a built-in function: fma, sqrt, divide, abs, float (of an int), select, or some (a condition)."""

    name: str
    arguments: tuple[Expression, ...]
    kind: Kind


@final
@attrs.frozen
class RoutineCall:
    """A call of another function of the language."""

    routine: Routine
    arguments: tuple[Expression, ...]
    kind: Kind


@final
@attrs.frozen
class Comparison:
    """a < b and so on; both sides are floats or both are ints."""

    operator: Literal["<", "<=", ">", ">=", "==", "!="]
    left: Expression
    right: Expression
    kind: Kind = "truth"


@final
@attrs.frozen
class BoolOp:
    """`and` or `or` of conditions, with short-circuit evaluation."""

    operator: Literal["and", "or"]
    operands: tuple[Expression, ...]
    kind: Kind = "truth"


@final
@attrs.frozen
class Not:
    """`not` of a condition."""

    operand: Expression
    kind: Kind = "truth"


Expression: TypeAlias = (
    Number | Name | Load | RowPointer | Negate | Arithmetic | BuiltinCall | RoutineCall | Comparison | BoolOp | Not
)


@final
@attrs.frozen
class Assign:
    """Assignment to a local variable."""

    name: str
    value: Expression


@final
@attrs.frozen
class Store:
    """Assignment to an entry of an array."""

    array: str
    index: Expression
    value: Expression


@final
@attrs.frozen
class If:
    """If statement."""

    condition: Expression
    then: Block
    otherwise: Block


@final
@attrs.frozen
class While:
    """A loop with a condition."""

    condition: Expression
    body: Block


@final
@attrs.frozen
class For:
    """A loop over `range(start, stop, step)`; the step is a literal."""

    variable: str
    start: Expression
    stop: Expression
    step: int
    body: Block


@final
@attrs.frozen
class ColumnLoop:
    """A loop over columns of matrices, rows of which begin every `stride` entries; they are independent."""

    variable: str
    count: Expression
    stride: Name | Number
    body: Block


@final
@attrs.frozen
class Break:
    """Leave the innermost loop."""


@final
@attrs.frozen
class Return:
    """Leave the function."""

    value: Expression | None


@final
@attrs.frozen
class ExpressionStatement:
    """Expression statement: a call for its effects."""

    call: RoutineCall


Statement: TypeAlias = Assign | Store | If | While | For | ColumnLoop | Break | Return | ExpressionStatement
Control: TypeAlias = If | While | For | ColumnLoop | Break
"""Statements of control flow inside a function."""
Block: TypeAlias = tuple[Statement, ...]


@final
@attrs.frozen
class Parameter:
    """A parameter of the source."""

    name: str
    kind: Kind
    workspace: type[object] | None = None
    fields: tuple[Name, ...] = ()
    """The used fields of a workspace."""

    def lowered(self) -> tuple[Name, ...]:
        """Return the parameters of the tree that stand for it."""
        if self.kind == "workspace":
            return tuple(Name(f"{self.name}_{field.name}", lowered_kind(field.kind)) for field in self.fields)
        own = Name(self.name, lowered_kind(self.kind))
        return (own, Name(f"{self.name}_stride", "int")) if self.kind == "rows" else (own,)


def lowered_kind(kind: Kind) -> Kind:
    """Return the kind in a tree, where matrices are arrays."""
    return "floats" if kind == "rows" else kind


@final
@attrs.frozen(eq=False)
class ModuleConstant:
    """A number of a module, with the value that a tree has for it."""

    module: Mapping[str, object]
    """The names of the module."""
    name: str
    value: float

    @property
    def is_changed(self) -> bool:
        """Whether the module has another value now."""
        now = self.module.get(self.name)
        return now is not self.value and now != self.value


@final
@attrs.frozen(eq=False)
class Routine:
    """A checked function."""

    name: str
    signature: tuple[Parameter, ...]
    returns: Kind
    body: Block
    variables: tuple[Name, ...]
    """Local variables, without those of `for`."""
    source: str
    calls: tuple[Routine, ...]
    """The functions it calls, each once."""
    constants: tuple[ModuleConstant, ...] = attrs.field(default=(), repr=False)
    """The numbers of the module that it reads."""

    @property
    def parameters(self) -> tuple[Name, ...]:
        """The parameters of the tree."""
        return tuple(part for parameter in self.signature for part in parameter.lowered())

    def closure(self) -> tuple[Routine, ...]:
        """Return this function and all it calls, callees first."""
        return tuple(dict.fromkeys((*(inner for each in self.calls for inner in each.closure()), self)))

    @property
    def ambiguous_name(self) -> str:
        """A name that two functions of the closure have, or ""."""
        names = [routine.name for routine in self.closure()]
        return next((name for name in names if names.count(name) > 1), "")
