"""Makes each process that Python starts write a complete trace of its own.

A program whose os.environ was copied before libtacho was loaded, or that passes a copy of it to a
child, would hide TACHO_TRACE_OWNER from the child, which would then overwrite the parent's trace.
Children of multiprocessing exit without running the exit functions of C and Python, so this module
stops the trace and closes open handles there.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from . import _handles, _library, _trace

_OWNER = "TACHO_TRACE_OWNER"


def _copy_owner() -> None:
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    owner = getenv(_OWNER.encode())
    if owner is not None:
        os.environ[_OWNER] = os.fsdecode(owner)


def _finish() -> None:
    """Closes open handles and stops the trace. After a failure the recording is kept."""
    _handles.close_all()
    try:
        _trace.stop()
    except _library.Error as error:
        print(f"tacho: {error}", file=sys.stderr)


def _stop_at_exit(_: Any) -> None:
    from multiprocessing import util

    util.Finalize(None, _finish, exitpriority=0)


_hooked = False


def _hook_multiprocessing() -> None:
    """Asks multiprocessing, once it is imported, to call _stop_at_exit() in its children."""
    global _hooked
    util = sys.modules.get("multiprocessing.util")
    if util is not None and not _hooked:
        _hooked = True
        util.register_after_fork(_stop_at_exit, _stop_at_exit)


def _is_child_of_multiprocessing() -> bool:
    process = sys.modules.get("multiprocessing.process")
    return process is not None and process.parent_process() is not None


def install() -> None:
    """Installs the hooks. Called once, when the package is imported and libtacho was found."""
    _copy_owner()
    os.register_at_fork(before=_hook_multiprocessing)
    if _is_child_of_multiprocessing():
        _stop_at_exit(None)
    else:  # also in a fork server, whose next child becomes one of multiprocessing
        _hook_multiprocessing()
