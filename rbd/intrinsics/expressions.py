"""Expressions of the restricted language: from Python's syntax to the checked tree."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final, TypeAlias, final

from rbd.intrinsics import language, tree
from rbd.intrinsics.dependence_analysis import has_columns, has_shared_array
from rbd.intrinsics.scope import ENTRIES, Scope

Callers: TypeAlias = tuple[Callable[..., Any], ...]
"""The functions that are being parsed, each called by the one before."""
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


@final
class ExpressionParser:
    """Parses the expressions of one function."""

    def __init__(
        self, scope: Scope, callers: Callers, parse: Callable[[Callable[..., Any], Callers], tree.Routine]
    ) -> None:
        """Set the scope of names, and the parser of called functions."""
        self._scope, self._callers, self._parse = scope, callers, parse
        self.calls: dict[str, tree.Routine] = {}
        """The functions that were called, by name."""

    def expression(self, node: ast.expr) -> tree.Expression:
        """Return a checked expression: a number, or a condition."""
        match node:
            case ast.Constant(value=float() | int() as value) if not isinstance(value, bool):
                return tree.Number(value, "float" if isinstance(value, float) else "int")
            case ast.Name(id=name):
                return self._scope.value(node, name)
            case ast.Attribute(value=ast.Name(id=owner), attr=field) if self._scope.is_workspace(owner):
                return self._scope.field(node, owner, field)
            case ast.Subscript():
                return self.entry(node)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return self._truth(node)
            case _:
                return self._computed(node)

    def condition(self, node: ast.expr) -> tree.Expression:
        """Return a checked condition."""
        condition = self.expression(node)
        if condition.kind != "truth":
            self._scope.refuse(node, f"'{ast.unparse(node)}' is no condition")
        return condition

    def number(self, node: ast.expr) -> tree.Expression:
        """Return a checked float or int."""
        number = self.expression(node)
        if number.kind not in ("float", "int"):
            self._scope.refuse(node, f"'{ast.unparse(node)}' is no number")
        return number

    def integer(self, node: ast.expr) -> tree.Expression:
        """Return a checked int."""
        integer = self.expression(node)
        self._scope.check_kind(node, integer, "int")
        return integer

    def entry(self, node: ast.Subscript) -> tree.Load | tree.RowPointer:
        """Return an entry of an array, or a row of a matrix."""
        array = self.expression(node.value)
        matrix = self._scope.matrix(node.value, array)
        if matrix is not None:
            return tree.RowPointer(matrix[0], tree.Arithmetic("*", self._index(node.slice), matrix[1], "int"))
        if isinstance(array, tree.RowPointer):
            return tree.Load(array.array, tree.Arithmetic("+", array.index, self._index(node.slice), "int"), "float")
        if not isinstance(array, tree.Name) or array.kind not in ENTRIES:
            self._scope.refuse(node, f"'{ast.unparse(node.value)}' is no array")
        return tree.Load(array.name, self._index(node.slice), ENTRIES[array.kind])

    def _index(self, node: ast.expr) -> tree.Expression:
        """Return a checked index; machine code and C do not count from the end."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            self._scope.refuse(node, f"the index '{ast.unparse(node)}' counts from the end; write the length minus it")
        return self.integer(node)

    # ---------------------------------------------------------------- operations

    def _computed(self, node: ast.expr) -> tree.Expression:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self.number(operand)
                return tree.Negate(number, number.kind)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._arithmetic(node, left, operator, right)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(node, name, arguments)
            case _:
                self._scope.refuse(node, f"'{ast.unparse(node)}' is not allowed")

    def _arithmetic(self, node: ast.expr, left: ast.expr, operator: ast.operator, right: ast.expr) -> tree.Expression:
        sign = _ARITHMETIC.get(type(operator))
        if sign is None:
            hint = "; write divide(a, b)" if isinstance(operator, ast.Div) else ""
            self._scope.refuse(node, f"the operator in '{ast.unparse(node)}' is not allowed{hint}")
        a, b = self._operands(node, left, right)
        return tree.Arithmetic(sign, a, b, a.kind)

    def _operands(self, node: ast.expr, left: ast.expr, right: ast.expr) -> tuple[tree.Expression, tree.Expression]:
        """Return two numbers of one kind."""
        a, b = self.number(left), self.number(right)
        self._scope.check_kind(node, a, b.kind)
        return a, b

    def _truth(self, node: ast.expr) -> tree.Expression:
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _COMPARISONS:
                return tree.Comparison(_COMPARISONS[type(operator)], *self._operands(node, left, right))
            case ast.BoolOp(op=operator, values=values):
                word: Any = "and" if isinstance(operator, ast.And) else "or"
                return tree.BoolOp(word, tuple(map(self.condition, values)))
            case ast.UnaryOp(operand=operand):
                return tree.Not(self.condition(operand))
            case _:
                self._scope.refuse(node, f"'{ast.unparse(node)}' is not allowed")

    # ---------------------------------------------------------------- calls

    def _call(self, node: ast.expr, name: str, nodes: list[ast.expr]) -> tree.Expression:
        word, _ = _BUILTINS.get(name, (None, ()))
        function = self._scope.names.get(name, word if name in ("abs", "float") else None)
        arguments = [self.expression(argument) for argument in nodes]
        if word is not None and function is word:
            return self._builtin_call(node, name, arguments)
        if not isinstance(function, FunctionType):
            self._scope.refuse(node, f"'{name}' is no function known here")
        if function in self._callers:
            self._scope.refuse(node, f"'{name}' calls itself")
        routine = self.calls.setdefault(name, self._parse(function, self._callers))
        self._check_arguments(node, name, arguments, tuple(parameter.kind for parameter in routine.signature))
        joined = zip(nodes, arguments, routine.signature, strict=True)
        passed = [part for each in joined for part in self._scope.lowered_argument(*each)]
        if has_shared_array(passed) and has_columns(routine):
            self._scope.refuse(node, f"{name} has two arguments for one array")
        return tree.RoutineCall(routine, tuple(passed), routine.returns)

    def _builtin_call(self, node: ast.expr, name: str, arguments: list[tree.Expression]) -> tree.Expression:
        """Return the call of a word of the language."""
        word, kinds = _BUILTINS[name]
        self._check_arguments(node, name, arguments, kinds)
        first = arguments[0]
        if first.kind == "truth" and not (isinstance(first, tree.Comparison) and first.left.kind == "float"):
            self._scope.refuse(node, f"{name} takes one comparison of floats")
        return tree.BuiltinCall(name, tuple(arguments), "truth" if word is language.some else "float")

    def _check_arguments(
        self, node: ast.expr, name: str, arguments: list[tree.Expression], kinds: tuple[tree.Kind, ...]
    ) -> None:
        if tuple(argument.kind for argument in arguments) != kinds:
            self._scope.refuse(node, f"{name} takes {', '.join(kinds)}")
