"""Declarations that modules begin with: LLVM's functions and those of the C library."""

from __future__ import annotations

from collections.abc import Iterable

from rbd.native.codegen.arithmetic import LIBRARY, declarations, library_symbol
from rbd.native.codegen.column_blocks import panel_widths
from rbd.native.codegen.elementwise_loops import strip_widths
from rbd.native.codegen.ir import Lanes


def module_declarations(widths: set[int]) -> list[str]:
    """Return the declarations for vectors of these widths."""
    most = max(widths)
    panels = {lanes * columns for lanes in widths for columns in panel_widths(lanes, most)}
    taken = {*widths, *strip_widths(most), *panels}
    lines = [line for width in sorted(taken) for line in declarations(Lanes(width))]
    for function, count in LIBRARY.items():
        lines.append(f"declare double @{library_symbol(function)}({', '.join(['double'] * count)})")
    lines += ["declare ptr @rbd_malloc(i64)", "declare void @rbd_free(ptr)"]
    lines.append("declare i64 @llvm.smin.i64(i64, i64)")
    lines.append("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    lines.append("declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1)")
    return lines


def declared(definitions: Iterable[str]) -> list[str]:
    """Return the declarations of functions that another module defines."""
    lines = (line for text in definitions for line in text.splitlines())
    return [f"declare {line[7:-2]}" for line in lines if line.startswith("define ")]
