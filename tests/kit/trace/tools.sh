#!/bin/sh
# Perfetto's own trace processor finds in what we convert what our summary says, for a trace of our
# own recorder.
#
#   tools.sh PROJECT TACHO CHILD
set -eu
. "$1/tests/support/lib.sh"
project=$1
tacho=$2
. "$1/tests/kit/trace/tpq.sh"

# A recording whose process left spans open is timed by its reader, anew each time: once is enough.
TACHO_TRACE_OUT=$scratch/own.tacho "$3" all
"$tacho" trace convert --quiet "$scratch/own.tacho" -o "$scratch/own.pftrace"
check "$scratch/own.pftrace" "our recording"
grep -q '^200	6187.5$' "$scratch/others" || fail "counters: $(cat "$scratch/others")"
