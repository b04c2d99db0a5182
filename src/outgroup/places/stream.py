"""The bytes of a file at an address."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


class Stream(io.RawIOBase):
    """What a file system opened, as Python reads files; what goes wrong is told `plainly`, as for a path."""

    def __init__(self, plainly: Callable[[], AbstractContextManager[None]], stream: Any) -> None:
        self._plainly, self._stream = plainly, stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        with self._plainly():
            return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def readinto(self, buffer: Any) -> int:
        with self._plainly():
            piece = self._stream.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()
