#!/usr/bin/env python3
"""Measures a span of the Python package, off and on, against an empty context manager.

    bench_python.py [--rounds N] [--quick] [--json]

Every round runs each contender once, in rotated order. CPU time counts; differences and ratios are
taken within a round, then their median. PYTHONPATH names python/ of the project, TACHO_LIBRARY
libtacho.so.0.
"""

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from typing import Callable, Dict, List, NamedTuple, Optional

import tacho

SPANS = 100000
QUICK_SPANS = 2000
MORE_NS = 1000.0  # limit of the cost of a recorded span above the floor
MOST_FLOORS = 1.5  # limit of a span without a trace


class Empty:
    """The floor: a context manager that does nothing."""

    __slots__ = ()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


def empty(count):
    for _ in range(count):
        with Empty():
            pass


def plain(count):
    for _ in range(count):
        with tacho.span("plain"):
            pass


def one_integer(count):
    for _ in range(count):
        with tacho.span("one integer", tokens=32):
            pass


def one_text(count):
    for _ in range(count):
        with tacho.span("one text", kernel="attention"):
            pass


@tacho.traced("traced")
def do_nothing():
    pass


def traced(count):
    for _ in range(count):
        do_nothing()


class Contender(NamedTuple):
    name: str
    role: str
    run: Callable[[int], None]
    most_floors: Optional[float] = None
    most_more_ns: Optional[float] = None


FLOOR = Contender("an empty context manager (floor)", "floor", empty)
OFF = [
    FLOOR,
    Contender("tacho.span", "ours", plain, most_floors=MOST_FLOORS),
    Contender("tacho.span, one integer", "ours", one_integer, most_floors=MOST_FLOORS),
    Contender("tacho.traced", "ours", traced),
]
ON = [
    FLOOR,
    Contender("tacho.span", "ours", plain, most_more_ns=MORE_NS),
    Contender("tacho.span, one integer", "ours", one_integer, most_more_ns=MORE_NS),
    Contender("tacho.span, one text", "ours", one_text),
    Contender("tacho.traced", "ours", traced),
]


def time_once(contender: Contender, count: int, path: Optional[str]) -> "tuple[float, float]":
    """Returns the CPU and the wall time of one run, in seconds."""
    if path:
        tacho.start(path)
    contender.run(count // 50)  # the first records of a trace make the file
    gc.disable()
    wall, cpu = time.perf_counter(), time.process_time()
    contender.run(count)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    gc.enable()
    if path:
        tacho.stop()
    return cpu, wall


def measure(contenders: List[Contender], rounds: int, count: int, path: Optional[str]) -> Dict:
    """Returns the times of each contender: {name: ([cpu], [wall])}. One round warms up."""
    times: Dict[str, "tuple[list, list]"] = {c.name: ([], []) for c in contenders}
    for i in range(rounds + 1):
        for j in range(len(contenders)):
            contender = contenders[(i + j) % len(contenders)]
            taken = time_once(contender, count, path)
            if i > 0:
                for kind in (0, 1):
                    times[contender.name][kind].append(taken[kind])
    return times


class Limits:
    """How a contender compares with the floor, by the median of the rounds."""

    def __init__(self, contender: Contender, times: Dict, count: int) -> None:
        cpu, floor = times[contender.name][0], times[FLOOR.name][0]
        self.floors = sorted(a / b for a, b in zip(cpu, floor))
        self.more_ns = sorted((a - b) / count * 1e9 for a, b in zip(cpu, floor))
        self.met_floors = (
            contender.most_floors and statistics.median(self.floors) <= contender.most_floors
        )
        self.met_more = (
            contender.most_more_ns and statistics.median(self.more_ns) <= contender.most_more_ns
        )


def quartiles(values: List[float]) -> str:
    """Returns "median (q1 to q3)"."""
    if len(values) < 2:
        return f"{values[0]:.2f}"
    q1, _, q3 = statistics.quantiles(values, n=4, method="inclusive")
    return f"{statistics.median(values):.2f} ({q1:.2f} to {q3:.2f})"


def met(yes: object) -> str:
    return "met" if yes else "NOT MET"


def print_text(
    name: str, contenders: List[Contender], times: Dict, count: int, rounds: int
) -> None:
    width = max(len(c.name) for c in contenders)
    print(f"{name}\n{count} spans a run; rounds: {rounds}, interleaved; medians\n")
    print(f"  {'contender':<{width}}  {'ns/span':>9}  {'wall ms':>9}  {'x floor':>7}")
    for contender in contenders:
        cpu, wall = map(statistics.median, times[contender.name])
        floors = statistics.median(Limits(contender, times, count).floors)
        ns, ms = cpu / count * 1e9, wall * 1e3
        print(f"  {contender.name:<{width}}  {ns:9.1f}  {ms:9.2f}  {floors:7.2f}")
    print()
    for contender in contenders:
        limits = Limits(contender, times, count)
        if contender.most_floors:
            print(f"  {contender.name} takes {quartiles(limits.floors)} times the floor; "
                  f"target at most {contender.most_floors:g}: {met(limits.met_floors)}")
        if contender.most_more_ns:
            print(f"  {contender.name} takes {quartiles(limits.more_ns)} ns more than the floor; "
                  f"target at most {contender.most_more_ns:g}: {met(limits.met_more)}")
    print()


def print_json(name: str, contenders: List[Contender], times: Dict, count: int) -> None:
    listed = []
    for contender in contenders:
        limits = Limits(contender, times, count)
        cpu, wall = times[contender.name]
        entry = {"name": contender.name, "role": contender.role, "cpu_s": cpu, "wall_s": wall}
        if contender.most_floors:
            entry.update(most_floors=contender.most_floors, met_floors=limits.met_floors)
        if contender.most_more_ns:
            entry.update(most_more_ns=contender.most_more_ns, met_more=limits.met_more)
        listed.append(entry)
    print(json.dumps({"schema": "tacho.bench.v1", "name": name, "bytes": 0, "operations": count,
                      "operation": "span", "contenders": listed, "ratios": []}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds to count (9)")
    parser.add_argument("--quick", action="store_true", help="few spans, 3 rounds: does it run?")
    parser.add_argument("--json", action="store_true", help="one line per comparison")
    options = parser.parse_args()
    rounds = options.rounds or (3 if options.quick else 9)
    count = QUICK_SPANS if options.quick else SPANS
    if not tacho.available():
        return 1  # the package has printed why
    with tempfile.TemporaryDirectory() as folder:
        for name, contenders, path in (
            ("a Python span that is not recorded", OFF, None),
            ("a Python span that is recorded", ON, os.path.join(folder, "t.tacho")),
        ):
            times = measure(contenders, rounds, count, path)
            if options.json:
                print_json(name, contenders, times, count)
            else:
                print_text(name, contenders, times, count, rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
