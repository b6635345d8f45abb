"""Spans, instants and counters.

While no trace is on, a span costs less than an empty context manager: span() tests one int of
libtacho and returns the same object each time. The methods of that object that `with` calls are
functions of the interpreter, which are twice as fast as functions written in Python.

A span of a thread is two records, so its begin survives a kill. Tasks of asyncio interleave
on one thread, so their spans do not nest there. Each task that records has a track, "asyncio 1",
"asyncio 2" and so on. A new task gets the track of a finished one, so there are only as many tracks
as tasks that ran at the same time. A span of a task is one record, written at its end.
"""

from __future__ import annotations

import ctypes
import functools
import heapq
import inspect
import itertools
import os
import sys
import threading
import warnings
from time import monotonic_ns
from typing import Any, Callable, Dict, List, Optional, Protocol, TypeVar, Union, overload

from ._fields import CFields, as_fields, encode, pack
from ._library import available, call, declare, int_of_library

_F = TypeVar("_F", bound=Callable[..., Any])


class Span(Protocol):
    """The type that span() returns."""

    def __enter__(self) -> "Span": ...

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> Any: ...

    def set(self, **fields: Any) -> None:
        """Adds fields that are known only now. They are recorded at the end of the span."""


class _Off:
    """Records nothing. While no trace is on, one object serves as every span."""

    __slots__ = ()
    __enter__: Any  # set below; returns the object
    __exit__ = "".format  # takes any arguments and returns a text that is false

    def set(self, **fields: Any) -> None:
        pass

    def __call__(self, function: Any) -> Any:
        raise TypeError("a span is not a decorator; use @tacho.traced or @tacho.traced('name')")


_OFF = _Off()
_Off.__enter__ = itertools.repeat(_OFF).__next__


