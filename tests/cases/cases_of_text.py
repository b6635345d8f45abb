"""Cases of labels, traces and events."""
import json
import unicodedata
from math import inf, nan
from typing import Any, Iterable

from case_files import FOLDER, cases, compact, f64, quote


def labels() -> None:
    cases("label_sanitize.jsonl", (
        ({"label": label}, {"file_name": f"flamegraph-{name}.svg"}) for label, name in [
            ("", ""), ("A-z_09", "A-z_09"), ("../up", "___up"), ("a.b c", "a_b_c"),
            ("tab\there", "tab_here"),
            ("n\u00e4he \u00b5s", "n\u00e4he_\u00b5s"), ("\u4e2d\u6587\u3002", "\u4e2d\u6587_"),
            ("\U0001f600x", "_x"), ("\u00bd\u00b2", "\u00bd\u00b2"),
            ("\u00d7\u00f7\u00a0", "___")]))
    letters = [c for c in range(0x300) if unicodedata.category(chr(c))[0] in "LN"]
    starts = [c for c in letters if c - 1 not in letters]
    ends = [c for c in letters if c + 1 not in letters]
    (FOLDER / "unicode_is_alphanumeric.txt").write_text(
        "# letters and digits (categories L and N) below U+0300\n"
        + "".join(f"{first:06X} {last:06X}\n" for first, last in zip(starts, ends)),
        encoding="ascii")


def traces() -> None:
    def event(name: str, args: str) -> dict:
        return {"name": name, "cat": "c", "ph": "X", "ts": 3, "dur": 2, "pid": 1, "tid": 4,
                "args_json": args or None}

    def text(name: str, args: str) -> str:
        tail = f',"args":{args}' if args else ""
        return f'{{"name":{quote(name)},"cat":"c","ph":"X","ts":3,"dur":2,"pid":1,"tid":4{tail}}}'

    lists = [[], [("one", "")], [("a\\b\n\u00e9", '{"k":-1,"t":"x","n":null,"l":[1,{"m":true}]}')],
             [("z", '{"z":1,"a":0.5}'), ("", ""), ("y", '{"big":18446744073709551615}')]]
    cases("trace_json.jsonl", (({"events": [event(*e) for e in events]},
                                {"file": "[" + ",".join(text(*e) for e in events) + "]"})
                               for events in lists))
    # Microseconds of exact milliseconds; halves are rounded up.
    cases("trace_complete.jsonl", (
        ({"dur_ms_bits": f64(ms)}, {"event_json": f'{{"dur":{us}}}'})
        for ms, us in [(0.0, 0), (0.5, 500), (0.0625, 63), (0.1875, 188), (0.03125, 31),
                       (7.0, 7000),
                       (-3.0, 0), (2.0**50, 2**50 * 1000), (nan, 0), (inf, 2**64 - 1), (-inf, 0)]))


def event_of(**changes: Any) -> dict:
    """Returns an event with its members in the order of the canonical form."""
    event = {"event": "step", "commit_sha": None, "env_hash": "sha256:5", "model": "m",
             "concurrency": 2,
             "shape": {"a": 1, "b": "x"}, "stage_us": {"f": 10, "g": 2.5}, "graph_enabled": False,
             "runtime_flags": {"z": 1, "a": {"y": 2, "x": [3]}}}
    event.update(changes)
    return event


