"""Tests in IR of whether numbers are finite: 0 x is zero exactly for finite x, and sums of it stay NaN otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from rbd.native.codegen.ir import ATTRIBUTES, Lanes, Writer

_STREAMS = 4
"""Sums that are added to in turn, so that no addition waits for the one before."""
_WIDTHS = (8, 4, 2, 1)
"""Lanes of the vectors that are loaded."""
_WIDEST = _WIDTHS[0]
_GROUP = _STREAMS * _WIDEST
"""Doubles of the widest vectors, one for each sum."""
_DOUBLE_BYTES = 8
"""Alignment of arrays of callers."""
_UNROLLED = 256
"""Doubles of one state tested by straight-line code; more are tested by a loop."""


def any_nonfinite(w: Writer, arrays: list[tuple[str, int]]) -> str:
    """Write a test of whether any of the doubles of these arrays, (pointer, length), is not finite."""
    sums: dict[int, list[str]] = {}
    for pointer, size in arrays:
        groups = size // _GROUP if size > _UNROLLED else 0
        if groups:
            sums.setdefault(_WIDEST, []).extend(_summed_groups(w, Lanes(_WIDEST), pointer, groups, _DOUBLE_BYTES))
        for width, first in _vector_cover(groups * _GROUP, size):
            lanes = Lanes(width)
            zero = _zero_times(w, lanes, w.address(pointer, first), _DOUBLE_BYTES)
            _add_to_stream(w, lanes, sums.setdefault(width, []), zero)
    total = "false"
    for width, streams in sums.items():
        total = w.any_of(total, _any_is_nan(w, Lanes(width), _total(w, Lanes(width), streams)))
    return total


def _add_to_stream(w: Writer, lanes: Lanes, streams: list[str], zero: str) -> None:
    """Write the addition of zero times some numbers to the sum that has waited longest, or begin another sum."""
    if len(streams) < _STREAMS:
        streams.append(zero)
    else:
        streams.append(w.assign(f"fadd {lanes.double} {streams.pop(0)}, {zero}"))


def _vector_cover(start: int, end: int) -> list[tuple[int, int]]:
    """Return vectors, (lanes, first), that cover the doubles from `start` to `end`; the last may overlap."""
    width = next((width for width in _WIDTHS if width <= end), 1)
    starts = [*range(start, end - width + 1, width)]
    if (end - start) % width:
        starts.append(end - width)
    return [(width, first) for first in starts]


def nonfinite_lanes(w: Writer, lanes: Lanes, block: str, ranges: Sequence[range]) -> str:
    """Write a test, per lane, of whether any scalar in these ranges of an interleaved block is not finite."""
    sums = [zero_sum(w, lanes, w.address(block, each.start * lanes.width), len(each)) for each in ranges]
    return not_a_number(w, lanes, _total(w, lanes, sums))


def not_a_number(w: Writer, lanes: Lanes, total: str) -> str:
    """Write a test, per lane, of whether a sum of 0 x is NaN."""
    return w.assign(f"fcmp uno {lanes.double} {total}, {lanes.double_constant(0.0)}")


def zero_sum(w: Writer, lanes: Lanes, block: str, size: int) -> str:
    """Write the sum of 0 x over the `size` scalars x of an interleaved block: of many, by a call of `@zero_sum`."""
    if 0 < size <= _STREAMS:
        places = [w.address(block, index * lanes.width) for index in range(size)]
        return _total(w, lanes, [_zero_times(w, lanes, place, lanes.alignment) for place in places])
    return w.call(lanes.double, "@zero_sum", f"ptr {block}", f"i64 {size}")


def zero_sum_function(lanes: Lanes) -> str:
    """Return `@zero_sum`, for %count scalars."""
    w = Writer()
    w.begin_function(f"{lanes.double} @zero_sum(ptr noalias %block, i64 %count) {ATTRIBUTES}")
    groups = w.assign(f"udiv i64 %count, {_STREAMS}")
    first = _total(w, lanes, _summed_groups(w, lanes, "%block", groups, lanes.alignment))

    def add(index: str, totals: Sequence[str]) -> list[str]:
        place = w.address("%block", w.assign(f"mul i64 {index}, {lanes.width}"))
        return [_total(w, lanes, [*totals, _zero_times(w, lanes, place, lanes.alignment)])]

    rest = w.assign(f"mul i64 {groups}, {_STREAMS}")
    (total,) = w.loop("%count", add, [(lanes.double, first)], start=rest)
    w.end_function(f"{lanes.double} {total}")
    return w.text()


def _any_is_nan(w: Writer, lanes: Lanes, total: str) -> str:
    """Write whether any lane of a sum is NaN."""
    return w.any_lane(lanes, not_a_number(w, lanes, total))


def _zero_times(w: Writer, lanes: Lanes, pointer: str, alignment: int) -> str:
    """Write 0 x for the lanes at `pointer`."""
    value = w.load(lanes.double, pointer, alignment)
    return w.assign(f"fmul {lanes.double} {value}, {lanes.double_constant(0.0)}")


def _total(w: Writer, lanes: Lanes, sums: list[str]) -> str:
    total = sums[0]
    for other in sums[1:]:
        total = w.assign(f"fadd {lanes.double} {total}, {other}")
    return total


def _summed_groups(w: Writer, lanes: Lanes, block: str, groups: int | str, alignment: int) -> list[str]:
    """Write a loop over groups of vectors, one for each stream, that adds up 0 x in separate sums."""
    zero = lanes.double_constant(0.0)

    def group(index: str, sums: Sequence[str]) -> list[str]:
        start = w.address(block, w.assign(f"mul i64 {index}, {_STREAMS * lanes.width}"))
        added: list[str] = []
        for stream, total in enumerate(sums):
            value = w.load(lanes.double, w.address(start, stream * lanes.width), alignment)
            added.append(w.fma(lanes, value, zero, total))
        return added

    return w.loop(groups, group, [(lanes.double, zero)] * _STREAMS)
