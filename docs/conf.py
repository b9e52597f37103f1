"""Sphinx settings: Markdown pages (MyST), plain-text docstrings, every reference checked."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import push

import rbd
from rbd.kernels.state_view import MEMBERS_FOR_ALGORITHMS

project = "rbd"
author = "The rbd developers"
copyright = "2026, the rbd developers"
version = release = rbd.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
suppress_warnings = ["toc.empty_glob"]  # tutorials and guides are found, none is a fault
html_theme = "furo"
html_title = f"rbd {version}"
html_extra_path = [str(Path(__file__).resolve().parent / "_build" / "push")]
push.write(Path(html_extra_path[0]))

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# -- docstrings --------------------------------------------------------------------------------------------------------

autodoc_default_options = {"members": True, "exclude-members": "trusted"}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
_ALIASES = [
    *("Array", "ArrayLike", "Matrix", "MatrixLike", "Scalar", "ScalarArray", "Vector", "VectorLike"),
    *("Bounds", "BoundsLike", "Control", "External", "ExternalWrenches", "FrameLike", "IntegratorName"),
    *("JointTypeLike", "Listener", "Packages", "PerVelocity", "Torques", "Vd"),
]
autodoc_type_aliases = {name: name for name in _ALIASES}
add_module_names = False
default_role = "literal"  # `x` in a docstring is code
nitpicky = True

# What annotations name without a page of its own: aliases, type variables, other projects' types. References that a
# page makes by hand are of the form rbd.Name or rbd.errors.Name, and are checked.
nitpick_ignore_regex = [
    (r"py:.*", r"\w+"),
    (r"py:.*", r"(numpy|np|nx|networkx|types|typing|typing_extensions|collections|abc|os|pathlib|fractions|enum)\..*"),
    (r"py:.*", r"(concurrent|gymnasium)\..*"),
    (r"py:.*", r"rbd\.(?!errors\b)[a-z]\w*\..*"),
]

_CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)
_MARKUP = re.compile(r"([*|\\]|(?<=\w)_(?=\W|$)|^[+-](?= ))", re.MULTILINE)


def as_plain_text(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Make a docstring mean what it looks like: plain paragraphs, `code`, indented blocks as they stand, examples."""
    out: list[str] = []
    for block in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        rows = block.split("\n")
        if rows[0].startswith(">>>"):
            out += [block, ""]
        elif rows[0].startswith(" "):
            out += ["::", "", block, ""]
        else:
            out += [*_paragraph(rows), ""]
    lines[:] = "\n".join(out).split("\n")


def _paragraph(rows: list[str]) -> list[str]:
    """Return a paragraph escaped; rows indented below its first are kept as they stand."""
    tail = next((i for i, row in enumerate(rows) if i and row.startswith(" ")), len(rows))
    pieces = _CODE.split("\n".join(rows[:tail]))
    text = "".join(p if i % 2 else _MARKUP.sub(r"\\\1", p) for i, p in enumerate(pieces))
    return [text, "", "::", "", *rows[tail:]] if tail < len(rows) else [text]


def with_short_aliases(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Write aliases by their names, inside unions too."""
    return tuple(text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in (signature, returned))


def without_names_for_algorithms(
    _app: Sphinx, _what: str, name: str, member: object, _skip: bool, _options: object
) -> bool | None:
    """Leave out of the pages of states what `dir(state)` leaves out."""
    module = getattr(getattr(member, "fget", member), "__module__", None) or ""
    packages = ("rbd.kernels", "rbd.kinematics", "rbd.scalar_states", "rbd.state")
    return True if name in MEMBERS_FOR_ALGORITHMS and (name == "engine" or module.startswith(packages)) else None


def setup(app: Sphinx) -> None:
    app.connect("autodoc-skip-member", without_names_for_algorithms)
    app.connect("autodoc-process-signature", with_short_aliases)
    app.connect("autodoc-process-docstring", as_plain_text)
