"""Sine and cosine together, for W lanes: the same reduction and polynomials as `rbd.scalars.sincos`, in the same order.

Room: native; knows nothing of robots. May import: errors and scalars. Angles beyond the range of the reduction,
infinities and NaN take a cold path to the C library, lane by lane; the other lanes keep what they have.
"""

from __future__ import annotations

from rbd.native.ir import ATTRIBUTES, Lanes, Writer
from rbd.scalars import sincos as reference


def sincos_call(w: Writer, lanes: Lanes, angle: str) -> tuple[str, str]:
    """Write a call of the function for these lanes; return the names of sine and cosine."""
    pair = _pair(lanes)
    result = w.set(f"call {pair} @sincos{lanes.width}({lanes.double} {angle})")
    return w.set(f"extractvalue {pair} {result}, 0"), w.set(f"extractvalue {pair} {result}, 1")


def _pair(lanes: Lanes) -> str:
    return f"{{{lanes.double}, {lanes.double}}}"


class _Arithmetic:
    """Short words for the formulas below."""

    def __init__(self, w: Writer, lanes: Lanes) -> None:
        self.w, self.lanes = w, lanes

    def fma(self, a: str, b: str, c: str) -> str:
        d = self.lanes.double
        return self.w.set(f"call {d} {self.lanes.intrinsic('fma')}({d} {a}, {d} {b}, {d} {c})")

    def op(self, name: str, a: str, b: str) -> str:
        return self.w.set(f"{name} {self.lanes.double} {a}, {b}")

    def neg(self, a: str) -> str:
        return self.w.set(f"fneg {self.lanes.double} {a}")

    def number(self, value: float) -> str:
        return self.lanes.number(value)

    def integer(self, name: str, a: str, b: str) -> str:
        return self.w.set(f"{name} {self.lanes.integer} {a}, {b}")

    def horner(self, z: str, coefficients: tuple[float, ...]) -> str:
        """Return the polynomial with these coefficients, lowest power first."""
        value = self.number(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            value = self.fma(z, value, self.number(coefficient))
        return value


def sincos_function(lanes: Lanes) -> str:
    """Return the definition of {T, T} @sincosW(T)."""
    w = Writer()
    w.add(f"define internal {_pair(lanes)} @sincos{lanes.width}({lanes.double} %x) noinline {ATTRIBUTES} {{")
    a = _Arithmetic(w, lanes)
    sine, cosine = _fast(a)
    size = w.set(f"call {lanes.double} {lanes.intrinsic('fabs')}({lanes.double} %x)")
    near = w.set(f"fcmp ole {lanes.double} {size}, {lanes.number(reference.LIMIT)}")
    _return_if_near(w, lanes, near, sine, cosine)
    for lane in range(lanes.width):
        sine, cosine = _library_lane(w, lanes, near, sine, cosine, lane)
    _return_pair(w, lanes, sine, cosine)
    w.add("}")
    return w.text()


def _fast(a: _Arithmetic) -> tuple[str, str]:
    """Write reduction to [-pi/4, pi/4] in three parts with its tail, both polynomials, and the choice by quadrant."""
    shifted = a.fma("%x", a.number(reference.TWO_OVER_PI), a.number(reference.ROUNDER))
    turns = a.neg(a.op("fsub", shifted, a.number(reference.ROUNDER)))
    r, tail = _reduced(a, turns)
    z = a.op("fmul", r, r)
    sine = a.op("fadd", r, a.fma(a.op("fmul", z, r), a.horner(z, reference.SINE), tail))
    cosine = _cosine(a, z, r, tail)
    return _by_quadrant(a, shifted, sine, cosine)


def _reduced(a: _Arithmetic, turns: str) -> tuple[str, str]:
    """Write the angle plus `turns` times pi/2, and what rounding that lost."""
    p1, p2, p3, p4 = (a.number(part) for part in (reference.P1, reference.P2, reference.P3, reference.P4))
    r1 = a.fma(turns, p1, "%x")
    r2 = a.fma(turns, p2, r1)
    third = a.op("fmul", turns, p3)
    r = a.op("fadd", r2, third)
    crumb = a.fma(turns, p4, a.fma(turns, p3, a.neg(third)))
    lost = a.op("fadd", a.op("fadd", a.op("fsub", r2, r), third), crumb)
    return r, a.op("fadd", a.fma(turns, p2, a.op("fsub", r1, r2)), lost)


def _cosine(a: _Arithmetic, z: str, r: str, tail: str) -> str:
    half = a.op("fmul", z, a.number(0.5))
    w = a.op("fsub", a.number(1.0), half)
    lost = a.op("fsub", a.op("fsub", a.number(1.0), w), half)
    corrected = a.fma(a.neg(r), tail, lost)
    return a.op("fadd", w, a.fma(a.op("fmul", z, z), a.horner(z, reference.COSINE), corrected))


def _by_quadrant(a: _Arithmetic, shifted: str, sine: str, cosine: str) -> tuple[str, str]:
    """Exchange sine and cosine in odd quadrants and set their signs; the quadrant is in the low bits of `shifted`."""
    lanes, w = a.lanes, a.w
    bits = w.set(f"bitcast {lanes.double} {shifted} to {lanes.integer}")
    odd = w.set(f"icmp ne {lanes.integer} {a.integer('and', bits, lanes.whole(1))}, {lanes.whole(0)}")
    s = w.set(f"select {lanes.truth} {odd}, {lanes.double} {cosine}, {lanes.double} {sine}")
    c = w.set(f"select {lanes.truth} {odd}, {lanes.double} {sine}, {lanes.double} {cosine}")
    return _signed(a, s, bits), _signed(a, c, a.integer("add", bits, lanes.whole(1)))


def _signed(a: _Arithmetic, value: str, quadrant: str) -> str:
    """Return `value` negated where bit 1 of the quadrant is set."""
    lanes, w = a.lanes, a.w
    sign = a.integer("and", a.integer("shl", quadrant, lanes.whole(62)), lanes.whole(-(2**63)))
    number = w.set(f"bitcast {lanes.double} {value} to {lanes.integer}")
    return w.set(f"bitcast {lanes.integer} {a.integer('xor', number, sign)} to {lanes.double}")


def _return_if_near(w: Writer, lanes: Lanes, near: str, sine: str, cosine: str) -> None:
    """Write the return of the fast results when every lane is in range, and the beginning of the cold path."""
    if lanes.width == 1:
        everywhere = near
    else:
        bits = w.set(f"bitcast {lanes.truth} {near} to i{lanes.width}")
        everywhere = w.set(f"icmp eq i{lanes.width} {bits}, -1")
    w.add(f"  br i1 {everywhere}, label %near, label %far\nnear:")
    _return_pair(w, lanes, sine, cosine)
    w.begin("far")


def _return_pair(w: Writer, lanes: Lanes, sine: str, cosine: str) -> None:
    pair = _pair(lanes)
    first = w.set(f"insertvalue {pair} poison, {lanes.double} {sine}, 0")
    w.add(f"  ret {pair} {w.set(f'insertvalue {pair} {first}, {lanes.double} {cosine}, 1')}")


def _library_lane(w: Writer, lanes: Lanes, near: str, sine: str, cosine: str, lane: int) -> tuple[str, str]:
    """Write the C library's results into one lane, if it is out of range."""
    if lanes.width == 1:
        return w.set("call double @rbd_sin(double %x)"), w.set("call double @rbd_cos(double %x)")
    angle = w.set(f"extractelement {lanes.double} %x, i64 {lane}")
    keep = w.set(f"extractelement {lanes.truth} {near}, i64 {lane}")
    results: list[str] = []
    for name, fast in (("sin", sine), ("cos", cosine)):
        slow = w.set(f"call double @rbd_{name}(double {angle})")
        before = w.set(f"extractelement {lanes.double} {fast}, i64 {lane}")
        value = w.set(f"select i1 {keep}, double {before}, double {slow}")
        results.append(w.set(f"insertelement {lanes.double} {fast}, double {value}, i64 {lane}"))
    return results[0], results[1]
