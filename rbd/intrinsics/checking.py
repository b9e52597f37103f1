"""From a Python function to a checked tree; what is not in the subset is refused with file and line.

Allowed: parameters annotated `int`, `float`, `Floats`, `Ints`, `Rows` and workspaces; rows `x[i]` of matrices as
arguments; assignments to local variables and to entries of arrays;
`+ - *` of floats or of ints, `-x`, comparisons, `and or not`; `fma sqrt divide abs float`; `if`, `while`,
`for i in range(...)` (its step a literal), `for j in columns(...)` (see `columns.py`), `break`, `return`; calls of
other such functions of a module. A variable keeps one kind and must be assigned on every way to its use; a loop's
variable belongs to the loop. Division is written `divide(a, b)`, since Python's operator raises where machine code does
not.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType
from typing import Any, Final, NoReturn, cast, final

from rbd.errors import ScalarError
from rbd.intrinsics import language
from rbd.intrinsics.columns import has_columns, mixing
from rbd.intrinsics.tree import (
    Arithmetic,
    Assign,
    Block,
    Break,
    Columns,
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
    Parameter,
    Return,
    Routine,
    Row,
    Statement,
    Store,
    While,
    flat,
)
from rbd.intrinsics.workspace import Workspace

_KINDS: Final[dict[str, Kind]] = {
    "int": "int",
    "float": "float",
    "Floats": "floats",
    "Ints": "ints",
    "Rows": "rows",
    "None": "nothing",
}
_ENTRIES: Final[dict[Kind, Kind]] = {"floats": "float", "ints": "int"}
_OWNERS: Final = ("rows", "workspace")
_WORDS: Final[dict[str, tuple[object, tuple[Kind, ...]]]] = {
    "fma": (language.fma, ("float", "float", "float")),
    "sqrt": (language.sqrt, ("float",)),
    "divide": (language.divide, ("float", "float")),
    "abs": (abs, ("float",)),
    "float": (float, ("int",)),
}
_ARITHMETIC: Final[dict[type[ast.operator], Any]] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_COMPARISONS: Final[dict[type[ast.cmpop], Any]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@cache
def checked(function: Callable[..., Any]) -> Routine:
    """Return a function as a tree; raise ScalarError naming file and line of what is not allowed."""
    return _checked(function, ())


def _checked(function: Callable[..., Any], callers: tuple[Callable[..., Any], ...]) -> Routine:
    if not isinstance(function, FunctionType):
        raise ScalarError(f"an intrinsic is a plain Python function, not {function!r}", scalar=function)
    lines, first = inspect.getsourcelines(function)
    source = textwrap.dedent("".join(lines))
    definition = cast("ast.FunctionDef", ast.parse(source).body[0])
    while definition.decorator_list:
        definition.decorator_list.pop()
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    return _Checker(function.__globals__, file, first, (*callers, function)).routine(definition, source)


@final
class _Checker:
    """Walks one function, knowing which variables surely have a value."""

    def __init__(
        self, scope: Mapping[str, object], file: str, first: int, callers: tuple[Callable[..., Any], ...]
    ) -> None:
        self.scope, self.file, self.first, self.callers = scope, file, first, callers
        self.kinds: dict[str, Kind] = {}
        self.workspaces: dict[str, type[Workspace]] = {}
        self.used: dict[str, set[str]] = {}
        self.defined: set[str] = set()
        self.loops: list[str] = []
        self.calls: dict[str, Routine] = {}
        self.returns: Kind = "nothing"
        self.depth = 0

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        """Raise the error for what stands at `node`."""
        where = f"{self.file}:{self.first + getattr(node, 'lineno', 1) - 1}"
        raise ScalarError(f"{where}: in an intrinsic, {what}", where=where)

    def routine(self, definition: ast.FunctionDef, source: str) -> Routine:
        """Return the checked function."""
        arguments = definition.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self.refuse(definition, "parameters are positional and have no defaults")
        for argument in arguments.args:
            self._parameter(argument)
        for argument in arguments.args:
            self._free(argument, argument.arg)
        self.defined, parameters = set(self.kinds), dict(self.kinds)
        self.returns = self._annotation(definition, definition.returns)
        if self.returns in (*_ENTRIES, "rows", "workspace"):
            self.refuse(definition, "arrays are parameters, never results")
        body = self.block(definition.body[1:] if ast.get_docstring(definition) else definition.body)
        if self.returns != "nothing" and not (body and isinstance(body[-1], Return)):
            self.refuse(definition, f"the last statement of '{definition.name}' returns a value")
        variables = tuple(Name(name, kind) for name, kind in self.kinds.items() if name not in parameters)
        signature = tuple(self._written(name, kind) for name, kind in parameters.items())
        return Routine(definition.name, signature, self.returns, body, variables, source, tuple(self.calls.values()))

    def _written(self, name: str, kind: Kind) -> Parameter:
        """Return a parameter; the fields of a workspace that are used are in the order of their declaration."""
        workspace = self.workspaces.get(name)
        fields = {} if workspace is None else workspace.layout.fields
        used = [Name(field, kind) for field, kind in fields.items() if field in self.used[name]]
        return Parameter(name, kind, workspace, tuple(used))

    def _parameter(self, argument: ast.arg) -> None:
        name, kind = argument.arg, self._annotation(argument, argument.annotation)
        self.kinds[name] = kind
        found = self._workspace(argument.annotation)
        if found is not None:
            self.workspaces[name], self.used[name] = found, set()

    def _free(self, node: ast.AST, name: str) -> None:
        """Refuse the names of what is in workspaces and matrices."""
        owner = next((o for o, kind in self.kinds.items() if kind in _OWNERS and name.startswith(f"{o}_")), None)
        if owner is not None:
            self.refuse(node, f"'{name}' is kept for what belongs to '{owner}'")

    def _annotation(self, node: ast.AST, annotation: ast.expr | None) -> Kind:
        text = "" if annotation is None else ast.unparse(annotation)
        if self._workspace(annotation) is not None:
            return "workspace"
        if text not in _KINDS:
            self.refuse(node, f"'{text}' is no annotation; int, float, Floats, Ints, Rows, workspaces and None are")
        return _KINDS[text]

    def _workspace(self, annotation: ast.expr | None) -> type[Workspace] | None:
        found = self.scope.get(annotation.id) if isinstance(annotation, ast.Name) else None
        return found if isinstance(found, type) and issubclass(found, Workspace) else None

    # ---------------------------------------------------------------- statements

    def block(self, statements: list[ast.stmt]) -> Block:
        """Return checked statements; nothing follows a `break` or `return`."""
        found: list[Statement] = []
        for statement in statements:
            if found and isinstance(found[-1], (Break, Return)):
                self.refuse(statement, "nothing is reached after break or return")
            found.append(self.statement(statement))
        return tuple(found)

    def statement(self, node: ast.stmt) -> Statement:
        """Return one checked statement."""
        match node:
            case ast.Assign(targets=[target], value=value):
                return self._assigned(node, target, self.expression(value))
            case ast.AugAssign(target=ast.Name() | ast.Subscript() as target, op=operator, value=value):
                return self._augmented(node, target, operator, value)
            case ast.Return(value=value):
                return self._return(node, value)
            case ast.Expr(value=ast.Call() as call):
                return self._evaluated(call)
            case _:
                return self._control(node)

    def _control(self, node: ast.stmt) -> Statement:
        match node:
            case ast.If():
                return self._choice(node)
            case ast.While(orelse=[]):
                return self._while(node)
            case ast.For(iter=ast.Call(func=ast.Name(id=name)), orelse=[]) if self._is_columns(name):
                return self._columns(node)
            case ast.For(orelse=[]):
                return self._for(node)
            case ast.Break() if self.depth:
                return Break()
            case _:
                self.refuse(node, f"'{ast.unparse(node).splitlines()[0]}' is not allowed")

    def _assigned(self, node: ast.stmt, target: ast.expr, value: Expression) -> Statement:
        match target:
            case ast.Name(id=name):
                if name in self.loops or self.kinds.get(name, value.kind) != value.kind:
                    self.refuse(node, f"'{name}' is a loop's variable or of another kind already")
                if value.kind not in ("float", "int"):
                    self.refuse(node, "a variable is a float or an int")
                self._free(node, name)
                self.kinds[name] = value.kind
                self.defined.add(name)
                return Assign(name, value)
            case ast.Subscript():
                place = self._subscript(target)
                if isinstance(place, Row):
                    self.refuse(node, f"'{ast.unparse(target)}' is a row: its entries are assigned")
                self._same(node, value, place.kind)
                return Store(place.array, place.index, value)
            case _:
                self.refuse(node, f"'{ast.unparse(target)}' cannot be assigned")

    def _augmented(
        self, node: ast.stmt, target: ast.Name | ast.Subscript, operator: ast.operator, value: ast.expr
    ) -> Statement:
        text = ast.unparse(target)
        old = ast.copy_location(ast.parse(text, mode="eval").body, target)
        for part in ast.walk(old):
            ast.copy_location(part, target)
        combined = ast.copy_location(ast.BinOp(old, operator, value), node)
        return self._assigned(node, target, self.expression(combined))

    def _choice(self, node: ast.If) -> If:
        condition, before = self.condition(node.test), set(self.defined)
        then, after = self.block(node.body), self.defined
        self.defined = before
        otherwise = self.block(node.orelse)
        if _leaves(then):
            after = self.defined
        elif not _leaves(otherwise):
            after &= self.defined
        self.defined = after
        return If(condition, then, otherwise)

    def _while(self, node: ast.While) -> While:
        condition, before = self.condition(node.test), set(self.defined)
        self.depth += 1
        body = self.block(node.body)
        self.depth -= 1
        self.defined = before
        return While(condition, body)

    def _is_columns(self, name: str) -> bool:
        return self.scope.get(name) is language.columns

    def _columns(self, node: ast.For) -> Columns:
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=[count, stride], keywords=[])):
                pass
            case _:
                self.refuse(node, "a loop over columns is `for j in columns(count, stride)`")
        number, step = self._int(count), self._int(stride)
        if not isinstance(step, (Name, Number)):
            self.refuse(node, "the stride of columns is a variable or a number")
        before = set(self.defined)
        loop = Columns(name, number, step, self._looped(node, name))
        wrong = mixing(loop, before)
        if wrong:
            self.refuse(node, f"columns are mixed: {wrong}")
        return loop

    def _for(self, node: ast.For) -> For:
        match node:
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[])
            ) if 1 <= len(arguments) <= 3:
                pass
            case _:
                self.refuse(node, "a loop is `for i in range(...)`")
        start = self._int(arguments[0]) if len(arguments) > 1 else Number(0, "int")
        stop, step = self._int(arguments[min(1, len(arguments) - 1)]), self._step(arguments)
        return For(name, start, stop, step, self._looped(node, name))

    def _looped(self, node: ast.For, name: str) -> Block:
        """Return the body of a loop over `name`; nothing surely has a value because of it."""
        if name in self.kinds or name in self.loops:
            self.refuse(node, f"the loop's variable '{name}' has another use")
        self._free(node, name)
        before = set(self.defined)
        self.loops.append(name)
        self.depth += 1
        body = self.block(node.body)
        self.depth -= 1
        self.loops.pop()
        self.defined = before
        return body

    def _step(self, arguments: list[ast.expr]) -> int:
        if len(arguments) < 3:
            return 1
        step = self.expression(arguments[2])
        size = step.operand if isinstance(step, Negative) else step
        value = size.value if isinstance(size, Number) else None
        if not isinstance(value, int) or value == 0:
            self.refuse(arguments[2], "a range's step is a whole number other than 0")
        return -value if isinstance(step, Negative) else value

    def _return(self, node: ast.Return, value: ast.expr | None) -> Return:
        found = None if value is None else self.expression(value)
        if (found.kind if found else "nothing") != self.returns:
            self.refuse(node, f"what is returned must be of kind '{self.returns}'")
        return Return(found)

    def _evaluated(self, call: ast.Call) -> Evaluate:
        found = self.expression(call)
        if not isinstance(found, Invoked):
            self.refuse(call, f"'{ast.unparse(call)}' does nothing")
        return Evaluate(found)

    # ---------------------------------------------------------------- expressions

    def expression(self, node: ast.expr) -> Expression:  # noqa: C901 - one case for each form
        """Return a checked expression: a number, or a condition."""
        match node:
            case ast.Constant(value=float() | int() as value) if not isinstance(value, bool):
                return Number(value, "float" if isinstance(value, float) else "int")
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.Attribute(value=ast.Name(id=owner), attr=field) if owner in self.workspaces:
                return self._field(node, owner, field)
            case ast.Subscript():
                return self._subscript(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self._number(operand)
                return Negative(number, number.kind)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._arithmetic(node, left, operator, right)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(node, name, arguments)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return self._truth(node)
            case _:
                self.refuse(node, f"'{ast.unparse(node)}' is not allowed")

    def condition(self, node: ast.expr) -> Expression:
        """Return a checked condition."""
        found = self.expression(node)
        if found.kind != "truth":
            self.refuse(node, f"'{ast.unparse(node)}' is no condition")
        return found

    def _name(self, node: ast.expr, name: str) -> Expression:
        if name in self.loops:
            return Name(name, "int")
        if name in self.kinds:
            if name not in self.defined:
                self.refuse(node, f"'{name}' may have no value here")
            return Name(name, self.kinds[name])
        value = self.scope.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            self.refuse(node, f"'{name}' is no variable and no number of the module")
        return Number(value, "float" if isinstance(value, float) else "int")

    def _arithmetic(self, node: ast.expr, left: ast.expr, operator: ast.operator, right: ast.expr) -> Expression:
        sign = _ARITHMETIC.get(type(operator))
        if sign is None:
            hint = "; write divide(a, b)" if isinstance(operator, ast.Div) else ""
            self.refuse(node, f"the operator in '{ast.unparse(node)}' is not allowed{hint}")
        a, b = self._number(left), self._number(right)
        self._same(node, a, b.kind)
        return Arithmetic(sign, a, b, a.kind)

    def _truth(self, node: ast.expr) -> Expression:
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _COMPARISONS:
                a, b = self._number(left), self._number(right)
                self._same(node, a, b.kind)
                return Comparison(_COMPARISONS[type(operator)], a, b)
            case ast.BoolOp(op=operator, values=values):
                word: Any = "and" if isinstance(operator, ast.And) else "or"
                return Joined(word, tuple(map(self.condition, values)))
            case ast.UnaryOp(operand=operand):
                return Inverted(self.condition(operand))
            case _:
                self.refuse(node, f"'{ast.unparse(node)}' is not allowed")

    def _call(self, node: ast.expr, name: str, nodes: list[ast.expr]) -> Expression:
        word, kinds = _WORDS.get(name, (None, ()))
        found = self.scope.get(name, word if name in ("abs", "float") else None)
        arguments = [self.expression(argument) for argument in nodes]
        if word is not None and found is word:
            if tuple(argument.kind for argument in arguments) != kinds:
                self.refuse(node, f"{name} takes {', '.join(kinds)}")
            return Function(name, tuple(arguments), "float")
        if not isinstance(found, FunctionType):
            self.refuse(node, f"'{name}' is no function known here")
        if found in self.callers:
            self.refuse(node, f"'{name}' calls itself")
        routine = self.calls.setdefault(name, _checked(found, self.callers))
        if [argument.kind for argument in arguments] != [parameter.kind for parameter in routine.signature]:
            kinds = tuple(parameter.kind for parameter in routine.signature)
            self.refuse(node, f"{name} takes {', '.join(kinds)}")
        passed = [part for one, to in zip(nodes, routine.signature, strict=True) for part in self._passed(one, to)]
        arrays = [_array(part) for part in passed if part.kind in _ENTRIES]
        if len(set(arrays)) < len(arrays) and has_columns(routine):
            self.refuse(node, f"{name} would know one array by two names")
        return Invoked(routine, tuple(passed), routine.returns)

    def _passed(self, node: ast.expr, to: Parameter) -> list[Expression]:
        """Return what stands for an argument in the tree."""
        given = self.expression(node)
        if to.workspace is not None and isinstance(given, Name):
            if not issubclass(self.workspaces[given.name], to.workspace):
                self.refuse(node, f"'{given.name}' is no {to.workspace.__name__}")
            fields = [self._field(node, given.name, field.name) for field in to.fields]
            return [Name(field.name, flat(field.kind)) for field in fields]
        matrix = self._matrix(node)
        return [given] if matrix is None else [Name(matrix[0], "floats"), matrix[1]]

    def _field(self, node: ast.AST, owner: str, field: str) -> Name:
        """Return what stands for a field of a workspace, and note that it is used."""
        kind = self.workspaces[owner].layout.fields.get(field)
        if kind is None:
            self.refuse(node, f"{self.workspaces[owner].__name__} has no '{field}'")
        self.used[owner].add(field)
        return Name(f"{owner}_{field}", kind)

    def _matrix(self, node: ast.expr) -> tuple[str, Name] | None:
        """Return the array of a matrix and the distance of its rows; None for what is no matrix."""
        found = self.expression(node)
        if not isinstance(found, Name) or found.kind != "rows":
            return None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = node.value.id
            return found.name, self._field(node, owner, self.workspaces[owner].layout.stride(node.attr))
        return found.name, Name(f"{found.name}_stride", "int")

    def _subscript(self, node: ast.Subscript) -> Element | Row:
        """Return an entry of an array, or a row of a matrix."""
        matrix = self._matrix(node.value)
        if matrix is not None:
            return Row(matrix[0], Arithmetic("*", self._int(node.slice), matrix[1], "int"))
        found = self.expression(node.value)
        if isinstance(found, Row):
            return Element(found.array, Arithmetic("+", found.index, self._int(node.slice), "int"), "float")
        if not isinstance(found, Name) or found.kind not in _ENTRIES:
            self.refuse(node, f"'{ast.unparse(node.value)}' is no array")
        return Element(found.name, self._int(node.slice), _ENTRIES[found.kind])

    def _number(self, node: ast.expr) -> Expression:
        found = self.expression(node)
        if found.kind not in ("float", "int"):
            self.refuse(node, f"'{ast.unparse(node)}' is no number")
        return found

    def _int(self, node: ast.expr) -> Expression:
        found = self.expression(node)
        self._same(node, found, "int")
        return found

    def _same(self, node: ast.AST, value: Expression, kind: Kind) -> None:
        if value.kind != kind:
            self.refuse(node, f"'{ast.unparse(node)}' mixes kinds '{value.kind}' and '{kind}'")


def _array(node: Expression) -> str:
    """Return the array that an array or a row of one is."""
    assert isinstance(node, (Name, Row))
    return node.array if isinstance(node, Row) else node.name


def _leaves(block: Block) -> bool:
    """Return whether nothing after a block is reached from its end."""
    return bool(block) and isinstance(block[-1], (Break, Return))
