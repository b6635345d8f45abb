"""Writes files of cases, and numbers as the formats of tacho write them."""
import hashlib
import json
import struct
from decimal import Decimal
from math import isfinite, isnan
from pathlib import Path
from typing import Any, Iterable

FOLDER = Path(__file__).resolve().parent / "vectors"


def write(name: str, lines: Iterable[dict]) -> None:
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    temporary = FOLDER / (name + ".new")
    temporary.write_text(text, encoding="ascii")
    temporary.rename(FOLDER / name)


def cases(name: str, made: Iterable[tuple[Any, Any]]) -> None:
    write(name, ({"id": f"own-{i + 1}", "tag": "own", "input": given, "expect": wanted}
                 for i, (given, wanted) in enumerate(made)))


def f64(x: float) -> str:
    return struct.pack(">d", x).hex()


def f32(x: float) -> str:
    return struct.pack(">f", x).hex()


def to_f32(x: float) -> float:
    return struct.unpack(">f", struct.pack(">f", x))[0]


def plain(text: str) -> str:
    """Returns a decimal number without an exponent and without zeros at the end."""
    out = format(Decimal(text), "f")
    return out.rstrip("0").rstrip(".") if "." in out else out


def fixed_or_exponent(shortest: str, least: float, most: float) -> str:
    """Returns the JSON form of the shortest digits: see src/base/float_text.h."""
    x = float(shortest)
    if x == 0 or least <= abs(x) < most:
        out = plain(shortest)
        return out if "." in out else out + ".0"
    sign, digits, exponent = Decimal(shortest).normalize().as_tuple()
    first, rest = str(digits[0]), "".join(map(str, digits[1:]))
    return f"{'-' * sign}{first}{'.' + rest if rest else ''}e{int(exponent) + len(rest)}"


def json_f64(x: float) -> str:
    return fixed_or_exponent(repr(x), 1e-5, 1e16) if isfinite(x) else "null"


def json_f32(x: float) -> str:
    if not isfinite(x):
        return "null"
    digits = next(p for p in range(1, 10) if to_f32(float(f"{x:.{p}g}")) == x)
    return fixed_or_exponent(f"{x:.{digits}g}", 1e-6, 1e13)


def plain_f64(x: float) -> str:
    if isfinite(x):
        return plain(repr(x))
    return "NaN" if isnan(x) else "inf" if x > 0 else "-inf"


def quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
