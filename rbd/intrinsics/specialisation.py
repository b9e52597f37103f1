"""Specialisation of an intrinsic to the sizes and tables of one call: partial evaluation of its tree.

Ints that are known are replaced by their values, and loops over known ranges are unrolled, so that only operations on
floats are left; `while` stays a loop, in which what it counts is not known. An entry that is stored and read again in
straight-line code stays a variable; only its last value is stored. Operations and their order are those of the loops,
and so are the bits. A function that becomes too long stays as it is; so does one that gets an array under two names and
writes to arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias, final

import attrs

from rbd.intrinsics import tree
from rbd.intrinsics.dependence_analysis import has_shared_array
from rbd.intrinsics.evaluation_order import writes
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.traversal import assigned_names

MAX_STATEMENTS: Final = 4000
"""Statements of an unrolled function, at most."""

KnownValue: TypeAlias = "int | tuple[int, ...]"
"""The value of an int, or of a table."""
_SpecialisationCache: TypeAlias = "dict[tuple[int, tuple[tuple[str, KnownValue], ...]], tree.Routine]"
"""Functions by what they were specialised to."""
_INT_COMPARISONS: Final = {
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "==": int.__eq__,
    "!=": int.__ne__,
}


@lru_cache(maxsize=16)
def specialised_to(intrinsic: Intrinsic, sizes: tuple[int, ...]) -> tree.Routine:
    """Return the function of an intrinsic, with the same parameters, for the sizes and tables of a call."""
    workspace = intrinsic.routine.signature[0].name
    values: dict[str, KnownValue] = {**intrinsic.layout.integer_arguments(sizes), **intrinsic.layout.tables(sizes)}
    return _specialised(intrinsic.routine, {f"{workspace}_{name}": value for name, value in values.items()}, {})


def _specialised(routine: tree.Routine, known: Mapping[str, KnownValue], cache: _SpecialisationCache) -> tree.Routine:
    """Return a function with the same parameters for known ints and tables; itself if that is too long."""
    key = id(routine), tuple(sorted(known.items(), key=lambda item: item[0]))
    if key not in cache:
        try:
            special = _Specialiser(routine, known, cache).routine()
            taken = {each.name for each in cache.values()}
            cache[key] = (
                attrs.evolve(special, name=f"{special.name}_{len(cache)}") if special.name in taken else special
            )
        except _NotSpecialisedError:
            cache[key] = routine
    return cache[key]


class _NotSpecialisedError(Exception):
    """Raised where a function cannot be specialised."""


class _ArrayEntry(NamedTuple):
    """An entry of an array."""

    array: str
    offset: int


@final
class _Specialiser:
    """Specialises one function."""

    def __init__(self, routine: tree.Routine, known: Mapping[str, KnownValue], cache: _SpecialisationCache) -> None:
        self.old, self.known, self.cache = routine, dict(known), cache
        self.out: list[tree.Statement] = []
        self.stored: dict[_ArrayEntry, tree.Name] = {}
        self.variables: list[tree.Name] = []
        self.calls: dict[str, tree.Routine] = {}
        self.count = 0

    def routine(self) -> tree.Routine:
        """Return the function."""
        old = self.old
        body = self.block(old.body)
        variables, calls = (*old.variables, *self.variables), tuple(self.calls.values())
        special = tree.Routine(old.name, old.signature, old.returns, body, variables, old.source, calls, old.constants)
        if special.ambiguous_name:  # one function, specialised in two ways
            raise _NotSpecialisedError
        return special

    def block(self, statements: tree.Block) -> tree.Block:
        """Return a block of its own, at whose end everything is stored, and the ints that it assigns are variables."""
        before, self.out = self.out, []
        self._statements(statements)
        if not self._has_returned():
            self._forget(assigned_names(statements))
            self._store_all()
        written, self.out = tuple(self.out), before
        return written

    def _statements(self, statements: tree.Block) -> None:
        for statement in statements:
            if not self._has_returned():
                self._statement(statement)

    def _has_returned(self) -> bool:
        """Return whether the block ends here, in an unrolled loop or a branch that is known."""
        return bool(self.out) and isinstance(self.out[-1], tree.Return)

    def _add(self, statement: tree.Statement) -> None:
        self.count += 1
        if self.count > MAX_STATEMENTS:
            raise _NotSpecialisedError
        self.out.append(statement)

    def _store_all(self, array: str | None = None) -> None:
        """Write the stores that were put off, of one array or of all."""
        for entry in [entry for entry in self.stored if array in (None, entry.array)]:
            self._add(tree.Store(entry.array, tree.Number(entry.offset, "int"), self.stored.pop(entry)))

    # --- statements ---------------------------------------------------------------------------------------------------

    def _statement(self, statement: tree.Statement) -> None:
        match statement:
            case tree.Assign(name, value):
                self._assign(name, self._expression(value))
            case tree.Store(array, index, value):
                self._store(array, self._expression(index), self._expression(value))
            case tree.Return(value):
                result = None if value is None else self._expression(value)
                self._store_all()
                self._add(tree.Return(result))
            case tree.ExpressionStatement(call):
                self._add(tree.ExpressionStatement(self._routine_call(call)))
            case _:
                self._control(statement)

    def _control(self, statement: tree.Statement) -> None:
        match statement:
            case tree.For(variable, start, stop, step, body):
                for value in range(self._int(start), self._int(stop), step):
                    self.known[variable] = value
                    self._statements(body)
                self.known.pop(variable, None)
            case tree.While(condition, body):
                self._while(condition, body)
            case tree.If(condition, then, otherwise):
                self._if(self._expression(condition), then, otherwise)
            case _:
                raise _NotSpecialisedError

    def _while(self, condition: tree.Expression, body: tree.Block) -> None:
        """Keep a loop; what it changes is not known in it and behind it."""
        self._store_all()
        self._forget(assigned_names(body))
        test = self._expression(condition)
        frozen = set(self.known)
        inside = self.block(body)
        self.known = {name: value for name, value in self.known.items() if name in frozen}
        self._add(tree.While(test, inside))

    def _if(self, condition: tree.Expression, then: tree.Block, otherwise: tree.Block) -> None:
        """Take the branch that is known, or keep both; then what they change is not known behind them."""
        if isinstance(condition, tree.Number):
            self._statements(then if condition.value else otherwise)
            return
        self._store_all()
        self._forget(assigned_names((*then, *otherwise)))
        frozen, ways = dict(self.known), list[tree.Block]()
        for block in (then, otherwise):
            self.known = dict(frozen)
            ways.append(self.block(block))
        self.known = frozen
        self._add(tree.If(condition, *ways))

    def _forget(self, names: Sequence[str]) -> None:
        """Materialise known ints as variables."""
        for name in names:
            if name in self.known:
                self._add(tree.Assign(name, tree.Number(self._value(name), "int")))
                del self.known[name]

    def _assign(self, name: str, value: tree.Expression) -> None:
        if value.kind == "int" and isinstance(value, tree.Number):
            self.known[name] = int(value.value)
            return
        self.known.pop(name, None)
        self._add(tree.Assign(name, value))

    def _store(self, array: str, index: tree.Expression, value: tree.Expression) -> None:
        if value.kind != "float":
            raise _NotSpecialisedError
        if not isinstance(index, tree.Number):
            self._store_all(array)
            self._add(tree.Store(array, index, value))
            return
        name = tree.Name(f"{array}.{len(self.variables)}", "float")  # no name that a function can have
        self.variables.append(name)
        self._add(tree.Assign(name.name, value))
        self.stored[_ArrayEntry(array, int(index.value))] = name

    # --- expressions --------------------------------------------------------------------------------------------------

    def _int(self, node: tree.Expression) -> int:
        number = self._expression(node)
        if not isinstance(number, tree.Number):
            raise _NotSpecialisedError
        return int(number.value)

    def _expression(self, node: tree.Expression) -> tree.Expression:
        match node:
            case tree.Name(name, "int") if isinstance(self.known.get(name), int):
                return tree.Number(self._value(name), "int")
            case tree.Load(array, index, kind):
                return self._entry(array, self._expression(index), kind)
            case tree.RowPointer(array, index):
                return tree.RowPointer(array, self._expression(index))
            case tree.Comparison() | tree.BoolOp() | tree.Not():
                return self._condition(node)
            case tree.Name() | tree.Number():
                return node
            case _:
                return self._computed(node)

    def _computed(self, node: tree.Negate | tree.Arithmetic | tree.BuiltinCall | tree.RoutineCall) -> tree.Expression:
        match node:
            case tree.Negate(operand, kind):
                return _negative(self._expression(operand), kind)
            case tree.Arithmetic(operator, left, right, kind):
                return _arithmetic(operator, self._expression(left), self._expression(right), kind)
            case tree.BuiltinCall(name, arguments, kind):
                return _builtin_call(name, tuple(map(self._expression, arguments)), kind)
            case tree.RoutineCall():
                return self._routine_call(node)

    def _condition(self, node: tree.Comparison | tree.BoolOp | tree.Not) -> tree.Expression:
        match node:
            case tree.Comparison(operator, left, right):
                return _comparison(operator, self._expression(left), self._expression(right))
            case tree.BoolOp(operator, operands):
                return self._bool_op(operator, operands)
            case tree.Not(operand):
                condition = self._expression(operand)
                return _truth(not condition.value) if isinstance(condition, tree.Number) else tree.Not(condition)

    def _bool_op(self, operator: Literal["and", "or"], operands: Sequence[tree.Expression]) -> tree.Expression:
        """Return joined conditions without those that are known; those behind the deciding one are not looked at."""
        kept: list[tree.Expression] = []
        for part in operands:
            condition = self._expression(part)
            if not isinstance(condition, tree.Number):
                kept.append(condition)
            elif bool(condition.value) == (operator == "or"):
                kept.append(condition)
                break
        if not kept:
            return _truth(operator == "and")
        if len(kept) > 1 and isinstance(kept[-1], tree.Number):
            raise _NotSpecialisedError  # decided, but behind what is not known
        return kept[0] if len(kept) == 1 else tree.BoolOp(operator, tuple(kept))

    def _value(self, name: str) -> int:
        value = self.known[name]
        assert isinstance(value, int)
        return value

    def _entry(self, array: str, index: tree.Expression, kind: tree.Kind) -> tree.Expression:
        table = self.known.get(array)
        if not isinstance(index, tree.Number):
            self._store_all(array)
            return tree.Load(array, index, kind)
        if isinstance(table, tuple):
            return tree.Number(table[int(index.value)], "int")
        return self.stored.get(_ArrayEntry(array, int(index.value)), tree.Load(array, index, kind))

    def _routine_call(self, call: tree.RoutineCall) -> tree.RoutineCall:
        """Return a call of the specialised function; arrays are as they must be when it begins.

        The entries of an array that the function has under two names, and writes, are no variables in it.
        """
        passed = tuple(map(self._expression, call.arguments))
        self._store_all()
        known = self._known_parameters(call.routine.parameters, passed)
        shared = has_shared_array(passed) and writes(call.routine)
        routine = call.routine if shared else _specialised(call.routine, known, self.cache)
        if self.calls.setdefault(routine.name, routine) is not routine:
            raise _NotSpecialisedError
        return tree.RoutineCall(routine, passed, call.kind)

    def _known_parameters(
        self, parameters: Sequence[tree.Name], passed: Sequence[tree.Expression]
    ) -> dict[str, KnownValue]:
        """Return the known values of the parameters of a called function."""
        known: dict[str, KnownValue] = {}
        for parameter, value in zip(parameters, passed, strict=True):
            match value:
                case tree.Number(number, "int"):
                    known[parameter.name] = int(number)
                case tree.Name(name, "ints") if name in self.known:
                    known[parameter.name] = self.known[name]
                case _:
                    pass
        return known


def _negative(operand: tree.Expression, kind: tree.Kind) -> tree.Expression:
    is_known = kind == "int" and isinstance(operand, tree.Number)
    return tree.Number(-operand.value, "int") if is_known else tree.Negate(operand, kind)  # type: ignore[union-attr]  # a number


def _arithmetic(operator: str, left: tree.Expression, right: tree.Expression, kind: tree.Kind) -> tree.Expression:
    if kind == "int" and isinstance(left, tree.Number) and isinstance(right, tree.Number):
        a, b = int(left.value), int(right.value)
        return tree.Number(a + b if operator == "+" else a - b if operator == "-" else a * b, "int")
    return tree.Arithmetic(operator, left, right, kind)  # type: ignore[arg-type]  # the operator of an expression


def _builtin_call(name: str, arguments: tuple[tree.Expression, ...], kind: tree.Kind) -> tree.Expression:
    if name == "float" and isinstance(arguments[0], tree.Number):
        return tree.Number(float(arguments[0].value), "float")
    return tree.BuiltinCall(name, arguments, kind)


def _comparison(operator: str, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    if left.kind == "int" and isinstance(left, tree.Number) and isinstance(right, tree.Number):
        return _truth(_INT_COMPARISONS[operator](int(left.value), int(right.value)))
    return tree.Comparison(operator, left, right)  # type: ignore[arg-type]  # the operator of an expression


def _truth(value: bool) -> tree.Number:
    return tree.Number(value, "truth")
