"""Make every picture of the documentation again, with the code that the pages show.

    python docs/make_images.py              all of them, into docs/images
    python docs/make_images.py --to FOLDER  somewhere else, for instance to compare

Pages write their pictures to the current folder when their examples run. This script runs all pages that do,
`rbd demo`, the page of `push.py` in Chromium and the viewer's pictures of `gallery.py`, in a scratch folder, and stores
what they wrote: reduced to 256 colours and without the names and dates of programs, so that the same picture is always
the same file.
"""

from __future__ import annotations

import argparse
import contextlib
import runpy
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import push

from rbd.cli import double_pendulum
from tests import browser
from tests.docs import examples

DOCS = Path(__file__).resolve().parent


def main() -> None:
    """Run the pages, store the pictures, complain about pictures that nothing makes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", type=Path, default=DOCS / "images", metavar="FOLDER")
    target: Path = parser.parse_args().to.resolve()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        made = sorted(path.name for path in pictures(scratch))
        for picture in made:
            store(scratch / picture, target / picture)
            print(f"{picture}: {(target / picture).stat().st_size / 1000:.0f} kB")
    orphans = sorted(path.name for path in (DOCS / "images").glob("*.png") if path.name not in made)
    if orphans:
        sys.exit(f"no page makes {', '.join(orphans)}")


def pictures(scratch: Path) -> Iterator[Path]:
    """Run everything that draws, in a scratch folder; yield what it wrote."""
    double_pendulum.run(scratch / "double-pendulum.png", write=lambda _: None)
    push.write(scratch)
    browser.screenshot(f"file://{scratch}/push.html#pulled", scratch / "push.png", (760, 460), milliseconds=2500)
    with contextlib.chdir(scratch):
        for page in examples.pages():
            if "savefig(" in page.read_text(encoding="utf-8"):
                print(f"running {examples.name_of(page)}", flush=True)
                examples.run_page(page)
        print("running docs/gallery.py", flush=True)
        runpy.run_path(str(DOCS / "gallery.py"))["main"]()
    yield from scratch.glob("*.png")


def store(source: Path, target: Path) -> None:
    """Write a picture anew: at most 256 colours, no metadata."""
    with Image.open(source) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    main()
