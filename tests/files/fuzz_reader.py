"""Coverage-guided fuzzing of a reader by atheris: every input is read, or refused by an error of rbd that says where.

python -m tests.files.fuzz_reader urdf|mjcf CORPUS [OPTION OF LIBFUZZER ...]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["rbd.files", "rbd.urdf", "rbd.mjcf"]):
    import rbd.mjcf
    import rbd.urdf

from rbd.errors import FileError, MjcfError, UrdfError
from rbd.mechanism import Mechanism
from tests.files.places import assert_line_exists


def read_urdf(data: bytes) -> Mechanism:
    options = data[-1] if data else 0
    return rbd.urdf.parse_urdf(
        data, floating=bool(options & 1), strict=bool(options & 2), remove_fixed_joints=bool(options & 4),
        snap=bool(options & 8), inertia="project" if options & 16 else "keep",
    )  # fmt: skip


def read_mjcf(data: bytes) -> Mechanism:
    options = data[-1] if data else 0
    return rbd.mjcf.parse_mjcf(data, strict=bool(options & 2), remove_fixed_joints=bool(options & 4))


READERS: dict[str, tuple[Callable[[bytes], Mechanism], type[FileError]]] = {
    "urdf": (read_urdf, UrdfError),
    "mjcf": (read_mjcf, MjcfError),
}


def check(name: str, data: bytes) -> None:
    """Read; raise AssertionError, or whatever is raised, unless the reader does what it should."""
    reader, refusal = READERS[name]
    try:
        reader(data)
    except refusal as error:
        require_place(error, data)


def require_place(error: FileError, data: bytes) -> None:
    assert_line_exists(error, data)
    assert len(str(error)) < 1000
    assert str(error).isprintable()


def seeds(name: str) -> Iterator[bytes]:
    """Yield the texts that fuzzing begins with: good and faulty files of the tests."""
    if name == "urdf":
        for path in sorted((Path(__file__).parents[1] / "urdf").rglob("*.urdf")):
            if path.stat().st_size < 20_000:
                yield path.read_bytes()
    else:
        from tests.mjcf.faults import FAULTS, STRICT_FAULTS
        from tests.mjcf.models import MODELS

        texts = [*MODELS.values(), *(fault.text for fault in (*FAULTS.values(), *STRICT_FAULTS.values()))]
        yield from (text.encode() for text in texts if len(text) < 20_000)


def main(name: str, corpus: Path, options: list[str]) -> None:
    for number, data in enumerate(seeds(name)):
        (corpus / f"seed{number}").write_bytes(data)
    warnings.simplefilter("ignore")
    atheris.Setup([sys.argv[0], *options, str(corpus)], lambda data: check(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