def parsed() -> Iterable[tuple[Any, Any]]:
    def refused(text: str, error: str) -> tuple[dict, dict]:
        return {"text": text}, {"ok": False, "error": error}

    whole = event_of()
    turned = dict(reversed(event_of(shape={"b": "x", "a": 1}).items()))
    yield {"text": ""}, {"ok": True, "lines": []}
    yield {"text": compact(whole)}, {"ok": True, "lines": [compact(whole)]}
    yield ({"text": f"\n  {json.dumps(turned)} \n\n{compact(whole)}\r\n"},
           {"ok": True, "lines": [compact(whole)] * 2})
    for change in ({"event": "\u00e9\n"}, {"commit_sha": "c"}, {"concurrency": 2**32 - 1},
                   {"source": "native", "source_line": "[x] a=1us"}, {"shape": {}, "stage_us": {}}):
        text = compact(event_of(**change))
        yield {"text": text}, {"ok": True, "lines": [text]}
    good = compact(whole) + "\n"
    for change, error in [({"event": ""}, "event must be non-empty"),
                          ({"commit_sha": ""}, "commit_sha must be non-empty when present"),
                          ({"env_hash": "md5:1"}, "env_hash must start with sha256:"),
                          ({"model": ""}, "model must be non-empty"),
                          ({"concurrency": 0}, "concurrency must be > 0"),
                          ({"runtime_flags": []}, "runtime_flags must be an object"),
                          ({"concurrency": 2**32}, "invalid profile event: "),
                          ({"graph_enabled": 1}, "invalid profile event: ")]:
        yield refused(good + compact(event_of(**change)), f"line 2: {error}")
    for name in whole:
        yield refused(good + compact({k: v for k, v in whole.items() if k != name}),
                      f"line 2: missing required field: {name}")
    for bad in ("nope", '{"event":', "{]", good.strip() + "x"):
        yield refused(good + "\n" + bad + "\n", "line 3: invalid JSON:")


def events() -> None:
    cases("profile_parse.jsonl", parsed())
    cases("require_groups.jsonl", [
        ({"events": [], "required": []}, {"ok": True}),
        ({"events": ["x", "y", "x"], "required": ["y", "x"]}, {"ok": True}),
        ({"events": [], "required": ["x"]}, {"ok": False,
                                             "error": "missing profile event groups: x"}),
        ({"events": ["xy", "X"], "required": ["x", "xy", "w"]},
         {"ok": False, "error": "missing profile event groups: x, w"})])

    def environment(path: Any, **changes: Any) -> dict:
        data = {"commit_sha": None, "env_hash": "sha256:unknown", "model": "unknown",
                "concurrency": 1,
                "runtime_flags": {}, **changes}
        sink = {"jsonl_path": path, "metadata": data} if path else {"metadata": data}
        return {"metadata_json": compact(data), "sink_json": compact(sink)}

    def variables(**values: str) -> dict:
        return {"env": [["HOME", "/h"]] + [["TACHO_PROFILE_" + k, v] for k, v in values.items()]}

    cases("metadata_env.jsonl", [
        (variables(), environment(None)),
        (variables(JSONL="/p", COMMIT_SHA="c1", ENV_HASH="sha256:9", MODEL="big", CONCURRENCY="12",
                   RUNTIME_FLAGS_JSON='{ "b" : [1, 2], "a" : "x" }'),
         environment("/p", commit_sha="c1", env_hash="sha256:9", model="big", concurrency=12,
                     runtime_flags={"b": [1, 2], "a": "x"})),
        (variables(JSONL="/p", ENV_HASH="md5:9", CONCURRENCY="0", RUNTIME_FLAGS_JSON="[]"),
         environment("/p")),
        (variables(JSONL="/p", CONCURRENCY="4294967296"), environment("/p")),
        ({"env": [["FERRUM_PROFILE_JSONL", "/f"], ["FERRUM_PROFILE_MODEL", "m"]]},
         environment("/f", model="m"))])

    def written(before: Any, metadata: dict, results: list, file: str) -> tuple[dict, dict]:
        given = {"commit_sha": None, "env_hash": "sha256:5", "model": "m", "concurrency": 2,
                 "runtime_flags_json": '{"z":1,"a":{"y":2,"x":[3]}}', **metadata}
        push = {"event": "step", "shape_json": '{"b":"x","a":1}',
                "stage_us_json": '{"g":2.5,"f":10}',
                "graph_enabled": False}
        return ({"preexisting": before, "metadata": given, "pushes": [push] * len(results)},
                {"results": results, "file": file})

    line = compact(event_of(source="native")) + "\n"
    cases("native_writer.jsonl", [
        written(None, {}, [None], line), written(None, {}, [None, None], line * 2),
        written("# kept\n", {}, [None], "# kept\n" + line),
        written("torn", {}, [None], "torn" + line),
        written(None, {"model": ""}, [{"error": "model must be non-empty"}], ""),
        written(None, {"concurrency": 0}, [{"error": "concurrency must be > 0"}], ""),
        written(None, {"runtime_flags_json": "3"}, [{"error": "runtime_flags must be an object"}],
                "")])
