#!/bin/sh
# The example fails for a function that does three times the work, for runs that take longer
# and for files of values twice as large; it names what it cannot read.
#
#   test.sh PROJECT TACHO GATE
set -eu
. "$1/tests/support/lib.sh"
gate=$3

# expect STATUS TEXT ARGUMENTS...: checks the exit status, and that the output contains TEXT.
expect()
{
    wanted=$1
    text=$2
    shift 2
    status=0
    "$gate" "$@" >"$scratch/said" 2>&1 || status=$?
    [ $status -eq "$wanted" ] || fail "gate $*: $status, not $wanted: $(cat "$scratch/said")"
    grep -q "$text" "$scratch/said" || fail "gate $* does not say '$text': $(cat "$scratch/said")"
}

expect 1 'mix: FAIL, .* times as much' 200
"$2" run -q -n 12 -o "$scratch" --name quick --name slow -c 'sleep 0.01' -c 'sleep 0.3' >/dev/null
expect 1 'wall: FAIL' "$scratch/quick/latest" "$scratch/slow/latest"
expect 0 'wall: PASS' "$scratch/slow/latest" "$scratch/quick/latest"
# values MIDDLE SEED: prints 20 unordered values, within 1 % of the middle.
values()
{
    awk -v middle="$1" -v x="$2" 'BEGIN {
        for (i = 0; i < 20; i++) {
            x = (x * 1103 + 12345) % 65536
            print middle * (0.99 + 0.02 * x / 65536)
        }
    }'
}

values 100 1 >"$scratch/before.txt"
values 200 2 >"$scratch/after.txt"
head -n 2 "$scratch/after.txt" >"$scratch/few.txt"
expect 1 'values: FAIL, ' "$scratch/before.txt" "$scratch/after.txt"
expect 0 'values: PASS' "$scratch/after.txt" "$scratch/before.txt"
expect 2 'values of each' "$scratch/few.txt" "$scratch/few.txt"
expect 3 'no values for b' "$scratch/before.txt" /dev/null
expect 3 'none' "$scratch/none" "$scratch/none"
