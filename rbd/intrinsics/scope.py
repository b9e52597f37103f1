"""Names of one function of the restricted language: parameters, variables, loops, and what is known of them.

Workspaces and matrices are lowered: the field `x` of a workspace `w` is the array `w_x` of the tree, a matrix is an
array with the distance of its rows.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final, NoReturn, final

from rbd.errors import ScalarError
from rbd.intrinsics import tree
from rbd.intrinsics.workspace import Workspace

ENTRIES: Final[dict[tree.Kind, tree.Kind]] = {"floats": "float", "ints": "int"}
"""Kinds of arrays, with that of their entries."""
_KINDS: Final[dict[str, tree.Kind]] = {
    "int": "int",
    "float": "float",
    "Floats": "floats",
    "Ints": "ints",
    "Rows": "rows",
    "None": "nothing",
}
_OWNERS: Final = ("rows", "workspace")


@final
class Scope:
    """Scope of one function: the meaning of names, and the variables that are definitely assigned."""

    def __init__(self, names: Mapping[str, object], file: str, first: int) -> None:
        """Begin without parameters; `names` are those of the module, `first` is the function's line in `file`."""
        self.names, self._file, self._first = names, file, first
        self.kinds: dict[str, tree.Kind] = {}
        """Of parameters and variables."""
        self.defined: set[str] = set()
        self.loops: list[str] = []
        """Variables of the loops around the current statement."""
        self.constants: dict[str, float] = {}
        """Numbers of the module that are read."""
        self._workspaces: dict[str, type[Workspace]] = {}
        self._used: dict[str, set[str]] = {}

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        """Raise the error for `node`."""
        where = f"{self._file}:{self._first + getattr(node, 'lineno', 1) - 1}"
        raise ScalarError(f"{where}: in an intrinsic, {what}", where=where)

    def check_kind(self, node: ast.AST, value: tree.Expression, kind: tree.Kind) -> None:
        """Refuse a value of another kind."""
        if value.kind != kind:
            self.refuse(node, f"'{ast.unparse(node)}' mixes types '{value.kind}' and '{kind}'")

    # ---------------------------------------------------------------- parameters and variables

    def add_parameter(self, argument: ast.arg) -> None:
        """Add a parameter by its annotation."""
        name = argument.arg
        self.kinds[name] = self.annotated_kind(argument, argument.annotation)
        workspace = self._workspace(argument.annotation)
        if workspace is not None:
            self._workspaces[name], self._used[name] = workspace, set()

    def annotated_kind(self, node: ast.AST, annotation: ast.expr | None) -> tree.Kind:
        """Return the kind of a parameter or result."""
        text = "" if annotation is None else ast.unparse(annotation)
        if self._workspace(annotation) is not None:
            return "workspace"
        if text not in _KINDS:
            self.refuse(node, f"'{text}' is no annotation; int, float, Floats, Ints, Rows, workspaces and None are")
        return _KINDS[text]

    def _workspace(self, annotation: ast.expr | None) -> type[Workspace] | None:
        named = self.names.get(annotation.id) if isinstance(annotation, ast.Name) else None
        return named if isinstance(named, type) and issubclass(named, Workspace) else None

    def check_not_reserved(self, node: ast.AST, name: str) -> None:
        """Refuse names that are reserved for workspaces and matrices."""
        owner = next((o for o, kind in self.kinds.items() if kind in _OWNERS and name.startswith(f"{o}_")), None)
        if owner is not None:
            self.refuse(node, f"'{name}' is reserved for the fields of '{owner}'")

    def assign(self, node: ast.AST, name: str, kind: tree.Kind) -> None:
        """Note that a variable is assigned."""
        if name in self.loops or self.kinds.get(name, kind) != kind:
            self.refuse(node, f"'{name}' is a loop's variable or has another type already")
        if kind not in ("float", "int"):
            self.refuse(node, "a variable is a float or an int")
        self.check_not_reserved(node, name)
        self.kinds[name] = kind
        self.defined.add(name)

    def value(self, node: ast.AST, name: str) -> tree.Expression:
        """Return a variable, or a number of the module."""
        if name in self.loops:
            return tree.Name(name, "int")
        if name in self.kinds:
            if name not in self.defined:
                self.refuse(node, f"'{name}' may be unassigned here")
            return tree.Name(name, self.kinds[name])
        number = self.names.get(name)
        if not isinstance(number, (int, float)) or isinstance(number, bool):
            self.refuse(node, f"'{name}' is no variable and no number of the module")
        self.constants[name] = number
        return tree.Number(number, "float" if isinstance(number, float) else "int")

    # ---------------------------------------------------------------- workspaces and matrices

    def is_workspace(self, name: str) -> bool:
        """Return whether a parameter is a workspace."""
        return name in self._workspaces

    def field(self, node: ast.AST, owner: str, field: str) -> tree.Name:
        """Return a field of a workspace, and note that it is used."""
        kind = self._workspaces[owner].layout.fields.get(field)
        if kind is None:
            self.refuse(node, f"{self._workspaces[owner].__name__} has no '{field}'")
        self._used[owner].add(field)
        return tree.Name(f"{owner}_{field}", kind)

    def matrix(self, node: ast.expr, value: tree.Expression) -> tuple[str, tree.Name] | None:
        """Return the array of a matrix and the distance of its rows; None for what is no matrix."""
        if not isinstance(value, tree.Name) or value.kind != "rows":
            return None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = node.value.id
            return value.name, self.field(node, owner, self._workspaces[owner].layout.stride(node.attr))
        return value.name, tree.Name(f"{value.name}_stride", "int")

    def lowered_parameter(self, name: str, kind: tree.Kind) -> tree.Parameter:
        """Return a parameter; the fields of a workspace that are used are in the order of their declaration."""
        workspace = self._workspaces.get(name)
        fields = {} if workspace is None else workspace.layout.fields
        used = [tree.Name(field, kind) for field, kind in fields.items() if field in self._used[name]]
        return tree.Parameter(name, kind, workspace, tuple(used))

    def lowered_argument(
        self, node: ast.expr, argument: tree.Expression, parameter: tree.Parameter
    ) -> list[tree.Expression]:
        """Return the lowered arguments of a call for one argument."""
        if parameter.workspace is not None and isinstance(argument, tree.Name):
            if not issubclass(self._workspaces[argument.name], parameter.workspace):
                self.refuse(node, f"'{argument.name}' is no {parameter.workspace.__name__}")
            fields = [self.field(node, argument.name, field.name) for field in parameter.fields]
            return [tree.Name(field.name, tree.lowered_kind(field.kind)) for field in fields]
        matrix = self.matrix(node, argument)
        return [argument] if matrix is None else [tree.Name(matrix[0], "floats"), matrix[1]]
