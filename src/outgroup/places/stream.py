"""The bytes of a file at an address."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


class Pieces(io.RawIOBase):
    """A stream of which a subclass gives the next `piece`, of at most so many bytes; an empty one is its end."""

    def piece(self, size: int) -> bytes:
        raise NotImplementedError

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self.piece(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class Stream(Pieces):
    """What a file system opened, as Python reads files; what goes wrong is told `plainly`, as for a path."""

    def __init__(self, plainly: Callable[[], AbstractContextManager[None]], stream: Any) -> None:
        self._plainly, self._stream = plainly, stream

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        with self._plainly():
            return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def piece(self, size: int) -> bytes:
        with self._plainly():
            return bytes(self._stream.read(size))

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()
