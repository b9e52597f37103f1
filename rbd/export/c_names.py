"""Names of C functions and arguments: which an exported program may have.

An exported function is used together with the headers math.h, stdint.h, stdlib.h and string.h, so that it cannot have a
name that C or these headers define: those of ISO C, and those that POSIX and C libraries add unless a compiler is
strict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rbd.errors import ArgumentError
from rbd.program.ports import Port

_KEYWORDS: Final = """
    alignas alignof asm auto bool break case char const constexpr continue default do double else enum extern false
    float for goto if inline int long main nullptr register restrict return short signed sizeof static static_assert
    struct switch thread_local true typedef typeof typeof_unqual union unsigned void volatile while
"""
_FLOAT_FUNCTIONS: Final = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma
    fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan
    nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma
    trunc drem finite gamma isinf isnan j0 j1 jn scalb significand y0 y1 yn
"""
"""Functions of math.h, which exist for float and long double as well, with the endings f and l."""
_OTHER_NAMES: Final = """
    lgamma_r lgammaf_r lgammal_r fpclassify isfinite isgreater isgreaterequal isless islessequal islessgreater
    isnormal isunordered math_errhandling signbit signgam double_t float_t div_t ldiv_t lldiv_t size_t wchar_t
    intmax_t intptr_t uintmax_t uintptr_t abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv
    labs ldiv llabs lldiv malloc mblen mbstowcs mbtowc qsort rand realloc srand strtod strtof strtol strtold strtoll
    strtoul strtoull system wcstombs wctomb memchr memcmp memcpy memmove memset strcat strchr strcmp strcoll strcpy
    strcspn strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm EXIT_FAILURE
    EXIT_SUCCESS FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF
    HUGE_VALL INFINITY MATH_ERREXCEPT MATH_ERRNO MB_CUR_MAX NAN NULL RAND_MAX a64l aligned_alloc alloca arc4random
    arc4random_buf arc4random_uniform at_quick_exit bcmp bcopy blkcnt_t blksize_t bzero caddr_t clearenv clock_t
    clockid_t daddr_t dev_t drand48 drand48_r ecvt ecvt_r erand48 erand48_r explicit_bzero fcvt fcvt_r fd_mask
    fd_set ffs ffsl ffsll fsblkcnt_t fsfilcnt_t fsid_t gcvt getloadavg getsubopt gid_t id_t index initstate
    initstate_r ino_t jrand48 jrand48_r key_t l64a lcong48 lcong48_r linux locale_t loff_t lrand48 lrand48_r memccpy
    mkdtemp mkstemp mkstemps mktemp mode_t mrand48 mrand48_r nlink_t nrand48 nrand48_r off_t on_exit pid_t
    posix_memalign pselect putenv qecvt qecvt_r qfcvt qfcvt_r qgcvt quad_t quick_exit rand_r random random_r
    reallocarray realpath rindex rpmatch seed48 seed48_r select setenv setstate setstate_r sigset_t srand48
    srand48_r srandom srandom_r ssize_t stpcpy stpncpy strcasecmp strcasecmp_l strcoll_l strdup strerror_l
    strerror_r strncasecmp strncasecmp_l strndup strnlen strsep strsignal strtok_r strtoq strtouq strxfrm_l
    suseconds_t time_t timer_t u_char u_int u_long u_quad_t u_short uid_t uint ulong unix unsetenv ushort valloc
"""
_RESERVED_NAMES: Final = frozenset(
    [
        *_KEYWORDS.split(),
        *_OTHER_NAMES.split(),
        *(name + end for name in _FLOAT_FUNCTIONS.split() for end in ("", "f", "l")),
    ]
)
_RESERVED_PATTERNS: Final = re.compile(
    r"_[A-Z_]\w*|u?_?int(_fast|_least)?\d+_t|pthread_\w+_t"
    r"|(U?INT(_FAST|_LEAST)?\d+|U?INTMAX|U?INTPTR|PTRDIFF|SIG_ATOMIC|SIZE|WCHAR|WINT)_(MAX|MIN|C)"
)
"""Names that C keeps for compilers, and those of families of types and constants."""
_STATIC_NAMES: Final = re.compile(r"^static [\w *]*?\b(\w+)[\[(]", re.MULTILINE)
"""Functions and tables that an exported source defines besides its function."""


def require_function_name(name: object, argument: str = "name") -> None:
    """Raise ArgumentError unless `name` is an identifier of C which neither C nor its library has taken."""
    if not (isinstance(name, str) and name.isidentifier() and name.isascii()):
        advice = f"; write {_identifier(name)!r}" if isinstance(name, str) and name else ""
        raise ArgumentError(f"{name!r} is no name for a C function{advice}", argument=argument, value=name)
    if name in _RESERVED_NAMES or _RESERVED_PATTERNS.fullmatch(name):
        raise _reserved_name_error(name, "C or its library", argument)


def _identifier(name: str) -> str:
    """Return an identifier of C that resembles a name."""
    letters = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"f_{letters}" if letters[0].isdigit() else letters


def require_not_defined(name: str, source: str) -> None:
    """Raise ArgumentError if the exported source itself defines another function or table `name`."""
    if name in _STATIC_NAMES.findall(source):
        raise _reserved_name_error(name, "the exported source")


def _reserved_name_error(name: str, owner: str, argument: str = "name") -> ArgumentError:
    message = f"{name!r} is no name for a C function: {owner} defines it; write another, such as {f'my_{name}'!r}"
    return ArgumentError(message, argument=argument, value=name)


def require_port_names(inputs: Iterable[Port], outputs: Iterable[Port]) -> None:
    """Raise ArgumentError unless the names of inputs and outputs consist of ASCII letters, digits and underscores."""
    for kind, ports in (("input", inputs), ("output", outputs)):
        for name in (port.name for port in ports if not re.fullmatch(r"\w+", port.name, re.ASCII)):
            instead = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or kind
            message = f"the {kind} {name!r} cannot be named in C; record the function with another name, such as"
            raise ArgumentError(f"{message} {instead!r}", argument=name, value=name)
