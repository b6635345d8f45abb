"""Latencies: a list with exact statistics, and a histogram of fixed size for any number."""

from __future__ import annotations

import array
import ctypes
import os
from typing import Iterable, NamedTuple, Optional, Union

from ._handles import Handle, Sized, Timer
from ._library import call, call_for_bytes, declare


class LatencyStats(NamedTuple):
    """Statistics in the unit of the values. Percentiles are nearest-rank."""

    n: int
    min: int
    p50: int
    p90: int
    p95: int
    p99: int
    p999: int
    max: int
    mad: int
    mean: float
    std: float


class LatencyRecord(NamedTuple):
    """One record of a Latency."""

    sample_id: int
    wall_ns: int
    kernel_ns: int
    seq_len: int


class _CStats(Sized):
    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_double if name in ("mean", "std") else ctypes.c_uint64)
        for name in LatencyStats._fields
    ]


class _CRecord(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in LatencyRecord._fields]


class Latency(Handle):
    """A list of latencies, with exact statistics.

        latency = tacho.Latency()
        with latency.measure(seq_len=128):
            ...

    Under `tacho run` the records also go to the run folder, where `tacho compare` and `tacho gate`
    find them.
    """

    def __init__(self) -> None:
        super().__init__("tacho_latency_new", "tacho_latency_free")

    def add(
        self, wall_ns: int, *, kernel_ns: int = 0, seq_len: int = 0, sample_id: Optional[int] = None
    ) -> None:
        """Adds a record. sample_id is by default the number of records before it."""
        if self._handle is None:
            return
        number = len(self) if sample_id is None else sample_id
        record = _CRecord(number, wall_ns, kernel_ns, seq_len)
        call(_add, self._handle, ctypes.byref(record))

    def measure(self, *, seq_len: int = 0, sample_id: Optional[int] = None) -> Timer:
        """Adds the time that the body of `with` takes."""
        return Timer(lambda wall_ns: self.add(wall_ns, seq_len=seq_len, sample_id=sample_id))

    def stats(self) -> LatencyStats:
        """Returns the statistics of all wall_ns; all 0 without records or without libtacho."""
        handle = self._to_read()
        stats = _CStats()
        if handle is not None:
            call(_wall_stats, handle, ctypes.byref(stats))
        return LatencyStats(*stats.values())

    def write_csv(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes all records as latency.csv, in microseconds."""
        if self._handle is not None:
            call(_write_csv, self._handle, os.fsencode(path))

    def __len__(self) -> int:
        return _count(self._handle) if self._handle is not None else 0

    def __getitem__(self, i: int) -> LatencyRecord:
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"record {i} of {n}")
        record = _at(self._handle, i % n)
        return LatencyRecord(record.sample_id, record.wall_ns, record.kernel_ns, record.seq_len)


class Histogram(Handle):
    """A histogram of whole numbers, nanoseconds by convention, always 58 KB.

    Its percentiles and its mean are within 1/256 of the exact ones.
    """

    def __init__(self) -> None:
        super().__init__("tacho_histogram_new", "tacho_histogram_free")

    def record(self, value: int, count: int = 1) -> None:
        """Counts a value."""
        if self._handle is not None:
            _record_count(self._handle, value, count)

    def record_all(self, values: Iterable[int]) -> None:
        """Counts many values in one call."""
        if self._handle is not None:
            data = array.array("Q", values)
            _record_all(self._handle, data.buffer_info()[0], len(data))

    def measure(self) -> Timer:
        """Counts the time that the body of `with` takes."""
        return Timer(self.record)

    def merge(self, other: "Histogram") -> None:
        """Adds all values of another histogram."""
        if self._handle is not None and other._handle is not None:
            _merge(self._handle, other._handle)

    def percentile(self, percent: float) -> int:
        """Returns the value at a percentile (0 to 100); 0 when the histogram is empty."""
        handle = self._to_read()
        return _percentile(handle, percent) if handle is not None else 0

    def stats(self) -> LatencyStats:
        """Returns all statistics; all 0 when the histogram is empty, or without libtacho."""
        handle = self._to_read()
        stats = _CStats()
        if handle is not None:
            call(_histogram_stats, handle, ctypes.byref(stats))
        return LatencyStats(*stats.values())

    def encode(self) -> bytes:
        """Returns the histogram in HdrHistogram's format V2 compressed."""
        handle = self._to_read()
        return call_for_bytes(_encode, handle) if handle is not None else b""

    def __len__(self) -> int:
        return _histogram_count(self._handle) if self._handle is not None else 0


_pointer, _u64, _size, _int = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_int
_add = declare("tacho_latency_add", _pointer, _pointer, _pointer, returns=_int)
_at = declare("tacho_latency_at", _pointer, _size, returns=_CRecord)
_count = declare("tacho_latency_count", _pointer, returns=_size)
_wall_stats = declare("tacho_latency_wall_stats", _pointer, _pointer, _pointer, returns=_int)
_write_csv = declare(
    "tacho_latency_write_csv", _pointer, ctypes.c_char_p, _pointer, returns=_int, slow=True
)
_record_count = declare("tacho_histogram_record_count", _pointer, _u64, _u64)
_record_all = declare("tacho_histogram_record_all", _pointer, _pointer, _size)
_merge = declare("tacho_histogram_merge", _pointer, _pointer)
_percentile = declare("tacho_histogram_percentile", _pointer, ctypes.c_double, returns=_u64)
_histogram_stats = declare("tacho_histogram_stats", _pointer, _pointer, _pointer, returns=_int)
_histogram_count = declare("tacho_histogram_count", _pointer, returns=_u64)
_encode = declare("tacho_histogram_encode", _pointer, _pointer, _pointer, _pointer, returns=_int)
