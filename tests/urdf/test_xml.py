"""The XML layer: bytes to nodes, with limits, and nothing opened but regular files."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from rbd.errors import ArgumentError, UrdfError, UrdfPathError, UrdfRefusedError, UrdfSyntaxError
from rbd.files.formats import URDF
from rbd.files.xml import XmlElement, parse_xml, root_tag
from rbd.urdf import UrdfLimits, UrdfReport, format_urdf, load_urdf, parse_urdf
from tests.counting import calls
from tests.urdf.files import ARM, link, robot


def tree(text: str | bytes, **limits: int) -> XmlElement:
    data = text.encode() if isinstance(text, str) else text
    return parse_xml(data, file="f", limits=UrdfLimits(**limits), file_format=URDF)


def test_nodes_keep_tags_attributes_order_and_places() -> None:
    root = tree("<a>\n  <b x='1' y='&lt;2'/>\r\n  <c>\r    <d/></c></a>")
    b, c = root.children
    assert (root.tag, b.tag, c.tag) == ("a", "b", "c")
    assert b.attributes == {"x": "1", "y": "<2"}
    assert [(n.line, n.column) for n in (root, b, c, c.children[0])] == [(1, 1), (2, 3), (3, 3), (4, 5)]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_stray_text_is_placed_where_it_begins(newline: str) -> None:
    lines = ["<a>", "  <b/>", "  first", "  &lt; second", "", "</a>"]
    root = tree(newline.join(lines))
    assert root.text_line == 3
    assert root.children[0].text_line is None


def test_columns_count_characters() -> None:
    assert tree("<a><b x='αβγ𝛿'/><c/></a>").children[1].column == len("<a><b x='αβγ𝛿'/>") + 1


def test_paths_name_elements_from_the_outside_in() -> None:
    mass = (
        tree("<robot><link name='arm'><inertial><mass/></inertial></link></robot>").children[0].children[0].children[0]
    )
    assert mass.path == "link 'arm' > inertial > mass"


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte-order mark"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("encoding", ["", ' encoding="UTF-8"', ' encoding="utf-8"', ' encoding="US-ASCII"'])
def test_utf8_in_all_its_dresses(before: bytes, newline: str, encoding: str) -> None:
    text = ARM.read_text(encoding="utf-8").replace('version="1.0"', f'version="1.0"{encoding}')
    dressed = parse_urdf(before + text.replace("\n", newline).encode())
    assert format_urdf(dressed) == format_urdf(load_urdf(ARM))


def test_lines_are_counted_the_same_with_windows_newlines() -> None:
    text = robot(link("a"), link("a")).replace("\n", "\r\n")
    with pytest.raises(UrdfError) as caught:
        parse_urdf(text)
    assert caught.value.line == 3


def test_comments_instructions_and_cdata_are_no_nodes() -> None:
    root = tree("<?xml version='1.0'?><?x y?><a><!-- <b/> --><?go?><![CDATA[<c/>]]><d/></a>")
    assert [child.tag for child in root.children] == ["d"]


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("<a/>" + " " * 100, "bytes"),
        ("<a>" * 6 + "</a>" * 6, "depth"),
        ("<a>" + "<b/>" * 10 + "</a>", "elements"),
        ("<a b='' c='' d='' e=''/>", "attributes"),
    ],
)
def test_each_limit_is_a_refusal_that_names_it(text: str, limit: str) -> None:
    with pytest.raises(UrdfRefusedError) as caught:
        tree(text, bytes=100, depth=5, elements=10, attributes=3)
    assert caught.value.limit == limit
    assert caught.value.line == 1


def test_what_just_fits_is_read() -> None:
    text = "<a b='' c='' d=''>" + "<a>" * 4 + "</a>" * 4 + "<b/>" * 5 + "</a>"
    assert len(tree(text, bytes=len(text), depth=5, elements=10, attributes=3).children) == 6


@pytest.mark.parametrize(
    "attack",
    [
        b"<robot " + b" ".join(b'a%d="1"' % i for i in range(100_000)) + b"/>",
        b"<a>" * 200_000,
        b"<robot>" + b"<b/>" * 250_000,
        b"<robot name='" + b"x" * 17_000_000 + b"'/>",
        b"<!DOCTYPE r [" + b"<!ENTITY a 'b'>" * 100_000 + b"]><r/>",
        b"<robot>" + b"\xff" * 1_000_000,
        b"<" + b"x" * 1_000_000,
        b"<!--" + b"-" * 1_000_000,
    ],
    ids=["attributes", "depth", "elements", "bytes", "entities", "bytes that are no text", "tag", "comment"],
)
def test_attacks_are_refused_quickly(attack: bytes) -> None:
    def parse() -> None:
        with pytest.raises(UrdfError) as caught:
            parse_urdf(attack)
        assert len(str(caught.value)) < 400

    assert calls(parse) < 1000 + 10 * attack.count(b"<b/>")


def test_a_long_number_is_refused_before_it_is_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> None:
        raise AssertionError("converted")

    monkeypatch.setattr("rbd.files.numbers.float", refuse, raising=False)
    text = robot(link("a", f'<inertial><mass value="{"1" * 10_000_000}"/></inertial>'))
    with pytest.raises(UrdfError, match="longer than 128 characters"):
        parse_urdf(text)


def test_entities_never_open_a_file_or_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **keywords: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(os, "open", refuse)
    text = '<!DOCTYPE r [<!ENTITY % x SYSTEM "http://localhost:9/x"> %x;]><robot name="&x;"/>'
    with pytest.raises(UrdfRefusedError):
        parse_urdf(text)


@pytest.mark.parametrize("text", ["<a>\ud800</a>", "\udcff"])
def test_lone_surrogates_are_refused(text: str) -> None:
    with pytest.raises(UrdfSyntaxError, match="surrogate"):
        parse_urdf("\n" + text)


# -- files ------------------------------------------------------------------------------------------------------------


def test_missing_files_and_directories_are_path_errors(tmp_path: Path) -> None:
    for path in (tmp_path / "none.urdf", tmp_path, Path("a\0b"), tmp_path / ("x" * 5000)):
        with pytest.raises(UrdfPathError) as caught:
            load_urdf(path)
        assert caught.value.file == str(path)
        assert caught.value.line is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs and devices are a Unix notion")
def test_fifos_and_devices_are_not_opened_for_reading(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo.urdf"
    os.mkfifo(fifo)
    for path in (fifo, Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(UrdfPathError, match="regular file"):
            load_urdf(path)


def test_a_symbolic_link_to_a_regular_file_is_followed(tmp_path: Path) -> None:
    alias = tmp_path / "alias.urdf"
    alias.symlink_to(ARM)
    assert load_urdf(alias).nv == 2


def test_large_files_are_refused_by_their_size(tmp_path: Path) -> None:
    path = tmp_path / "large.urdf"
    with path.open("wb") as stream:
        stream.truncate(10**12)  # sparse: it has no contents to read
    with pytest.raises(UrdfRefusedError, match="at most 16000000"):
        load_urdf(path)


@pytest.mark.parametrize("convert", [str, os.fsencode, Path])
def test_paths_may_be_text_bytes_or_path_objects(convert: type) -> None:
    report = UrdfReport()
    load_urdf(convert(ARM), report=report)
    assert report.directory == ARM.parent


@pytest.mark.parametrize(
    "call",
    [lambda: load_urdf(7), lambda: load_urdf(None), lambda: parse_urdf(ARM), lambda: parse_urdf(None)],  # the point
)
def test_arguments_of_the_wrong_type_are_argument_errors(call: object) -> None:
    with pytest.raises(ArgumentError):
        call()  # a lambda


@pytest.mark.parametrize(
    ("data", "tag"),
    [
        (b"<a><b/>", "a"),
        (b"<?xml version='1.0'?><!-- <b> --><a", None),
        (b"<!-- <b/> --><a>", "a"),
        (b"<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", None),
        (b"text", None),
        (b"", None),
        (b"\0\xff", None),
    ],
)
def test_root_tag(data: bytes, tag: str | None) -> None:
    assert root_tag(data) == tag
