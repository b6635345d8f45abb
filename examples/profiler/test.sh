#!/bin/sh
# The example draws where a command waits, and reports a command that cannot be started.
#
#   test.sh PROJECT WAITS
set -eu
. "$1/tests/support/lib.sh"
"$2" "$scratch/out" sleep 0.05 >"$scratch/result"
grep -q '"profiler_used":"waits"' "$scratch/result" || fail "another profiler: $(cat "$scratch/result")"
grep -q '"exit_status":0' "$scratch/result" || fail "no status: $(cat "$scratch/result")"
grep -q '>sleeps' "$scratch/out/flamegraph-sleep.svg" || fail "the picture does not show the sleep"
got=0
"$2" "$scratch/out" ./missing 2>"$scratch/err" || got=$?
[ $got = 127 ] || fail "a missing command ends with $got"
grep -q 'waits: profiler command failed: ./missing: ' "$scratch/err" || fail "$(cat "$scratch/err")"