class _CSite(ctypes.Structure):
    """struct tacho_trace_site of <tacho/trace.h>."""

    _fields_ = [
        ("code", ctypes.c_uint32),
        ("number", ctypes.c_uint32),
        ("values", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("category", ctypes.c_char_p),
    ]


# Sites are never freed, because libtacho keeps pointers to them. So their number is limited, for
# programs that make up names. Above the limit, spans look up their names each time.
_SITES_MAX = 8192
_sites: Dict[str, Dict[str, Any]] = {}  # by category, then by name
_site_count = itertools.count()


def _find_site(name: str, category: str) -> Any:
    """Returns the site of these names, or None when there are too many."""
    if next(_site_count) >= _SITES_MAX:
        return None
    site = ctypes.byref(_CSite(name=encode(name), category=encode(category)))
    return _sites.setdefault(category, {}).setdefault(name, site)


class _ThreadSpan:
    """A span on the track of the thread."""

    __slots__ = ("_site", "_fields", "_late", "_ticket")

    def __init__(self, site: Any, fields: Dict[str, Any]) -> None:
        self._site = site
        self._fields = fields
        self._late: Optional[Dict[str, Any]] = None

    def __enter__(self) -> "_ThreadSpan":
        fields = self._fields
        if fields:
            keep: List[bytes] = []
            self._ticket = _begin_args(self._site, pack(fields, keep), len(fields))
        else:
            self._ticket = _begin(self._site)
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        ticket = self._ticket
        if kind is None and self._late is None:
            if ticket != 0:
                _end(ticket)
        else:
            keep: List[bytes] = []
            fields = _with_error(self._late, kind)
            _end_args(ticket, pack(fields, keep), len(fields))

    def set(self, **fields: Any) -> None:
        self._late = {**(self._late or {}), **fields}

    __call__ = _Off.__call__


class _NamedSpan(_ThreadSpan):
    """A span whose names are looked up each time."""

    __slots__ = ("_name", "_category")

    def __init__(self, name: str, category: str, fields: Dict[str, Any]) -> None:
        super().__init__(None, fields)
        self._name = encode(name)
        self._category = encode(category)

    def __enter__(self) -> "_NamedSpan":
        keep: List[bytes] = []
        packed = pack(self._fields, keep)
        self._ticket = _begin_named(self._name, self._category, packed, len(self._fields))
        return self


class _TaskSpan:
    """A span on the track of a task."""

    __slots__ = ("_task", "_lane", "_name", "_category", "_fields", "_start")

    def __init__(self, task: Any, name: bytes, category: bytes, fields: Dict[str, Any]) -> None:
        self._task = task
        self._name = name
        self._category = category
        self._fields = fields

    def __enter__(self) -> "_TaskSpan":
        self._lane = lane = _lanes.of_task(self._task)
        if lane.depth == 0:
            self._fields = {"task": self._task.get_name(), **self._fields}
        lane.depth += 1
        self._start = monotonic_ns()
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        end = monotonic_ns()
        lane = self._lane
        lane.depth -= 1
        if not _mode[0]:
            return
        keep: List[bytes] = []
        fields = self._fields if kind is None else _with_error(self._fields, kind)
        _track_span(
            lane.track(), self._name, self._category, self._start, end, as_fields(fields, keep)
        )

    def set(self, **fields: Any) -> None:
        self._fields = {**self._fields, **fields}

    __call__ = _Off.__call__


def _with_error(fields: Optional[Dict[str, Any]], kind: Any) -> Dict[str, Any]:
    """Adds the exception that left the span as the field `error`, unless a generator was closed."""
    fields = fields or {}
    if kind is None or kind is GeneratorExit:
        return fields
    return {**fields, "error": kind.__name__}


class _Lane:
    """A track, which one task at a time uses."""

    __slots__ = ("number", "depth", "_track")

    def __init__(self, number: int) -> None:
        self.number = number
        self.depth = 0
        self._track = 0

    def track(self) -> int:
        if self._track == 0:
            self._track = _track(f"asyncio {self.number}".encode())
        return self._track


class _Lanes:
    """The tracks of all tasks. A new task gets the lowest free one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: Dict[Any, _Lane] = {}
        self._free: List[int] = []
        self._lanes: List[_Lane] = []

    def of_task(self, task: Any) -> _Lane:
        lane = self._of.get(task)
        return lane if lane is not None else self._give(task)

    def _give(self, task: Any) -> _Lane:
        with self._lock:
            if not self._free:
                self._lanes.append(_Lane(len(self._lanes) + 1))
                heapq.heappush(self._free, len(self._lanes) - 1)
            lane = self._lanes[heapq.heappop(self._free)]
            lane.depth = 0
            self._of[task] = lane
        task.add_done_callback(self._take_back)
        return lane

    def _take_back(self, task: Any) -> None:
        with self._lock:
            lane = self._of.pop(task, None)
            if lane is not None:
                heapq.heappush(self._free, lane.number - 1)


_lanes = _Lanes()
_modules = sys.modules
_thread = threading.local()


def _current_task() -> Any:
    """Returns the asyncio task that this thread runs, or None. Needs asyncio to be imported."""
    asyncio = _modules["asyncio"]
    try:
        loop = asyncio._get_running_loop()
    except AttributeError:  # another thread is importing it
        return None
    return None if loop is None else asyncio.current_task(loop)


def _name_thread() -> None:
    """Names the track of this thread when it first records.

    The main thread keeps the name of the program, and a thread that Python did not start its own.
    """
    thread = threading.current_thread()
    _thread.named = True
    if thread is not threading.main_thread() and not isinstance(thread, threading._DummyThread):
        thread_name(thread.name)


def span(name: str, category: str = "python", /, **fields: Any) -> Span:
    """Records the body of `with` as a span, if a trace is on.

        with tacho.span("decode", tokens=32):
            ...

    Fields are numbers, texts, truth values, None, and lists and dicts of these. When an exception
    leaves the span, the field `error` is the name of its class.
    """
    if not _mode[0]:
        return _OFF  # type: ignore[return-value]
    try:
        _thread.named
    except AttributeError:
        _name_thread()
    if "asyncio" in _modules:
        task = _current_task()
        if task is not None:
            return _TaskSpan(task, encode(name), encode(category), fields)
    try:
        site = _sites[category][name]
    except KeyError:
        site = _find_site(name, category)
        if site is None:
            return _NamedSpan(name, category, fields)
    except TypeError:  # a name that cannot be a key, such as a list
        return _NamedSpan(name, category, fields)
    return _ThreadSpan(site, fields)


@overload
def traced(function: _F, /) -> _F: ...


@overload
def traced(
    name: Optional[str] = None, category: str = "python", /, **fields: Any
) -> Callable[[_F], _F]: ...


def traced(
    name: Union[str, None, Callable[..., Any]] = None, category: str = "python", /, **fields: Any
) -> Any:
    """Makes each call of a function a span, by default with the name of the function.

        @tacho.traced
        def decode(): ...

        @tacho.traced("attention", layer=3)
        async def attend(): ...

    Generators are refused, because their spans would last until the last value is read. Put spans
    inside them instead.
    """
    if name is None or isinstance(name, str):
        return lambda function: _trace_function(function, name, category, fields)
    return _trace_function(name, None, category, fields)


def _trace_function(
    function: Any, name: Optional[str], category: str, fields: Dict[str, Any]
) -> Any:
    if isinstance(function, (classmethod, staticmethod)):
        raise TypeError(f"put @tacho.traced below @{type(function).__name__}")
    if not callable(function):
        raise TypeError(f"cannot trace {function!r}, which is not a function")
    name = name or getattr(function, "__qualname__", type(function).__name__)
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"cannot trace the generator {name}; put spans inside it")
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def traced_coroutine(*args: Any, **named: Any) -> Any:
            with span(name, category, **fields):
                return await function(*args, **named)

        return traced_coroutine

    @functools.wraps(function)
    def traced_function(*args: Any, **named: Any) -> Any:
        if not _mode[0]:
            return function(*args, **named)
        with span(name, category, **fields):
            return function(*args, **named)

    return traced_function


def instant(name: str, category: str = "python", /, **fields: Any) -> None:
    """Records an instant on the track of the thread or of the task."""
    if not _mode[0]:
        return
    keep: List[bytes] = []
    task = _current_task() if "asyncio" in _modules else None
    if task is None:
        _instant(encode(name), encode(category), 0, as_fields(fields, keep))
    else:
        track, now = _lanes.of_task(task).track(), monotonic_ns()
        _track_instant(track, encode(name), encode(category), now, as_fields(fields, keep))


def counter(name: str, value: Union[int, float], /) -> None:
    """Records the new value of a counter."""
    if not _mode[0]:
        return
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        _counter_i64(encode(name), value)
        return
    try:
        _counter_f64(encode(name), float(value))
    except (TypeError, ValueError, OverflowError):  # tracing must not stop the program
        warnings.warn(f"tacho: {value!r} is not a number to count", RuntimeWarning, stacklevel=2)


def thread_name(name: str, /) -> None:
    """Names the track of the calling thread."""
    if _mode[0]:
        _thread.named = True
        _thread_name(encode(name))


def process_name(name: str, /) -> None:
    """Names this process in the trace."""
    if _mode[0]:
        _process_name(encode(name))


def enabled() -> bool:
    """Returns whether a trace is on. Call this before measuring only for the trace."""
    return _mode[0] != 0


def start(path: Union[str, "os.PathLike[str]"], /) -> None:
    """Starts a trace. The extension (.json, .pftrace, .tacho) chooses the format.

    The variable TACHO_TRACE_OUT does the same without a code change. Raises Error when a trace is
    on or the file cannot be written.
    """
    if available():
        call(_start, os.fsencode(path))


def stop() -> None:
    """Stops the trace and writes it. Happens at exit automatically. Raises Error on failure."""
    if available():
        call(_stop)


def flush() -> None:
    """Writes the trace so far and continues recording. Raises Error on failure."""
    if available():
        call(_flush)


def why_off() -> Optional[str]:
    """Returns a sentence that says why nothing is recorded; None while a trace is on."""
    if not available():
        return "libtacho was not found"
    sentence = _why_off()
    return sentence.decode("utf-8", "replace") if sentence is not None else None


_text, _u32, _u64 = ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64
# Calls without declared argument types are faster. They pass a tacho_fields by value as its two
# members, which is the same where both fit registers.
_begin = declare("tacho_trace_begin_slow", returns=_u32)
_begin_args = declare("tacho_trace_begin_args", returns=_u32)
_begin_named = declare("tacho_trace_begin_named", returns=_u32)
_end = declare("tacho_trace_end_slow")
_end_args = declare("tacho_trace_end_args")
_track = declare("tacho_track", _text, returns=_u32)
_track_span = declare("tacho_track_span", _u32, _text, _text, _u64, _u64, CFields)
_track_instant = declare("tacho_track_instant", _u32, _text, _text, _u64, CFields)
_instant = declare("tacho_instant", _text, _text, ctypes.c_int, CFields)
_counter_i64 = declare("tacho_counter_i64", _text, ctypes.c_int64)
_counter_f64 = declare("tacho_counter_f64", _text, ctypes.c_double)
_thread_name = declare("tacho_thread_name", _text)
_process_name = declare("tacho_process_name", _text)
_pointer, _int = ctypes.c_void_p, ctypes.c_int
_start = declare("tacho_trace_start", _text, _pointer, returns=_int, slow=True)
_stop = declare("tacho_trace_stop", _pointer, returns=_int, slow=True)
_flush = declare("tacho_trace_flush", _pointer, returns=_int, slow=True)
_why_off = declare("tacho_trace_why_off", returns=_text)

# tacho_trace_mode is 1 while a trace is on. An item of a memoryview is the fastest way to read it.
_mode = memoryview(int_of_library("tacho_trace_mode")).cast("B").cast("i")


def _forget_threads() -> None:
    """Gives threads and tasks of a child made by fork new names and tracks."""
    global _thread, _lanes
    _thread = threading.local()
    _lanes = _Lanes()


os.register_at_fork(after_in_child=_forget_threads)
