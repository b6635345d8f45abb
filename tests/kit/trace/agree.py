#!/usr/bin/env python3
"""agree.py SUMMARY SLICES BOUNDS ORPHANS WHAT: checks that tacho's summary and the trace processor
agree about spans: the time of each name, the number of spans, the number of unfinished ones, the length of the trace.

SUMMARY is the JSON of `tacho trace summary`. SLICES has lines of id, parent, duration and name,
separated by tabs. BOUNDS has the first and the last nanosecond, or is empty: then the length is not
compared. ORPHANS is the number of events that the trace processor dropped because the parent of their
track is not described, as for a process that died early. tacho shows these, so it may have that many
more spans.
"""
import collections
import json
import sys

summary = json.load(open(sys.argv[1], encoding="utf-8"))
ours = {row["name"].replace("\t", " ").replace("\n", " "): row for row in summary["rows"]}
orphans = int(sys.argv[4])
what = sys.argv[5]
faults = []

slices = {}
time, some, most = collections.Counter(), collections.Counter(), collections.Counter()
unfinished = 0
for line in open(sys.argv[2], encoding="utf-8"):
    number, parent, duration, name = line.rstrip("\n").split("\t")
    duration = int(duration)
    slices[number] = parent, duration, name
    if duration < 0:
        unfinished += 1
        continue
    most[name] += 1  # with instants, which have no length there
    some[name] += duration > 0
    while parent in slices and not (slices[parent][2] == name and slices[parent][1] >= 0):
        parent = slices[parent][0]
    if parent not in slices:  # else it is inside another of its name
        time[name] += duration

for name in sorted(set(ours) | set(time)):
    row = ours.get(name, {"total_ns": 0, "count": 0})
    more = max(row["count"] - most[name], 1)
    if more <= orphans and (row["total_ns"] > time[name] or
                            (row["count"] > most[name] and row["total_ns"] == time[name])):
        orphans -= more
        continue
    if row["total_ns"] != time[name] or not some[name] <= row["count"] <= most[name]:
        faults.append(f"{name!r}: ours {row['count']} in {row['total_ns']} ns, "
                      f"theirs {some[name]} to {most[name]} in {time[name]} ns")
if not unfinished <= summary["unfinished"] <= unfinished + orphans:
    faults.append(f"unfinished: ours {summary['unfinished']}, theirs {unfinished}")
if sys.argv[3]:
    first, last = map(int, sys.argv[3].split())
    if summary["last_ns"] - summary["first_ns"] != last - first:
        faults.append(f"length: ours {summary['last_ns'] - summary['first_ns']}, "
                      f"theirs {last - first}")
if not time:
    faults.append("the trace processor found no spans")
for fault in faults[:10]:
    print(f"{what}: {fault}", file=sys.stderr)
if faults:
    print(f"{what}: {len(faults)} differences in {len(time)} names", file=sys.stderr)
sys.exit(1 if faults else 0)
