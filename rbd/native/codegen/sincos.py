"""Sine and cosine for W lanes as LLVM IR: the operations of `rbd.scalars.sincos`.

Angles beyond the range of the argument reduction, infinities and NaN are computed by the C library, lane by lane.
"""

from __future__ import annotations

from rbd.native.codegen.ir import Lanes, Writer, attributes
from rbd.scalars import sincos as reference


def sincos_call(w: Writer, lanes: Lanes, angle: str) -> tuple[str, str]:
    """Write a call of the function for these lanes; return the names of sine and cosine."""
    pair = _pair(lanes)
    result = w.call(pair, f"@sincos{lanes.width}", f"{lanes.double} {angle}")
    return w.assign(f"extractvalue {pair} {result}, 0"), w.assign(f"extractvalue {pair} {result}, 1")


def _pair(lanes: Lanes) -> str:
    return f"{{{lanes.double}, {lanes.double}}}"


def sincos_function(lanes: Lanes, linkage: str = "") -> str:
    """Return the definition of {T, T} @sincosW(T)."""
    w = Writer()
    w.begin_function(f"{linkage}{_pair(lanes)} @sincos{lanes.width}({lanes.double} %x) {attributes(lanes.width)}")
    sine, cosine = _fast(w, lanes)
    size = w.call(lanes.double, lanes.llvm_function("fabs"), f"{lanes.double} %x")
    near = w.assign(f"fcmp ole {lanes.double} {size}, {lanes.double_constant(reference.LIMIT)}")
    _return_if_near(w, lanes, near, sine, cosine)
    for lane in range(lanes.width):
        sine, cosine = _library_lane(w, lanes, near, sine, cosine, lane)
    _return_pair(w, lanes, sine, cosine)
    w.add("}")
    return w.text()


def _fast(w: Writer, lanes: Lanes) -> tuple[str, str]:
    """Write the operations of the reference, and the selection by quadrant."""

    def write(operation: str, *values: str) -> str:
        if operation == "fma":
            return w.fma(lanes, *values)
        return w.assign(f"f{operation} {lanes.double} {', '.join(values)}")

    shifted, sine, cosine = reference.emit_sincos("%x", write, lanes.double_constant)
    return _by_quadrant(w, lanes, shifted, sine, cosine)


def _by_quadrant(w: Writer, lanes: Lanes, shifted: str, sine: str, cosine: str) -> tuple[str, str]:
    """Exchange sine and cosine in odd quadrants and set their signs; the quadrant is in the low bits of `shifted`."""
    bits = w.assign(f"bitcast {lanes.double} {shifted} to {lanes.integer}")
    low = w.assign(f"and {lanes.integer} {bits}, {lanes.integer_constant(1)}")
    odd = w.test(f"ne {lanes.integer} {low}, {lanes.integer_constant(0)}")
    s = w.assign(f"select {lanes.truth} {odd}, {lanes.double} {cosine}, {lanes.double} {sine}")
    c = w.assign(f"select {lanes.truth} {odd}, {lanes.double} {sine}, {lanes.double} {cosine}")
    following = w.assign(f"add {lanes.integer} {bits}, {lanes.integer_constant(1)}")
    return _signed(w, lanes, s, bits), _signed(w, lanes, c, following)


def _signed(w: Writer, lanes: Lanes, value: str, quadrant: str) -> str:
    """Return `value` negated where bit 1 of the quadrant is set."""
    shifted = w.assign(f"shl {lanes.integer} {quadrant}, {lanes.integer_constant(62)}")
    sign = w.assign(f"and {lanes.integer} {shifted}, {lanes.integer_constant(-(2**63))}")
    number = w.assign(f"bitcast {lanes.double} {value} to {lanes.integer}")
    return w.assign(f"bitcast {lanes.integer} {w.assign(f'xor {lanes.integer} {number}, {sign}')} to {lanes.double}")


def _return_if_near(w: Writer, lanes: Lanes, near: str, sine: str, cosine: str) -> None:
    """Write the return of the results if all lanes are in range, and begin the slow path."""
    w.branch(w.all_lanes(lanes, near), "near", "far")
    w.begin_block("near")
    _return_pair(w, lanes, sine, cosine)
    w.begin_block("far")


def _return_pair(w: Writer, lanes: Lanes, sine: str, cosine: str) -> None:
    pair = _pair(lanes)
    first = w.assign(f"insertvalue {pair} poison, {lanes.double} {sine}, 0")
    w.ret(f"{pair} {w.assign(f'insertvalue {pair} {first}, {lanes.double} {cosine}, 1')}")


def _library_lane(w: Writer, lanes: Lanes, near: str, sine: str, cosine: str, lane: int) -> tuple[str, str]:
    """Write the C library's results into one lane, if it is out of range."""
    if lanes.width == 1:
        return w.call("double", "@rbd_sin", "double %x"), w.call("double", "@rbd_cos", "double %x")
    angle = w.assign(f"extractelement {lanes.double} %x, i64 {lane}")
    keep = w.assign(f"extractelement {lanes.truth} {near}, i64 {lane}")
    results: list[str] = []
    for name, fast in (("sin", sine), ("cos", cosine)):
        slow = w.call("double", f"@rbd_{name}", f"double {angle}")
        before = w.assign(f"extractelement {lanes.double} {fast}, i64 {lane}")
        value = w.select("double", keep, before, slow)
        results.append(w.assign(f"insertelement {lanes.double} {fast}, double {value}, i64 {lane}"))
    return results[0], results[1]
