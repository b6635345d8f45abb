"""Hashes of the conditions of a result: configurations, any JSON, tensors, the machine."""

from __future__ import annotations

import array
import ctypes
import json
import platform
from typing import Any, Dict, Iterable, Optional, Union

from ._library import available, call_for_bytes, declare

_SHA256_TEXT = 65
_ENV_HASH_TEXT = 72


def _sha256(data: bytes) -> str:
    digits = ctypes.create_string_buffer(_SHA256_TEXT)
    _hash(data, len(data), digits)
    return digits.value.decode()


def fingerprint(value: Any) -> Optional[str]:
    """Returns the SHA-256 of a JSON value, keys in the order given. None without libtacho.

    `tacho fingerprint` of a file with that JSON prints the same digits. Raises Error for a value
    that libtacho refuses, TypeError or ValueError for one that is not JSON.
    """
    if not available():
        return None
    text = json.dumps(value, allow_nan=False).encode()
    return _sha256(call_for_bytes(_canonical, text, len(text)))


def config_hash(
    *,
    model_commit: str,
    weights_hash: str,
    lambda_: float,
    tau: int,
    eps: float,
    compiler_flags: str,
) -> Optional[str]:
    """Returns the SHA-256 of a benchmark's configuration, or None without libtacho."""
    if not available():
        return None
    config = {
        "model_commit": model_commit,
        "weights_hash": weights_hash,
        "lambda": lambda_,
        "tau": tau,
        "eps": eps,
        "compiler_flags": compiler_flags,
    }
    text = json.dumps(config, allow_nan=False).encode()
    return _sha256(call_for_bytes(_canonical_config, text, len(text)))


def tensor_hash(values: Union[Iterable[float], memoryview]) -> Optional[str]:
    """Returns the SHA-256 of float32 values in order, or None without libtacho.

    A buffer of float32 (array.array("f"), a contiguous numpy array) is hashed without a conversion;
    other values are converted to float32 first.
    """
    if not available():
        return None
    digits = ctypes.create_string_buffer(_SHA256_TEXT)
    data = _float32(values)
    _tensor_hash(data, len(data) // 4, digits)
    return digits.value.decode()


def _float32(values: Any) -> bytes:
    try:
        view = memoryview(values)
    except TypeError:
        return array.array("f", values).tobytes()
    if view.format in ("f", "<f") and view.c_contiguous:
        return view.tobytes()
    return array.array("f", view.tolist() if view.ndim == 1 else _flat(view.tolist())).tobytes()


def _flat(rows: Any) -> Iterable[float]:
    for row in rows:
        if isinstance(row, list):
            yield from _flat(row)
        else:
            yield row


def _environment_text() -> bytes:
    runtime = f"{platform.python_implementation()} {platform.python_version()}"
    return call_for_bytes(_environment, f"{runtime}, {platform.python_compiler()}".encode())


def environment() -> Optional[Dict[str, Any]]:
    """Returns a description of the machine, "schema": "tacho.env.v1", or None without libtacho.

    Its `compiler` names the Python interpreter.
    """
    document: Dict[str, Any] = json.loads(_environment_text()) if available() else {}
    return document or None


def environment_hash() -> Optional[str]:
    """Returns "sha256:" and the SHA-256 of environment(), or None without libtacho."""
    if not available():
        return None
    text = _environment_text()
    digits = ctypes.create_string_buffer(_ENV_HASH_TEXT)
    _environment_hash(text, len(text), digits)
    return digits.value.decode()


_text, _pointer, _size, _int = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_hash = declare("tacho_sha256", _text, _size, _text)
_canonical = declare(
    "tacho_json_canonical", _text, _size, _pointer, _pointer, _pointer, returns=_int
)
_canonical_config = declare(
    "tacho_config_canonical", _text, _size, _pointer, _pointer, _pointer, returns=_int
)
_tensor_hash = declare("tacho_tensor_hash", _text, _size, _text)
_environment = declare(
    "tacho_environment", _text, _pointer, _pointer, _pointer, returns=_int, slow=True
)
_environment_hash = declare("tacho_environment_hash", _text, _size, _text)
