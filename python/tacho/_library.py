"""Loads libtacho and declares the structures that the package shares with it.

The package looks for libtacho in this order:

1. the file that the variable TACHO_LIBRARY names; if it is set, nowhere else;
2. the lib folder that this package was installed below, which the loader may not search;
3. where the loader searches: LD_LIBRARY_PATH, /etc/ld.so.conf.

When libtacho is missing or has another version, the package warns once and records nothing.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from typing import Any, Iterator, Optional

from ._version import __version__

_SONAME = "libtacho.so.0"


class Error(Exception):
    """A failure that libtacho reports.

    Attributes:
        code: the status code, such as -4
        status: the name of the code, such as "TACHO_EIO"
        errno: errno of the system call that failed, or 0
    """

    def __init__(self, message: str, code: int, status: str, errno: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.errno = errno


class CError(ctypes.Structure):
    """tacho_error of <tacho/error.h>."""

    _fields_ = [
        ("code", ctypes.c_int),
        ("system_errno", ctypes.c_int),
        ("line", ctypes.c_uint64),
        ("column", ctypes.c_uint64),
        ("offset", ctypes.c_uint64),
        ("message", ctypes.c_char * 228),
        ("kind", ctypes.c_int),
    ]


def _candidates() -> Iterator[str]:
    chosen = os.environ.get("TACHO_LIBRARY")
    if chosen:
        yield chosen
        return
    lib = os.path.abspath(__file__)
    for _ in range(4):  # lib/python3/dist-packages/tacho/_library.py
        lib = os.path.dirname(lib)
    for folder in ("", getattr(sys.implementation, "_multiarch", "")):
        path = os.path.join(lib, folder, _SONAME)
        if os.path.exists(path):
            yield path
    yield _SONAME


def _version_of(library: ctypes.CDLL) -> str:
    version = library.tacho_version
    version.restype = ctypes.c_char_p
    return version().decode()


def _load() -> "tuple[Optional[str], str]":
    """Returns the name of a libtacho of the right version, or None and the reason."""
    reason = ""
    for name in _candidates():
        try:
            version = _version_of(ctypes.CDLL(name))
        except (OSError, AttributeError) as why:
            reason = str(why)
            continue
        if version.split(".")[:2] == __version__.split(".")[:2]:
            return name, ""
        reason = f"{name} has version {version}, the package {__version__}"
    return None, reason


_name, _reason = _load()

# `calls` releases the interpreter's lock during a call. `quick` keeps it, for functions that take
# less time than releasing the lock and getting it back.
calls: Optional[ctypes.CDLL] = ctypes.CDLL(_name) if _name else None
quick: Optional[ctypes.PyDLL] = ctypes.PyDLL(_name) if _name else None

if not _name:
    warnings.warn(
        f"tacho records nothing: {_reason}; install libtacho0 or set TACHO_LIBRARY to its file",
        RuntimeWarning,
        stacklevel=3,
    )


def available() -> bool:
    """Returns whether libtacho was found. Without it nothing is recorded or measured."""
    return calls is not None


def library_version() -> Optional[str]:
    """Returns the version of libtacho in use, or None without libtacho."""
    return _version_of(calls) if calls is not None else None


def declare(name: str, *arguments: Any, returns: Any = None, slow: bool = False) -> Any:
    """Returns a function of libtacho, or None without it. `slow` functions release the lock."""
    library = calls if slow else quick
    if library is None:
        return None
    function = library[name]
    function.argtypes = arguments or None
    function.restype = returns
    return function


def int_of_library(name: str) -> ctypes.c_int:
    """Returns a variable of libtacho, or a variable that stays 0 without libtacho."""
    return ctypes.c_int.in_dll(calls, name) if calls is not None else ctypes.c_int(0)


def call(function: Any, *arguments: Any) -> int:
    """Calls a function that returns a status and fills a tacho_error, which is its last argument.

    Returns the status. Raises Error when it is negative.
    """
    error = CError()
    status: int = function(*arguments, ctypes.byref(error))
    if status >= 0:
        return status
    message = error.message.decode("utf-8", "replace")
    raise Error(message, status, _status_name(status).decode(), error.system_errno)


def call_for_bytes(function: Any, *arguments: Any) -> bytes:
    """Calls a function that returns allocated bytes by its next two arguments, pointer and length.
    Frees the bytes and returns a copy of them."""
    data, length = ctypes.c_void_p(), ctypes.c_size_t()
    call(function, *arguments, ctypes.byref(data), ctypes.byref(length))
    copy = ctypes.string_at(data.value or 0, length.value)
    _free(data)
    return copy


_status_name = declare("tacho_status_name", ctypes.c_int, returns=ctypes.c_char_p)
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None
