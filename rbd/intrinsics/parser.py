"""Parser of the restricted language: returns the checked tree of a Python function, or raises with file and line.

Workspaces and matrices are lowered to arrays and strides.

Allowed: parameters annotated `int`, `float`, `Floats`, `Ints`, `Rows` and workspaces; rows `x[i]` of matrices as
arguments; assignments to local variables and to entries of arrays;
`+ - *` of floats or of ints, `-x`, comparisons, `and or not`; `fma sqrt divide abs float`; `select` and `some` of one
comparison of floats; `if`, `while`,
`for i in range(...)` (its step a literal), `for j in columns(...)` (see `dependence_analysis.py`), `break`, `return`;
calls of other such functions of a module, in an order that C keeps, too (see `evaluation_order.py`). A variable keeps
one type and must be assigned on every path to its use; a loop's variable belongs to the loop. Division is written
`divide(a, b)`, since Python's operator raises where machine code does not.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final, NoReturn, cast, final

from rbd.errors import ScalarError
from rbd.intrinsics import language, tree
from rbd.intrinsics.dependence_analysis import column_dependence, has_columns, has_shared_array
from rbd.intrinsics.evaluation_order import has_open_order
from rbd.intrinsics.workspace import Workspace

_KINDS: Final[dict[str, tree.Kind]] = {
    "int": "int",
    "float": "float",
    "Floats": "floats",
    "Ints": "ints",
    "Rows": "rows",
    "None": "nothing",
}
_ENTRIES: Final[dict[tree.Kind, tree.Kind]] = {"floats": "float", "ints": "int"}
_OWNERS: Final = ("rows", "workspace")
_BUILTINS: Final[dict[str, tuple[object, tuple[tree.Kind, ...]]]] = {
    "fma": (language.fma, ("float", "float", "float")),
    "sqrt": (language.sqrt, ("float",)),
    "divide": (language.divide, ("float", "float")),
    "abs": (abs, ("float",)),
    "float": (float, ("int",)),
    "select": (language.select, ("truth", "float", "float")),
    "some": (language.some, ("truth",)),
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


PARSED: Final[dict[Callable[..., Any], tree.Routine]] = {}
"""Trees by function: a function has one tree, wherever it is called, and whichever threads parse it at once."""


def parse(function: Callable[..., Any], callers: tuple[Callable[..., Any], ...] = ()) -> tree.Routine:
    """Return a function as a tree; raise ScalarError naming file and line of what is not allowed."""
    found = PARSED.get(function)
    return PARSED.setdefault(function, _parsed(function, callers)) if found is None else found


def _parsed(function: Callable[..., Any], callers: tuple[Callable[..., Any], ...]) -> tree.Routine:
    if not isinstance(function, FunctionType):
        raise ScalarError(f"an intrinsic is a plain Python function, not {function!r}", scalar=function)
    lines, first = inspect.getsourcelines(function)
    source = textwrap.dedent("".join(lines))
    definition = cast("ast.FunctionDef", ast.parse(source).body[0])
    while definition.decorator_list:
        definition.decorator_list.pop()
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    return _Parser(function.__globals__, file, first, (*callers, function)).routine(definition, source)


@final
class _Parser:
    """Parses one function; tracks which variables are definitely assigned."""

    def __init__(
        self, scope: Mapping[str, object], file: str, first: int, callers: tuple[Callable[..., Any], ...]
    ) -> None:
        self.scope, self.file, self.first, self.callers = scope, file, first, callers
        self.kinds: dict[str, tree.Kind] = {}
        self.workspaces: dict[str, type[Workspace]] = {}
        self.used: dict[str, set[str]] = {}
        self.defined: set[str] = set()
        self.loops: list[str] = []
        self.calls: dict[str, tree.Routine] = {}
        self.returns: tree.Kind = "nothing"
        self.depth = 0

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        """Raise the error for `node`."""
        where = f"{self.file}:{self.first + getattr(node, 'lineno', 1) - 1}"
        raise ScalarError(f"{where}: in an intrinsic, {what}", where=where)

    def routine(self, definition: ast.FunctionDef, source: str) -> tree.Routine:
        """Return the checked function."""
        arguments = definition.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self.refuse(definition, "parameters are positional and have no defaults")
        for argument in arguments.args:
            self._parameter(argument)
        for argument in arguments.args:
            self._check_not_reserved(argument, argument.arg)
        self.defined, parameters = set(self.kinds), dict(self.kinds)
        self.returns = self._annotation(definition, definition.returns)
        if self.returns in (*_ENTRIES, "rows", "workspace"):
            self.refuse(definition, "arrays are parameters, never results")
        body = self.block(definition.body[1:] if ast.get_docstring(definition) else definition.body)
        if self.returns != "nothing" and not (body and isinstance(body[-1], tree.Return)):
            self.refuse(definition, f"the last statement of '{definition.name}' returns a value")
        variables = tuple(tree.Name(name, kind) for name, kind in self.kinds.items() if name not in parameters)
        signature = tuple(self._lowered_parameter(name, kind) for name, kind in parameters.items())
        calls = tuple(self.calls.values())
        found = tree.Routine(definition.name, signature, self.returns, body, variables, source, calls)
        if found.ambiguous_name:
            name = found.ambiguous_name
            self.refuse(definition, f"two functions have the name '{name}'; rename one, or define its callers again")
        return found

    def _lowered_parameter(self, name: str, kind: tree.Kind) -> tree.Parameter:
        """Return a parameter; the fields of a workspace that are used are in the order of their declaration."""
        workspace = self.workspaces.get(name)
        fields = {} if workspace is None else workspace.layout.fields
        used = [tree.Name(field, kind) for field, kind in fields.items() if field in self.used[name]]
        return tree.Parameter(name, kind, workspace, tuple(used))

    def _parameter(self, argument: ast.arg) -> None:
        name, kind = argument.arg, self._annotation(argument, argument.annotation)
        self.kinds[name] = kind
        found = self._workspace(argument.annotation)
        if found is not None:
            self.workspaces[name], self.used[name] = found, set()

    def _check_not_reserved(self, node: ast.AST, name: str) -> None:
        """Refuse names that are reserved for workspaces and matrices."""
        owner = next((o for o, kind in self.kinds.items() if kind in _OWNERS and name.startswith(f"{o}_")), None)
        if owner is not None:
            self.refuse(node, f"'{name}' is reserved for the fields of '{owner}'")

    def _annotation(self, node: ast.AST, annotation: ast.expr | None) -> tree.Kind:
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

    def block(self, statements: list[ast.stmt]) -> tree.Block:
        """Return checked statements; nothing follows a `break` or `return`."""
        found: list[tree.Statement] = []
        for statement in statements:
            if found and isinstance(found[-1], (tree.Break, tree.Return)):
                self.refuse(statement, "unreachable after break or return")
            found.append(self.statement(statement))
            if has_open_order(found[-1]):
                what = "a call that writes to arrays stands beside another call or an entry; assign it first"
                self.refuse(statement, what)
        return tuple(found)

    def statement(self, node: ast.stmt) -> tree.Statement:
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

    def _control(self, node: ast.stmt) -> tree.Statement:
        match node:
            case ast.If():
                return self._if(node)
            case ast.While(orelse=[]):
                return self._while(node)
            case ast.For(iter=ast.Call(func=ast.Name(id=name)), orelse=[]) if self._is_columns(name):
                return self._columns(node)
            case ast.For(orelse=[]):
                return self._for(node)
            case ast.Break() if self.depth:
                return tree.Break()
            case _:
                self.refuse(node, f"'{ast.unparse(node).splitlines()[0]}' is not allowed")

    def _assigned(self, node: ast.stmt, target: ast.expr, value: tree.Expression) -> tree.Statement:
        match target:
            case ast.Name(id=name):
                if name in self.loops or self.kinds.get(name, value.kind) != value.kind:
                    self.refuse(node, f"'{name}' is a loop's variable or has another type already")
                if value.kind not in ("float", "int"):
                    self.refuse(node, "a variable is a float or an int")
                self._check_not_reserved(node, name)
                self.kinds[name] = value.kind
                self.defined.add(name)
                return tree.Assign(name, value)
            case ast.Subscript():
                place = self._subscript(target)
                if isinstance(place, tree.RowPointer):
                    self.refuse(node, f"'{ast.unparse(target)}' is a row: its entries are assigned")
                self._check_type(node, value, place.kind)
                return tree.Store(place.array, place.index, value)
            case _:
                self.refuse(node, f"'{ast.unparse(target)}' cannot be assigned")

    def _augmented(
        self, node: ast.stmt, target: ast.Name | ast.Subscript, operator: ast.operator, value: ast.expr
    ) -> tree.Statement:
        text = ast.unparse(target)
        if any(isinstance(part, ast.Call) for part in ast.walk(target)):
            self.refuse(node, f"the place '{text}' of an augmented assignment has no calls; assign its index first")
        old = ast.copy_location(ast.parse(text, mode="eval").body, target)
        for part in ast.walk(old):
            ast.copy_location(part, target)
        combined = ast.copy_location(ast.BinOp(old, operator, value), node)
        return self._assigned(node, target, self.expression(combined))

    def _if(self, node: ast.If) -> tree.If:
        condition, before = self.condition(node.test), set(self.defined)
        then, after = self.block(node.body), self.defined
        self.defined = before
        otherwise = self.block(node.orelse)
        if _ends_in_jump(then):
            after = self.defined
        elif not _ends_in_jump(otherwise):
            after &= self.defined
        self.defined = after
        return tree.If(condition, then, otherwise)

    def _while(self, node: ast.While) -> tree.While:
        condition, before = self.condition(node.test), set(self.defined)
        self.depth += 1
        body = self.block(node.body)
        self.depth -= 1
        self.defined = before
        return tree.While(condition, body)

    def _is_columns(self, name: str) -> bool:
        return self.scope.get(name) is language.columns

    def _columns(self, node: ast.For) -> tree.ColumnLoop:
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=[count, stride], keywords=[])):
                pass
            case _:
                self.refuse(node, "a loop over columns is `for j in columns(count, stride)`")
        number, step = self._int(count), self._int(stride)
        if not isinstance(step, (tree.Name, tree.Number)):
            self.refuse(node, "the stride of columns is a variable or a number")
        before = set(self.defined)
        loop = tree.ColumnLoop(name, number, step, self._loop_body(node, name))
        wrong = column_dependence(loop, before)
        if wrong:
            self.refuse(node, f"iterations are not independent: {wrong}")
        return loop

    def _for(self, node: ast.For) -> tree.For:
        match node:
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[])
            ) if 1 <= len(arguments) <= 3 and self.scope.get("range", range) is range:
                pass
            case _:
                self.refuse(node, "a loop is `for i in range(...)`")
        start = self._int(arguments[0]) if len(arguments) > 1 else tree.Number(0, "int")
        stop, step = self._int(arguments[min(1, len(arguments) - 1)]), self._step(arguments)
        return tree.For(name, start, stop, step, self._loop_body(node, name))

    def _loop_body(self, node: ast.For, name: str) -> tree.Block:
        """Return the body of a loop over `name`; since it may not run at all, it assigns no variable definitely."""
        if name in self.kinds or name in self.loops:
            self.refuse(node, f"the loop's variable '{name}' has another use")
        self._check_not_reserved(node, name)
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
        size = step.operand if isinstance(step, tree.Negate) else step
        value = size.value if isinstance(size, tree.Number) else None
        if not isinstance(value, int) or value == 0:
            self.refuse(arguments[2], "a range's step is a whole number other than 0")
        return -value if isinstance(step, tree.Negate) else value

    def _return(self, node: ast.Return, value: ast.expr | None) -> tree.Return:
        found = None if value is None else self.expression(value)
        if (found.kind if found else "nothing") != self.returns:
            self.refuse(node, f"the returned value must be of type '{self.returns}'")
        return tree.Return(found)

    def _evaluated(self, call: ast.Call) -> tree.ExpressionStatement:
        found = self.expression(call)
        if not isinstance(found, tree.RoutineCall):
            self.refuse(call, f"'{ast.unparse(call)}' has no effect")
        return tree.ExpressionStatement(found)

    # ---------------------------------------------------------------- expressions

    def expression(self, node: ast.expr) -> tree.Expression:  # noqa: C901 - one case for each form
        """Return a checked expression: a number, or a condition."""
        match node:
            case ast.Constant(value=float() | int() as value) if not isinstance(value, bool):
                return tree.Number(value, "float" if isinstance(value, float) else "int")
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.Attribute(value=ast.Name(id=owner), attr=field) if owner in self.workspaces:
                return self._field(node, owner, field)
            case ast.Subscript():
                return self._subscript(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self._number(operand)
                return tree.Negate(number, number.kind)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._arithmetic(node, left, operator, right)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(node, name, arguments)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return self._truth(node)
            case _:
                self.refuse(node, f"'{ast.unparse(node)}' is not allowed")

    def condition(self, node: ast.expr) -> tree.Expression:
        """Return a checked condition."""
        found = self.expression(node)
        if found.kind != "truth":
            self.refuse(node, f"'{ast.unparse(node)}' is no condition")
        return found

    def _name(self, node: ast.expr, name: str) -> tree.Expression:
        if name in self.loops:
            return tree.Name(name, "int")
        if name in self.kinds:
            if name not in self.defined:
                self.refuse(node, f"'{name}' may be unassigned here")
            return tree.Name(name, self.kinds[name])
        value = self.scope.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            self.refuse(node, f"'{name}' is no variable and no number of the module")
        return tree.Number(value, "float" if isinstance(value, float) else "int")

    def _arithmetic(self, node: ast.expr, left: ast.expr, operator: ast.operator, right: ast.expr) -> tree.Expression:
        sign = _ARITHMETIC.get(type(operator))
        if sign is None:
            hint = "; write divide(a, b)" if isinstance(operator, ast.Div) else ""
            self.refuse(node, f"the operator in '{ast.unparse(node)}' is not allowed{hint}")
        a, b = self._number(left), self._number(right)
        self._check_type(node, a, b.kind)
        return tree.Arithmetic(sign, a, b, a.kind)

    def _truth(self, node: ast.expr) -> tree.Expression:
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _COMPARISONS:
                a, b = self._number(left), self._number(right)
                self._check_type(node, a, b.kind)
                return tree.Comparison(_COMPARISONS[type(operator)], a, b)
            case ast.BoolOp(op=operator, values=values):
                word: Any = "and" if isinstance(operator, ast.And) else "or"
                return tree.BoolOp(word, tuple(map(self.condition, values)))
            case ast.UnaryOp(operand=operand):
                return tree.Not(self.condition(operand))
            case _:
                self.refuse(node, f"'{ast.unparse(node)}' is not allowed")

    def _call(self, node: ast.expr, name: str, nodes: list[ast.expr]) -> tree.Expression:
        word, kinds = _BUILTINS.get(name, (None, ()))
        found = self.scope.get(name, word if name in ("abs", "float") else None)
        arguments = [self.expression(argument) for argument in nodes]
        if word is not None and found is word:
            if tuple(argument.kind for argument in arguments) != kinds:
                self.refuse(node, f"{name} takes {', '.join(kinds)}")
            self._check_comparison(node, name, arguments[0])
            return tree.BuiltinCall(name, tuple(arguments), "truth" if word is language.some else "float")
        if not isinstance(found, FunctionType):
            self.refuse(node, f"'{name}' is no function known here")
        if found in self.callers:
            self.refuse(node, f"'{name}' calls itself")
        routine = self.calls.setdefault(name, parse(found, self.callers))
        if [argument.kind for argument in arguments] != [parameter.kind for parameter in routine.signature]:
            kinds = tuple(parameter.kind for parameter in routine.signature)
            self.refuse(node, f"{name} takes {', '.join(kinds)}")
        given = zip(nodes, arguments, routine.signature, strict=True)
        passed = [part for each in given for part in self._lowered_argument(*each)]
        if has_shared_array(passed) and has_columns(routine):
            self.refuse(node, f"{name} has two arguments for one array")
        return tree.RoutineCall(routine, tuple(passed), routine.returns)

    def _check_comparison(self, node: ast.expr, name: str, argument: tree.Expression) -> None:
        """Refuse conditions of `select` and `some` that are no comparison of floats."""
        is_comparison = isinstance(argument, tree.Comparison) and argument.left.kind == "float"
        if argument.kind == "truth" and not is_comparison:
            self.refuse(node, f"{name} takes one comparison of floats")

    def _lowered_argument(self, node: ast.expr, given: tree.Expression, to: tree.Parameter) -> list[tree.Expression]:
        """Return an argument, parsed, as it is in the tree."""
        if to.workspace is not None and isinstance(given, tree.Name):
            if not issubclass(self.workspaces[given.name], to.workspace):
                self.refuse(node, f"'{given.name}' is no {to.workspace.__name__}")
            fields = [self._field(node, given.name, field.name) for field in to.fields]
            return [tree.Name(field.name, tree.lowered_kind(field.kind)) for field in fields]
        matrix = self._matrix(node, given)
        return [given] if matrix is None else [tree.Name(matrix[0], "floats"), matrix[1]]

    def _field(self, node: ast.AST, owner: str, field: str) -> tree.Name:
        """Return a field of a workspace as it is in the tree, and note that it is used."""
        kind = self.workspaces[owner].layout.fields.get(field)
        if kind is None:
            self.refuse(node, f"{self.workspaces[owner].__name__} has no '{field}'")
        self.used[owner].add(field)
        return tree.Name(f"{owner}_{field}", kind)

    def _matrix(self, node: ast.expr, found: tree.Expression) -> tuple[str, tree.Name] | None:
        """Return the array of a matrix and the distance of its rows; None for what is no matrix."""
        if not isinstance(found, tree.Name) or found.kind != "rows":
            return None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = node.value.id
            return found.name, self._field(node, owner, self.workspaces[owner].layout.stride(node.attr))
        return found.name, tree.Name(f"{found.name}_stride", "int")

    def _subscript(self, node: ast.Subscript) -> tree.Load | tree.RowPointer:
        """Return an entry of an array, or a row of a matrix."""
        found = self.expression(node.value)
        matrix = self._matrix(node.value, found)
        if matrix is not None:
            return tree.RowPointer(matrix[0], tree.Arithmetic("*", self._int(node.slice), matrix[1], "int"))
        if isinstance(found, tree.RowPointer):
            return tree.Load(found.array, tree.Arithmetic("+", found.index, self._int(node.slice), "int"), "float")
        if not isinstance(found, tree.Name) or found.kind not in _ENTRIES:
            self.refuse(node, f"'{ast.unparse(node.value)}' is no array")
        return tree.Load(found.name, self._int(node.slice), _ENTRIES[found.kind])

    def _number(self, node: ast.expr) -> tree.Expression:
        found = self.expression(node)
        if found.kind not in ("float", "int"):
            self.refuse(node, f"'{ast.unparse(node)}' is no number")
        return found

    def _int(self, node: ast.expr) -> tree.Expression:
        found = self.expression(node)
        self._check_type(node, found, "int")
        return found

    def _check_type(self, node: ast.AST, value: tree.Expression, kind: tree.Kind) -> None:
        if value.kind != kind:
            self.refuse(node, f"'{ast.unparse(node)}' mixes types '{value.kind}' and '{kind}'")


def _ends_in_jump(block: tree.Block) -> bool:
    """Return whether code after a block is unreachable."""
    return bool(block) and isinstance(block[-1], (tree.Break, tree.Return))
