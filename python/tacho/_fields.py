"""Turns keyword arguments into the tacho_field array of <tacho/field.h>.

No value makes a span fail: a value that JSON cannot express is recorded as a text.
"""

from __future__ import annotations

import ctypes
import json
import math
import operator
import struct
from typing import Any, Dict, List, Mapping

I64, U64, F64, BOOL, TEXT, JSON = range(1, 7)

# One tacho_field: the key, the type, whether the key keeps its address (_keys ensures that), and a
# union, whose largest member is a text {data, len}.
_pack_i64 = struct.Struct("@PiIq8x").pack
_pack_u64 = struct.Struct("@PiIQ8x").pack
_pack_f64 = struct.Struct("@PiId8x").pack
_pack_bool = struct.Struct("@PiI?15x").pack
_pack_text = struct.Struct("@PiIPN").pack

_address_of = ctypes.pythonapi.PyBytes_AsString
_address_of.argtypes = [ctypes.py_object]
_address_of.restype = ctypes.c_void_p


class CFields(ctypes.Structure):
    """tacho_fields of <tacho/field.h>, which is passed by value."""

    _fields_ = [("data", ctypes.c_char_p), ("count", ctypes.c_size_t)]


NO_FIELDS = CFields(None, 0)


def encode(text: Any) -> bytes:
    """Encodes a name or a text. Any other object is converted to a str first."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    except AttributeError:
        return _text_of(text)


def _text_of(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    try:
        return str(value).encode("utf-8", "surrogatepass")
    except Exception:  # raised by a __str__ of the program
        return f"<{type(value).__name__}>".encode()


_keys: Dict[str, int] = {}  # addresses of the encoded keys
_key_texts: List[bytes] = []  # the encoded keys, kept until the process exits


def _address_of_key(key: str) -> int:
    address = _keys.get(key)
    if address is None:
        text = encode(key)
        _key_texts.append(text)
        _keys[key] = address = _address_of(text)
    return address


def pack(fields: Mapping[str, Any], keep: List[bytes]) -> bytes:
    """Returns the array. Appends to keep the texts that it points to; they must outlive it."""
    packed = b""
    for key, value in fields.items():
        if type(value) is int:
            try:
                packed += _pack_i64(_keys[key], I64, 1, value)
                continue
            except (KeyError, struct.error):  # a new key, or a large number
                pass
        packed += _pack_any(_address_of_key(key), value, keep)
    return packed


def as_fields(fields: Mapping[str, Any], keep: List[bytes]) -> CFields:
    """Returns the fields as the struct that functions of libtacho take by value."""
    return CFields(pack(fields, keep), len(fields)) if fields else NO_FIELDS


def _pack_bytes(key: int, kind: int, text: bytes, keep: List[bytes]) -> bytes:
    keep.append(text)
    return _pack_text(key, kind, 1, _address_of(text), len(text))


def _pack_any(key: int, value: Any, keep: List[bytes]) -> bytes:
    if isinstance(value, str):
        return _pack_bytes(key, TEXT, encode(value), keep)
    if isinstance(value, bool):
        return _pack_bool(key, BOOL, 1, value)
    if isinstance(value, float):
        return _pack_f64(key, F64, 1, value)
    if value is None or isinstance(value, (list, tuple, dict)):
        return _pack_json(key, value, keep)
    try:
        return _pack_whole(key, operator.index(value), keep)
    except Exception:  # not a whole number
        pass
    try:
        return _pack_f64(key, F64, 1, float(value))
    except Exception:  # not a number
        return _pack_bytes(key, TEXT, _text_of(value), keep)


def _pack_whole(key: int, value: int, keep: List[bytes]) -> bytes:
    if -(2**63) <= value < 2**63:
        return _pack_i64(key, I64, 1, value)
    if 0 <= value < 2**64:
        return _pack_u64(key, U64, 1, value)
    return _pack_bytes(key, JSON, str(value).encode(), keep)


def _pack_json(key: int, value: Any, keep: List[bytes]) -> bytes:
    try:
        return _pack_bytes(key, JSON, to_json(value), keep)
    except (TypeError, ValueError, RecursionError):
        return _pack_bytes(key, TEXT, _text_of(value), keep)


def to_json(value: Any) -> bytes:
    """Writes a value as JSON. NaN and infinities become null, as they do in float fields."""
    try:
        return json.dumps(value, allow_nan=False, default=_plain).encode()
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, default=_plain).encode()


def _plain(value: Any) -> Any:
    """Converts a value that json cannot write, such as a number of numpy, to one that it can."""
    for convert in (operator.index, float):
        try:
            number = convert(value)
        except Exception:
            continue
        return number if math.isfinite(number) else None
    return _text_of(value).decode("utf-8", "replace")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
