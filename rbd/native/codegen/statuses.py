"""Statuses of lanes: the first check that fails sets the status; later ones do not change it."""

from __future__ import annotations

from rbd.native.codegen.ir import Lanes, Writer


def first_status(w: Writer, lanes: Lanes, earlier: str, later: str) -> str:
    """Write the status of every lane: the earlier one, or the later one where the earlier one is success."""
    is_clean = w.test(f"eq {lanes.integer} {earlier}, {lanes.integer_constant(0)}")
    return w.assign(f"select {lanes.truth} {is_clean}, {lanes.integer} {later}, {lanes.integer} {earlier}")


def write_positive_check(w: Writer, lanes: Lanes, value: str, status: str) -> None:
    """Write a check that `value` is positive; a lane where it fails gets the status, unless it has one."""
    good = w.assign(f"fcmp ogt {lanes.double} {value}, {lanes.double_constant(0.0)}")
    old = w.load(lanes.integer, "%st", lanes.alignment)
    failed = first_status(w, lanes, old, status)
    kept = w.assign(f"select {lanes.truth} {good}, {lanes.integer} {old}, {lanes.integer} {failed}")
    w.store(lanes.integer, kept, "%st", lanes.alignment)
