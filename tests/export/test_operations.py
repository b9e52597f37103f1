"""One table of operations: every row keeps one contract, an added row is an operation, no other file needs to know."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rbd.program.opcodes import FUSED, WITHOUT_SIGNS, Op

from . import operation_contract as contract

PACKAGE = Path(__file__).parents[2] / "rbd"
FUNCTIONS = [op for op in Op if op not in (Op.CALL, Op.PICK)]
each_function = pytest.mark.parametrize("op", FUNCTIONS, ids=lambda op: op.name)


@each_function
def test_float_interpreter_machine_code_and_c_say_the_same_bits(op: Op, tmp_path: Path) -> None:
    contract.check_bits(op, tmp_path)


@each_function
def test_the_meaning_is_that_of_exact_numbers(op: Op) -> None:
    contract.check_meaning(op)


@each_function
def test_the_derivative_is_the_limit_of_difference_quotients(op: Op) -> None:
    contract.check_derivative(op)


@each_function
def test_sympy_means_the_same(op: Op) -> None:
    contract.check_sympy(op)


@each_function
def test_listings_name_operands(op: Op) -> None:
    contract.check_listing(op)


@each_function
def test_rows_are_filled(op: Op) -> None:
    row = op.row
    assert row.number == op
    assert row.operand_types
    assert row.listing
    assert row.c
    assert row.evaluate_float.__name__ != "_no_function"
    assert row.evaluate.__name__ != "_no_function"
    assert (row.local_derivatives is None) == (row.result_type == "c")
    assert bool(row.llvm_ir or row.library) == bool(row.counted) == (op != Op.POSITIVE)


NUMBERS = {
    1: "ADD",
    2: "SUB",
    3: "MUL",
    4: "DIV",
    5: "NEG",
    6: "ABS",
    7: "SQRT",
    10: "FMA",
    11: "FMS",
    12: "FNMA",
    13: "FNMS",
    20: "SIN",
    21: "COS",
    22: "TAN",
    23: "ASIN",
    24: "ACOS",
    25: "ATAN2",
    26: "EXP",
    27: "LOG",
    28: "POWER",
    29: "TANH",
    40: "LESS",
    41: "LESS_EQUAL",
    42: "AND",
    43: "OR",
    44: "NOT",
    50: "SELECT",
    51: "POSITIVE",
    52: "CALL",
    53: "PICK",
}


def test_numbers_stay() -> None:
    assert {int(op): op.name for op in Op if op <= max(NUMBERS)} == NUMBERS
    assert all(op < 60 for op in Op)


def test_signs() -> None:
    assert FUSED == {(1, 1): Op.FMA, (1, -1): Op.FMS, (-1, 1): Op.FNMA, (-1, -1): Op.FNMS}
    assert WITHOUT_SIGNS == {Op.SUB: Op.ADD, Op.FMS: Op.FMA, Op.FNMA: Op.FMA, Op.FNMS: Op.FMA}


# -- an operation that is added ---------------------------------------------------------------------------------------

ADDED = """
    SQUARE = ProgramOperation(
        54,
        operand_types="x",
        evaluate_float=lambda x: x * x,
        evaluate=lambda x: x * x,
        local_derivatives=factors(lambda x, y: (2 * x,)),
        listing="square({})",
        counted=("square",),
        llvm_ir=("fmul {double} {0}, {0}",),
        c="{0} * {0}",
    )
    ATAN = library_function(55, "atan", lambda x: f.atan2(x, 1), math.atan, lambda x, y: (f.divide(1, 1 + x * x),))
"""
SCRIPT = f"""
import importlib.machinery, sys
from pathlib import Path

class Amended(importlib.machinery.SourceFileLoader):
    def path_stats(self, path):
        raise OSError("no cached bytecode")

    def get_data(self, path):
        text = super().get_data(path).decode()
        assert text.count("    CALL = 52\\n") == 1
        return text.replace("    CALL = 52\\n", {ADDED!r} + "    CALL = 52\\n").encode()

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "rbd.program.opcodes":
            return None
        place = str(Path(path[0]) / "opcodes.py")
        return importlib.machinery.ModuleSpec(name, Amended(name, place), origin=place)

sys.meta_path.insert(0, Finder)
from rbd.program.opcodes import Op
from tests.export.operation_contract import check_all
for op in (Op.SQUARE, Op.ATAN, Op.MUL):
    check_all(op, Path(sys.argv[1]))
    print(op.name)
