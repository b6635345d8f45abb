#!/bin/sh
# Perfetto's own trace processor agrees with tacho's summary about converted traces of tacho's recorder.
#
#   tools.sh PROJECT TACHO CHILD
set -eu
. "$1/tests/support/lib.sh"
project=$1
tacho=$2
. "$1/tests/kit/trace/tpq.sh"

# The reader calibrates the clock of a recording with open spans, with a new result each time. So it is
# read only once.
TACHO_TRACE_OUT=$scratch/own.tacho "$3" all
"$tacho" trace convert --quiet "$scratch/own.tacho" -o "$scratch/own.pftrace"
check "$scratch/own.pftrace" "our recording"
grep -q '^200	6187.5$' "$scratch/others" || fail "counters: $(cat "$scratch/others")"
