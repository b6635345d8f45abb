#!/bin/sh
# The example fails for a function that does three times the work, and for runs that take five times
# as long; it names what it cannot read.
#
#   test.sh PROJECT TACHO GATE
set -eu
. "$1/tests/support/lib.sh"
gate=$3

# expect STATUS TEXT ARGUMENTS...: the status, and that it says so.
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
"$2" run -q -n 12 -o "$scratch" --name quick --name slow -c 'sleep 0.01' -c 'sleep 0.05' >/dev/null
expect 1 'wall: FAIL' "$scratch/quick/latest" "$scratch/slow/latest"
expect 0 'wall: PASS' "$scratch/slow/latest" "$scratch/quick/latest"
expect 3 'none' "$scratch/none" "$scratch/none"
