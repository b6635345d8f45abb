"""Memory of this process, by categories that the program counts."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, NamedTuple, Optional

from ._fields import encode
from ._handles import Handle, Sized
from ._library import call, declare

_BASIC, _FULL = 0, 1


class MemorySnapshot(NamedTuple):
    """Memory at one moment, in bytes. Only a full one has peak_rss_bytes to swap_bytes, else 0."""

    timestamp_us: int
    rss_bytes: int
    minor_faults: int
    major_faults: int
    peak_rss_bytes: int
    anon_bytes: int
    file_bytes: int
    swap_bytes: int
    kv_cache_bytes: int
    activation_bytes: int
    temp_buffer_bytes: int


class MemoryReport(NamedTuple):
    """A report over all snapshots so far."""

    snapshots: int
    peak_rss: int
    mean_rss: int
    kv_cache_total: int
    activation_total: int


class MemoryPeak(NamedTuple):
    """The peak of a category, also between snapshots."""

    now: int
    peak: int
    timestamp_us: int


class _CSnapshot(Sized):
    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_uint64) for name in MemorySnapshot._fields
    ]


class _CReport(Sized):
    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_uint64) for name in MemoryReport._fields
    ]


class _CPeak(Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p)] + [
        (name, ctypes.c_uint64) for name in MemoryPeak._fields
    ]


class Hold:
    """Counts bytes of a category until release() or the end of `with`."""

    def __init__(self, category: "MemoryCategory", nbytes: int) -> None:
        self._category = category
        self._bytes = 0
        self.resize(nbytes)

    def resize(self, nbytes: int) -> None:
        """Changes the number of bytes, as after a reallocation."""
        self._category.add(nbytes - self._bytes)
        self._bytes = nbytes

    def release(self) -> None:
        """Counts the bytes as freed. Later calls do nothing."""
        self.resize(0)

    def __enter__(self) -> "Hold":
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self.release()


class MemoryCategory:
    """A category of a Memory. Any thread may count."""

    def __init__(self, memory: "Memory", number: int, name: str) -> None:
        self._memory = memory
        self._number = number
        self.name = name

    def add(self, nbytes: int) -> None:
        """Counts bytes that were allocated, or freed when negative."""
        handle = self._memory._handle
        if handle is not None:
            _add(handle, self._number, nbytes)

    def hold(self, nbytes: int) -> Hold:
        """Counts bytes until the end of `with`, or until release() is called."""
        return Hold(self, nbytes)

    @property
    def held(self) -> int:
        """The bytes that are counted now."""
        handle = self._memory._handle
        return _held(handle, self._number) if handle is not None else 0

    def peak(self) -> MemoryPeak:
        """Returns the peak of the category; all 0 without libtacho."""
        handle = self._memory._to_read()
        peak = _CPeak()
        if handle is not None:
            call(_peak, handle, self._number, ctypes.byref(peak))
        return MemoryPeak(peak.now, peak.peak, peak.timestamp_us)


class Memory(Handle):
    """A tracker of the memory of this process.

        memory = tacho.Memory("decode")
        cache = memory.category("kv_cache")
        with cache.hold(tensor.nbytes):
            memory.snapshot()

    Under `tacho run` snapshots and peaks also go to the run folder, where `tacho compare` and
    `tacho gate` find them. The categories kv_cache, activations and temp_buffers exist from the
    start.
    """

    def __init__(self, label: str) -> None:
        super().__init__("tacho_memory_new", "tacho_memory_free", encode(label))
        self._categories: Dict[str, MemoryCategory] = {}

    def category(self, name: str) -> MemoryCategory:
        """Finds or makes a category. Raises Error above 32 categories or for too long a name."""
        category = self._categories.get(name)
        if category is None:
            number = -1
            if self._handle is not None:
                number = call(_category, self._handle, encode(name))
            category = self._categories[name] = MemoryCategory(self, number, name)
        return category

    def snapshot(self, *, full: bool = False) -> Optional[MemorySnapshot]:
        """Takes a snapshot; full adds the peak and kinds of memory. None without libtacho."""
        if self._handle is None:
            return None
        snapshot = _CSnapshot()
        call(_take, self._handle, _FULL if full else _BASIC, ctypes.byref(snapshot))
        return MemorySnapshot(*snapshot.values())

    def start(self, interval_s: float = 0.01, *, full: bool = False) -> None:
        """Starts a thread of libtacho that takes snapshots at an interval."""
        if self._handle is not None:
            call(_start, self._handle, _FULL if full else _BASIC, int(interval_s * 1e9))

    def stop(self) -> None:
        """Takes one last snapshot and stops the thread of start()."""
        if self._handle is not None:
            call(_stop, self._handle)

    def report(self) -> MemoryReport:
        """Returns a report over all snapshots so far; all 0 without libtacho."""
        handle = self._to_read()
        report = _CReport()
        if handle is not None:
            call(_summary, handle, ctypes.byref(report))
        return MemoryReport(*report.values())


_pointer, _int, _i64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
_category = declare("tacho_memory_category", _pointer, ctypes.c_char_p, _pointer, returns=_int)
_add = declare("tacho_memory_add", _pointer, _int, _i64)
_held = declare("tacho_memory_held", _pointer, _int, returns=ctypes.c_uint64)
_peak = declare("tacho_memory_category_peak", _pointer, _int, _pointer, _pointer, returns=_int)
_take = declare("tacho_memory_snapshot_take", _pointer, _int, _pointer, _pointer, returns=_int)
_start = declare(
    "tacho_memory_start", _pointer, _int, ctypes.c_uint64, _pointer, returns=_int, slow=True
)
_stop = declare("tacho_memory_stop", _pointer, _pointer, returns=_int, slow=True)
_summary = declare("tacho_memory_summary", _pointer, _pointer, _pointer, returns=_int)
