"""Files of a model: the model, what it includes, its meshes; all below one directory."""

from __future__ import annotations

from pathlib import Path
from typing import final

from rbd.errors import MjcfPathError, MjcfRefusedError, MjcfSyntaxError, quoted
from rbd.files.formats import MJCF
from rbd.files.paths import PathFault, check_reference, confined_file
from rbd.files.source import read_bytes
from rbd.files.xml import XmlElement, error_in, parse_xml
from rbd.mjcf.limits import MjcfLimits


@final
class ModelFiles:
    """Files that a model names: regular files below `root`, as many as the limits allow."""

    def __init__(self, directory: Path | None, root: Path | None, limits: MjcfLimits) -> None:
        """`directory` is the model's own, where relative paths start; without one nothing is opened."""
        self.directory = directory
        self._root = directory if root is None else root
        self.limits = limits
        self._opened: set[Path] = set()

    def find(self, node: XmlElement, reference: str, *starts: Path | None) -> Path:
        """Return the file that `reference` names, looked for from each of `starts` (else the model's own)."""
        try:
            check_reference(reference)
        except PathFault as error:
            raise _error(node, reference, error) from None
        if self.directory is None or self._root is None:
            message = f"file {quoted(reference)}: the model was not read from a file; pass directory="
            raise error_in(MjcfPathError, node, message, reference=reference)
        last = PathFault("")
        for start in starts or (self.directory,):
            if start is not None:
                try:
                    return confined_file(start / reference, [self._root])
                except PathFault as error:
                    last = error
        raise _error(node, reference, last)

    def read(self, node: XmlElement, path: Path, max_bytes: int) -> bytes:
        """Return the bytes of a file that `find` found."""
        if path not in self._opened and len(self._opened) >= self.limits.files:
            raise error_in(MjcfRefusedError, node, f"more than {self.limits.files} files", limit="files")
        self._opened.add(path)
        return read_bytes(path, max_bytes, MJCF)


def _error(node: XmlElement, reference: str, error: PathFault) -> MjcfPathError:
    message = f"file {quoted(reference)}: {error}"
    if error.outside:
        message += "; pass root= to allow a directory above"
    return error_in(MjcfPathError, node, message, reference=reference, tried=error.tried)


@final
class IncludeExpander:
    """Replaces each `<include>` of a tree by the children of the file that it names."""

    def __init__(self, files: ModelFiles) -> None:
        self._files = files
        self._included: set[Path] = set()
        self._elements = 0

    def expand(self, node: XmlElement, directory: Path | None = None, depth: int = 0) -> None:
        """Replace every include below `node`, which is in a file of `directory`."""
        limits = self._files.limits
        if depth > limits.depth:
            raise error_in(MjcfRefusedError, node, f"elements nested deeper than {limits.depth}", limit="depth")
        children: list[XmlElement] = []
        for child in node.children:
            self._count(child)
            if child.tag == "include":
                children += self._included_by(child, directory, depth)
            else:
                self.expand(child, directory, depth + 1)
                children.append(child)
        for child in children:
            child.parent = node
        node.children = children

    def _count(self, node: XmlElement) -> None:
        self._elements += 1
        limit = self._files.limits.elements
        if self._elements > limit:
            raise error_in(MjcfRefusedError, node, f"more than {limit} elements", limit="elements")

    def _included_by(self, node: XmlElement, directory: Path | None, depth: int) -> list[XmlElement]:
        if node.children:
            raise error_in(MjcfSyntaxError, node, "an include has no children")
        reference = node.attributes.get("file")
        if reference is None:
            raise error_in(MjcfSyntaxError, node, "attribute 'file' is missing", attribute="file")
        files = self._files
        path = files.find(node, reference, files.directory, directory)
        if path in self._included:
            raise error_in(MjcfRefusedError, node, f"file {quoted(reference)} is included already", reference=reference)
        self._included.add(path)
        root = parse_xml(
            files.read(node, path, files.limits.bytes), file=str(path), limits=files.limits, file_format=MJCF
        )
        self.expand(root, path.parent, depth + 1)
        return root.children