"""


def test_an_operation_is_added_in_one_place(tmp_path: Path) -> None:
    environment = {**os.environ, "RBD_CACHE": "0", "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=PACKAGE.parent, check=False)
    assert done.stdout.split() == ["SQUARE", "ATAN", "MUL"], done.stderr


# -- who names single operations --------------------------------------------------------------------------------------

PROGRAM = {"POSITIVE", "CALL", "PICK"}
"""A check stops the program, a call has many operands and outputs: no functions of numbers."""
PAIRS = {"SIN", "COS"}
"""Machine code computes them together."""
NAMED = {
    "program/opcodes.py": ({"POSITIVE", "PICK", "CALL"}, "the table itself"),
    "program/nodes.py": ({"ADD", "SUB", "MUL", "DIV", "NEG", "SELECT", *PROGRAM}, "kinds that simplification asks for"),
    "program/recorded.py": ({"ADD", "SUB", "MUL", "DIV", "NEG", "POSITIVE"}, "arithmetic is simplified while recorded"),
    "program/recorded_condition.py": ({"AND", "OR", "NOT"}, "conditions are simplified while recorded"),
    "program/recorded_family.py": (
        {"LESS", "LESS_EQUAL", "NOT", "ABS", "POWER", "NEG", "SELECT", *PROGRAM},
        "functions with a rule of their own while recorded",
    ),
    "program/lowering.py": (
        {"ADD", "SUB", "MUL", "DIV", "NEG", "SELECT", *PROGRAM},
        "negations and products move into sums; nodes with constants become instructions",
    ),
    "program/interpret.py": (PROGRAM, "what stops a program, or is no function of numbers"),
    "program/listing.py": (PROGRAM, "labels and calls are shown"),
    "program/replay.py": (PROGRAM, "labels and calls are handed on"),
    "program/sweeps.py": ({"CALL", "PICK"}, "intrinsics have derivatives of their own"),
    "program/rolling.py": ({"CALL", "PICK"}, "no part of a loop"),
    "native/codegen/bounds.py": (
        {"ADD", "SUB", "MUL", "NEG", "ABS", "SQRT", "FMA", "FMS", "FNMA", "FNMS"},
        "operations whose results are not finite where an operand is not",
    ),
    "native/codegen/ordering.py": (
        {"DIV", "SQRT"} | PROGRAM | PAIRS,
        "latencies; checks and calls, which keep their order",
    ),
    "native/codegen/program_functions.py": (PROGRAM | PAIRS, "checks and calls; sine and cosine share their reduction"),
    "native/codegen/function_split.py": ({"PICK"} | PAIRS, "results of calls; sine and cosine share their reduction"),
    "native/codegen/call_slots.py": ({"CALL", "PICK"}, "the memory of calls"),
    "native/codegen/value_slots.py": ({"CALL", "PICK"}, "results of calls are in the memory of calls"),
    "native/codegen/loops.py": ({"POSITIVE"} | PAIRS, "checks; sine and cosine share their reduction"),
    "native/codegen/loop_operands.py": (
        {"CALL", "POSITIVE"} | PAIRS,
        "calls and labels; angles taken before the loop",
    ),
    "native/codegen/inlining.py": (
        {"ADD", "FMA", "FNMA", *PROGRAM},
        "what an intrinsic that is written out may compute",
    ),
    "native/codegen/sinking.py": ({"CALL", "PICK", "POSITIVE"} | PAIRS, "what stays where it is"),
    "native/builtins/fused.py": (
        {"FMA", "FMS", "FNMA", "FNMS"},
        "builtins for the interpreter, which has no such function",
    ),
    "export/c_function.py": (PAIRS, "sine and cosine share their reduction"),
    "export/c_body.py": (PROGRAM, "checks and calls are statements"),
    "export/expressions.py": ({"POSITIVE"}, "checks are left out"),
    "bench/peers/casadi.py": (
        {
            *[
                "ADD",
                "SUB",
                "MUL",
                "DIV",
                "NEG",
                "SQRT",
                "ABS",
                "SIN",
                "COS",
                "LESS",
                "LESS_EQUAL",
                "AND",
                "OR",
                "NOT",
                "SELECT",
                "POSITIVE",
            ]
        },
        "the words of another library",
    ),
}
"""Files that name single operations, which ones, and why; adding an operation changes none of them."""


def named(path: Path) -> set[str]:
    """Return the operations a file names, as `Op.NAME` or by a name imported from the kinds of nodes."""
    found = set[str]()
    text = path.read_text(encoding="utf-8")
    if "rbd.program.opcodes" not in text and "rbd.program.nodes" not in text and path.name != "opcodes.py":
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Op":
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom) and node.module == "rbd.program.nodes":
            found |= {alias.name for alias in node.names}
    return found & set(Op.__members__)


def test_only_structure_names_single_operations() -> None:
    files = {path.relative_to(PACKAGE).as_posix(): named(path) for path in PACKAGE.rglob("*.py")}
    assert {name: ops for name, ops in files.items() if ops} == {name: ops for name, (ops, _) in NAMED.items()}
