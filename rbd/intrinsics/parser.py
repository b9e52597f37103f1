"""Parser of the restricted language: returns the checked tree of a Python function, or raises with file and line.

Workspaces and matrices are lowered to arrays and strides. Allowed are

    parameters   annotated `int`, `float`, `Floats`, `Ints`, `Rows` and workspaces
    assignments  to local variables and to entries of arrays
    expressions  `+ - *` of floats or of ints, `-x`, comparisons, `and or not`, `fma sqrt divide abs float`, `select`
                 and `some` of one comparison of floats, rows `x[i]` of matrices as arguments
    statements   `if`, `while`, `for i in range(...)` whose step is a literal, `break`, `return`, and
                 `for j in columns(...)` (see `dependence_analysis.py`)
    calls        of other such functions of a module, in an order that C keeps, too (see `evaluation_order.py`)

A variable keeps one type and must be assigned on every path to its use; a loop's variable belongs to the loop. Division
is written `divide(a, b)`, since Python's operator raises where machine code does not.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from itertools import starmap
from types import FunctionType
from typing import Any, Final, cast, final

from rbd.errors import ScalarError
from rbd.intrinsics import language, tree
from rbd.intrinsics.dependence_analysis import column_dependence
from rbd.intrinsics.evaluation_order import has_unspecified_order
from rbd.intrinsics.expressions import Callers, ExpressionParser
from rbd.intrinsics.scope import ENTRIES, Scope

PARSED: Final[dict[Callable[..., Any], tree.Routine]] = {}
"""Trees by function: a function has one tree, wherever it is called, and whichever threads parse it at once."""


def parse(function: Callable[..., Any], callers: Callers = ()) -> tree.Routine:
    """Return a function as a tree; raise ScalarError naming file and line of what is not allowed."""
    known = PARSED.get(function)
    return PARSED.setdefault(function, _parsed(function, callers)) if known is None else known


def _parsed(function: Callable[..., Any], callers: Callers) -> tree.Routine:
    if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":  # its text may be no statement
        raise ScalarError(f"an intrinsic is a plain Python function, not {function!r}", scalar=function)
    lines, first = inspect.getsourcelines(function)
    source = textwrap.dedent("".join(lines))
    definition = cast("ast.FunctionDef", ast.parse(source).body[0])
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    scope = Scope(function.__globals__, file, first)
    if definition.decorator_list or hasattr(function, "__wrapped__"):
        scope.refuse(definition, f"a decorator of '{definition.name}' is not allowed: machine code would lack it")
    return _FunctionParser(scope, ExpressionParser(scope, (*callers, function), parse)).routine(definition, source)


@final
class _FunctionParser:
    """Parses the signature and the statements of one function."""

    def __init__(self, scope: Scope, expressions: ExpressionParser) -> None:
        self.scope, self.expressions = scope, expressions
        self.returns: tree.Kind = "nothing"
        self.depth = 0
        """The number of loops around the current statement."""

    def routine(self, definition: ast.FunctionDef, source: str) -> tree.Routine:
        """Return the checked function."""
        parameters = self._parameters(definition)
        body = self._body(definition)
        variables = tuple(tree.Name(name, kind) for name, kind in self.scope.kinds.items() if name not in parameters)
        signature = tuple(self.scope.lowered_parameter(name, kind) for name, kind in parameters.items())
        calls = tuple(self.expressions.calls.values())
        constants = tuple(starmap(partial(tree.ModuleConstant, self.scope.names), self.scope.constants.items()))
        routine = tree.Routine(definition.name, signature, self.returns, body, variables, source, calls, constants)
        name = routine.ambiguous_name
        if name:
            what = f"two functions have the name '{name}'; rename one, or define its callers again"
            self.scope.refuse(definition, what)
        return routine

    def _parameters(self, definition: ast.FunctionDef) -> dict[str, tree.Kind]:
        """Add the parameters to the scope; return their kinds."""
        arguments = definition.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self.scope.refuse(definition, "parameters are positional and have no defaults")
        for argument in arguments.args:
            self.scope.add_parameter(argument)
        for argument in arguments.args:
            self.scope.check_not_reserved(argument, argument.arg)
        self.scope.defined = set(self.scope.kinds)
        return dict(self.scope.kinds)

    def _body(self, definition: ast.FunctionDef) -> tree.Block:
        """Return the checked body; where the function returns a value, it ends with that."""
        self.returns = self.scope.annotated_kind(definition, definition.returns)
        if self.returns in (*ENTRIES, "rows", "workspace"):
            self.scope.refuse(definition, "arrays are parameters, never results")
        body = self.block(definition.body[1:] if ast.get_docstring(definition) else definition.body)
        if self.returns != "nothing" and not (body and isinstance(body[-1], tree.Return)):
            self.scope.refuse(definition, f"the last statement of '{definition.name}' returns a value")
        return body

    # ---------------------------------------------------------------- statements

    def block(self, nodes: list[ast.stmt]) -> tree.Block:
        """Return checked statements; nothing follows a `break` or `return`."""
        statements: list[tree.Statement] = []
        for node in nodes:
            if _ends_in_jump(statements):
                self.scope.refuse(node, "unreachable after break or return")
            statements.append(self.statement(node))
            if has_unspecified_order(statements[-1]):
                what = "a call that writes to arrays stands beside another call or an entry; assign it first"
                self.scope.refuse(node, what)
        return tuple(statements)

    def statement(self, node: ast.stmt) -> tree.Statement:
        """Return one checked statement."""
        match node:
            case ast.Assign(targets=[target], value=value):
                return self._assigned(node, target, self.expressions.expression(value))
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
                self.scope.refuse(node, f"'{ast.unparse(node).splitlines()[0]}' is not allowed")

    def _assigned(self, node: ast.stmt, target: ast.expr, value: tree.Expression) -> tree.Statement:
        match target:
            case ast.Name(id=name):
                self.scope.assign(node, name, value.kind)
                return tree.Assign(name, value)
            case ast.Subscript():
                entry = self.expressions.entry(target)
                if isinstance(entry, tree.RowPointer):
                    self.scope.refuse(node, f"'{ast.unparse(target)}' is a row: its entries are assigned")
                self.scope.check_kind(node, value, entry.kind)
                return tree.Store(entry.array, entry.index, value)
            case _:
                self.scope.refuse(node, f"'{ast.unparse(target)}' cannot be assigned")

    def _augmented(
        self, node: ast.stmt, target: ast.Name | ast.Subscript, operator: ast.operator, value: ast.expr
    ) -> tree.Statement:
        text = ast.unparse(target)
        if any(isinstance(part, ast.Call) for part in ast.walk(target)):
            self.scope.refuse(
                node, f"the place '{text}' of an augmented assignment has no calls; assign its index first"
            )
        old = ast.copy_location(ast.parse(text, mode="eval").body, target)
        for part in ast.walk(old):
            ast.copy_location(part, target)
        combined = ast.copy_location(ast.BinOp(old, operator, value), node)
        return self._assigned(node, target, self.expressions.expression(combined))

    def _if(self, node: ast.If) -> tree.If:
        condition, before = self.expressions.condition(node.test), set(self.scope.defined)
        then, after = self.block(node.body), self.scope.defined
        self.scope.defined = before
        otherwise = self.block(node.orelse)
        if _ends_in_jump(then):
            after = self.scope.defined
        elif not _ends_in_jump(otherwise):
            after &= self.scope.defined
        self.scope.defined = after
        return tree.If(condition, then, otherwise)

    def _while(self, node: ast.While) -> tree.While:
        condition, before = self.expressions.condition(node.test), set(self.scope.defined)
        self.depth += 1
        body = self.block(node.body)
        self.depth -= 1
        self.scope.defined = before
        return tree.While(condition, body)

    def _is_columns(self, name: str) -> bool:
        return self.scope.names.get(name) is language.columns

    def _columns(self, node: ast.For) -> tree.ColumnLoop:
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=[count, stride], keywords=[])):
                pass
            case _:
                self.scope.refuse(node, "a loop over columns is `for j in columns(count, stride)`")
        number, step = self.expressions.integer(count), self.expressions.integer(stride)
        if not isinstance(step, (tree.Name, tree.Number)):
            self.scope.refuse(node, "the stride of columns is a variable or a number")
        before = set(self.scope.defined)
        loop = tree.ColumnLoop(name, number, step, self._loop_body(node, name))
        wrong = column_dependence(loop, before)
        if wrong:
            self.scope.refuse(node, f"iterations are not independent: {wrong}")
        return loop

    def _for(self, node: ast.For) -> tree.For:
        match node:
            case ast.For(
                target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[])
            ) if 1 <= len(arguments) <= 3 and self.scope.names.get("range", range) is range:
                pass
            case _:
                self.scope.refuse(node, "a loop is `for i in range(...)`")
        start = self.expressions.integer(arguments[0]) if len(arguments) > 1 else tree.Number(0, "int")
        stop, step = self.expressions.integer(arguments[min(1, len(arguments) - 1)]), self._step(arguments)
        return tree.For(name, start, stop, step, self._loop_body(node, name))

    def _loop_body(self, node: ast.For, name: str) -> tree.Block:
        """Return the body of a loop over `name`; since it may not run at all, it assigns no variable definitely."""
        if name in self.scope.kinds or name in self.scope.loops:
            self.scope.refuse(node, f"the loop's variable '{name}' has another use")
        self.scope.check_not_reserved(node, name)
        before = set(self.scope.defined)
        self.scope.loops.append(name)
        self.depth += 1
        body = self.block(node.body)
        self.depth -= 1
        self.scope.loops.pop()
        self.scope.defined = before
        return body

    def _step(self, arguments: list[ast.expr]) -> int:
        if len(arguments) < 3:
            return 1
        step = self.expressions.expression(arguments[2])
        size = step.operand if isinstance(step, tree.Negate) else step
        value = size.value if isinstance(size, tree.Number) else None
        if not isinstance(value, int) or value == 0:
            self.scope.refuse(arguments[2], "a range's step is a whole number other than 0")
        return -value if isinstance(step, tree.Negate) else value

    def _return(self, node: ast.Return, value: ast.expr | None) -> tree.Return:
        result = None if value is None else self.expressions.expression(value)
        if (result.kind if result else "nothing") != self.returns:
            self.scope.refuse(node, f"the returned value must be of type '{self.returns}'")
        return tree.Return(result)

    def _evaluated(self, call: ast.Call) -> tree.ExpressionStatement:
        expression = self.expressions.expression(call)
        if not isinstance(expression, tree.RoutineCall):
            self.scope.refuse(call, f"'{ast.unparse(call)}' has no effect")
        return tree.ExpressionStatement(expression)


def _ends_in_jump(block: Sequence[tree.Statement]) -> bool:
    """Return whether code after a block is unreachable."""
    return bool(block) and isinstance(block[-1], (tree.Break, tree.Return))
