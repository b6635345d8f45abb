"""Profile events: one JSON line for each profiled step of a program."""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from typing import Any, List, Mapping, Optional, Union

from ._fields import CFields, as_fields, encode
from ._handles import Handle, Sized
from ._library import Error, available, call, declare, int_of_library

_Path = Union[str, "os.PathLike[str]"]
_Fields = Optional[Mapping[str, Any]]


class _CConfig(Sized):
    """tacho_event_config of <tacho/event.h>."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("path", ctypes.c_char_p),
        ("commit_sha", ctypes.c_char_p),
        ("env_hash", ctypes.c_char_p),
        ("model", ctypes.c_char_p),
        ("runtime_flags", ctypes.c_char_p),
        ("source", ctypes.c_char_p),
        ("concurrency", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


def _config(
    path: _Path,
    commit_sha: Optional[str] = None,
    env_hash: Optional[str] = None,
    model: Optional[str] = None,
    runtime_flags: _Fields = None,
    source: str = "python",
    concurrency: int = 1,
) -> _CConfig:
    def optional(text: Optional[str]) -> Optional[bytes]:
        return None if text is None else encode(text)

    return _CConfig(
        path=os.fsencode(path),
        commit_sha=optional(commit_sha),
        env_hash=optional(env_hash),
        model=optional(model),
        runtime_flags=None if runtime_flags is None else json.dumps(runtime_flags).encode(),
        source=encode(source),
        concurrency=concurrency,
    )


def _push(writer: Any, name: str, shape: _Fields, stage_us: _Fields, graph_enabled: bool) -> None:
    keep: List[bytes] = []
    call(
        _push_event,
        writer,
        encode(name),
        as_fields(shape or {}, keep),
        as_fields(stage_us or {}, keep),
        graph_enabled,
    )


class EventWriter(Handle):
    """Appends events to a file of its own. May be used by several threads.

    Without libtacho it writes nothing.
    """

    def __init__(self, path: _Path, **config: Any) -> None:
        """Opens the writer. Keywords set the members that are the same for all events:

        commit_sha, env_hash, model, runtime_flags (a dict), source, concurrency. Raises Error.
        """
        self._config = _config(path, **config)
        super().__init__("tacho_event_open", "tacho_event_close", ctypes.byref(self._config))

    def push(
        self,
        name: str,
        shape: _Fields = None,
        stage_us: _Fields = None,
        *,
        graph_enabled: bool = False,
    ) -> None:
        """Writes one event by one write(2). Raises Error when it is invalid or not written."""
        if self._handle is not None:
            _push(self._handle, name, shape, stage_us, graph_enabled)

    def flush(self) -> None:
        """Fails if the program closed the file. Events are with the kernel when they are pushed."""
        if self._handle is not None:
            call(_flush, self._handle)

    def sync(self) -> None:
        """Waits until all events are on the disk, where they survive a power failure."""
        if self._handle is not None:
            call(_sync, self._handle)


def configure_events(path: _Path, **config: Any) -> None:
    """Configures the writer that event() uses, once, before its first use.

    Takes the keywords of EventWriter. Without this call TACHO_PROFILE_JSONL and other variables
    configure it. Raises Error when the file cannot be opened, or when it was used before.
    """
    if available():
        call(_configure, ctypes.byref(_config(path, **config)))


_warned = False


def event(
    name: str, shape: _Fields = None, stage_us: _Fields = None, *, graph_enabled: bool = False
) -> bool:
    """Writes a profile event, if TACHO_PROFILE_JSONL or configure_events() turned events on.

        tacho.event("decode", shape={"batch": 32}, stage_us={"model": 1250.5})

    Returns whether it was written. Raises Error for an event that is not valid. When the file
    cannot be written, the program continues; the first time it gets a RuntimeWarning.
    """
    global _warned
    state = _state[0]
    if state == _OFF or not available():
        return False
    writer = _global()
    if state == _NOT_ASKED and not _is_enabled(writer):
        return False
    try:
        _push(writer, name, shape, stage_us, graph_enabled)
        return True
    except Error as error:
        if error.status == "TACHO_EINVAL":
            raise
        if not _warned:
            _warned = True
            warnings.warn(f"tacho: {error}", RuntimeWarning, stacklevel=2)
        return False


_NOT_ASKED, _OFF = 0, 1
_state = memoryview(int_of_library("tacho_event_state")).cast("B").cast("i")
_pointer, _int, _text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
_push_event = declare(
    "tacho_event_push",
    _pointer,
    _text,
    CFields,
    CFields,
    ctypes.c_bool,
    _pointer,
    returns=_int,
    slow=True,
)
_flush = declare("tacho_event_flush", _pointer, _pointer, returns=_int, slow=True)
_sync = declare("tacho_event_sync", _pointer, _pointer, returns=_int, slow=True)
_configure = declare("tacho_event_configure", _pointer, _pointer, returns=_int, slow=True)
_global = declare("tacho_event_global", returns=_pointer)
_is_enabled = declare("tacho_event_is_enabled", _pointer, returns=ctypes.c_bool)
