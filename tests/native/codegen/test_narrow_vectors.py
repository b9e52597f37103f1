"""Widths of vectors in machine code for one state: wide ones only where whole loops are vectors."""

from __future__ import annotations

import re

import pytest
from llvmlite.binding import create_context, parse_assembly

import rbd
from rbd.bench.contender import Quantity
from rbd.bench.rbd_engine import program
from rbd.native.codegen.ir import NARROW, Lanes, attributes
from rbd.native.codegen.plan import make_plan
from rbd.native.codegen.program_functions import program_functions
from rbd.native.compiled_program import batch_module, single_module
from rbd.native.runtime import jit
from rbd.native.shared_functions import shared_rows, shared_sines

pytestmark = pytest.mark.optimised

WIDE = 8
"""Lanes of vectors of 512 bits, which cost scalar instructions around them a port."""


def functions(text: str) -> dict[str, str]:
    """Return the attributes of the functions of a module by name."""
    words = r'(?:noinline )?(?:"stackrealign" )?(nounwind .*)'
    return dict(re.findall(rf"^define .*?@(\w+)\(.*\) {words} \{{$", text, re.MULTILINE))


def require_no_wide_register(text: str) -> None:
    assembly = jit.target_machine().emit_assembly(parse_assembly(text, create_context()))
    assert "xmm" in assembly or "x86" not in jit.host_processor().triple
    assert "zmm" not in assembly


@pytest.mark.parametrize("quantity", [Quantity.POSES, Quantity.INVERSE, Quantity.MASS, Quantity.FORWARD])
def test_machine_code_for_one_state_has_no_wide_register(quantity: Quantity) -> None:
    require_no_wide_register(single_module(program(rbd.robots.arm7(), quantity)))


def test_sines_of_one_state_have_no_wide_register() -> None:
    require_no_wide_register(shared_sines().text())


def test_seven_sines_of_one_state_are_two_narrow_calls() -> None:
    plan = make_plan(program(rbd.robots.arm7(), Quantity.INVERSE))
    text = "".join(program_functions(plan, Lanes(1), "one", WIDE)[1])
    assert text.count(f"@sincos{NARROW}(") == 2
    assert f"@sincos{WIDE}(" not in text


def test_only_loops_of_intrinsics_may_be_wide() -> None:
    found = functions(single_module(program(rbd.robots.four_bar(), Quantity.FORWARD)))
    wide = {name for name, words in found.items() if words == attributes(WIDE)}
    assert wide
    assert all(name.startswith("intrinsic_") for name in wide)
    assert found["single"] == found["one_0"] == attributes(1)


def test_rows_fill_the_widest_registers() -> None:
    found = functions(batch_module(program(rbd.robots.arm7(), Quantity.INVERSE), WIDE))
    shared = functions(shared_rows(WIDE).text())
    assert found["wide_0"] == shared[f"sincos{WIDE}"] == shared["read_columns"] == attributes(WIDE)


def test_functions_of_rows_align_the_vectors_that_they_store_on_the_stack() -> None:
    text = batch_module(program(rbd.robots.arm7(), Quantity.FORWARD), WIDE)
    heads = [line for line in text.splitlines() if line.startswith("define internal void @wide_")]
    assert heads
    assert all("stackrealign" in head for head in heads)
    module = parse_assembly(text, create_context())
    assembly = jit.target_machine().emit_assembly(module)
    functions_of_rows = re.findall(r"^wide_\w+:(.*?)^\s+ret", assembly, re.M | re.S)
    assert len(functions_of_rows) == len(heads)
    assert not any(re.search(r"vmovup\w\s+%[yz]mm\d+, -?\d*\(%rsp\)", body) for body in functions_of_rows)


def test_functions_of_one_state_leave_the_stack_as_it_is() -> None:
    assert "stackrealign" not in single_module(program(rbd.robots.arm7(), Quantity.FORWARD))
