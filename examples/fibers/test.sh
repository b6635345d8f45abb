#!/bin/sh
# The example records every span of each fiber on the fiber's own track, and none is mismatched.
#
#   test.sh PROJECT TACHO FIBERS
set -eu
. "$1/tests/support/lib.sh"
TACHO_TRACE_OUT=$scratch/fibers.json "$3" >/dev/null
"$2" trace summary --json "$scratch/fibers.json" >"$scratch/summary"
for wanted in '"name":"step","count":6,' '"name":"fiber","count":2,' '"overlaps":0' '"mismatched":0'; do
    grep -q "$wanted" "$scratch/summary" || fail "no $wanted in $(cat "$scratch/summary")"
done
