"""Both readers under a coverage-guided fuzzer: nothing but errors of rbd leaves them."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.files.dictionary import words

SECONDS = 120


@pytest.mark.deep
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="needs atheris, of the dependency group `fuzz`")
@pytest.mark.parametrize("name", ["urdf", "mjcf"])
def test_a_reader_for_two_minutes(name: str, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    dictionary = tmp_path / "words"
    dictionary.write_text("".join(f'"{word}"\n' for word in words(name)), encoding="ascii")
    options = [
        f"-max_total_time={SECONDS}", "-max_len=20000", "-timeout=20", "-rss_limit_mb=1024", "-print_final_stats=1",
        f"-artifact_prefix={tmp_path}/", f"-dict={dictionary}",
    ]  # fmt: skip
    command = [sys.executable, "-m", "tests.files.fuzz_reader", name, str(corpus), *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    count = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    assert count is not None
    assert int(count.group(1)) > 1000
    record_property("what", f"inputs of a coverage-guided fuzzer for the reader of {name.upper()}")
    record_property("count", f"{int(count.group(1)):,} in {SECONDS} s")
