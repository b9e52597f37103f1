"""Getting machine code ready: at once, telling how far it is, or by another thread while calls are interpreted.

Room: compiled; may import algorithms and above. Interpreter and machine code agree to the last bit, so nothing but time
depends on which of them runs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, final

from rbd import native
from rbd.progress import Listener, progress_bar

if TYPE_CHECKING:
    from rbd.native.kernel import NativeKernel


@final
class Preparation:
    """Knows which machine code of one program is there."""

    def __init__(self) -> None:
        """Begin with none."""
        self.progress: bool | Listener = False
        """Whom to tell while code is made."""
        self._ready = [False, False]
        self._aside = native.Aside()
        self._error: BaseException | None = None

    def has(self, kernel: NativeKernel, *, rows: bool) -> bool:
        """Return whether code for one state, or for rows of a batch, is there: made now, unless it may be waited for.

        In a `native.background` block code for one state is made by another thread. Batches are always waited for, as
        interpreting them would take longer. Raises what the other thread raised.
        """
        if self._ready[rows]:
            return True
        if not rows and native.in_background() and not native.has_code(kernel):
            return self._made_aside(kernel)
        self.wait(kernel, rows=rows)
        return True

    def wait(self, kernel: NativeKernel, *, rows: bool = False) -> None:
        """Return when code is there."""
        if self._ready[rows]:
            return
        if not rows:
            self._aside.wait()
        if self.progress is False or (not rows and native.has_code(kernel)):
            self._make(kernel, rows=rows)
            return
        with progress_bar(2, f"compile {kernel.outline.name}", self.progress) as bar:
            kernel.program  # noqa: B018 - this records what was only found
            bar.update()
            self._make(kernel, rows=rows)
            bar.update()

    def _make(self, kernel: NativeKernel, *, rows: bool) -> None:
        kernel.batch_library if rows else kernel.single_library  # noqa: B018 - this compiles
        self._ready[rows] = True

    def _made_aside(self, kernel: NativeKernel) -> bool:
        """Return whether the other thread is done; start it if there is none."""
        self._aside.begin(partial(self._try, kernel))
        if self._error is not None:
            raise self._error
        return self._ready[False]

    def _try(self, kernel: NativeKernel) -> None:
        try:
            self._make(kernel, rows=False)
        except BaseException as error:  # it is raised where the code is asked for
            self._error = error
