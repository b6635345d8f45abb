"""Records spans, events, latencies and memory of a Python program.

    import tacho

    with tacho.span("decode", tokens=32):
        ...

By default nothing is recorded. TACHO_TRACE_OUT=trace.json in the environment, or
tacho.start("trace.json"), records spans; TACHO_PROFILE_JSONL=profile.jsonl records events. Under
`tacho run --trace` both go to the run folder. docs/python.md of tacho is the manual.
"""

from . import _processes
from ._events import EventWriter, configure_events, event
from ._fingerprint import config_hash, environment, environment_hash, fingerprint, tensor_hash
from ._latency import Histogram, Latency, LatencyRecord, LatencyStats
from ._library import Error, __version__, available, library_version
from ._memory import Memory, MemoryCategory, MemoryPeak, MemoryReport, MemorySnapshot
from ._trace import (
    Span,
    counter,
    enabled,
    flush,
    instant,
    process_name,
    span,
    start,
    stop,
    thread_name,
    traced,
    why_off,
)

__all__ = [
    "Error",
    "EventWriter",
    "Histogram",
    "Latency",
    "LatencyRecord",
    "LatencyStats",
    "Memory",
    "MemoryCategory",
    "MemoryPeak",
    "MemoryReport",
    "MemorySnapshot",
    "Span",
    "__version__",
    "available",
    "config_hash",
    "configure_events",
    "counter",
    "enabled",
    "environment",
    "environment_hash",
    "event",
    "fingerprint",
    "flush",
    "instant",
    "library_version",
    "process_name",
    "span",
    "start",
    "stop",
    "tensor_hash",
    "thread_name",
    "traced",
    "why_off",
]

if available():
    _processes.install()
