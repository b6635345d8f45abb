"""Objects that own a handle of libtacho."""

from __future__ import annotations

import ctypes
import time
import weakref
from typing import Any, Callable, Optional, Tuple

from ._library import available, call, declare

_open: "weakref.WeakSet[Handle]" = weakref.WeakSet()


class Handle:
    """Owns a handle, which is None without libtacho and is closed at exit at the latest."""

    def __init__(self, make: str, free: str, *arguments: Any) -> None:
        self._handle: Optional[ctypes.c_void_p] = None
        if not available():
            return
        handle = ctypes.c_void_p()
        call(declare(make, returns=ctypes.c_int), *arguments, ctypes.byref(handle))
        self._handle = handle
        self._free = weakref.finalize(self, declare(free), handle)
        _open.add(self)

    def close(self) -> None:
        """Writes the remaining data and frees the memory.

        Later calls record nothing. Those for statistics and reports raise ValueError.
        """
        if self._handle is not None:
            self._handle = None
            self._free()

    def _to_read(self) -> Optional[ctypes.c_void_p]:
        """Returns the handle, or None without libtacho. Raises ValueError after close()."""
        if self._handle is None and available():
            raise ValueError(f"the {type(self).__name__} is closed; read its results before")
        return self._handle

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self.close()


def close_all() -> None:
    """Closes every handle, in a process whose exit functions will not run."""
    for handle in list(_open):
        handle.close()


class Timer:
    """Measures the body of `with` and passes the nanoseconds to a function.

    A time that an exception ended is not passed.
    """

    __slots__ = ("_record", "_start")

    def __init__(self, record: Callable[[int], Any]) -> None:
        self._record = record

    def __enter__(self) -> "Timer":
        self._start = time.monotonic_ns()
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if kind is None:
            self._record(time.monotonic_ns() - self._start)


class Sized(ctypes.Structure):
    """A struct whose first member is its size. The library writes no byte after that size."""

    def __init__(self, **members: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **members)

    def values(self) -> Tuple[Any, ...]:
        """Returns the members after the size."""
        return tuple(getattr(self, name) for name, _ in self._fields_[1:])
