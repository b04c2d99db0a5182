"""The budget of a run: the expansion of its input, and the time of a document."""

from __future__ import annotations

import time

from .documents import LIMITS, UnreadableError


class Budget:
    """A counter of everything that readers expand: unpacked bytes, characters of cells, rows and pages.

    The allowance is a constant plus a multiple of the bytes of the input. All files of a run share one budget, and the
    members of an archive share that of the archive. Libraries expand only what was counted before.

    Parameters
    ----------
    size : int, default 0
        Bytes of the input before unpacking.
    """

    def __init__(self, size: int = 0) -> None:
        self._size, self._taken = size, 0

    def grow(self, size: int) -> None:
        """Add the allowance of another file of `size` bytes."""
        self._size += size

    def take(self, expanded: int = 0, rows: int = 0) -> None:
        """Count bytes or characters, and rows or pages; raise UnreadableError, and count nothing, beyond the allowance.

        Examples
        --------
        >>> Budget(1_000_000).take(250_000_000)
        >>> Budget().take(rows=1_000_000)
        Traceback (most recent call last):
        outgroup.readers.documents.UnreadableError: unpacks to more than 200 times its size; if you trust the file, \
unpack it first, or save it as .csv
        """
        taken = self._taken + expanded + LIMITS.row * rows
        if taken > LIMITS.unpacked + LIMITS.unpacked_times * self._size:
            raise UnreadableError(
                f"unpacks to more than {LIMITS.unpacked_times} times its size; if you trust the file, unpack it first, "
                "or save it as .csv"
            )
        self._taken = taken


class Deadline:
    """The end of the processor time for one document; a reader checks it between pieces."""

    def __init__(self) -> None:
        self._end = time.thread_time() + LIMITS.seconds

    def check(self) -> None:
        """Raise UnreadableError after the end."""
        if time.thread_time() >= self._end:
            raise UnreadableError(f"takes more than {LIMITS.seconds} seconds to read")
