"""Compilation of one program by the background thread: queued once, and tried again after a failure."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import partial
from typing import final

from rbd import native
from rbd.native.runtime.locks import release_llvm_lock
from rbd.native.runtime.switch_interval import short_switch_interval
from rbd.native.runtime.thread_pool import compiler_thread

atexit.register(release_llvm_lock)  # before the interpreter waits for the thread that compiles


@final
class BackgroundCompilation:
    """The attempts to compile a program in the background."""

    def __init__(self) -> None:
        """Begin without any."""
        self._queued_in: object = None
        """Token of the process whose background thread was told to compile."""
        self._error: BaseException | None = None
        self.ended_attempts = 0
        """Number of attempts that have ended, also without a thread to run them."""

    @property
    def is_queued(self) -> bool:
        """Whether the thread of this process was told to compile; a forked process has a thread of its own.

        Releases a lock that this thread was left with by an interrupt, and that one may wait for.
        """
        release_llvm_lock()
        return self._queued_in is compiler_thread.process_token

    @property
    def has_failed(self) -> bool:
        """Whether the last attempt failed, and nobody has taken its exception."""
        return self._error is not None

    def queue(self, compile_program: Callable[[], object]) -> None:
        """Let the background thread call a function that compiles, once."""
        if self.is_queued:
            return
        self._queued_in = compiler_thread.process_token  # before the thread may reset it
        try:
            if not compiler_thread.submit(partial(self._run_in_background, compile_program)):
                self._end()  # it is tried again later
        except BaseException:  # an interrupt: it is not queued
            self._queued_in = None
            raise

    def _run_in_background(self, compile_program: Callable[[], object]) -> None:
        with short_switch_interval():
            self.run(compile_program)

    def run(self, compile_program: Callable[[], object]) -> None:
        """Call a function that compiles; its exception is kept for the next caller."""
        try:
            native.use_fused_builtins()  # it is interpreted meanwhile
            compile_program()
        except Exception as error:
            self._error = error
        finally:
            self._end()

    def _end(self) -> None:
        self._queued_in, self.ended_attempts = None, self.ended_attempts + 1

    def take_error(self) -> BaseException | None:
        """Return the kept exception, if there is one, and keep it no longer; two threads at once may both get it."""
        error, self._error = self._error, None
        return error
