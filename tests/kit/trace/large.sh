#!/bin/sh
# shellcheck disable=SC3045 # dash and bash have ulimit -v
# Traces larger than the allowed memory: 3 GB in order of time through a pipe, and more unordered events
# than one sorted run holds. The system limits the memory; it is not measured.
#
#   large.sh PROJECT TACHO LARGE
set -eu
. "$1/tests/support/lib.sh"
tacho=$2
large=$3
need mkfifo python3 awk

# rows: prints the rows of a summary as JSON in the form that LARGE prints.
rows()
{
    python3 -c '
import json, sys
summary = json.load(sys.stdin)
assert summary["sorted_by_reader"] == (sys.argv[1] == "sorted"), "sorted_by_reader"
assert not summary["truncated"] and summary["bad"] == 0, "damage"
for row in sorted(summary["rows"], key=lambda r: r["name"]):
    print(row["name"], row["count"], row["total_ns"], sep="\t")
print(summary["bytes"], file=sys.stderr)' "$1"
}

mkfifo "$scratch/pipe"
"$large" 30000000 >"$scratch/pipe" 2>"$scratch/wanted" &
(
    ulimit -v 65536 # KiB
    exec "$tacho" trace summary --json --quiet "$scratch/pipe" 2>"$scratch/why"
) | rows straight >"$scratch/got" 2>"$scratch/bytes" || fail "$(cat "$scratch/bytes" "$scratch/why")"
wait $!
expect_same "3 GB in order of time" "$scratch/wanted" "$scratch/got"
[ "$(cat "$scratch/bytes")" -gt 3000000000 ] || fail "only $(cat "$scratch/bytes") bytes"

# Three sorted runs of 1,048,576 events; the temporary files go to the folder of the test.
TMPDIR=$scratch
export TMPDIR
"$large" 2800000 backwards 2>"$scratch/wanted" |
    (
        ulimit -v 524288
        exec "$tacho" trace summary --json --quiet - 2>"$scratch/why"
    ) | rows sorted >"$scratch/got" 2>"$scratch/bytes" || fail "$(cat "$scratch/bytes" "$scratch/why")"
expect_same "backwards" "$scratch/wanted" "$scratch/got"
"$large" 2800000 backwards 2>/dev/null | "$tacho" trace convert --quiet - -o "$scratch/sorted.csv"
awk -F, 'NR > 1 { if ($2 == tid && $7 < ts) exit 1; tid = $2; ts = $7; n++ }
         END { if (n != 2800000) exit 1 }' "$scratch/sorted.csv" || fail "not all, or not in order"
